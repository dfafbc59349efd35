import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import type { LargeShop, LargeShopOrder, LargeShopTold } from '../../../test/contract-servers/shopify-large.ts'
import { openGuardedHttp } from '../../net/guarded-fetch.ts'
import type { StoreNet } from '../access.ts'
import { memoryShelf } from '../memory-shelf.ts'
import { createShopifyClient } from './client.ts'

// 50,000 orders and 20,000 checkouts of the contract server, which speaks Shopify's schema, throttles by points and ends tokens. It is another
// process: what the client holds is measured here.

const START = Date.parse('2026-11-26T12:00:00Z')
const SINCE = '2026-09-01T00:00:00Z'
const SHOP = path.resolve('test/contract-servers/shopify-large.ts')
const MB = 2 ** 20

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The shop, and a client whose waiting moves the shop's clock on. */
async function aLargeShop(size: { orders: number; checkouts: number }) {
  const child = fork(SHOP)
  closing.push(() => child.kill())
  const shop = await tell<LargeShop>(child, { do: 'open', at: START, ...size })
  const http = openGuardedHttp({ allowPrivate: true })
  closing.push(http.close)
  let now = START
  const net: StoreNet = {
    ...{ fetch: http.fetch, now: () => new Date(now) },
    sleep: async (ms) => {
      now += ms
      await tell(child, { do: 'advance', ms })
    },
  }
  const keys = { kind: 'shopify_app', ...shop.keys } as const
  const access = { platform: 'shopify', storeUrl: shop.url, homeUrl: shop.url, keys } as const
  const client = createShopifyClient(access, net, memoryShelf())
  return { client, say: (wish: LargeShopOrder) => tell<LargeShopTold>(child, wish) }
}

async function tell<Answer>(child: ChildProcess, wish: LargeShopOrder): Promise<Answer> {
  const answered = once(child, 'message')
  child.send(wish)
  const [answer] = await answered
  return answer as Answer
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is still held once everything that can go is gone. */
function held(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

test('50,000 orders are imported by a bulk operation, whole and once, and no more of them is held than a part', async () => {
  const { client, say } = await aLargeShop({ orders: 50_000, checkouts: 0 })
  const seen = new Set<number>()
  const holds: number[] = []
  let isRunning = true
  for await (const { rows, skipped } of client.orders({ modifiedSince: SINCE })) {
    expect(skipped).toEqual([])
    // While the operation runs, and again while its file is read.
    if (isRunning) await say({ do: 'end tokens' })
    isRunning &&= rows.length === 0
    for (const { orderId, items } of rows) {
      expect(items).toHaveLength(1)
      seen.add(Number(orderId))
    }
    if (seen.size % 10_000 === 0 && rows.length > 0) {
      holds.push(held())
      await say({ do: 'end tokens' })
    }
  }
  // One more than was inserted: that of which the others are copies.
  expect(seen.size).toBe(50_001)
  expect(await say({ do: 'tell' })).toMatchObject({ bulkRuns: 1 })
  expect(holds.length).toBeGreaterThanOrEqual(5)
  expect((Math.max(...holds) - Math.min(...holds)) / MB).toBeLessThan(24)
}, 600_000)

test('20,000 checkouts come whole and once, however throttled, while the token ends', async () => {
  const { client, say } = await aLargeShop({ orders: 0, checkouts: 20_000 })
  const seen = new Set<string>()
  const holds: number[] = []
  let pages = 0
  for await (const { rows, skipped } of client.checkouts({ modifiedSince: SINCE })) {
    expect(skipped).toEqual([])
    for (const { checkoutId } of rows) seen.add(checkoutId)
    pages += 1
    if (pages % 50 === 0) await say({ do: 'leave points', points: 5 })
    if (pages % 200 === 0) await say({ do: 'end tokens' })
    if (pages % 400 === 0) holds.push(held())
  }
  expect(seen.size).toBe(20_001)
  const { throttled } = await say({ do: 'tell' })
  expect(throttled).toBeGreaterThan(0)
  expect((Math.max(...holds) - Math.min(...holds)) / MB).toBeLessThan(24)
}, 600_000)
