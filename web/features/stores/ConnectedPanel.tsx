import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { useRefreshConnection } from './queries.ts'
import { listStoreFacts } from './storeFacts.tsx'

interface Props {
  store: StoreView
  warnings: string[]
}

/** What connecting found. The guard learns of the connection only after the user continues. */
export function ConnectedPanel({ store, warnings }: Props) {
  const refresh = useRefreshConnection()
  const navigate = useNavigate()
  // The guard redirects automatically, except when another store was connected.
  const goToDashboard = async () => {
    await refresh()
    await navigate('/dashboard', { replace: true })
  }
  // Settings open without a store, so one may already be cached when the guard learns of it.
  const goToSettings = async () => {
    await navigate('/settings/sending/sender')
    await refresh()
  }
  return (
    <Card padding="xl">
      <Stack gap="lg">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <IconCircleCheck size={30} color="var(--rc-good)" aria-hidden style={{ flex: 'none' }} />
          <div role="status">
            <Title order={1}>{store.name} is connected</Title>
            <Text c="dimmed">Recoup is importing its orders, customers and products now.</Text>
          </div>
        </Group>
        <Facts entries={listStoreFacts(store)} />
        {warnings.map((warning) => (
          <Notice key={warning} tone="warn">
            {warning}
          </Notice>
        ))}
        <Group gap="sm">
          <Button onClick={goToDashboard}>Go to the dashboard</Button>
          <Button variant="default" onClick={goToSettings}>
            Set sender and address
          </Button>
        </Group>
      </Stack>
    </Card>
  )
}
