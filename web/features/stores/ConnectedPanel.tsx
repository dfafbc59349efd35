import './found.css'
import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { formatCount } from '../../core/ui/format.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { type StoreFinds, useRefreshConnection, useStoreFinds } from './queries.ts'
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
            <Text c="dimmed">Recoup is importing its orders, customers and products.</Text>
          </div>
        </Group>
        <Finds storeId={store.id} />
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

/** What the import has found so far. Left out until there is something. */
function Finds({ storeId }: { storeId: string }) {
  const { counts, logo } = useStoreFinds(storeId)
  const entries = (['orders', 'products', 'customers'] as const).filter((name) => (counts?.[name] ?? 0) > 0)
  if (entries.length === 0 && !logo) return null
  return (
    <section className="found" aria-label="Found so far">
      {logo && <img src={logo} alt={LOGO_TEXT} className="found-logo" />}
      <dl>
        {entries.map((name) => (
          <div key={name}>
            <dt>{FOUND_LABELS[name]}</dt>
            <dd className="tabular">{formatCount(counts![name])}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const LOGO_TEXT = 'Logo found in your store'
const FOUND_LABELS: Record<keyof NonNullable<StoreFinds['counts']>, string> = {
  orders: 'Orders',
  products: 'Products',
  customers: 'Customers',
}
