import '../analytics/analytics.css'
import '../../kits/flows/flows.css'
import { Button, Card, Menu, Stack, Text, Title } from '@mantine/core'
import { IconCopy, IconDots, IconGripVertical, IconPlus, IconRoute, IconTrash } from '@tabler/icons-react'
import { type HTMLAttributes, type Ref, useState } from 'react'
import { Link } from 'react-router'
import { type ConditionNames, describeConditions } from '../../../shared/carts/flow-conditions.ts'
import { type FlowView, flowTexts } from '../../../shared/marketing/flows.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { BROKEN, getErrorText } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { formatCounted, formatMoney } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { moveItem } from '../../core/ui/reorder.ts'
import { useReorder } from '../../core/ui/useReorder.ts'
import { CountsBar } from '../../kits/flows/CountsBar.tsx'
import { useConditionNames } from '../../kits/flows/condition-queries.ts'
import { useCopyFlow, useFlows, useOrderFlows } from '../../kits/flows/queries.ts'
import { Term } from '../analytics/parts.tsx'
import { LiftCard } from '../lift/LiftCard.tsx'
import { DeleteFlowDialog } from './DeleteFlowDialog.tsx'
import { FlowSteps } from './FlowSteps.tsx'
import { FlowSwitch } from './FlowSwitch.tsx'
import { FlowSwitchMark } from './FlowSwitchMark.tsx'
import { NoCarts } from './NoCarts.tsx'
import { StartFrom } from './StartFrom.tsx'

export function FlowsPage() {
  const flows = useFlows()
  const mayWrite = useHasPermission('flows:write')
  const [isStarting, setStarting] = useState(false)
  return (
    <>
      <PageTitle title="Flows" text="Automatic messages after a cart is abandoned.">
        {flows.data && mayWrite && (
          <Button
            {...(findFlowToSwitchOn(flows.data.flows) && { variant: 'default' })}
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setStarting(true)}
          >
            Create a flow
          </Button>
        )}
      </PageTitle>
      <Loaded query={flows} loading={<LoadingCards count={1} rows={3} />} failed="The flows could not be loaded">
        {(data) => (
          <>
            {data.flows.length === 0 ? (
              <Empty icon={IconRoute} text="No flow yet. A flow sends reminders after a cart is abandoned." isFirst>
                {mayWrite && <Button onClick={() => setStarting(true)}>Create a flow</Button>}
              </Empty>
            ) : (
              <Stack gap="md">
                <Flows data={data} isReadOnly={!mayWrite} />
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

/** With every flow off, the first one's switch is the page's main button. */
const findFlowToSwitchOn = (flows: readonly FlowView[]) => (flows.some(({ isOn }) => isOn) ? undefined : flows[0])

type Data = NonNullable<ReturnType<typeof useFlows>['data']>

/** A cart enters the first active flow that matches, so the owner chooses the order. */
function Flows({ data: { flows, channels }, isReadOnly }: { data: Data; isReadOnly: boolean }) {
  const order = useOrderFlows()
  const [notice, setNotice] = useState('')
  const names = useConditionNames(
    flows.map(({ conditions }) => conditions),
    flows[0]!.currency,
  )
  const ids = flows.map(({ id }) => id)
  const { handleOf, itemOf } = useReorder(ids, (from, to) => {
    order.mutate(moveItem(ids, from, to))
    setNotice(`${flows[from]!.name} is now number ${to + 1} of ${flows.length}`)
  })
  const isSorted = flows.length > 1
  return (
    <div>
      {isSorted && (
        <Text fz="sm" c="dimmed" mb="sm">
          A cart goes to the first flow that is on and whose conditions match.
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
            approved={channels.whatsapp.template}
            isMain={flow === findFlowToSwitchOn(flows)}
            isReadOnly={isReadOnly}
            item={itemOf(flow.id)}
            handle={isSorted && !isReadOnly ? handleOf(flow.id) : null}
          />
        ))}
      </ol>
      <output className="visually-hidden">{notice}</output>
    </div>
  )
}

interface Props {
  flow: FlowView
  names: ConditionNames
  /** The approved WhatsApp template. */
  approved: string | null
  /** Its switch is the page's main button. */
  isMain: boolean
  isReadOnly: boolean
  item: HTMLAttributes<HTMLElement> & { ref: Ref<HTMLLIElement> }
  /** null: the order cannot be changed. */
  handle: (HTMLAttributes<HTMLElement> & { ref: Ref<HTMLButtonElement> }) | null
}

/** A flow in the list: its revenue, entry conditions and messages. */
function FlowCard({ flow, names, approved, isMain, isReadOnly, item, handle }: Props) {
  return (
    <li className="flow" {...item}>
      <Card>
        <div className="flow-head">
          {handle && (
            <button
              type="button"
              className="drag-handle"
              aria-label={`Move ${flow.name}`}
              aria-describedby="reorder-hint"
              {...handle}
            >
              <IconGripVertical size={16} aria-hidden />
            </button>
          )}
          <Title order={2} className="flow-name">
            <Link to={`/flows/${flow.id}`} className="plain-link">
              {flow.name}
            </Link>
          </Title>
          <FlowSwitchMark isOn={flow.isOn} />
          <span className="flow-actions">
            <FlowSwitch flow={flow} size="xs" isMain={isMain} />
            {!isReadOnly && <FlowActions flow={flow} />}
          </span>
        </div>
        <Text fz="sm" c="dimmed" mt={4} mb="md">
          {flow.conditions ? `Only if ${describeConditions(flow.conditions, names)}` : describeEveryCart(flow)}
        </Text>
        <NoCarts flow={flow} />
        <div className="flow-body">
          <FlowRevenue flow={flow} />
          <FlowSteps flow={flow} approved={approved} />
        </div>
        <CountsBar counts={flow.counts} />
      </Card>
    </li>
  )
}

const describeEveryCart = ({ position }: FlowView) =>
  position === 1 ? 'All carts' : 'All carts not handled by a flow above'

function FlowRevenue({ flow: { brought, currency } }: { flow: FlowView }) {
  return (
    <div className="flow-revenue">
      <Term
        label="Revenue recovered"
        definition={`Net revenue of orders attributed to messages this flow sent in the last ${brought.days} days. Refunds are subtracted.`}
      />
      <strong className="tabular">{formatMoney(brought.revenue, currency)}</strong>
      <Text fz="sm" c="dimmed">
        {formatCounted(brought.orders, 'order')} in the last {brought.days} days
      </Text>
    </div>
  )
}

function FlowActions({ flow }: { flow: FlowView }) {
  const [isDeleting, setDeleting] = useState(false)
  const copying = useCopyFlow()
  const copy = () =>
    copying.mutate(flow.id, {
      onSuccess: ({ flow: copy }) => announce(`“${copy.name}” created, switched off`),
      onError: (error) => announce(getErrorText(error, BROKEN), 'bad'),
    })
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant="default" size="xs" px={8} aria-label={`More for ${flow.name}`} loading={copying.isPending}>
            <IconDots size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={copy}>
            Copy
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setDeleting(true)}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteFlowDialog flow={flow} opened={isDeleting} onClose={() => setDeleting(false)} />
    </>
  )
}
