import { Button, Card, Menu, Text, Title } from '@mantine/core'
import { IconCopy, IconDots, IconGripVertical, IconTrash } from '@tabler/icons-react'
import { type HTMLAttributes, type Ref, useState } from 'react'
import { Link } from 'react-router'
import { type ConditionNames, describeConditions } from '../../shared/flow-conditions.ts'
import type { FlowView } from '../../shared/flows.ts'
import { getErrorText } from '../accounts/queries.ts'
import { Term } from '../analytics/parts.tsx'
import { BROKEN } from '../api.ts'
import { formatSpan } from '../flow-editor/elapsed.ts'
import { announce } from '../ui/announce.ts'
import { formatCounted, formatMoney } from '../ui/format.ts'
import { CountsBar } from './CountsBar.tsx'
import { DeleteFlowDialog } from './DeleteFlowDialog.tsx'
import { FlowSwitch } from './FlowSwitch.tsx'
import { FlowSwitchMark } from './FlowSwitchMark.tsx'
import { NoCarts } from './NoCarts.tsx'
import { useCopyFlow } from './queries.ts'

interface Props {
  flow: FlowView
  names: ConditionNames
  isReadOnly: boolean
  item: HTMLAttributes<HTMLElement> & { ref: Ref<HTMLLIElement> }
  /** null: the order cannot be changed. */
  handle: (HTMLAttributes<HTMLElement> & { ref: Ref<HTMLButtonElement> }) | null
}

/** A flow in the list: its entry conditions, messages and revenue. */
export function FlowCard({ flow, names, isReadOnly, item, handle }: Props) {
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
          <span className="flow-deeds">
            <FlowSwitch flow={flow} size="xs" />
            {!isReadOnly && <Deeds flow={flow} />}
          </span>
        </div>
        <Text fz="sm" mt={4}>
          {flow.conditions ? `Only if ${describeConditions(flow.conditions, names)}` : 'Every cart'}
        </Text>
        <Text fz="sm" c="dimmed" mb="md">
          {formatCounted(flow.steps.length, 'message')}:{' '}
          {flow.steps.map(({ delayMinutes }) => formatSpan(delayMinutes)).join(', ')} after the shopper’s last activity
        </Text>
        <NoCarts flow={flow} />
        <FlowRevenue flow={flow} />
        <CountsBar counts={flow.counts} />
      </Card>
    </li>
  )
}

const BROUGHT =
  'Net revenue of the orders attributed to messages of this flow that left in these days, with refunds taken off.'

function FlowRevenue({ flow: { brought, currency } }: { flow: FlowView }) {
  return (
    <Text fz="sm" mb="sm" component="div">
      <Term label="Brought in" definition={BROUGHT} />{' '}
      <strong className="tabular">{formatMoney(brought.revenue, currency)}</strong> from{' '}
      {formatCounted(brought.orders, 'order')} in the last {brought.days} days
    </Text>
  )
}

function Deeds({ flow }: { flow: FlowView }) {
  const [isDeleting, setDeleting] = useState(false)
  const copying = useCopyFlow()
  const copy = () =>
    copying.mutate(flow.id, {
      onSuccess: ({ flow: made }) => announce(`“${made.name}” is there, switched off`),
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
