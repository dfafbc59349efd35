import type { StoreAccess, StoreNet, TokenShelf } from '../platform/access.ts'
import { memoryShelf } from '../platform/memory-shelf.ts'
import type { StoreClient } from '../platform/platform.ts'
import { platformOf } from './registry.ts'
import { createTurns } from '../platform/turns.ts'

/** More are not kept; the one that was not used for longest goes first. */
const MOST_CLIENTS = 2_000

/**
 * The client of a store, kept for what it has learned of the store. Its requests go one at a time whatever client makes them: the line is the
 * store's own, and outlives the client.
 */
export function clientPerStore(net: StoreNet) {
  const clients = new Map<string, StoreClient>()
  const turns = createTurns()
  return (access: StoreAccess, kept?: { storeId: string; shelf: TokenShelf }): StoreClient => {
    const { platform, storeUrl, homeUrl, keys } = access
    const key = JSON.stringify([kept?.storeId, platform, storeUrl, homeUrl, keys])
    const inTurn = turns(kept?.storeId ?? key)
    const client =
      clients.get(key) ?? platformOf(platform).createClient(access, { ...net, inTurn }, kept?.shelf ?? memoryShelf())
    clients.delete(key)
    clients.set(key, client)
    if (clients.size > MOST_CLIENTS) clients.delete(clients.keys().next().value!)
    return client
  }
}
