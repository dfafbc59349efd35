import type { AnalyticsRange } from '../../../shared/insights/analytics.ts'
import { buildAddress, prefetch } from '../api/api.ts'
import { buildStoreFields, loadUser, type StoreFields, session } from '../session/session.ts'

// Prefetches the first query of the addressed screen at app start, in parallel with its code and the guard's queries.

/** Duplicated here because the first bundle contains no screen code. */
const SCREEN = '/analytics'
const RANGE = '30d' satisfies AnalyticsRange
const READ_ANALYTICS = { path: '/api/analytics', scope: 'store' } as const

export function prefetchFirstQuery({ pathname, search }: Pick<Location, 'pathname' | 'search'> = location): void {
  const address = findFirstQuery(pathname, new URLSearchParams(search), buildStoreFields())
  const { token } = session()
  if (address && token && loadUser()?.hasActiveSubscription) prefetch(address, token)
}

/** Links that name a store are resolved first; queries over all stores wait until the stores are known. */
const NAMES_STORES = ['stores', 'storeId', 'platform']

/** Uses the store chosen last. Pure. */
export function findFirstQuery(pathname: string, search: URLSearchParams, store: StoreFields): string | null {
  if (pathname !== SCREEN || NAMES_STORES.some((name) => search.has(name))) return null
  return buildAddress(READ_ANALYTICS, {}, { range: search.get('range') ?? RANGE }, store)
}
