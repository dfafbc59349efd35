import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'

// The product picker searches name and SKU in the catalogue copy.

const world = createWorld()

interface Shop {
  storeId: string
  token: string
}

const copy = (shop: Shop, products: [id: string, name: string, sku?: string, variation?: string][]) =>
  world.db
    .insertInto('products')
    .values(
      products.map(([product_id, name, sku = null, variation_id = '']) => ({
        store_id: shop.storeId,
        product_id,
        variation_id,
        name,
        sku,
        price_minor: 100,
        currency: 'USD',
        is_available: true,
        seen_at: world.now,
      })),
    )
    .execute()

async function find({ token }: Shop, search: string) {
  const { status, body } = await world.request('GET', `/api/products?search=${encodeURIComponent(search)}`, { token })
  expect(status).toBe(200)
  return body.products as { id: string; name: string; sku: string | null }[]
}
const ids = async (shop: Shop, search: string) => (await find(shop, search)).map(({ id }) => id)

test('the picker finds products by prefix or substring of name or SKU, ignoring case, and by id', async () => {
  const shop = await createStore(world)
  await copy(shop, [
    ['12', 'Green tea', 'TEA-G'],
    ['13', 'Teapot', 'POT'],
    ['14', 'Mug 100%', 'MUG_1'],
    ['15', 'Shirt'],
    ['15', 'Shirt, red', 'SHIRT-R', '151'],
  ])
  expect(await ids(shop, 'TEA')).toEqual(['13', '12'])
  expect(await ids(shop, ' mug_ ')).toEqual(['14'])
  expect(await ids(shop, '100%')).toEqual(['14'])
  expect(await ids(shop, '%')).toEqual(['14'])
  expect(await find(shop, 'shirt-r')).toEqual([{ id: '15', name: 'Shirt', sku: null }])
  expect(await ids(shop, '13')).toEqual(['13'])
  expect(await ids(shop, '')).toEqual(['12', '14', '15', '13'])
  expect(await ids(shop, 'nothing of this')).toEqual([])
  expect(await ids(shop, 'tea\0pot')).toEqual(['13'])
})

test('the picker returns at most twenty, and none of another store', async () => {
  const [shop, other] = [await createStore(world), await createStore(world)]
  await copy(
    shop,
    Array.from({ length: 30 }, (_, n) => [`${n}`, `Cup ${n}`]),
  )
  expect(await ids(shop, 'cup')).toHaveLength(20)
  expect(await ids(other, 'cup')).toEqual([])
})
