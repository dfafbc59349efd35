import { afterEach, describe, expect, test } from 'vitest'
import { collectRows, openShopifyClient } from '../../../test/shopify-client.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function opened() {
  const one = await openShopifyClient()
  open.push(one)
  return one
}

type Opened = Awaited<ReturnType<typeof opened>>

const readProducts = async ({ client }: Opened, query: { modifiedSince?: string } = {}) =>
  (await collectRows(client.products(query))).flatMap((page) => page.rows)

describe('products', () => {
  test('are one row per variant, with price, picture, URL and stock', async () => {
    const one = await opened()
    const rows = await readProducts(one)
    const gloves = rows.filter(({ name }) => name.startsWith('Leather Work Gloves'))
    expect(gloves.map(({ name }) => name)).toEqual(
      ['Small', 'Medium', 'Large'].map((size) => `Leather Work Gloves - ${size}`),
    )
    expect(gloves[2]).toMatchObject({
      sku: 'FF-GLOVE-3',
      priceMinor: 3_400,
      currency: 'USD',
      isAvailable: true,
      isOnSale: false,
      stockQuantity: 3,
      imageUrl: expect.stringContaining('gloves.jpg'),
      permalink: `${one.store.url}/products/leather-work-gloves?variant=${gloves[2]!.variationId}`,
    })
    expect(new Set(gloves.map(({ productId }) => productId)).size).toBe(1)
    const named = (name: string) => rows.find((row) => row.name === name)
    // A product's only variant has no name of its own.
    expect(named('Hori Hori Garden Knife')).toMatchObject({ isAvailable: true, stockQuantity: null })
    expect(named('Cedar Seed Box')).toMatchObject({ isAvailable: false, stockQuantity: 0 })
    expect(named('Snowdrop Bulbs')).toMatchObject({ isOnSale: true, priceMinor: 1_600 })
    expect(named('Spring Catalog Preview')).toBeUndefined()
  })

  test('are returned with all variants when changed', async () => {
    const one = await opened()
    const apron = (await readProducts(one)).find(({ name }) => name.startsWith('Waxed Canvas Apron'))!
    one.advance(3_600_000)
    const since = new Date(one.now() - 60_000).toISOString()
    expect(await collectRows(one.client.products({ modifiedSince: since }))).toMatchObject([{ rows: [], isLast: true }])
    one.store.controls.setPrice(Number(apron.variationId), 6_600)
    const changed = await readProducts(one, { modifiedSince: since })
    expect(changed.map(({ priceMinor }) => priceMinor).sort()).toEqual([6_600, 7_200])
  })
})

describe('a numbered page', () => {
  test('is reached again without the rows before it', async () => {
    const one = await opened()
    const customers = Array.from({ length: 230 }, (_, index) => `shopper${index}@example.com`)
    const [variant] = await readProducts(one)
    for (const email of customers) {
      one.store.controls.beginCheckout([{ variantId: Number(variant!.variationId), quantity: 1 }], { email })
    }
    const pages = await collectRows(one.client.customers({}))
    expect(pages.map(({ page, isLast }) => [page, isLast])).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ])
    expect(pages.map(({ rows }) => rows.length)).toEqual([100, 100, 34])
    const third = await collectRows(one.client.customers({ firstPage: 3 }))
    expect(third).toEqual([pages[2]])
    expect(await collectRows(one.client.customers({ firstPage: 9 }))).toMatchObject([
      { rows: [], page: 9, isLast: true },
    ])
  })
})

describe('terms', () => {
  test('cover existing items; a missing item is gone', async () => {
    const one = await opened()
    const [first, second] = await readProducts(one)
    const items = [
      { productId: first!.productId, variationId: first!.variationId },
      { productId: second!.productId, variationId: null },
      { productId: second!.productId, variationId: first!.variationId },
      { productId: '1', variationId: '2' },
    ]
    one.store.controls.setStock(Number(first!.variationId), 0)
    expect(await one.client.terms({ items, currency: 'USD' })).toEqual([
      { ...items[0], priceMinor: first!.priceMinor, isAvailable: false, isOnSale: first!.isOnSale, stockQuantity: 0 },
      expect.objectContaining({ ...items[1], priceMinor: second!.priceMinor, isAvailable: true }),
    ])
  })

  test('omit a price in another currency', async () => {
    const one = await opened()
    const [first] = await readProducts(one)
    const items = [{ productId: first!.productId, variationId: first!.variationId }]
    expect(await one.client.terms({ items, currency: 'EUR' })).toMatchObject([{ priceMinor: null, isAvailable: false }])
  })
})
