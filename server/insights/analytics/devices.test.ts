import { beforeEach, expect, test } from 'vitest'
import { createShop, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { foldStalePosts } from '../../carts/capture/capture-intake.ts'
import { sql } from '../../core/db/db.ts'
import { countFigures } from './figures.ts'

// Figures by device class (decision 99), from what a browser calls itself in a capture post to the answer of the call.

const world = createWorld()
let url: string
let shops = 0
let shop: Shop

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'
const PIXEL =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36'
const FIREFOX_PHONE = 'Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
const TABLET =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1'
const WINDOWS =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36'
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

beforeEach(async () => {
  url = `https://devices-${++shops}.example.com`
  shop = await createShop(world, { url })
  await world.db
    .insertInto('products')
    .values({
      store_id: shop.storeId,
      product_id: '16',
      variation_id: '',
      name: 'Earl Grey',
      price_minor: 2_100,
      currency: 'USD',
      is_available: true,
      seen_at: world.now,
    })
    .execute()
})

let seq = 0
async function post(
  cart: string,
  userAgent: string | undefined,
  body: object = { items: [{ id: '16', quantity: 1 }] },
) {
  const { statusCode } = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${shop.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain', 'user-agent': userAgent ?? '' },
    payload: JSON.stringify({ cart: cart.padEnd(20, 'x'), page: 'p'.repeat(12), seq: seq++, ...body }),
  })
  expect(statusCode).toBe(204)
  await foldStalePosts(world.deps, 0)
}

async function devices() {
  await countFigures(world.deps)
  await shop.staySignedIn()
  await sql`update subscriptions set plan = 'growth' where account_id = (select account_id from stores where id = ${shop.storeId})`.execute(
    world.db,
  )
  const { body } = await shop.get('/api/analytics/details?range=30d')
  return Object.fromEntries(
    body.devices.map(({ key, abandoned }: { key: string; abandoned: number }) => [key, abandoned]),
  )
}

test('carts count by device: phone, desktop or unknown', async () => {
  for (const [at, phone] of [IPHONE, PIXEL, FIREFOX_PHONE].entries()) await post(`phone-${at}`, phone)
  for (const [at, desktop] of [TABLET, IPAD, WINDOWS, MAC, FIREFOX].entries()) await post(`desktop-${at}`, desktop)
  for (const [at, name] of [undefined, 'curl/8.5.0', `${'x'.repeat(8_000)} Mobi`].entries())
    await post(`unknown-${at}`, name)
  // Nobody's word in the post is taken for it.
  await post('said', undefined, { items: [{ id: '16', quantity: 2 }], deviceClass: 'phone' })
  await shop.passTime(HOUR)
  expect(await devices()).toEqual({ phone: 3, desktop: 5, '': 4 })
})

test('a cart keeps its first device, the next cart has its own, and no other part of the user agent is stored', async () => {
  await post('one', PIXEL)
  world.advance(MINUTE)
  await post('one', WINDOWS, { items: [{ id: '16', quantity: 2 }] })
  await post('one', WINDOWS, { contact: { email: 'ada@shoppers.example.com' } })
  await shop.passTime(HOUR)
  expect(await devices()).toEqual({ phone: 1 })
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: 'ada@shoppers.example.com' })
  world.advance(HOUR)
  await post('one', WINDOWS, { items: [{ id: '16', quantity: 3 }] })
  await shop.passTime(HOUR)
  expect(await devices()).toEqual({ phone: 1, desktop: 1 })

  // An older report of the same shopper makes all reports fold again.
  await shop.fill('two', [], {
    at: new Date(world.now.getTime() - 9 * HOUR),
    keys: [{ kind: 'email', value: 'ada@shoppers.example.com' }],
  })
  expect(await devices()).toEqual({ phone: 1, desktop: 1 })
  const { rows } = await sql<{ text: string }>`
    select payload::text as text from facts where store_id = ${shop.storeId}
    union all select fold::text from carts where store_id = ${shop.storeId}
    union all select post::text from capture_inbox where store_id = ${shop.storeId}`.execute(world.db)
  expect(rows.map(({ text }) => text).join('\n')).not.toMatch(/Mozilla|Android|Windows|Chrome/)
})
