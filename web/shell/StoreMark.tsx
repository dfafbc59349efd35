import { IconBuildingStore } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { platformNames } from '../../shared/platforms.ts'
import { useStore } from '../access/queries.ts'
import { useConnectedStores, useScope } from '../access/scope.ts'

/** Few accounts have several stores: the others do not load the menu. */
const StoreSwitcher = lazy(async () => ({ default: (await import('./StoreSwitcher.tsx')).StoreSwitcher }))

/** Which store on which platform is shown; a menu where the account has several. */
export function StoreMark() {
  const store = useStore()
  const stores = useConnectedStores() ?? []
  const { isAll, currency } = useScope()
  if (!store) return null
  const words = (
    <>
      <IconBuildingStore size={18} stroke={1.6} aria-hidden />
      <span className="store-words">
        <span className="store-name">{isAll ? 'All stores' : store.name}</span>
        <span className="store-platform">{isAll ? `In ${currency ?? '…'}` : platformNames[store.platform]}</span>
      </span>
    </>
  )
  const mark = <span className="store-mark">{words}</span>
  if (stores.length < 2) return mark
  return (
    <Suspense fallback={mark}>
      <StoreSwitcher words={words} stores={stores} currentId={store.id} />
    </Suspense>
  )
}
