import { Badge, Button, Card, Group, Select, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router'
import type { z } from 'zod'
import { storeTexts } from '../../../shared/access/stores.ts'
import { DEFAULT_PLATFORM, type PlatformName } from '../../../shared/platforms/platforms.ts'
import type { reviewPlugin } from '../../../shared/workspace/plugin.ts'
import { useHasPermission, useIsStoreKnown, useMe, useStore, useSubscription } from '../../core/access/queries.ts'
import { getErrorText } from '../../core/api/api.ts'
import { dropRequest, isForAnother, isInsteadOfStore } from '../../core/session/request.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingCards, LoadingPage } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { AnotherStore, useReturnPath } from './AnotherStore.tsx'
import { ConnectedPanel } from './ConnectedPanel.tsx'
import { EndedNotice } from './EndedNotice.tsx'
import { KeysSteps } from './KeysHelp.tsx'
import { PluginSteps } from './PluginSetup.tsx'
import { useConfirmRequest, useConnectRequest } from './plugin-queries.ts'
import { useConnectStore, useDisconnect } from './queries.ts'
import { ShopifyHelp } from './ShopifyHelp.tsx'
import { useCredentialKind } from './ShopifyKeyFields.tsx'
import { ShopifyKeysForm, useShopifyForm } from './ShopifyKeysForm.tsx'
import { StoreKeysForm, useKeysForm } from './StoreKeysForm.tsx'

const platforms = [
  { value: 'woocommerce', label: 'WooCommerce' },
  { value: 'shopify', label: 'Shopify' },
]

export function StoreSetupPage() {
  const subscription = useSubscription()
  const isAnother = useIsAnother()
  const isInstead = useIsReplacingStore()
  const isBeside = isAnother && !isInstead
  const isKnown = useIsStoreKnown()
  const connect = useConnectStore(isAnother)
  const request = useSearchParams()[0].get('connect')
  const from = useReturnPath()
  const actions = (
    <>
      <Link to={isAnother ? from : '/settings'} className="header-link">
        {isAnother ? 'Back' : 'Settings'}
      </Link>
      <Link to="/logout" className="header-link">
        Log out
      </Link>
    </>
  )
  if (!subscription || !isKnown) return <LoadingPage />
  return (
    <BarePage title={getTitle(isBeside)} size="md" actions={actions}>
      {!subscription.hasActiveSubscription ? (
        <SubscriptionRequired />
      ) : request ? (
        <ConnectRequest key={request} request={request} />
      ) : connect.data ? (
        <ConnectedPanel store={connect.data.store} warnings={connect.data.warnings} />
      ) : isBeside ? (
        <AnotherStore isSent={!connect.isIdle}>
          <ConnectStore connect={connect} isAnother />
        </AnotherStore>
      ) : (
        <ConnectStore connect={connect} isAnother={false} />
      )}
    </BarePage>
  )
}

/** The account already has a store. */
function useIsAnother(): boolean {
  const { pathname, search } = useLocation()
  const store = useStore()
  return store !== null && isForAnother(pathname + search)
}

/** The previous store is to be replaced but could not be disconnected. */
function useIsReplacingStore(): boolean {
  const { pathname, search } = useLocation()
  return isInsteadOfStore(pathname + search)
}

const getTitle = (isAnother: boolean) => (isAnother ? 'Connect another store' : 'Connect your store')

function SubscriptionRequired() {
  return (
    <Card padding="xl">
      <Stack gap="md" align="flex-start">
        <Title order={1}>Subscription Required</Title>
        <Text>Connecting a store needs a plan. Lite is enough.</Text>
        <Button component={Link} to="/pricing">
          Choose a Plan
        </Button>
      </Stack>
    </Card>
  )
}

/** Shown until the server has disconnected the previous store. */
function StillConnected() {
  const disconnect = useDisconnect()
  const navigate = useNavigate()
  const retry = () =>
    disconnect.mutateAsync().then(
      () => navigate('/store-setup', { replace: true }),
      () => undefined,
    )
  return (
    <Notice tone="bad" title={storeTexts.disconnectFailed} isLive>
      <Stack gap="sm" align="flex-start">
        The previous store is still connected on the server. You can connect the other store anyway.
        <Button size="xs" variant="default" loading={disconnect.isPending} onClick={retry}>
          Disconnect Store
        </Button>
      </Stack>
    </Notice>
  )
}

interface Props {
  connect: ReturnType<typeof useConnectStore>
  isAnother: boolean
}

function ConnectStore({ connect, isAnother }: Props) {
  const [platform, setPlatform] = useState<PlatformName>(DEFAULT_PLATFORM)
  const [address, setAddress] = useState('')
  const pair = useKeysForm(setAddress)
  const shopify = useShopifyForm()
  const kind = useCredentialKind(shopify)
  const mayConnect = useHasPermission('stores:connect')
  const isDemo = useMe()?.isDemo ?? false
  return (
    <Stack gap="lg">
      <div>
        <Title order={1}>{getTitle(isAnother)}</Title>
        <Text c="dimmed" mt={4}>
          Recoup reads orders, customers and products. Nothing is sent until you switch a flow on.
          {isAnother && ' Your connected stores stay as they are.'}
        </Text>
      </div>
      {useIsReplacingStore() && <StillConnected />}
      {!isAnother && <EndedNotice />}
      {isDemo && <Notice tone="info">The demo stays connected to its own store and cannot connect another one.</Notice>}
      {!mayConnect && <Notice tone="info">Only the owner or an admin of the account can connect a store.</Notice>}
      <Select
        label="Platform"
        maw={320}
        data={platforms}
        value={platform}
        allowDeselect={false}
        onChange={(value) => {
          if (!value) return
          setPlatform(value as PlatformName)
          connect.reset()
        }}
      />
      {platform === 'woocommerce' && <PluginSetup />}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Card>
          <Stack gap="md">
            {platform === 'woocommerce' ? (
              <>
                <Title order={2}>Or with keys</Title>
                <StoreKeysForm connect={connect} isDisabled={!mayConnect || isDemo} form={pair} />
              </>
            ) : (
              <ShopifyKeysForm connect={connect} isDisabled={!mayConnect || isDemo} form={shopify} kind={kind} />
            )}
          </Stack>
        </Card>
        {platform === 'woocommerce' ? <KeysHelp storeUrl={address} /> : <ShopifyHelp kind={kind} />}
      </SimpleGrid>
    </Stack>
  )
}

/** A shop's plugin sent its owner here to confirm shop and account. */
function ConnectRequest({ request }: { request: string }) {
  const connectRequest = useConnectRequest(request)
  useEffect(dropRequest, [])
  if (connectRequest.isPending) return <LoadingCards count={1} rows={4} />
  if (connectRequest.error) {
    return (
      <Stack gap="lg">
        <Title order={1}>Connect this shop?</Title>
        <Failed
          title="The shop cannot be connected"
          error={connectRequest.error}
          onRetry={() => connectRequest.refetch()}
        />
      </Stack>
    )
  }
  return <Confirm request={request} review={connectRequest.data} />
}

function Confirm({ request, review }: { request: string; review: z.infer<typeof reviewPlugin.reply> }) {
  const confirm = useConfirmRequest()
  const { homeUrl, name, account, problem, cancelUrl } = review
  const connect = () => confirm.mutate(request, { onSuccess: ({ url }) => location.assign(url) })
  return (
    <Card padding="xl">
      <Stack gap="lg">
        <div>
          <Title order={1}>Connect this shop?</Title>
          <Text c="dimmed" mt={4}>
            Its plugin asked to connect. It reports carts and orders; Recoup also reads orders, customers and products.
            Nothing is sent until you switch a flow on.
          </Text>
        </div>
        <Facts
          entries={[
            ['Shop', name || homeUrl],
            ['Address', homeUrl],
            ['Your account', account],
          ]}
        />
        {problem && (
          <Notice tone="warn" title="This shop cannot be connected here">
            {problem.message}
          </Notice>
        )}
        {confirm.error && (
          <Notice tone="bad" title="Connection failed" isLive>
            {getErrorText(confirm.error, storeTexts.connectFailed)}
          </Notice>
        )}
        <Group gap="sm">
          {problem ? (
            <Button component="a" href={problem.backUrl}>
              Back to WordPress
            </Button>
          ) : (
            <>
              <Button onClick={connect} loading={confirm.isPending || confirm.isSuccess}>
                Connect
              </Button>
              <Button component="a" href={cancelUrl} variant="default">
                Cancel
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Card>
  )
}

/** Where to create the two keys in WooCommerce, beside the form that asks for them. */
function KeysHelp({ storeUrl }: { storeUrl: string }) {
  return (
    <Card>
      <Title order={2} mb="sm">
        How to get your keys
      </Title>
      <KeysSteps storeUrl={storeUrl} />
    </Card>
  )
}

/** The first way to connect, without API keys. */
function PluginSetup() {
  return (
    <Card component="section" aria-label="Connect with the plugin">
      <Group gap="sm" mb={4}>
        <Title order={2}>With the plugin</Title>
        <Badge variant="light">Recommended</Badge>
      </Group>
      <Text fz="sm" c="dimmed" mb="md">
        No keys to copy. Tracks carts in both checkouts before “Place order” and restores them exactly.
      </Text>
      <PluginSteps />
    </Card>
  )
}
