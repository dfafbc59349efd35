import { afterEach, expect, test } from 'vitest'
import { collectRows, openShopifyClient } from '../../../test/shopify-client.ts'
import type { GuardedFetch } from '../../core/net/guarded-fetch.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { readJsonLines } from './orders.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

const MANY = 5_050
const since = '2026-10-01T00:00:00Z'

async function largeStore() {
  const one = await openShopifyClient()
  open.push(one)
  const [page] = await collectRows(one.client.products({}))
  const variant = page!.rows.find(({ isAvailable }) => isAvailable)!
  const { id } = one.store.controls.beginCheckout([{ variantId: Number(variant.variationId), quantity: 2 }], {
    email: 'ada@example.com',
  })
  const { id: _, ...rest } = one.store.controls.pay(id)
  one.store.controls.insertOrders(
    Array.from({ length: MANY - 1 }, (_each, index) => ({
      ...rest,
      checkoutToken: `checkout-${index}-token`,
      cartToken: `cart-${index}-token`,
      createdAt: one.now() - 86_400_000 * 20 + index * 1_000,
      updatedAt: one.now() - 86_400_000 * 20 + index * 1_000,
    })),
  )
  return one
}

const getQueries = (one: Awaited<ReturnType<typeof largeStore>>, name: string) =>
  one.store.faults.log.filter(({ query }) => query.includes(name)).length

test('one operation reads many orders with their lines, followed by changes made meanwhile', async () => {
  const one = await largeStore()
  const ids = new Set<string>()
  let last: { isLast: boolean; resumeFrom: string | null } | null = null
  for await (const read of one.client.orders({ modifiedSince: since })) {
    expect(read.skipped).toEqual([])
    for (const { orderId, items } of read.rows) {
      expect(items).toMatchObject([{ quantity: 2 }])
      ids.add(orderId)
    }
    last = read
  }
  expect(ids.size).toBe(MANY)
  expect(last?.isLast).toBe(true)
  expect(getQueries(one, 'mutation BulkRun')).toBe(1)
  // One query to check access, and one from the operation's start.
  expect(getQueries(one, 'query Orders(')).toBe(2)
})

test('an interrupted pull reuses its operation', async () => {
  const one = await largeStore()
  for await (const _ of one.client.orders({ modifiedSince: since })) break
  await one.store.settled()
  one.advance(3_600_000)
  const pages = await collectRows(one.connect().orders({ modifiedSince: '2026-10-01T01:00:00Z' }))
  expect(new Set(pages.flatMap(({ rows }) => rows.map(({ orderId }) => orderId))).size).toBe(MANY)
  expect(getQueries(one, 'mutation BulkRun')).toBe(1)
})

const FILE = ['{"a":1}', '{"b":"zwölf"}', 'not json', '', '{"c":3}'].join('\n')

function fileServer(text: string, knowsPieces = true): GuardedFetch {
  const whole = Buffer.from(text)
  return async (url, { headers = {} } = {}) => {
    const [from = 0, to = 0] =
      /^bytes=(\d+)-(\d+)$/
        .exec(headers.range ?? '')
        ?.slice(1)
        .map(Number) ?? []
    const of = (status: number, body: Buffer, more = {}) => ({ status, body, headers: more, url, isRedirected: false })
    if (!knowsPieces) return of(200, whole)
    if (from >= whole.length) return of(416, Buffer.alloc(0))
    const body = whole.subarray(from, to + 1)
    return of(206, body, { 'content-range': `bytes ${from}-${from + body.length - 1}/${whole.length}` })
  }
}

const buildNet = (fetch: GuardedFetch) => ({ fetch, now: () => new Date(0) })

test.each([
  1,
  2,
  3,
  5,
  8,
  13,
  FILE.length + 1,
  FILE.length + 2,
  1_000,
])('a file in chunks of %i bytes gives the same values', async (pieceBytes) => {
  const values = await collectRows(
    readJsonLines(buildNet(fileServer(FILE)), { url: 'https://files.example/1', pieceBytes }),
  )
  expect(values).toEqual([{ a: 1 }, { b: 'zwölf' }, undefined, { c: 3 }])
})

test('a server without range support sends the whole file', async () => {
  const values = await collectRows(readJsonLines(buildNet(fileServer(FILE, false)), { url: 'https://files.example/1' }))
  expect(values.length).toBe(4)
})

test('a missing file is a problem of the store', async () => {
  const missingShop: GuardedFetch = async (url) => ({
    status: 403,
    body: Buffer.alloc(0),
    headers: {},
    url,
    isRedirected: false,
  })
  await expect(
    collectRows(readJsonLines(buildNet(missingShop), { url: 'https://files.example/1' })),
  ).rejects.toBeInstanceOf(StoreProblem)
})
