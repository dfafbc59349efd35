import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { useConnection } from '../../core/access/queries.ts'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { EndedNotice } from '../../features/stores/EndedNotice.tsx'

/** A tab about the connected store: loads it, shows errors, or explains how to connect one. */
export function ConnectedTab({ children }: { children: (store: StoreView) => ReactNode }) {
  const connection = useConnection()
  if (!connection) return <NotConnected />
  if (connection.isPending) return <LoadingCards count={2} rows={6} />
  if (connection.error && !connection.data) {
    return (
      <Failed
        title="The store settings could not be loaded"
        error={connection.error}
        onRetry={() => connection.refetch()}
      />
    )
  }
  const store = connection.data?.store
  return store ? children(store) : <NotConnected />
}

function NotConnected() {
  return (
    <Stack gap="md">
      <EndedNotice />
      <Card>
        <Title order={2} mb="sm">
          Store Connection
        </Title>
        <Group gap="xs" mb="md">
          <IconCircleX size={20} color="var(--rc-bad)" aria-hidden />
          <Text>Not connected to any store</Text>
        </Group>
        <Text fz="sm" c="dimmed" mb="md">
          Connect your store first to see its settings.
        </Text>
        <Button component={Link} to="/store-setup" w="fit-content">
          Connect Store
        </Button>
      </Card>
    </Stack>
  )
}
