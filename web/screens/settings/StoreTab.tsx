import { Button, Card, Group, Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { StoreView } from '../../../shared/access/stores.ts'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import { useCanConnectStores } from '../../core/access/queries.ts'
import { ANOTHER_STORE } from '../../core/session/request.ts'
import { Facts } from '../../core/ui/Facts.tsx'
import { CaptureCard } from '../../features/stores/CaptureCard.tsx'
import { DisconnectDialog } from '../../features/stores/DisconnectDialog.tsx'
import { DoctorCard } from '../../features/stores/DoctorCard.tsx'
import { HealthCard } from '../../features/stores/HealthCard.tsx'
import { PluginCard } from '../../features/stores/PluginCard.tsx'
import { usePlugin } from '../../features/stores/plugin-queries.ts'
import { ReplaceKeysDialog, useCanReplaceKeys } from '../../features/stores/ReplaceKeysDialog.tsx'
import { listStoreFacts } from '../../features/stores/storeFacts.tsx'
import { ConnectedTab } from './ConnectedTab.tsx'

export function StoreTab() {
  return <ConnectedTab>{(store) => <Connected store={store} />}</ConnectedTab>
}

/** The script is not needed while the plugin reports carts. */
function Connected({ store }: { store: StoreView }) {
  const plugin = usePlugin(store.id)
  return (
    <>
      <StoreCard store={store} />
      {capabilities[store.platform].plugin && <PluginCard store={store} plugin={plugin} />}
      <DoctorCard key={store.id} store={store} />
      <HealthCard />
      {plugin.data?.plugin?.isAlive !== true && <CaptureCard store={store} />}
    </>
  )
}

function StoreCard({ store }: { store: StoreView }) {
  const [asking, setAsking] = useState<'none' | 'another' | 'keys' | null>(null)
  // Another account that connected the demo store may disconnect it.
  const mayConnect = useCanConnectStores()
  const mayReplace = useCanReplaceKeys(store)
  return (
    <Card>
      <Title order={2} mb="sm">
        Store Connection
      </Title>
      <Group gap="xs" mb="md" wrap="nowrap" align="flex-start">
        <IconCircleCheck size={20} color="var(--rc-good)" aria-hidden style={{ flex: 'none', marginTop: 2 }} />
        <Text style={{ overflowWrap: 'anywhere' }}>Connected to {store.store_url}</Text>
      </Group>
      <Facts entries={[['Name', store.name], ...listStoreFacts(store)]} />
      {mayConnect && (
        <Group gap="sm" mt="lg">
          {mayReplace && (
            <Button variant="default" onClick={() => setAsking('keys')}>
              Replace keys
            </Button>
          )}
          <Button variant="default" component={Link} to={ANOTHER_STORE} state={{ from: '/settings' }}>
            Connect another store
          </Button>
          <Button variant="default" onClick={() => setAsking('another')}>
            Connect to Different Store
          </Button>
          <Button variant="default" onClick={() => setAsking('none')}>
            Disconnect Store
          </Button>
        </Group>
      )}
      <ReplaceKeysDialog store={store} opened={asking === 'keys'} onClose={() => setAsking(null)} />
      {(['another', 'none'] as const).map((each) => (
        // One per button, always mounted, so the focus returns to the button that opened it.
        <DisconnectDialog
          key={each}
          opened={asking === each}
          storeName={store.name}
          isForAnother={each === 'another'}
          onClose={() => setAsking(null)}
        />
      ))}
    </Card>
  )
}
