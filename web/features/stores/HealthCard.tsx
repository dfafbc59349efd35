import { Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleOff, IconClock, IconRefresh } from '@tabler/icons-react'
import { SYNC_STREAMS, type SyncStream } from '../../../shared/access/stores.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { Fold } from '../../core/ui/Fold.tsx'
import { formatCounted } from '../../core/ui/format.ts'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { useStoreHealth } from './queries.ts'
import { describeReports, findHealth, type StreamHealth, type StreamState, streamNames } from './rules.ts'
import { describeSyncAge } from './sync-age.ts'

const badges: Record<StreamHealth, Parameters<typeof StatusBadge>[0]> = {
  fine: { tone: 'good', icon: IconCircleCheck, label: 'Up to date' },
  running: { tone: 'info', icon: IconRefresh, label: 'Syncing now' },
  failing: { tone: 'bad', icon: IconAlertTriangle, label: 'Failing' },
  waiting: { tone: 'quiet', icon: IconClock, label: 'Not run yet' },
  unused: { tone: 'quiet', icon: IconCircleOff, label: 'Not used' },
}

export function HealthCard() {
  const health = useStoreHealth()
  return (
    <Card>
      <Title order={2}>Data from your store</Title>
      {health.isPending ? (
        <LoadingList count={3} />
      ) : health.data ? (
        <>
          <Text fz="sm" c="dimmed" mt={4} mb="md">
            {formatCounted(health.data.counts.orders, 'order')},{' '}
            {formatCounted(health.data.counts.customers, 'customer')} and{' '}
            {formatCounted(health.data.counts.products, 'product')}. {describeSyncAge(health.data)}.
          </Text>
          {health.data.isReported !== undefined && (
            <Text fz="sm" c="dimmed" mb="md">
              {describeReports(health.data)}
            </Text>
          )}
          <Streams streams={health.data.streams} />
        </>
      ) : (
        <Failed title="The sync status could not be loaded" error={health.error} onRetry={() => health.refetch()} />
      )}
    </Card>
  )
}

/** Streams that need attention, and the rest in one line. */
function Streams({ streams }: { streams: Partial<Record<SyncStream, StreamState>> }) {
  const known = SYNC_STREAMS.flatMap((stream) => {
    const state = streams[stream]
    return state ? [{ stream, state, isFine: findHealth(stream, state) === 'fine' }] : []
  })
  const fine = known.filter(({ isFine }) => isFine)
  return (
    <Stack gap="sm">
      <Rows rows={known.filter(({ isFine }) => !isFine)} />
      {fine.length > 0 && (
        <Fold text={`${formatCounted(fine.length, 'kind')} of data up to date`} what="all">
          <Rows rows={fine} />
        </Fold>
      )}
    </Stack>
  )
}

const Rows = ({ rows }: { rows: readonly { stream: SyncStream; state: StreamState }[] }) =>
  rows.length > 0 && (
    <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
      {rows.map(({ stream, state }) => (
        <StreamRow key={stream} stream={stream} state={state} />
      ))}
    </Stack>
  )

function StreamRow({ stream, state }: { stream: SyncStream; state: StreamState }) {
  const health = findHealth(stream, state)
  const at = health === 'failing' ? state.failedAt : health === 'unused' ? null : state.completedAt
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text fz="sm">{streamNames[stream]}</Text>
        <Group gap="sm" wrap="nowrap" ml="auto">
          {at && (
            <Text fz="sm" c="dimmed">
              <TimeAgo at={at} />
            </Text>
          )}
          <StatusBadge {...badges[health]} />
        </Group>
      </Group>
      {health === 'failing' && state.problem && (
        <Text fz="sm" mt={2} c="var(--rc-bad)">
          {state.problem}
        </Text>
      )}
    </li>
  )
}
