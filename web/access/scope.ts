import { useLocation, useSearchParams } from 'react-router'
import { useMe, useStore } from './queries.ts'

// Which stores the figures on the screen are of (decision 154): the chosen one, or with `?stores=all` in the address all of one currency.

/** The screens that exist for all stores together; every other is about one. */
const OVER_ALL = ['/dashboard', '/analytics']
export const isOverAll = (pathname: string) => OVER_ALL.includes(pathname.replace(/(?<!\/)\/+$/, '').toLowerCase())

export interface Scope {
  isAll: boolean
  /** Of all stores; null: not known yet. */
  currency: string | null
  /** What calls are asked with. */
  query: { stores?: 'all'; currency?: string }
  /** For the keys of queries: answers about different stores are never taken for each other. */
  key: string | undefined
}

/** Pure. A currency that no store has counts as not given; of nobody's stores is any taken. */
export function scopeOf(
  { pathname, search }: { pathname: string; search: URLSearchParams },
  currencies: readonly string[] | undefined,
): Omit<Scope, 'key'> {
  const isAll = isOverAll(pathname) && search.get('stores') === 'all'
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
  const scope = scopeOf(
    { pathname, search },
    stores?.map(({ currency }) => currency),
  )
  if (!scope.isAll) return { ...scope, key: storeId }
  // Without one in the address, that of the store chosen last.
  const own = stores?.find(({ id }) => id === storeId)?.currency ?? null
  return { ...scope, currency: scope.currency ?? own, key: `all ${scope.currency ?? ''} ${storeId ?? ''}` }
}

/** Of the account; undefined: not known yet. */
export const useConnectedStores = () => useMe()?.stores.filter(({ isActive }) => isActive)

/** The address of a screen over all stores. */
export const overAll = (path: string, currency: string | null) =>
  `${path}?${new URLSearchParams({ stores: 'all', ...(currency && { currency }) })}`
