import { Button, Card, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { DEFAULT_PLATFORM, type PlatformName } from '../../shared/platforms.ts'
import { useMay, useMe, useSubscription } from '../access/queries.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { LoadingPage } from '../ui/Loading.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ConnectedPanel } from './ConnectedPanel.tsx'
import { ConnectRequest } from './ConnectRequest.tsx'
import { KeysHelp } from './KeysHelp.tsx'
import { PluginSetup } from './PluginSetup.tsx'
import { useConnectStore } from './queries.ts'
import { ShopifyHelp } from './ShopifyHelp.tsx'
import { ShopifyKeysForm, useShopifyForm } from './ShopifyKeysForm.tsx'
import { StoreKeysForm, useKeysForm } from './StoreKeysForm.tsx'

const platforms = [
  { value: 'woocommerce', label: 'WooCommerce' },
  { value: 'shopify', label: 'Shopify' },
]

export function StoreSetupPage() {
  const subscription = useSubscription()
  const connect = useConnectStore()
  const [search] = useSearchParams()
  const request = search.get('connect')
  const actions = (
    <>
      <Link to="/settings" className="header-link">
        Settings
      </Link>
      <Link to="/logout" className="header-link">
        Log out
      </Link>
    </>
  )
  if (!subscription) return <LoadingPage />
  return (
    <BarePage title="Connect your store" size="md" actions={actions}>
      {!subscription.hasActiveSubscription ? (
        <SubscriptionRequired />
      ) : request ? (
        <ConnectRequest key={request} request={request} />
      ) : connect.data ? (
        <ConnectedPanel store={connect.data.store} warnings={connect.data.warnings} />
      ) : (
        <ConnectStore connect={connect} />
      )}
    </BarePage>
  )
}

function SubscriptionRequired() {
  return (
    <Card padding="xl">
      <Stack gap="md" align="flex-start">
        <Title order={1}>Subscription Required</Title>
        <Text>Connecting a store needs a plan. The free one is enough.</Text>
        <Button component={Link} to="/pricing">
          Choose a Plan
        </Button>
      </Stack>
    </Card>
  )
}

function ConnectStore({ connect }: { connect: ReturnType<typeof useConnectStore> }) {
  const [platform, setPlatform] = useState<PlatformName>(DEFAULT_PLATFORM)
  const [address, setAddress] = useState('')
  const pair = useKeysForm(setAddress)
  const shopify = useShopifyForm()
  const mayConnect = useMay('stores:connect')
  const isDemo = useMe()?.isDemo ?? false
  return (
    <Stack gap="lg">
      <div>
        <Title order={1}>Connect your store</Title>
        <Text c="dimmed" mt={4}>
          Recoup reads orders, customers and products. Nothing is sent to anyone until you switch a flow on.
        </Text>
      </div>
      {isDemo && <Notice tone="info">The demo stays connected to its own store and cannot connect another one.</Notice>}
      {!mayConnect && <Notice tone="info">Only the owner or an admin of the account can connect a store.</Notice>}
      {platform === 'woocommerce' && <PluginSetup />}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Card>
          <Stack gap="md">
            {platform === 'woocommerce' && <Title order={2}>Or with keys</Title>}
            <Select
              label="Platform"
              data={platforms}
              value={platform}
              allowDeselect={false}
              onChange={(value) => {
                if (!value) return
                setPlatform(value as PlatformName)
                connect.reset()
              }}
            />
            {platform === 'woocommerce' ? (
              <StoreKeysForm connect={connect} isDisabled={!mayConnect || isDemo} form={pair} />
            ) : (
              <ShopifyKeysForm connect={connect} isDisabled={!mayConnect || isDemo} form={shopify} />
            )}
          </Stack>
        </Card>
        {platform === 'woocommerce' ? <KeysHelp storeUrl={address} /> : <ShopifyHelp />}
      </SimpleGrid>
    </Stack>
  )
}
