import { LRUCache } from 'lru-cache'
import {
  createMemoryTokenCache,
  createRequestQueues,
  type StoreAccess,
  type StoreClient,
  type StoreNet,
  type TokenCache,
} from '../platform/public.ts'
import { findPlatform } from './registry.ts'

const MAX_CLIENTS = 2_000

/**
 * Caches the client of a store for what it has learned. Requests of all clients of a store are serialised: the queue
 * belongs to the store and outlives the client.
 */
export function createClientCache(net: StoreNet) {
  const clients = new LRUCache<string, StoreClient>({ max: MAX_CLIENTS })
  const queues = createRequestQueues()
  return (access: StoreAccess, cached?: { storeId: string; shelf: TokenCache }): StoreClient => {
    const { platform, storeUrl, homeUrl, keys } = access
    const key = JSON.stringify([cached?.storeId, platform, storeUrl, homeUrl, keys])
    const enqueue = queues(cached?.storeId ?? key)
    const client =
      clients.get(key) ??
      findPlatform(platform).createClient(access, { ...net, enqueue }, cached?.shelf ?? createMemoryTokenCache())
    clients.set(key, client)
    return client
  }
}
