import { IconBuildingStore, IconPlayerPauseFilled } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { platformNames } from '../../../shared/platforms/platforms.ts'
import { useStore } from '../../core/access/queries.ts'
import { useConnectedStores, useScope } from '../../core/access/scope.ts'
import { useSendingPause } from './queries.ts'
import { StoreSign } from './StoreSign.tsx'

const StoreMenu = lazy(async () => ({ default: (await import('./menus.ts')).StoreMenu }))

/** The current store and platform (A 2.2) with the store's menu; red while its sending is paused (decision 136). */
export function StoreMark() {
  const store = useStore()
  const stores = useConnectedStores() ?? []
  const { isAll, currency } = useScope()
  const isPaused = Boolean(useSendingPause().data?.pause) && !isAll
  if (!store) return null
  const name = isAll ? 'All stores' : store.name
  const detail = isAll ? `In ${currency ?? '…'}` : platformNames[store.platform]
  const icon = isPaused ? (
    <IconPlayerPauseFilled size={18} aria-hidden />
  ) : isAll ? (
    <IconBuildingStore size={18} stroke={1.6} aria-hidden />
  ) : (
    <StoreSign name={store.name || store.store_url} url={stores.find(({ id }) => id === store.id)?.logo} />
  )
  const label = (
    <>
      {icon}
      <span className="store-words">
        <span className="store-name">{name}</span>
        <span className="store-platform">{isPaused ? 'Sending paused' : detail}</span>
      </span>
    </>
  )
  return (
    <Suspense fallback={<Mark>{label}</Mark>}>
      <StoreMenu
        label={label}
        name={`Store menu: ${[name, detail, isPaused && 'Sending paused'].filter(Boolean).join(', ')}`}
        isPaused={isPaused}
        stores={stores}
        store={store}
      />
    </Suspense>
  )
}

const Mark = ({ children }: { children: ReactNode }) => <span className="store-mark">{children}</span>
