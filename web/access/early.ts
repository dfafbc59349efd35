import type { AnalyticsRange } from '../../shared/analytics.ts'
import { addressOf, askEarly } from '../api.ts'
import { type StoreFields, session, storedUser, storeFields } from './session.ts'

// What the screen of the address asks first, asked when the app starts: its files and the guard's answers come meanwhile.

/** Said here again, as nothing of a screen is in the first files. */
const SCREEN = '/analytics'
const RANGE = '30d' satisfies AnalyticsRange
const READ_ANALYTICS = { path: '/api/analytics', scope: 'store' } as const

export function askFirstQuestion({ pathname, search }: Pick<Location, 'pathname' | 'search'> = location): void {
  const address = firstQuestionOf(pathname, new URLSearchParams(search), storeFields())
  const { token } = session()
  if (address && token && storedUser()?.hasActiveSubscription) askEarly(address, token)
}

/** A link that names a store is followed to it first, and all stores are asked about once they are known. */
const NAMES_STORES = ['stores', 'storeId', 'platform']

/** Of the store that was chosen last. Pure. */
export function firstQuestionOf(pathname: string, search: URLSearchParams, store: StoreFields): string | null {
  if (pathname !== SCREEN || NAMES_STORES.some((name) => search.has(name))) return null
  return addressOf(READ_ANALYTICS, {}, { range: search.get('range') ?? RANGE }, store)
}
