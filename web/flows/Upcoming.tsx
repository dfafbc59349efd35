import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconClockPause } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { FlowView } from '../../shared/flows.ts'
import { MessageState } from '../carts/badges.tsx'
import { Empty } from '../ui/Empty.tsx'
import { Failed } from '../ui/Failed.tsx'
import { counted } from '../ui/format.ts'
import { LoadingList } from '../ui/Loading.tsx'
import { TimeAgo } from '../ui/Time.tsx'
import { useUpcoming } from './queries.ts'
import { channelNames, stepTitle } from './rules.ts'

export function Upcoming({ flow }: { flow: FlowView }) {
  const upcoming = useUpcoming(flow.id)
  return (
    <Card>
      <Title order={2} mb={4}>
        Sending in the next hour
      </Title>
      {upcoming.isPending ? (
        <LoadingList count={3} />
      ) : !upcoming.data ? (
        <Failed
          title="The upcoming messages could not be loaded"
          error={upcoming.error}
          onRetry={() => upcoming.refetch()}
        />
      ) : upcoming.data.total === 0 && upcoming.data.notSent.length === 0 ? (
        <Empty
          icon={IconClockPause}
          text={
            flow.isOn
              ? 'Nothing is due in the next hour for carts abandoned so far.'
              : 'Nothing is sent: the flow is switched off.'
          }
        />
      ) : (
        <>
          <Text fz="sm" c="dimmed" mb="md">
            {counted(upcoming.data.total, 'message')}, if nothing changes. Each is checked at the moment of sending.
          </Text>
          <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
            {upcoming.data.messages.map((message) => (
              <UpcomingRow key={`${message.cartId} ${message.step}`} flow={flow} message={message} />
            ))}
          </Stack>
          {upcoming.data.total > upcoming.data.messages.length && (
            <Text fz="sm" c="dimmed" mt="md">
              and {upcoming.data.total - upcoming.data.messages.length} more
            </Text>
          )}
          {upcoming.data.notSent.map(({ explanation, count }) => (
            <Text key={explanation} fz="sm" c="dimmed" mt="md">
              {counted(count, 'more message')} won’t be sent: {explanation}
            </Text>
          ))}
        </>
      )}
    </Card>
  )
}

type Row = NonNullable<ReturnType<typeof useUpcoming>['data']>['messages'][number]

function UpcomingRow({ flow, message }: { flow: FlowView; message: Row }) {
  return (
    <li>
      <Group justify="space-between" gap="xs" align="flex-start">
        <div style={{ flex: '1 1 240px', minWidth: 0 }}>
          <Link to={`/carts/${message.cartId}`} className="plain-link">
            {message.customer}
          </Link>
          <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {stepTitle(flow, message.step)}
            {message.channel !== 'email' && ` by ${channelNames[message.channel]}`}
            {message.to && ` to ${message.to}`}
          </Text>
          {message.explanation && <Text fz="sm">{message.explanation}</Text>}
        </div>
        <Group gap="sm">
          <Text fz="sm">
            <TimeAgo at={message.dueAt} />
          </Text>
          <MessageState state={message.state} />
        </Group>
      </Group>
    </li>
  )
}
