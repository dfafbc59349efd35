import { Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import type { StoreView } from '../../shared/stores.ts'
import { connectionQuery, useMay, useMe } from '../access/queries.ts'
import { LogoutDialog } from '../accounts/LogoutDialog.tsx'
import { ThemePicker } from '../theme/ThemePicker.tsx'
import { Facts } from '../ui/Facts.tsx'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { CaptureCard } from './CaptureCard.tsx'
import { DisconnectDialog } from './DisconnectDialog.tsx'
import { HealthCard } from './HealthCard.tsx'
import { SendingForm } from './SendingForm.tsx'
import { storeFacts } from './storeFacts.tsx'

export function SettingsPage() {
  const connection = useQuery(connectionQuery)
  return (
    <>
      <PageTitle title="Settings" />
      <Stack gap="md" maw={820}>
        {connection.isPending ? (
          <LoadingCards count={2} rows={6} />
        ) : connection.error && !connection.data ? (
          <Failed
            title="The store settings could not be loaded"
            error={connection.error}
            onRetry={() => connection.refetch()}
          />
        ) : (
          <StoreSettings store={connection.data?.store ?? null} />
        )}
        <AccountCard />
        <AppearanceCard />
      </Stack>
    </>
  )
}

function StoreSettings({ store }: { store: StoreView | null }) {
  if (!store) return <NotConnected />
  return (
    <>
      <StoreCard store={store} />
      <SendingForm key={store.id} store={store} />
      <HealthCard />
      <CaptureCard store={store} />
    </>
  )
}

function NotConnected() {
  return (
    <Card>
      <Title order={2} mb="sm">
        Store Connection
      </Title>
      <Group gap="xs" mb="md">
        <IconCircleX size={20} color="var(--rc-bad)" aria-hidden />
        <Text>Not connected to any store</Text>
      </Group>
      <Button component={Link} to="/store-setup" w="fit-content">
        Connect Store
      </Button>
    </Card>
  )
}

function StoreCard({ store }: { store: StoreView }) {
  const [isAsking, setAsking] = useState(false)
  const mayConnect = useMay('stores:connect')
  return (
    <Card>
      <Title order={2} mb="sm">
        Store Connection
      </Title>
      <Group gap="xs" mb="md" wrap="nowrap" align="flex-start">
        <IconCircleCheck size={20} color="var(--rc-good)" aria-hidden style={{ flex: 'none', marginTop: 2 }} />
        <Text style={{ overflowWrap: 'anywhere' }}>Connected to {store.store_url}</Text>
      </Group>
      <Facts entries={[['Name', store.name], ...storeFacts(store)]} />
      {mayConnect && !store.isDemo && (
        <Button variant="default" mt="lg" w="fit-content" onClick={() => setAsking(true)}>
          Disconnect Store
        </Button>
      )}
      <DisconnectDialog opened={isAsking} storeName={store.name} onClose={() => setAsking(false)} />
    </Card>
  )
}

function AppearanceCard() {
  return (
    <Card>
      <Title order={2} mb="sm">
        Appearance
      </Title>
      <ThemePicker />
    </Card>
  )
}

function AccountCard() {
  const user = useMe()
  const [isAsking, setAsking] = useState(false)
  return (
    <Card>
      <Title order={2} mb="sm">
        Account
      </Title>
      {user && (
        <Facts
          entries={[
            ['Name', user.name],
            ['Email', user.email],
            ['Account', user.accountName],
            ['Role', user.role],
          ]}
        />
      )}
      <Button variant="default" mt="lg" w="fit-content" onClick={() => setAsking(true)}>
        Log Out
      </Button>
      <LogoutDialog opened={isAsking} onClose={() => setAsking(false)} />
    </Card>
  )
}
