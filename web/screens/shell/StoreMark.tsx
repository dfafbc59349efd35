import { IconBuildingStore } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { platformNames } from '../../../shared/platforms/platforms.ts'
import { useCanConnectStores, useStore } from '../../core/access/queries.ts'
import { useConnectedStores, useScope } from '../../core/access/scope.ts'

/** Users with nothing to choose do not load the menu. */
const StoreSwitcher = lazy(async () => ({ default: (await import('./StoreSwitcher.tsx')).StoreSwitcher }))

/** The current store and platform. A menu if the account has several stores or the user may connect one. */
export function StoreMark() {
  const store = useStore()
  const stores = useConnectedStores() ?? []
  const { isAll, currency } = useScope()
  const mayConnect = useCanConnectStores()
  if (!store) return null
  const label = (
    <>
      <IconBuildingStore size={18} stroke={1.6} aria-hidden />
      <span className="store-words">
        <span className="store-name">{isAll ? 'All stores' : store.name}</span>
        <span className="store-platform">{isAll ? `In ${currency ?? '…'}` : platformNames[store.platform]}</span>
      </span>
    </>
  )
  const mark = <span className="store-mark">{label}</span>
  if (stores.length < 2 && !mayConnect) return mark
  return (
    <Suspense fallback={mark}>
      <StoreSwitcher label={label} stores={stores} currentId={store.id} />
    </Suspense>
  )
}
