import type { AnalyticsRange } from '../../shared/analytics.ts'
import { askEarly } from '../api.ts'
import { session, storedUser } from './session.ts'

// What the screen of the address asks first, asked when the app starts: its files and the guard's answers come meanwhile.

/** Said here again, as nothing of a screen is in the first files. */
const ANALYTICS = { path: '/analytics', call: '/api/analytics', range: '30d' satisfies AnalyticsRange }

export function askFirstQuestion({ pathname, search }: Pick<Location, 'pathname' | 'search'> = location): void {
  const address = firstQuestionOf(pathname, new URLSearchParams(search))
  const { token } = session()
  if (address && token && storedUser()?.hasActiveSubscription) askEarly(address, token)
}

/** A link that names a store is followed to it first, and all stores are asked about once they are known. */
const NAMES_STORES = ['stores', 'storeId', 'platform']

/** Of the store that was chosen last. Pure. */
export function firstQuestionOf(pathname: string, search: URLSearchParams): string | null {
  if (pathname !== ANALYTICS.path || NAMES_STORES.some((name) => search.has(name))) return null
  return `${ANALYTICS.call}?range=${encodeURIComponent(search.get('range') ?? ANALYTICS.range)}`
}
