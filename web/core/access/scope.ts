import { useLocation, useSearchParams } from 'react-router'
import { useMe, useStore } from './queries.ts'

// Which stores the figures on screen cover (decision 154): the chosen store, or with `?stores=all` all stores of one
// currency.

/** Screens that exist for all stores together; every other screen shows one store. */
const ALL_STORES_PATHS = ['/dashboard', '/analytics']
export const hasAllStores = (pathname: string) =>
  ALL_STORES_PATHS.includes(pathname.replace(/(?<!\/)\/+$/, '').toLowerCase())

export interface Scope {
  isAll: boolean
  /** Set for all stores; null while unknown. */
  currency: string | null
  /** Query parameters for API calls. */
  query: { stores?: 'all'; currency?: string }
  /** Part of query keys, so answers for different stores never mix. */
  key: string | undefined
}

/** Pure. An unknown currency counts as not given. While the stores are unknown any currency is accepted. */
export function resolveScope(
  { pathname, search }: { pathname: string; search: URLSearchParams },
  currencies: readonly string[] | undefined,
): Omit<Scope, 'key'> {
  const isAll = hasAllStores(pathname) && search.get('stores') === 'all'
  if (!isAll) return { isAll, currency: null, query: {} }
  const named = search.get('currency')?.toUpperCase() ?? ''
  const isKnown = currencies ? currencies.includes(named) : /^[A-Z]{3}$/.test(named)
  return { isAll, currency: isKnown ? named : null, query: { stores: 'all', ...(isKnown && { currency: named }) } }
}

export function useScope(): Scope {
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  const stores = useConnectedStores()
  const storeId = useStore()?.id
  const scope = resolveScope(
    { pathname, search },
    stores?.map(({ currency }) => currency),
  )
  if (!scope.isAll) return { ...scope, key: storeId }
  // Without a currency in the address, use that of the store chosen last.
  const own = stores?.find(({ id }) => id === storeId)?.currency ?? null
  return { ...scope, currency: scope.currency ?? own, key: `all ${scope.currency ?? ''} ${storeId ?? ''}` }
}

/** Currencies of the account's stores; undefined while unknown. */
export const useConnectedStores = () => useMe()?.stores.filter(({ isActive }) => isActive)

/** Address of a screen over all stores. */
export const buildAllStoresPath = (path: string, currency: string | null) =>
  `${path}?${new URLSearchParams({ stores: 'all', ...(currency && { currency }) })}`
