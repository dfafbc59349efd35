import { beforeEach, expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import { buildCartEntry, createCartToken, createPluginShop, type PluginShop } from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { foldStalePosts } from '../../carts/capture/capture-intake.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { readConditionValues } from '../../carts/flow-choice/facts.ts'

// The language of a shopper, from the reports of plugin, pages and orders.

const world = createWorld()
let shop: PluginShop
let seq = 0
let n = 0

beforeEach(async () => {
  shop = await createPluginShop(world)
  seq = 0
  n += 1
})

const select = (table: 'shoppers' | 'carts') =>
  world.db.selectFrom(table).select(['id', 'locale']).where('store_id', '=', shop.storeId).execute()

const readShoppers = () =>
  world.db.selectFrom('shoppers').select(['locale', 'locale_source']).where('store_id', '=', shop.storeId).execute()

async function report(change: Record<string, unknown>, cart = createCartToken()) {
  seq += 1
  const reply = await shop.batch([{ seq, ...buildCartEntry({ cart, ...change }) }])
  expect(reply).toMatchObject({ status: 200, body: { done: [seq] } })
  world.advance(60_000)
  return cart
}

const quantity = (count: number) => ({
  lines: [{ product: '16', variation: null, quantity: count, name: 'Tea', sku: null, price: '10.00', choices: [] }],
})

test('a cart and its shopper get the language that the plugin reports', async () => {
  await report({ locale: 'de_DE_formal', isTranslated: true })
  expect(await readShoppers()).toEqual([{ locale: 'de-DE', locale_source: 'shop' }])
  expect(await select('carts')).toMatchObject([{ locale: 'de-DE' }])
})

test('a newer report replaces a language, and a worse source does not', async () => {
  const cart = await report({ locale: 'en_US', ...quantity(1) })
  expect(await readShoppers()).toEqual([{ locale: 'en-US', locale_source: 'site' }])
  await report({ locale: 'pl_PL', isTranslated: true, ...quantity(2) }, cart)
  await report({ locale: 'en_US', ...quantity(3) }, cart)
  expect(await readShoppers()).toEqual([{ locale: 'pl-PL', locale_source: 'shop' }])
  await report({ locale: 'nl', isTranslated: true, ...quantity(4) }, cart)
  expect(await readShoppers()).toEqual([{ locale: 'nl', locale_source: 'shop' }])
})

test.each([
  'de\u0000',
  '<script>',
  'x'.repeat(90),
  '{{ 1 }}',
  7,
  { de: 1 },
  'constructor',
  null,
])('locale %j is dropped, and the cart is stored', async (locale) => {
  await report({ locale, isTranslated: 'yes' })
  expect(await readShoppers()).toEqual([{ locale: null, locale_source: null }])
})

test('two carts of one person keep the language of the better source', async () => {
  const contact = { email: `one${n}@shoppers.example.com` }
  await report({ locale: 'fr_FR', isTranslated: true, contact })
  const other = await report({ locale: 'en_US' })
  expect(await select('shoppers')).toHaveLength(2)
  await report({ locale: 'en_US', contact, ...quantity(2) }, other)
  expect(await readShoppers()).toEqual([{ locale: 'fr-FR', locale_source: 'shop' }])
})

test('a page reports its language, and an order that of its checkout', async () => {
  const { url, capture_key: key } = await world.db
    .selectFrom('stores')
    .select(['home_url as url', 'capture_key'])
    .where('id', '=', shop.storeId)
    .executeTakeFirstOrThrow()
  const email = `page${n}@shoppers.example.com`
  const post = { cart: createCartToken(), page: 'page-of-language', seq: 0, items: [{ id: '16', quantity: 1 }] }
  const payload = JSON.stringify({ ...post, contact: { email }, lang: 'it-IT' })
  const headers = { origin: new URL(url).origin, 'content-type': 'text/plain' }
  expect((await world.app.inject({ method: 'POST', url: `/api/capture/${key}`, headers, payload })).statusCode).toBe(
    204,
  )
  await foldStalePosts(world.deps, 0)
  expect(await readShoppers()).toEqual([{ locale: 'it-IT', locale_source: 'page' }])
  world.advance(60_000)
  await recordOrders(world.deps, shop.storeId, [buildOrder(world, { email, locale: 'es-ES' })], 'webhook')
  expect(await readShoppers()).toEqual([{ locale: 'es-ES', locale_source: 'shop' }])
})

test('the language of an order by staff is not the shopper’s', async () => {
  const email = `staff${n}@shoppers.example.com`
  await recordOrders(world.deps, shop.storeId, [buildOrder(world, { email, locale: 'es', source: 'staff' })], 'webhook')
  expect(await readShoppers()).toEqual([{ locale: null, locale_source: null }])
})

test('the flow condition finds shoppers by the language part, after their own choice', async () => {
  await report({ locale: 'de_AT', isTranslated: true })
  const [cart] = await select('carts')
  const context = { secrets: world.deps.secrets, now: world.now }
  const read = async () =>
    (await readConditionValues({ storeId: shop.storeId, db: world.db }, context, [cart!.id], [null])).get(cart!.id)!
      .language
  expect(await read()).toBe('de')
  await world.db.updateTable('shoppers').set({ language: 'fr' }).where('store_id', '=', shop.storeId).execute()
  expect(await read()).toBe('fr')
})
