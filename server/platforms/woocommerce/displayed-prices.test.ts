import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { openContractStore } from '../../../providers/contracts/woocommerce.ts'
import { KEYS, OWNER } from '../../../providers/contracts/woocommerce-keys.ts'
import { buildWooAccess } from '../../../test/woo-access.ts'
import { type GuardedFetch, openGuardedHttp } from '../../core/net/guarded-fetch.ts'
import type { DisplayedTax } from '../platform/platform.ts'
import { chooseDisplayedPrice } from './displayed-prices.ts'
import { createWooCommerceClient } from './platform.ts'

// Reads prices of a store without the plugin as displayed, not as entered.

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

type Shop = { requests: URLSearchParams[]; answer: (ids: string[]) => object | 'nothing' }

async function createShop() {
  const entered = new Map<string, number>()
  const shop: Shop = { requests: [], answer: (ids) => ids.map((id) => shows(id, 19)) }
  const shows = (id: string, percent: number) => {
    const price = String(Math.round((entered.get(id)! * (100 + percent)) / 100) * 10)
    return { id: Number(id), prices: { currency_code: 'USD', currency_minor_unit: 3, price } }
  }
  const store = await openContractStore({
    keys: KEYS,
    intercept: ({ url = '' }) => {
      if (!url.startsWith('/wp-json/wc/store/v1/products')) return undefined
      const query = new URL(url, 'http://shop').searchParams
      shop.requests.push(query)
      const body = shop.answer(query.get('include')!.split(','))
      return Array.isArray(body) ? { body } : { status: 503, body }
    },
  })
  const silent = createServer(() => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const http = openGuardedHttp({ allowPrivate: true })
  open.push(store, http, {
    close: async () => {
      silent.close()
      silent.closeAllConnections()
    },
  })
  const fetch: GuardedFetch = (url, request) => {
    if (!url.includes('/wc/store/') || shop.answer([]) !== 'nothing') return http.fetch(url, request)
    shop.requests.push(new URL(url).searchParams)
    return http.fetch(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, request)
  }
  const net = { fetch, now: () => new Date(), pauseMs: 0, storeApiLimitMs: 100 }
  const client = createWooCommerceClient(buildWooAccess(store.url, OWNER), net)
  let settings = 0
  const read = async (tax: DisplayedTax, signal?: AbortSignal) => {
    shop.requests.length = 0
    settings = 0
    const readDisplayedTax = async () => {
      settings += 1
      return tax
    }
    const rows = []
    for await (const page of client.products({ readDisplayedTax, ...(signal && { signal }) })) rows.push(...page.rows)
    return rows
  }
  for (const row of await read('none')) entered.set(getId(row), row.priceMinor)
  expect(shop.requests).toEqual([])
  return { shop, read, shows, entered, settings: () => settings }
}

const getId = ({ productId, variationId }: { productId: string; variationId: string | null }) =>
  variationId ?? productId

describe('the catalogue of a shop whose displayed prices differ from the entered ones', () => {
  test('has both prices, with one request for products and one for variations', async () => {
    const { shop, read, entered, settings } = await createShop()
    const rows = (await read('added')).filter((row) => entered.get(getId(row))! > 0)
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.some(({ variationId }) => variationId !== null)).toBe(true)
    for (const row of rows) {
      const enteredMinor = entered.get(getId(row))!
      expect([getId(row), row.enteredMinor, row.priceMinor, row.isDisplayedUnknown]).toEqual([
        getId(row),
        enteredMinor,
        Math.round(enteredMinor * 1.19),
        undefined,
      ])
    }
    expect(shop.requests.map((query) => query.get('type'))).toEqual([null, 'variation'])
    expect(shop.requests.flatMap((query) => [...query.keys()])).not.toContain('consumer_key')
    expect(settings()).toBe(1)
  })

  const asEntered = async ({ read, entered }: Awaited<ReturnType<typeof createShop>>, tax: DisplayedTax) => {
    for (const row of await read(tax)) {
      expect([getId(row), row]).toEqual([
        getId(row),
        expect.objectContaining({ priceMinor: entered.get(getId(row)), isDisplayedUnknown: true }),
      ])
      expect(row.enteredMinor).toBeUndefined()
    }
  }

  test.each<[string, object | 'nothing']>([
    ['fails', { code: 'error' }],
    ['does not answer', 'nothing'],
  ])('is marked as entered when the Store API %s, and asks it once', async (_, answer) => {
    const each = await createShop()
    each.shop.answer = () => answer
    await asEntered(each, 'added')
    expect(each.shop.requests).toHaveLength(1)
  })

  test('is marked as entered when the Store API is not asked or returns another item’s price', async () => {
    const each = await createShop()
    await asEntered(each, 'unknown')
    expect(each.shop.requests).toEqual([])
    each.shop.answer = (ids) => ids.map((id) => each.shows(id, 400))
    const rows = await each.read('added')
    expect(rows.filter(({ priceMinor }) => priceMinor > 0).every(({ isDisplayedUnknown }) => isDisplayedUnknown)).toBe(
      true,
    )
  })

  test('is marked as entered for a product that the Store API omits', async () => {
    const { shop, read, shows, entered } = await createShop()
    const [failed, ...others] = [...entered.keys()]
    shop.answer = (ids) => ids.filter((id) => id !== failed).map((id) => shows(id, 19))
    const rows = new Map((await read('added')).map((row) => [getId(row), row]))
    expect(rows.get(failed!)).toMatchObject({ priceMinor: entered.get(failed!), isDisplayedUnknown: true })
    expect(others.filter((id) => rows.get(id)!.isDisplayedUnknown)).toEqual([])
  })

  test('aborts with the caller', async () => {
    const { shop, read } = await createShop()
    const stop = new AbortController()
    shop.answer = () => {
      stop.abort()
      return []
    }
    await expect(read('added', stop.signal)).rejects.toThrow()
  })
})

test.each([
  [5_000, 5_950, 'added', { priceMinor: 5_950, enteredMinor: 5_000 }],
  [5_950, 5_000, 'taken_off', { priceMinor: 5_000, enteredMinor: 5_950 }],
  [5_000, 5_000, 'added', { priceMinor: 5_000 }],
  [0, 0, 'added', { priceMinor: 0 }],
  [5_000, undefined, 'added', { priceMinor: 5_000, isDisplayedUnknown: true }],
  [5_000, 500, 'taken_off', { priceMinor: 5_000, isDisplayedUnknown: true }],
  [5_000, 50_000, 'added', { priceMinor: 5_000, isDisplayedUnknown: true }],
  // A price from before an increase, and a sale that begins between the two requests.
  [3_000, 2_380, 'added', { priceMinor: 3_000, isDisplayedUnknown: true }],
  [10_000, 7_140, 'added', { priceMinor: 10_000, isDisplayedUnknown: true }],
  [5_000, 5_950, 'taken_off', { priceMinor: 5_000, isDisplayedUnknown: true }],
] as const)('an entered price of %s that is shown as %s, with the tax %s', (entered, displayed, tax, price) => {
  expect(chooseDisplayedPrice(entered, displayed, tax)).toEqual(price)
})
