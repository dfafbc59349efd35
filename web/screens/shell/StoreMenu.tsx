import { Menu, UnstyledButton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconCheck,
  IconChevronDown,
  IconLock,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconRefresh,
} from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import type { User } from '../../../shared/access/auth.ts'
import type { StoreView } from '../../../shared/access/stores.ts'
import { platformNames } from '../../../shared/platforms/platforms.ts'
import { useSwitchStore } from '../../core/access/current-store.ts'
import { useCanConnectStores, useHasFeature, useHasPermission } from '../../core/access/queries.ts'
import { buildAllStoresPath, hasAllStores, useScope } from '../../core/access/scope.ts'
import { ANOTHER_STORE } from '../../core/session/request.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useNow } from '../../core/ui/clock.ts'
import { formatDateTime } from '../../core/ui/times.ts'
import { hasUnsaved } from '../../core/ui/unsaved.ts'
import { useStoreHealth, useSync } from '../../features/stores/queries.ts'
import { describeSyncAge } from '../../features/stores/sync-age.ts'
import { useChangePause, useSendingPause } from './queries.ts'
import { ResumeDialog } from './SendingPausedBanner.tsx'
import { StoreSign } from './StoreSign.tsx'
import { findSection } from './sections.ts'

interface Props {
  label: ReactNode
  /** Accessible name of the button. */
  name: string
  isPaused: boolean
  stores: User['stores']
  store: StoreView
}

