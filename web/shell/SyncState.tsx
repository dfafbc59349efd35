import { Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconRefresh } from '@tabler/icons-react'
import { useHasPermission } from '../access/queries.ts'
import { useStoreHealth, useSync } from '../stores/queries.ts'
import { announce } from '../ui/announce.ts'
import { useNow } from '../ui/clock.ts'
import { formatAge } from '../ui/format.ts'

/** "Synced 2 min ago" and the button to sync now. */
export function SyncState() {
  const health = useStoreHealth()
  const now = useNow()
  const sync = useSync()
  const maySync = useHasPermission('stores:sync')
  const isWide = useMediaQuery('(min-width: 80em)', true, { getInitialValueInEffect: false })
  const ageMs = health.data?.ageSeconds == null ? null : now - health.dataUpdatedAt + health.data.ageSeconds * 1_000
  const text = sync.isPending
    ? 'Syncing…'
    : ageMs === null
      ? health.data
        ? 'Not synced yet'
        : ''
      : `${isWide ? 'Synced ' : ''}${formatAge(ageMs / 1_000)}`
  const start = () =>
    sync.mutate(undefined, {
      onSuccess: (answer) => announce(answer.message),
      onError: (error) =>
        notifications.show({ title: 'Sync failed', message: error.message, color: 'red', autoClose: 10_000 }),
    })
  return (
    <Group gap="sm" wrap="nowrap">
      <Text fz="sm" c="dimmed" role="status" className="sync-age">
        {text}
      </Text>
      {maySync && (
        <Button
          size="compact-sm"
          variant="default"
          loading={sync.isPending}
          aria-label="Sync now"
          onClick={start}
          {...(isWide && { leftSection: <IconRefresh size={14} aria-hidden /> })}
        >
          {isWide ? 'Sync now' : <IconRefresh size={15} aria-hidden />}
        </Button>
      )}
    </Group>
  )
}
