import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconBan, IconClockPause } from '@tabler/icons-react'
import type { PausedReceiver } from '../../shared/sending.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { StatusBadge } from '../ui/StatusBadge.tsx'
import { DateTime, TimeAgo } from '../ui/Time.tsx'
import { usePausedReceivers } from './sending-queries.ts'

/** Who takes no mail just now, and what is done about it. */
export function ReceiversCard() {
  const receivers = usePausedReceivers()
  return (
    <Card component="section" aria-label="Receivers that wait">
      <Title order={2}>Receivers that wait</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        When a mail service says “not now” or “not from you”, Recoup leaves it alone for a while. Then one message
        tries. The others wait for its answer, as long as they are not too old.
      </Text>
      {receivers.isPending && <LoadingList count={1} />}
      {receivers.error && (
        <Failed title="Could not be loaded" error={receivers.error} onRetry={() => receivers.refetch()} />
      )}
      {receivers.data?.receivers.length === 0 && <Text fz="sm">Every receiver takes your mail.</Text>}
      {receivers.data && receivers.data.receivers.length > 0 && (
        <Stack component="ul" gap="md" p={0} m={0} style={{ listStyle: 'none' }}>
          {receivers.data.receivers.map((each) => (
            <Receiver key={each.domain} {...each} />
          ))}
        </Stack>
      )}
    </Card>
  )
}

function Receiver({ domain, kind, since, triesAt, answer }: PausedReceiver) {
  return (
    <li>
      <Group gap="6px 10px">
        <Text fw={600} fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {domain}
        </Text>
        {kind === 'blocked' ? (
          <StatusBadge tone="bad" icon={IconBan} label="refuses mail" />
        ) : (
          <StatusBadge tone="warn" icon={IconClockPause} label="puts mail off" />
        )}
      </Group>
      <Text fz="sm">
        Since <TimeAgo at={since} />.{' '}
        {triesAt ? (
          <>
            One message tries again: <DateTime at={triesAt} />.
          </>
        ) : (
          'One message is trying just now.'
        )}
      </Text>
      <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        It says: {answer}
      </Text>
    </li>
  )
}
