import type { Scope } from '../../../shared/core/endpoint.ts'
import { buildAddress } from '../api/api.ts'
import type { StoreFields } from '../session/session.ts'

// Pure: which calls start before the app is loaded (`web/ahead.ts`).

/** A GET call, as data of `ahead.js`. */
export interface FirstCall {
  path: `/${string}`
  scope: Scope
  query: Record<string, string | number>
  /** The field of the query that the page's address may set. */
  fromAddress?: string
}

export interface FirstCalls {
  account: FirstCall[]
  connection: FirstCall
  /** Of the shell and the screen. */
  store: FirstCall[]
}

interface Visit {
  search: string
  isSubscribed: boolean
  /** As remembered from the last visit. */
  store: StoreFields
}

/**
 * Addresses of the calls, as the queries build them. Without a remembered store, or if the page's address asks for
 * something else, the calls of the screen wait for its code.
 */
export function findFirstAddresses(
  { account, connection, store: ofStore }: FirstCalls,
  { search, isSubscribed, store }: Visit,
): string[] {
  const asked = new URLSearchParams(search)
  const build = ({ path, scope, query, fromAddress }: FirstCall) => {
    const named = fromAddress === undefined ? null : asked.get(fromAddress)
    return buildAddress({ path, scope }, {}, { ...query, ...(named !== null && { [fromAddress!]: named }) }, store)
  }
  const addresses = account.map(build)
  if (!isSubscribed) return addresses
  const { storeId } = store
  addresses.push(build({ ...connection, query: storeId ? { storeId } : {} }))
  const known = new Set(ofStore.map(({ fromAddress }) => fromAddress))
  const isOther = [...asked.keys()].some((name) => !known.has(name))
  return storeId && !isOther ? [...addresses, ...ofStore.map(build)] : addresses
}
