import { afterEach, describe, expect, test } from 'vitest'
import { openContractStore } from '../../../test/contract-servers/woocommerce.ts'
import { KEYS, OWNER } from '../../../test/contract-servers/woocommerce-keys.ts'
import { aWooAccess } from '../../../test/woo-access.ts'
import { openGuardedHttp } from '../../net/guarded-fetch.ts'
import { createWooCommerceClient } from './client.ts'
import { shownOf } from './shown-prices.ts'

// Prices of a store with keys alone as its pages show them, not as they were entered (cases-R8).

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

/** `adds`: the tax, in percent. null: the Store API refuses. */
async function aShop(adds: number | null) {
  const asked: string[] = []
  const store = await openContractStore({
    keys: KEYS,
    intercept: ({ url = '' }) => {
      if (!url.startsWith('/wp-json/wc/store/v1/products')) return undefined
      asked.push(url)
      if (adds === null) return { status: 403, body: { code: 'rest_forbidden' } }
      const ids = new URL(url, 'http://shop').searchParams.get('include')!.split(',')
      const prices = { currency_code: 'USD', currency_minor_unit: 3 }
      return { body: ids.map((id) => ({ id: Number(id), prices: { ...prices, price: shownPrice(id, adds) } })) }
    },
  })
  const http = openGuardedHttp({ allowPrivate: true })
  open.push(store, http)
  const access = aWooAccess(store.url, OWNER)
  const client = createWooCommerceClient(access, { fetch: http.fetch, now: () => new Date(), pauseMs: 0 })
  const entered = new Map<string, number>()
  const read = async (asShown: boolean) => {
    const rows = []
    for await (const page of client.products({ asShown: async () => asShown })) rows.push(...page.rows)
    return rows
  }
  for (const row of await read(false)) entered.set(row.variationId ?? row.productId, row.priceMinor)
  expect(asked).toEqual([])
  const shownPrice = (id: string, percent: number) =>
    String(Math.round((entered.get(id)! * (100 + percent)) / 100) * 10)
  return { read, asked, entered }
}

const idOf = ({ productId, variationId }: { productId: string; variationId: string | null }) => variationId ?? productId

describe('the catalogue of a shop that shows other prices than were entered', () => {
  test('has the shown price, and keeps the entered one', async () => {
    const { read, asked, entered } = await aShop(19)
    const rows = (await read(true)).filter((row) => entered.get(idOf(row))! > 0)
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.some(({ variationId }) => variationId !== null)).toBe(true)
    for (const row of rows) {
      const enteredMinor = entered.get(idOf(row))!
      expect([idOf(row), row.enteredMinor, row.priceMinor]).toEqual([
        idOf(row),
        enteredMinor,
        Math.round(enteredMinor * 1.19),
      ])
    }
    expect(asked.every((url) => !/consumer_key|oauth/.test(url))).toBe(true)
  })

  test('has the entered price where the shop does not tell another', async () => {
    for (const adds of [null, 0, 400]) {
      const { read, entered } = await aShop(adds)
      for (const row of await read(true)) {
        expect([idOf(row), row.priceMinor, row.enteredMinor]).toEqual([idOf(row), entered.get(idOf(row)), undefined])
      }
    }
  })
})

test.each([
  [5_000, 5_950, { priceMinor: 5_950, enteredMinor: 5_000 }],
  [5_950, 5_000, { priceMinor: 5_000, enteredMinor: 5_950 }],
  [5_000, 5_000, { priceMinor: 5_000 }],
  [5_000, undefined, { priceMinor: 5_000 }],
  [5_000, 500, { priceMinor: 5_000 }],
  [5_000, 50_000, { priceMinor: 5_000 }],
  [0, 0, { priceMinor: 0 }],
])('an entered price of %s that is shown as %s', (entered, shown, price) => {
  expect(shownOf(entered, shown)).toEqual(price)
})
