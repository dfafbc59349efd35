import { Anchor, Button, Card, Group, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconClock } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { StoreView } from '../../../shared/access/stores.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { type PluginView, testPlugin } from '../../../shared/workspace/plugin.ts'
import { useHasPermission } from '../../core/access/queries.ts'
import { call, getErrorText } from '../../core/api/api.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { Failed } from '../../core/ui/Failed.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { TimeAgo } from '../../core/ui/Time.tsx'
import { PluginSteps } from './PluginSetup.tsx'
import type { usePlugin } from './plugin-queries.ts'
import { PLUGIN_ZIP } from './rules.ts'

interface Props {
  store: StoreView
  plugin: ReturnType<typeof usePlugin>
}

/** State of the shop's plugin, or how to install it. */
export function PluginCard({ store, plugin }: Props) {
  const known = plugin.data?.plugin
  return (
    <Card component="section" aria-label="Plugin">
      <Group justify="space-between" gap="xs" mb="sm">
        <Title order={2}>Plugin</Title>
        {known && <PluginBadge plugin={known} />}
      </Group>
      {plugin.isPending && <LoadingList count={2} />}
      {plugin.error && (
        <Failed title="The plugin’s state could not be loaded" error={plugin.error} onRetry={() => plugin.refetch()} />
      )}
      {known ? <Known store={store} plugin={known} /> : plugin.data && <Offer />}
    </Card>
  )
}

function PluginBadge({ plugin }: { plugin: PluginView }) {
  return plugin.isAlive ? (
    <StatusBadge tone="good" icon={IconCircleCheck} label="Connected" />
  ) : (
    <StatusBadge tone="warn" icon={IconClock} label="Silent" />
  )
}

function Offer() {
  return (
    <>
      <Text fz="sm" c="dimmed" mb="md">
        This store is connected with keys. The plugin tracks carts in both checkouts, asks for consent there and
        restores carts exactly. Your data stays.
      </Text>
      <PluginSteps />
    </>
  )
}

function Known({ store, plugin }: { store: StoreView; plugin: PluginView }) {
  const test = useTestPlugin(store.id)
  const mayTest = useHasPermission('stores:sync')
  const never = 'Not yet'
  return (
    <Stack gap="md">
      <Facts
        entries={[
          ['Version', plugin.version],
          ['Last call', plugin.calledAt ? <TimeAgo key="call" at={plugin.calledAt} /> : never],
          ['Last cart', plugin.cartAt ? <TimeAgo key="cart" at={plugin.cartAt} /> : never],
          ['Last test cart', plugin.test.seenAt ? <TimeAgo key="test" at={plugin.test.seenAt} /> : never],
        ]}
      />
      {plugin.isAlive && (
        <Text fz="sm" c="dimmed">
          You don’t need the tracking script while the plugin works.
        </Text>
      )}
      {plugin.isReached === false && <UnreachableNote plugin={plugin} />}
      {plugin.newerVersion && (
        <Notice tone="info">
          Version {plugin.newerVersion} is available. WordPress offers it under Plugins, or{' '}
          <Anchor href={PLUGIN_ZIP} download fz="sm" underline="always">
            download it
          </Anchor>
          .
        </Notice>
      )}
      {test.error && (
        <Notice tone="bad" isLive>
          {getErrorText(test.error, 'The test could not be started. Try again.')}
        </Notice>
      )}
      {plugin.test.isWaiting && (
        <Notice tone="info" isLive>
          {plugin.isReached === false ? pluginTexts.testAwaited : 'Waiting for the test cart. This can take a minute.'}
        </Notice>
      )}
      {mayTest && (
        <Button variant="default" w="fit-content" loading={test.isPending} onClick={() => test.mutate()}>
          Send a test cart
        </Button>
      )}
    </Stack>
  )
}

/** Nothing is sent without an order check (D3), so state it plainly. */
function UnreachableNote({ plugin: { reason, isOutdated } }: { plugin: PluginView }) {
  return (
    <Notice tone="warn" title="Recoup cannot reach your shop">
      {reason}{' '}
      {isOutdated
        ? `This version of the plugin does not report stock and prices, so cart messages are not sent. ${pluginTexts.updatePlugin}`
        : `Only the plugin can report carts, contacts, orders, stock and prices. A due message waits for the plugin’s next report. ${pluginTexts.reportsByCron} Products, customers and coupons are not read.`}
    </Notice>
  )
}

function useTestPlugin(storeId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call(testPlugin, { query: { storeId } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['store', storeId, 'plugin'] }),
  })
}
