// The store that a mail's link names. Pure.

/** Query parameter. */
export const STORE = 'storeId'

/** `unknown`: not one of the account's stores. `waiting`: the stores or the current one are not loaded yet. */
export function findLinkedStore(
  named: string | null,
  currentId: string | undefined,
  stores: readonly { id: string }[] | undefined,
): 'open' | 'other' | 'unknown' | 'waiting' {
  if (!named || named === currentId) return 'open'
  if (!stores || currentId === undefined) return 'waiting'
  return stores.some(({ id }) => id === named) ? 'other' : 'unknown'
}
