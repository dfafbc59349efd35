import { afterEach, expect, test } from 'vitest'
import { openLargeShop } from '../../../test/large-shop.ts'
import { measureHeapBytes } from '../../../test/memory.ts'
import { isFullRun } from '../../../test/seed.ts'

// Imports 50,000 orders and 20,000 checkouts from the contract server, which uses Shopify's schema, throttles by points
// and expires tokens. It runs in another process, so the memory measured here is the client's. `npm test` reads only
// enough orders for a bulk operation and a twentieth of the checkouts. That is too little to separate the client's
// memory from that of other test files, so it only checks the size of a part.

const SHARE = isFullRun ? 1 : 20
const ORDERS = isFullRun ? 50_000 : 6_000
const CHECKOUTS = 20_000 / SHARE

const SINCE = '2026-09-01T00:00:00Z'
const MB = 2 ** 20
const PART = 100

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The largest increase over an earlier measurement, in MB. */
function growth(holds: readonly number[]): number {
  return Math.max(...holds.map((hold, index) => hold - Math.min(...holds.slice(0, index + 1)))) / MB
}

test('a bulk operation imports many orders completely and once, and holds one part in memory', async () => {
  const { client, say } = await openLargeShop(closing, { orders: ORDERS, checkouts: 0 })
  const ids = new Set<number>()
  const holds: number[] = []
  let isRunning = true
  for await (const { rows, skipped } of client.orders({ modifiedSince: SINCE })) {
    expect(skipped).toEqual([])
    // While the operation runs, and again while its file is read.
    if (isRunning) await say({ do: 'end tokens' })
    isRunning &&= rows.length === 0
    expect(rows.length).toBeLessThanOrEqual(PART)
    for (const { orderId, items } of rows) {
      expect(items).toHaveLength(1)
      ids.add(Number(orderId))
    }
    if (ids.size % 1_000 === 0 && rows.length > 0) {
      holds.push(measureHeapBytes())
      await say({ do: 'end tokens' })
    }
  }
  // One more than inserted: the original of the copies.
  expect(ids.size).toBe(ORDERS + 1)
  expect(await say({ do: 'tell' })).toMatchObject({ bulkRuns: 1 })
  expect(holds.length).toBeGreaterThanOrEqual(5)
  if (isFullRun) expect(growth(holds)).toBeLessThan(24)
}, 600_000)

test('many checkouts are imported completely and once, despite throttling and an expiring token', async () => {
  const { client, say } = await openLargeShop(closing, { orders: 0, checkouts: CHECKOUTS })
  const ids = new Set<string>()
  const holds: number[] = []
  let pages = 0
  for await (const { rows, skipped } of client.checkouts({ modifiedSince: SINCE })) {
    expect(skipped).toEqual([])
    expect(rows.length).toBeLessThanOrEqual(PART)
    for (const { checkoutId } of rows) ids.add(checkoutId)
    pages += 1
    if (pages % Math.ceil(50 / SHARE) === 0) await say({ do: 'leave points', points: 5 })
    if (pages % (200 / SHARE) === 0) await say({ do: 'end tokens' })
    if (pages % (400 / SHARE) === 0) holds.push(measureHeapBytes())
  }
  expect(ids.size).toBe(CHECKOUTS + 1)
  const { throttled } = await say({ do: 'tell' })
  expect(throttled).toBeGreaterThan(0)
  if (isFullRun) expect(growth(holds)).toBeLessThan(24)
}, 600_000)
