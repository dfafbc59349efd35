import '../analytics/analytics.css'
import './flows.css'
import { Button, Stack, Text } from '@mantine/core'
import { IconPlus, IconRoute } from '@tabler/icons-react'
import { useState } from 'react'
import { type FlowView, flowTexts } from '../../shared/flows.ts'
import { useHasPermission } from '../access/queries.ts'
import { useConditionNames } from '../flow-editor/queries.ts'
import { LiftCard } from '../lift/LiftCard.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { moveItem } from '../ui/reorder.ts'
import { useReorder } from '../ui/useReorder.ts'
import { FlowCard } from './FlowCard.tsx'
import { useFlows, useOrderFlows } from './queries.ts'
import { StartFrom } from './StartFrom.tsx'

export function FlowsPage() {
  const flows = useFlows()
  const mayWrite = useHasPermission('flows:write')
  const [isStarting, setStarting] = useState(false)
  return (
    <>
      <PageTitle title="Flows" text="Automatic messages after a cart is abandoned.">
        {flows.data && mayWrite && (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setStarting(true)}>
            Create a flow
          </Button>
        )}
      </PageTitle>
      <Loaded query={flows} loading={<LoadingCards count={1} rows={3} />} failed="The flows could not be loaded">
        {(data) => (
          <>
            {data.flows.length === 0 ? (
              <Empty icon={IconRoute} text="There is no flow yet, so shoppers who leave a cart get no messages.">
                {mayWrite && <Button onClick={() => setStarting(true)}>Create a flow</Button>}
              </Empty>
            ) : (
              <Stack gap="md">
                <Flows flows={data.flows} isReadOnly={!mayWrite} />
                <LiftCard />
              </Stack>
            )}
            <StartFrom
              opened={isStarting}
              library={data.library}
              rulesPlan={data.isRulesInPlan || data.flows.length === 0 ? null : flowTexts.rulesPlan}
              onClose={() => setStarting(false)}
            />
          </>
        )}
      </Loaded>
    </>
  )
}

/** A cart enters the first active flow that matches, so the owner chooses the order. */
function Flows({ flows, isReadOnly }: { flows: FlowView[]; isReadOnly: boolean }) {
  const order = useOrderFlows()
  const [said, say] = useState('')
  const names = useConditionNames(
    flows.map(({ conditions }) => conditions),
    flows[0]!.currency,
  )
  const ids = flows.map(({ id }) => id)
  const { handleOf, itemOf } = useReorder(ids, (from, to) => {
    order.mutate(moveItem(ids, from, to))
    say(`${flows[from]!.name} is now number ${to + 1} of ${flows.length}`)
  })
  const isSorted = flows.length > 1
  return (
    <div>
      {isSorted && (
        <Text fz="sm" c="dimmed" mb="sm">
          A cart belongs to the first flow in this order that is on and whose conditions hold.
        </Text>
      )}
      {order.error && (
        <div className="flows-problem">
          <Notice tone="bad" title="The order was not saved" isLive>
            {order.error.message}
          </Notice>
        </div>
      )}
      <span id="reorder-hint" hidden>
        Drag it, or use the arrow keys.
      </span>
      <ol className="flows" aria-label="Flows in their order">
        {flows.map((flow) => (
          <FlowCard
            key={flow.id}
            flow={flow}
            names={names}
            isReadOnly={isReadOnly}
            item={itemOf(flow.id)}
            handle={isSorted && !isReadOnly ? handleOf(flow.id) : null}
          />
        ))}
      </ol>
      <output className="only-read">{said}</output>
    </div>
  )
}
