import { openShopify } from '../providers/contracts/shopify.ts'
import type { ShopifyStoreOptions } from '../providers/shopify/store.ts'
import { openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import type { StoreAccess, StoreKeys, StoreNet } from '../server/platforms/platform/access.ts'
import { createMemoryTokenCache } from '../server/platforms/platform/memory-token-cache.ts'
import { createShopifyClient } from '../server/platforms/shopify/platform.ts'

/** Opens a contract server and a client on one clock; a wait of the client advances it. */
export async function openShopifyClient(options: Partial<ShopifyStoreOptions> = {}) {
  const start = Date.parse('2026-11-26T12:00:00Z')
  let aheadMs = 0
  const now = () => start + aheadMs
  const store = await openShopify({ now, ...options })
  const http = openGuardedHttp({ allowPrivate: true })
  const waits: number[] = []
  const net: StoreNet = {
    fetch: http.fetch,
    now: () => new Date(now()),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      waits.push(ms)
      aheadMs += ms
      // The store's own work goes on meanwhile.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const buildAccess = (keys: StoreKeys): StoreAccess => ({
    ...({ platform: 'shopify', storeUrl: store.url, homeUrl: store.url } as const),
    keys,
  })
  const connect = (keys: StoreKeys = { kind: 'shopify_app', ...store.keys }, shelf = createMemoryTokenCache()) =>
    createShopifyClient(buildAccess(keys), net, shelf)
  return {
    store,
    net,
    waits,
    connect,
    accessWith: buildAccess,
    client: connect(),
    advance: (ms: number) => {
      aheadMs += ms
    },
    now,
    close: async () => {
      await http.close()
      await store.stop()
    },
  }
}

export async function collectRows<One>(pages: AsyncIterable<One>): Promise<One[]> {
  const list: One[] = []
  for await (const page of pages) list.push(page)
  return list
}
