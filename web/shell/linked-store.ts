// The store that a link in a mail is about. Pure.

/** In the address. */
export const STORE = 'storeId'

/** `unknown`: it is none of the account's stores. `waiting`: those, or which is open, are not known yet. */
export function linkedStore(
  named: string | null,
  currentId: string | undefined,
  stores: readonly { id: string }[] | undefined,
): 'open' | 'other' | 'unknown' | 'waiting' {
  if (!named || named === currentId) return 'open'
  if (!stores || currentId === undefined) return 'waiting'
  return stores.some(({ id }) => id === named) ? 'other' : 'unknown'
}