/** What belongs to the store on every screen: sync, pause (decision 136), and the other stores. */
export function StoreMenu({ label, name, isPaused, stores, store }: Props) {
  const { isAll } = useScope()
  const mayConnect = useCanConnectStores()
  const { choose, nextStore, setNextStore } = useChoice(store.id)
  const [asked, setAsked] = useState<'pause' | 'resume' | null>(null)
  const isCurrent = (id: string) => !isAll && id === store.id
  const hasChoice = stores.length > 1 || mayConnect
  return (
    <>
      <Menu position="bottom-end" width={280} shadow="md" withInitialFocusPlaceholder={false} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className="store-mark store-switch" aria-label={name} data-paused={isPaused || undefined}>
            {label}
            <IconChevronDown size={15} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {!isAll && (
            <>
              <SyncItem />
              <PauseItem onAsk={setAsked} />
              {hasChoice && <Menu.Divider />}
            </>
          )}
          {hasChoice &&
            stores.map(({ id, name, storeUrl, platform, logo }) => (
              <Menu.Item
                key={id}
                aria-current={isCurrent(id)}
                leftSection={<StoreSign name={name || storeUrl} url={logo} />}
                rightSection={isCurrent(id) ? <IconCheck size={16} aria-label="shown now" /> : null}
                onClick={() => choose(id)}
              >
                {name}
                <span className="store-platform">
                  {platformNames[platform]}, {storeUrl.replace(/^https?:\/\//, '')}
                </span>
              </Menu.Item>
            ))}
          {stores.length > 1 && <AllStores isCurrent={isAll} onChoose={() => choose(ALL)} />}
          {mayConnect && <AnotherStore />}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={nextStore !== null}
        title="Switch without saving?"
        confirmLabel="Switch store"
        isDangerous
        onConfirm={() => nextStore && choose(nextStore, true)}
        onClose={() => setNextStore(null)}
      >
        Your changes on this page have not been saved.
      </Confirm>
      <PauseDialog opened={asked === 'pause'} name={store.name || store.store_url} onClose={() => setAsked(null)} />
      <ResumeDialog opened={asked === 'resume'} onClose={() => setAsked(null)} />
    </>
  )
}

/** "Sync now" with the age of the data; members who may not sync see the age. */
function SyncItem() {
  const health = useStoreHealth()
  const now = useNow()
  const sync = useSync()
  const maySync = useHasPermission('stores:sync')
  const { data } = health
  const ageSeconds = data?.ageSeconds == null ? null : (now - health.dataUpdatedAt) / 1_000 + data.ageSeconds
  const age = data ? describeSyncAge({ ageSeconds, isReported: data.isReported }) : null
  if (!maySync) return age && <Menu.Label>{age}</Menu.Label>
  const start = () =>
    sync.mutate(undefined, {
      onSuccess: (answer) => announce(answer.message),
      onError: (error) =>
        notifications.show({ title: 'Sync failed', message: error.message, color: 'red', autoClose: 10_000 }),
    })
  return (
    <Menu.Item
      closeMenuOnClick={false}
      disabled={sync.isPending}
      leftSection={<IconRefresh size={16} aria-hidden />}
      onClick={start}
    >
      Sync now
      <span className="store-platform" aria-live="polite">
        {sync.isPending ? 'Syncing…' : age}
      </span>
    </Menu.Item>
  )
}

function PauseItem({ onAsk }: { onAsk: (about: 'pause' | 'resume') => void }) {
  const { data } = useSendingPause()
  const mayPause = useHasPermission('sending:pause')
  if (!data) return null
  const { pause } = data
  if (!pause) {
    if (!mayPause) return null
    return (
      <Menu.Item leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={() => onAsk('pause')}>
        Pause all sending
      </Menu.Item>
    )
  }
  const since = `Paused since ${formatDateTime(pause.pausedAt)}${pause.pausedBy ? ` by ${pause.pausedBy}` : ''}`
  if (!mayPause) return <Menu.Label>{since}</Menu.Label>
  return (
    <Menu.Item color="red" leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => onAsk('resume')}>
      Resume sending
      <span className="store-platform">{since}</span>
    </Menu.Item>
  )
}

function PauseDialog({ opened, name, onClose }: { opened: boolean; name: string; onClose: () => void }) {
  const change = useChangePause('pause')
  const confirm = () =>
    change.mutate(undefined, {
      onSuccess: () => {
        onClose()
        announce('All sending is paused')
      },
    })
  return (
    <Confirm
      opened={opened}
      title="Pause all sending?"
      confirmLabel="Pause all sending"
      isDangerous
      isBusy={change.isPending}
      problem={change.error?.message}
      onConfirm={confirm}
      onClose={onClose}
    >
      {name} sends nothing to shoppers until you resume. Cart tracking keeps working. Messages that expire during the
      pause are not sent later.
    </Confirm>
  )
}

function AnotherStore() {
  const { pathname, search } = useLocation()
  return (
    <Menu.Item
      component={Link}
      to={ANOTHER_STORE}
      state={{ from: pathname + search }}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      Connect another store
    </Menu.Item>
  )
}

/** Dashboard and analytics over all stores (decision 154); on smaller plans a link to the plans. */
function AllStores({ isCurrent, onChoose }: { isCurrent: boolean; onChoose: () => void }) {
  if (useHasFeature('multi_store_dashboard') === false) {
    return (
      <Menu.Item component={Link} to="/pricing" rightSection={<IconLock size={16} aria-hidden />}>
        All stores
        <span className="store-platform">On the Growth plan: see plans</span>
      </Menu.Item>
    )
  }
  return (
    <Menu.Item
      aria-current={isCurrent}
      rightSection={isCurrent ? <IconCheck size={16} aria-label="shown now" /> : null}
      onClick={onChoose}
    >
      All stores
      <span className="store-platform">Dashboard and analytics together</span>
    </Menu.Item>
  )
}

const ALL = 'all'

function useChoice(currentId: string) {
  const { pathname } = useLocation()
  const { isAll } = useScope()
  const navigate = useNavigate()
  const switchStore = useSwitchStore()
  const [nextStore, setNextStore] = useState<string | null>(null)
  const choose = (storeId: string, isSure = false) => {
    if (storeId === (isAll ? ALL : currentId)) return
    if (hasUnsaved() && !isSure) return setNextStore(storeId)
    setNextStore(null)
    if (storeId === ALL) {
      announce('Now showing all stores')
      return void navigate(buildAllStoresPath(hasAllStores(pathname) ? pathname : '/dashboard', null))
    }
    // The same store is still selected.
    if (storeId === currentId) return void navigate(pathname)
    switchStore.mutate(storeId, {
      onSuccess: ({ store }) => {
        announce(`Now showing ${store.name}`)
        // A cart or flow of the other store does not exist in this one.
        void navigate(findSection(pathname).path)
      },
      onError: (error) => announce(error.message, 'bad'),
    })
  }
  return { choose, nextStore, setNextStore }
}
