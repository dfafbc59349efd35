import { Card, Grid, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconMailOff } from '@tabler/icons-react'
import { useParams } from 'react-router'
import type { z } from 'zod'
import type { CartView, cartMessages, MessageView, TimelineEntry } from '../../../shared/carts/carts.ts'
import { getMessageName } from '../../../shared/carts/carts.ts'
import { ApiError } from '../../core/api/api.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatMoney } from '../../core/ui/format.ts'
import { LoadingCards, LoadingTitle } from '../../core/ui/Loading.tsx'
import { Money } from '../../core/ui/Money.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import type { Outcome } from '../../core/ui/Thread.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { formatDateTime } from '../../core/ui/times.ts'
import { CartMarks } from '../../kits/carts/badges.tsx'
import { CartPathHead } from '../../kits/carts/CartThread.tsx'
import { useCart, useCartMessages } from '../../kits/carts/queries.ts'
import { hasOpenMessage } from '../../kits/carts/rules.ts'
import { CustomerCard, ProductsCard, SummaryCard } from './CartFacts.tsx'
import { CartMessage } from './CartMessage.tsx'
import { RecoveryActions } from './RecoveryActions.tsx'
import { buildStory, type StoryPart } from './story.ts'
import { useSendDialog } from './useSendDialog.tsx'

export function CartPage() {
  const { id = '' } = useParams()
  const messages = useCartMessages(id)
  const cart = useCart(id, hasOpenMessage(messages.data?.messages ?? []))
  const isMissing = cart.error instanceof ApiError && cart.error.status === 404
  return (
    <>
      {cart.isPending ? (
        <CartLoading />
      ) : cart.data ? (
        <CartContent cart={cart.data} messages={messages} />
      ) : (
        <>
          <PageTitle title="Cart" />
          <Failed
            title={isMissing ? 'Cart not found' : 'The cart could not be loaded'}
            error={cart.error}
            {...(!isMissing && { onRetry: () => cart.refetch() })}
          />
        </>
      )}
    </>
  )
}

const CartLoading = () => (
  <>
    <LoadingTitle />
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        <LoadingCards count={2} rows={5} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <LoadingCards count={2} rows={3} />
      </Grid.Col>
    </Grid>
  </>
)

function CartContent({ cart, messages }: { cart: CartView; messages: ReturnType<typeof useCartMessages> }) {
  const send = useSendDialog(cart.id)
  const order = messages.data?.order
  const marks = <CartMarks status={cart.status} state={cart.state} isInMailbox={cart.is_in_mailbox} />
  return (
    <>
      <PageTitle title={cart.customer_name} mark={marks} />
      <Card mb="md">
        <CartPathHead cart={cart} revenue={order && formatMoney(order.net, order.currency)} />
      </Card>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
          <Stack gap="md">
            <ProductsCard cart={cart} />
            {messages.isPending ? (
              <LoadingCards />
            ) : messages.data ? (
              <>
                {messages.data.order && <OrderCard order={messages.data.order} messages={messages.data.messages} />}
                <CartTimeline {...messages.data} />
              </>
            ) : (
              <Failed
                title="The messages could not be loaded"
                error={messages.error}
                onRetry={() => messages.refetch()}
              />
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
          <Stack gap="md">
            <RecoveryActions cart={cart} onAsk={send.onAsk} onSmsStatus={send.onSmsStatus} />
            <CustomerCard cart={cart} />
            <SummaryCard cart={cart} />
          </Stack>
        </Grid.Col>
      </Grid>
      {send.dialogs}
    </>
  )
}

interface Props {
  messages: MessageView[]
  timeline: TimelineEntry[]
  flow: CartFlow
}

/** The next message first, later ones below, with the history of events between them. */
function CartTimeline({ messages, timeline, flow }: Props) {
  const story = buildStory(messages, timeline)
  return (
    <Card>
      <Title order={2} mb="md">
        Timeline
      </Title>
      <Stack gap="lg">
        {messages.length === 0 ? (
          <Empty
            icon={IconMailOff}
            text={`No message is scheduled for this cart. ${flow ? describeFlow(flow) : 'A flow schedules messages once it is switched on.'}`}
          />
        ) : (
          !story[0]?.isPlanned && (
            <Text fz="sm" c="dimmed">
              No further message is scheduled. {flow && !flow.isOn && describeFlow(flow)}
            </Text>
          )
        )}
        {story.length > 0 && (
          <ol className="story">
            {story.map((part) => (
              <li
                key={getEntryKey(part)}
                {...(part.isPlanned && { 'data-planned': true })}
                {...('message' in part && !part.isPlanned && { 'data-outcome': findOutcome(part.message.state) })}
              >
                <Part part={part} />
              </li>
            ))}
          </ol>
        )}
      </Stack>
    </Card>
  )
}

const messageOutcomes: Record<string, Outcome> = {
  unknown: 'held',
  failed: 'failed',
  skipped: 'stopped',
  cancelled: 'stopped',
}
const findOutcome = (state: string): Outcome => messageOutcomes[state] ?? 'done'

const getEntryKey = (part: StoryPart) =>
  'message' in part ? part.message.id : `${part.at} ${part.entry.kind} ${part.entry.messageId} ${part.entry.title}`

function Part({ part }: { part: StoryPart }) {
  if ('message' in part) return <CartMessage message={part.message} />
  const { title, text, at } = part.entry
  return (
    <>
      <Text fw={600} fz="sm">
        {title}
      </Text>
      {text && <Text fz="sm">{text}</Text>}
      <Text fz="xs" c="dimmed">
        <DateTime at={at} />
      </Text>
    </>
  )
}

type Order = NonNullable<NonNullable<ReturnType<typeof useCartMessages>['data']>['order']>

function OrderCard({ order, messages }: { order: Order; messages: MessageView[] }) {
  const touched = messages.find(({ id }) => id === order.attributedMessageId)
  return (
    <Card>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2}>Order #{order.orderId}</Title>
        {order.attributedMessageId ? (
          <StatusBadge tone="good" icon={IconCircleCheck} label="Recovered by Recoup" />
        ) : (
          <StatusBadge tone="quiet" icon={IconCircleCheck} label="Bought without Recoup" />
        )}
      </Group>
      <Facts
        entries={[
          ['Bought', <DateTime key="at" at={order.purchasedAt} />],
          ['Total', <Money key="total" amount={order.total} currency={order.currency} />],
          ['Net revenue', <Money key="net" amount={order.net} currency={order.currency} />],
          ['Attributed to', describeAttribution(order, touched)],
        ]}
      />
    </Card>
  )
}

function describeAttribution(order: Order, touched: MessageView | undefined): string {
  if (!order.attributedMessageId) return 'No message: no message link was clicked before the order'
  if (!touched) return 'One of your messages'
  const sent = touched.sentAt ? `, sent ${formatDateTime(touched.sentAt)}` : ''
  return `${getMessageName(touched)}${sent}`
}

/** The message an event belongs to; null if none. */
type CartFlow = z.output<typeof cartMessages.reply>['flow']

/** Why the message may still end unsent. */
const describeFlow = ({ name, isOn }: NonNullable<CartFlow>): string =>
  isOn ? `The cart belongs to the flow “${name}”.` : `The cart belongs to the flow “${name}”, which is switched off.`
