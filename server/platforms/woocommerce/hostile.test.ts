import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findResponse } from '../../../providers/contracts/recordings.ts'
import { countPropertyRuns } from '../../../test/seed.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import type { GuardedFetch } from '../../core/net/guarded-fetch.ts'
import type { PlatformOrder } from '../platform/platform.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { createWooCommerceClient } from './platform.ts'
import { readOrder } from './wire.ts'

// A store may send anything. The client returns valid rows or throws StoreProblem.

const whole = findResponse('orders-queries.json', 'order of a registered customer').body as Record<string, unknown>

/** A real order with random fields, at any depth, replaced by garbage. */
const damagedOrder = fc
  .tuple(fc.array(fc.nat(200), { maxLength: 8 }), fc.array(garbage(), { minLength: 8, maxLength: 8 }))
  .map(([places, values]) => {
    const copy = structuredClone(whole)
    const spots = places.map((place) => listSpots(copy)[place % listSpots(copy).length])
    spots.forEach((spot, index) => {
      if (spot) spot.holder[spot.name] = values[index]
    })
    return copy
  })

function garbage() {
  return fc.oneof(
    fc.anything(),
    fc.constantFrom(
      null,
      '',
      0,
      -1,
      1e308,
      '-5',
      '1e400',
      '0000-00-00T00:00:00',
      '2026-02-31T00:00:00',
      'javascript:alert(1)',
      '&#0;&#x110000;&lt;b&gt;',
      '<script>',
      '\u0000\ud800',
      [],
      {},
    ),
    fc.string({ unit: 'binary' }),
    fc.double(),
  )
}

interface Spot {
  holder: Record<string, unknown>
  name: string
}

function listSpots(holder: Record<string, unknown>): Spot[] {
  return Object.entries(holder).flatMap(([name, value]) => {
    const here = { holder, name }
    return typeof value === 'object' && value !== null ? [here, ...listSpots(value as Record<string, unknown>)] : [here]
  })
}

function expectSound(order: PlatformOrder) {
  const minor = [order.totalMinor, order.refundedMinor, ...order.items.map((item) => item.unitPriceMinor)]
  expect(minor.every(Number.isSafeInteger)).toBe(true)
  expect(order.refundedMinor).toBeGreaterThanOrEqual(0)
  for (const instant of [order.createdAt, order.modifiedAt, order.paidAt]) {
    if (instant !== null) expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  }
  for (const item of order.items) {
    expect(item.quantity > 0 && Number.isInteger(item.quantity)).toBe(true)
    expect(item.productId).toMatch(/^[1-9]\d*$/)
    expect(item.name).not.toMatch(/[\p{Cc}]/u)
    if (item.imageUrl !== null) expect(item.imageUrl).toMatch(/^https?:\/\//)
  }
  if (order.email !== null) expect(order.email).toMatch(/^[^\s@]+@[^\s@]+\.[^\s@]+$/)
  if (order.phone !== null) expect(order.phone).toMatch(/^\+\d{6,15}$/)
  if (order.country !== null) expect(order.country).toMatch(/^[A-Z]{2}$/)
  expect(JSON.stringify(order).isWellFormed()).toBe(true)
}

test('a damaged order is read as valid or skipped with a reason', () => {
  fc.assert(
    fc.property(fc.oneof(damagedOrder, fc.anything()), (raw) => {
      const reading = readOrder(raw)
      if ('row' in reading) expectSound(reading.row)
      else expect(reading.skipped.reason).not.toBe('')
    }),
    countPropertyRuns(1_000, 5_000),
  )
})

const answerArbitrary = fc.record({
  status: fc.constantFrom(200, 200, 200, 201, 204, 400, 401, 403, 404, 429, 500, 503),
  body: fc.oneof(
    fc.json(),
    fc.string(),
    fc.array(damagedOrder, { maxLength: 3 }).map((rows) => JSON.stringify(rows)),
    fc.record({ code: garbage(), message: garbage() }).map((body) => safeStringify(body)),
  ),
  headers: fc.dictionary(
    fc.constantFrom('date', 'retry-after', 'x-wp-total', 'x-wp-totalpages', 'content-type'),
    fc.string(),
  ),
})

function safeStringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

test('any response of a store throws only StoreProblem', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answerArbitrary, { minLength: 1, maxLength: 4 }), async (answers) => {
      let pageCount = 0
      const fetch: GuardedFetch = async (url) => {
        const answer = answers[pageCount % answers.length]!
        pageCount += 1
        // A store may be endless; this one ends so that the property does.
        if (pageCount > 12) return { status: 500, headers: {}, body: Buffer.alloc(0), url, isRedirected: false }
        return { ...answer, body: Buffer.from(answer.body), url, isRedirected: false }
      }
      const access = buildWooAccess('http://shop.example')
      const client = createWooCommerceClient(access, { fetch, now: () => new Date(0), pauseMs: 0 })
      const drain = async (pages: AsyncIterable<unknown>) => {
        for await (const _ of pages) if (pageCount > 12) break
      }
      const calls = [
        () => client.readProfile(),
        () => drain(client.orders({ modifiedSince: '2026-11-01T00:00:00Z' })),
        () => drain(client.customers({})),
        () => drain(client.products({})),
        () => client.order('1'),
        () => client.webhooks(),
        () => client.createWebhook('order.updated', 'https://recoup.example', 's'),
        () => client.deleteWebhook('1'),
      ]
      for (const call of calls) {
        pageCount = 0
        await call().catch((error: unknown) => {
          if (!(error instanceof StoreProblem)) throw error
        })
      }
    }),
    countPropertyRuns(100, 500),
  )
})
