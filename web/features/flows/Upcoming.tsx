import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconClockPause } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { FlowView } from '../../../shared/marketing/flows.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { formatCount, formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { TimeUntil } from '../../core/ui/Time.tsx'
import { MessageState } from '../../kits/carts/badges.tsx'
import { useUpcoming } from '../../kits/flows/queries.ts'
import { channelNames, nameStep } from '../../kits/flows/rules.ts'
import { useStoreHealth } from '../stores/queries.ts'

export function Upcoming({ flow }: { flow: FlowView }) {
  const upcoming = useUpcoming(flow.id)
  const isCutOff = useStoreHealth().data?.isReported !== undefined
  return (
    <Card>
      <Title order={2} mb={4}>
        Sending in the next hour
      </Title>
      {flow.isOn && isCutOff && (
        <Text fz="sm" mb="sm">
          Recoup cannot reach your shop: each message is sent with the first report of its plugin after it is due.{' '}
          {pluginTexts.reportsByCron}
        </Text>
      )}
      {upcoming.isPending ? (
        <LoadingList count={3} />
      ) : !upcoming.data ? (
        <Failed
          title="The upcoming messages could not be loaded"
          error={upcoming.error}
          onRetry={() => upcoming.refetch()}
        />
      ) : upcoming.data.total + upcoming.data.unforeseen + upcoming.data.notSent.length === 0 ? (
        <Empty
          icon={IconClockPause}
          text={flow.isOn ? 'Nothing is due in the next hour.' : 'The flow is off, so nothing is sent.'}
        />
      ) : (
        <Messages flow={flow} upcoming={upcoming.data} />
      )}
    </Card>
  )
}

type Data = NonNullable<ReturnType<typeof useUpcoming>['data']>

/** The forecast, separating messages expected to be sent from blocked ones. */
function Messages({ flow, upcoming }: { flow: FlowView; upcoming: Data }) {
  const { total, unforeseen, messages } = upcoming
  return (
    <>
      <Text fz="sm" c="dimmed" mb={total > 0 ? 'md' : 0}>
        {total === 0
          ? 'No message will be sent.'
          : `${formatCounted(total, 'message')} due. Each is checked again when it is sent.`}
      </Text>
      <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Expected to be sent">
        {messages.map((message) => (
          <UpcomingRow key={`${message.cartId} ${message.step}`} flow={flow} message={message} />
        ))}
      </Stack>
      {total > messages.length && (
        <Text fz="sm" c="dimmed" mt="md">
          and {formatCount(total - messages.length)} more
        </Text>
      )}
      {unforeseen > 0 && (
        <Text fz="sm" c="dimmed" mt="md">
          {formatCounted(unforeseen, 'more message is', 'more messages are')} due after these, not checked yet.
        </Text>
      )}
      <BlockedMessages notSent={upcoming.notSent} />
    </>
  )
}

function BlockedMessages({ notSent }: Pick<Data, 'notSent'>) {
  if (notSent.length === 0) return null
  const count = notSent.reduce((sum, each) => sum + each.count, 0)
  return (
    <>
      <Text fz="sm" fw={550} component="h3" mt="md" mb={4}>
        {formatCounted(count, 'due message')} will not be sent in this hour
      </Text>
      <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }} aria-label="Why they will not be sent">
        {notSent.map((each) => (
          <li key={each.explanation}>
            <Group justify="space-between" wrap="nowrap" gap="sm" align="baseline">
              <Text fz="sm">{each.explanation}</Text>
              <Text fz="sm" fw={600} className="tabular">
                {formatCount(each.count)}
              </Text>
            </Group>
          </li>
        ))}
      </Stack>
    </>
  )
}

type Row = Data['messages'][number]

function UpcomingRow({ flow, message }: { flow: FlowView; message: Row }) {
  return (
    <li>
      <Group justify="space-between" gap="xs" align="flex-start">
        <div style={{ flex: '1 1 240px', minWidth: 0 }}>
          <Link to={`/carts/${message.cartId}`} className="plain-link">
            {message.customer}
          </Link>
          <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {nameStep(flow, message.step)}
            {message.channel !== 'email' && ` by ${channelNames[message.channel]}`}
            {message.to && ` to ${message.to}`}
          </Text>
          {message.explanation && <Text fz="sm">{message.explanation}</Text>}
        </div>
        <Group gap="sm">
          <Text fz="sm">
            <TimeUntil at={message.dueAt} />
          </Text>
          <MessageState state={message.state} />
        </Group>
      </Group>
    </li>
  )
}
