import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { LargeShop, LargeShopCommand, LargeShopReply } from '../providers/contracts/shopify-large.ts'
import { openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import type { StoreNet } from '../server/platforms/platform/access.ts'
import { createMemoryTokenCache } from '../server/platforms/platform/memory-token-cache.ts'
import type { StoreClient } from '../server/platforms/platform/platform.ts'
import { createShopifyClient } from '../server/platforms/shopify/platform.ts'

const SHOP = path.resolve('providers/contracts/shopify-large.ts')
const START = Date.parse('2026-11-26T12:00:00Z')

interface Opened {
  client: StoreClient
  say: (wish: LargeShopCommand) => Promise<LargeShopReply>
  /** Opening time by the shop's own clock. */
  start: Date
}

/**
 * Opens a large Shopify shop in another process, with a client whose waits advance the shop's clock and call `onWait`.
 */
export async function openLargeShop(
  closing: (() => Promise<unknown> | unknown)[],
  size: { orders: number; checkouts: number },
  onWait: (ms: number) => void = () => undefined,
): Promise<Opened> {
  const child = fork(SHOP)
  closing.push(() => child.kill())
  const shop = await sendCommand<LargeShop>(child, { do: 'open', at: START, ...size })
  const http = openGuardedHttp({ allowPrivate: true })
  closing.push(http.close)
  let now = START
  const net: StoreNet = {
    fetch: http.fetch,
    now: () => new Date(now),
    sleep: async (ms) => {
      now += ms
      onWait(ms)
      await sendCommand(child, { do: 'advance', ms })
    },
  }
  const keys = { kind: 'shopify_app', ...shop.keys } as const
  const access = { platform: 'shopify', storeUrl: shop.url, homeUrl: shop.url, keys } as const
  const client = createShopifyClient(access, net, createMemoryTokenCache())
  return { client, say: (wish) => sendCommand<LargeShopReply>(child, wish), start: new Date(START) }
}

async function sendCommand<Answer>(child: ChildProcess, wish: LargeShopCommand): Promise<Answer> {
  const answered = once(child, 'message')
  child.send(wish)
  const [answer] = await answered
  return answer as Answer
}
