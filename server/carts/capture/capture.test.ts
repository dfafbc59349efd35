import { beforeEach, expect, test } from 'vitest'
import { buildConsentBox } from '../../../test/consent-boxes.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { advanceToAbandoned, findLink, HOUR, markPurchased, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { createId } from '../../core/common/ids.ts'
import { tables } from '../../core/database/tables.ts'
import { insertPosts } from '../../core/db/system.ts'
import { recordOrders } from '../carts/record.ts'
import { foldStalePosts } from './capture-intake.ts'
import { openZones } from './zones.ts'

// Posts of the capture script through the public endpoint. Every test has its own store.

const world = createWorld()
let store: TestStore
let url: string
let n = 0

beforeEach(async () => {
  url = `https://shop-${++n}.example.com`
  store = await createStore(world, { url })
  await insertCatalogue(store.storeId)
})

async function insertCatalogue(storeId: string) {
  const rows = [
    { product_id: '16', variation_id: '', name: 'Earl Grey', price_minor: 2_100 },
    { product_id: '17', variation_id: '', name: 'Teapot', price_minor: 6_800 },
    { product_id: '30', variation_id: '', name: 'Cups', price_minor: 3_400 },
    { product_id: '30', variation_id: '31', name: 'Cups, moss', price_minor: 3_200 },
  ]
  await world.db
    .insertInto('products')
    .values(rows.map((row) => ({ ...row, store_id: storeId, currency: 'USD', is_available: true, seen_at: world.now })))
    .execute()
}

const token = (name: string) => `${name}-${n}-`.padEnd(20, 'x')
const buildPost = (post: object) => ({ cart: token('cart'), page: token('page'), seq: 0, ...post })
const tea = (quantity = 1) => [{ id: '16', quantity }]

/** Posts and waits until the post has taken effect. */
async function post(body: unknown, headers: Record<string, string> = {}, ip = '192.0.2.1') {
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain;charset=UTF-8', ...headers },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
    remoteAddress: ip,
  })
  await foldStalePosts(world.deps, 0)
  return reply
}

async function send(body: object) {
  const reply = await post(buildPost(body))
  expect(reply.body).toBe('')
  expect(reply.statusCode).toBe(204)
  world.advance(1_000)
}

const selectRows = (table: 'carts' | 'capture_inbox' | 'facts' | 'notifications' | 'consents' | 'shoppers') =>
  world.db.selectFrom(table).selectAll().where('store_id', '=', store.storeId).execute()

async function selectLiveCarts() {
  const carts = await world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', store.storeId)
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .execute()
  return carts
}

test('a post’s items become a cart with the catalogue’s names and prices (X5)', {
  tags: ['B3', 'B5'],
}, async () => {
  await send({
    items: [
      { id: '16', quantity: 2, name: 'Free tea', price: '$0.01' },
      { id: '999', quantity: 1 },
    ],
    coupons: ['Welcome10'],
  })
  const [cart] = await selectLiveCarts()
  expect(cart).toMatchObject({
    status: 'active',
    email: null,
    customer_name: 'Guest',
    value_minor: 4_200,
    item_count: 2,
  })
  expect(cart!.items).toEqual([
    expect.objectContaining({ productId: '16', name: 'Earl Grey', quantity: 2, unitPriceMinor: 2_100 }),
  ])
  expect(cart!.coupons).toEqual(['welcome10'])
  const [fact] = await selectRows('facts')
  expect(fact).toMatchObject({
    source: 'capture',
    payload: { items: expect.arrayContaining([{ productId: '999', variationId: null, quantity: 1 }]) },
  })
})

test('a variation reported by its own id is a line of its product', async () => {
  await send({ items: [{ id: '31', quantity: 1 }] })
  const [cart] = await selectLiveCarts()
  expect(cart!.items).toEqual([
    expect.objectContaining({ productId: '30', variationId: '31', name: 'Cups, moss', unitPriceMinor: 3_200 }),
  ])
})

test('a typed email merges the cart with the store’s draft of the same email (S6)', async () => {
  await send({ items: tea(1) })
  world.advance(60_000)
  await recordOrders(
    world.deps,
    store.storeId,
    [buildOrder(world, { email: 'ada@shoppers.example.com', kind: 'draft' })],
    'sync',
  )
  expect(await selectLiveCarts()).toHaveLength(2)
  world.advance(60_000)
  await send({ seq: 1, contact: { email: ' Ada@Shoppers.example.com ', firstName: 'Ada' } })
  const carts = await selectLiveCarts()
  expect(carts).toHaveLength(1)
  expect(carts[0]).toMatchObject({
    status: 'active',
    email: 'ada@shoppers.example.com',
    customer_name: expect.stringContaining('Ada'),
  })
  expect(await selectRows('shoppers')).toHaveLength(1)
})

test('two browsers with the same email are one shopper with one cart (S6)', async () => {
  await send({ cart: token('desk'), page: token('desk'), items: tea(1) })
  await send({ cart: token('phone'), page: token('phone'), items: [{ id: '17', quantity: 1 }] })
  expect(await selectLiveCarts()).toHaveLength(2)
  await send({ cart: token('desk'), page: token('desk'), seq: 1, contact: { email: 'two@shoppers.example.com' } })
  await send({ cart: token('phone'), page: token('phone'), seq: 1, contact: { email: 'two@shoppers.example.com' } })
  const [cart, ...others] = await selectLiveCarts()
  expect(others).toEqual([])
  expect(cart!.items).toEqual([expect.objectContaining({ productId: '17' })])
})

test('a device known from elsewhere matches but does not merge', async () => {
  await send({ cart: token('one'), page: token('one'), device: token('device'), items: tea(1) })
  await send({ cart: token('two'), page: token('two'), device: token('device'), items: tea(1) })
  expect(await selectRows('shoppers')).toHaveLength(2)
})

test('a post overtaken by a later one of its page does not become the latest (S7)', async () => {
  await send({ seq: 0, items: tea(1) })
  await send({ seq: 2, items: tea(3) })
  await send({ seq: 1, items: tea(2) })
  expect((await selectLiveCarts())[0]!.items).toEqual([expect.objectContaining({ quantity: 3 })])
})

test('a return to earlier contents counts although the post in between is late', async () => {
  await send({ seq: 0, items: tea(1) })
  await send({ seq: 2, items: tea(1) })
  await send({ seq: 1, items: tea(5) })
  expect((await selectLiveCarts())[0]!.items).toEqual([expect.objectContaining({ quantity: 1 })])
})

test('a repeated post is not stored and does not count as activity (S7)', async () => {
  await send({ items: tea(2), contact: { email: 'same@shoppers.example.com' } })
  const [before] = await selectLiveCarts()
  world.advance(600_000)
  await send({ page: token('page2'), items: tea(2), contact: { email: 'same@shoppers.example.com' } })
  await send({ page: token('page2'), items: tea(2), contact: { email: 'same@shoppers.example.com' } })
  await send({ page: token('page3'), contact: { email: 'same@shoppers.example.com' } })
  expect(await selectRows('facts')).toHaveLength(1)
  expect((await selectLiveCarts())[0]!.last_activity_at).toEqual(before!.last_activity_at)
})

test('a post that arrives twice is one fact', async () => {
  const body = buildPost({ seq: 3, items: tea(2) })
  const replies = await Promise.all([post(body), post(body), post(body)])
  expect(replies.map((reply) => reply.statusCode)).toEqual([204, 204, 204])
  expect(await selectRows('facts')).toHaveLength(1)
  expect(await selectLiveCarts()).toHaveLength(1)
})

test('a post answered before the process ended becomes a cart later, with its time of arrival (S7)', async () => {
  const at = world.now
  const body = buildPost({ items: tea(2), coupons: [] })
  await insertPosts(world.db, [{ store_id: store.storeId, id: createId(), received_at: at, post: body }])
  world.advance(9_000)
  await foldStalePosts(world.deps)
  expect(await selectLiveCarts()).toEqual([])
  world.advance(1_000)
  await foldStalePosts(world.deps)
  expect(await selectLiveCarts()).toEqual([
    expect.objectContaining({ item_count: 2, started_at: at, last_activity_at: at }),
  ])
  expect(await selectRows('capture_inbox')).toEqual([])
})

test('posts of one page within a moment, folded together, keep their order (S7)', async () => {
  const posts = [3, 1, 2, 0].map((seq) => ({ ...buildPost({ items: tea(seq + 1), coupons: [] }), seq }))
  const rows = posts.map((body) => ({ store_id: store.storeId, id: createId(), received_at: world.now, post: body }))
  await insertPosts(world.db, rows)
  await foldStalePosts(world.deps, 0)
  expect((await selectLiveCarts())[0]!.items).toEqual([expect.objectContaining({ quantity: 4 })])
  expect(await selectRows('facts')).toHaveLength(4)
})

test('a post that the database refuses does not block others', async () => {
  const good = buildPost({ items: tea(1), coupons: [] })
  const bad = { ...buildPost({ items: tea(1), coupons: [] }), cart: token('other'), seq: 1e20 }
  const rows = [bad, good].map((body) => ({
    store_id: store.storeId,
    id: createId(),
    received_at: world.now,
    post: body,
  }))
  await insertPosts(world.db, rows)
  await foldStalePosts(world.deps, 0)
  expect(await selectLiveCarts()).toHaveLength(1)
  expect(await selectRows('capture_inbox')).toEqual([])
})

test('an emptied cart ends, and new items open another one', async () => {
  await send({ seq: 0, items: tea(2) })
  await send({ seq: 1, items: [] })
  expect((await selectLiveCarts()).map((cart) => cart.status)).toEqual(['emptied'])
  await send({ seq: 2, items: tea(1) })
  expect((await selectLiveCarts()).map((cart) => cart.status)).toEqual(['emptied', 'active'])
})

test('the same items after an order open a new cart', async () => {
  await send({ items: tea(2), contact: { email: 'again@shoppers.example.com' } })
  world.advance(60_000)
  await recordOrders(
    world.deps,
    store.storeId,
    [buildOrder(world, { kind: 'purchase', email: 'again@shoppers.example.com' })],
    'webhook',
  )
  world.advance(86_400_000)
  await send({ page: token('page2'), items: tea(2) })
  expect((await selectLiveCarts()).map((cart) => cart.status)).toEqual(['purchased', 'active'])
})

test('an unusable contact is dropped and the rest kept, and a national number is read with its country', async () => {
  await send({
    items: tea(1),
    contact: { email: 'nope@', phone: '(802) 555-0123', country: 'us', firstName: ' A\u0000da ' },
  })
  const [cart] = await selectLiveCarts()
  expect(cart).toMatchObject({ email: null, phone: '+18025550123' })
  expect((await selectRows('shoppers'))[0]).toMatchObject({
    country: 'US',
    country_source: 'typed',
    first_name: 'A da',
  })
})

test('only pages of the store may post, and only with its key', async () => {
  const body = buildPost({ items: tea(1) })
  expect((await post(body, { origin: 'https://elsewhere.example.com' })).statusCode).toBe(403)
  expect((await post(body, { origin: 'null' })).statusCode).toBe(403)
  const missing = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { 'content-type': 'text/plain' },
    payload: JSON.stringify(body),
  })
  expect(missing.statusCode).toBe(403)
  const unknown = await world.app.inject({
    method: 'POST',
    url: '/api/capture/no-such-key',
    headers: { origin: url, 'content-type': 'text/plain' },
    payload: JSON.stringify(body),
  })
  expect(unknown.statusCode).toBe(404)
  expect(await selectRows('facts')).toEqual([])
})

test('the page that posted may read the answer, without credentials', async () => {
  const posted = await post(buildPost({ items: tea(1) }), { 'content-type': 'application/json' })
  expect(posted.statusCode).toBe(204)
  const reply = await world.app.inject({
    method: 'OPTIONS',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: url, 'access-control-request-method': 'POST' },
  })
  for (const { headers } of [posted, reply]) {
    expect(headers['access-control-allow-origin']).toBe(url)
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  }
  expect(reply.statusCode).toBe(204)
})

test('a disconnected store accepts no posts', async () => {
  await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', store.storeId).execute()
  expect((await post(buildPost({ items: tea(1) }))).statusCode).toBe(404)
})

test('the visitor’s IP address is stored nowhere', async () => {
  await post(buildPost({ items: tea(1), contact: { email: 'hidden@shoppers.example.com' } }), {}, '198.51.100.77')
  const { rows } = await world.pool.query(
    `select (select string_agg(f::text, '') from facts f) || (select string_agg(r::text, '') from rate_limits r) as text`,
  )
  expect(rows[0].text).not.toContain('198.51.100.77')
})

test('the time of the last post is written at most once a minute', async () => {
  const readSeenAt = async () =>
    (
      await world.db
        .selectFrom('stores')
        .select('capture_seen_at')
        .where('id', '=', store.storeId)
        .executeTakeFirstOrThrow()
    ).capture_seen_at
  await send({ seq: 0, items: tea(1) })
  const first = await readSeenAt()
  await send({ seq: 1, items: tea(2) })
  expect(await readSeenAt()).toEqual(first)
  world.advance(60_000)
  await send({ seq: 2, items: tea(3) })
  expect(await readSeenAt()).not.toEqual(first)
})

test('the owner sees the country in which a cart was abandoned and recovered, and the IP address is stored nowhere', {
  tags: ['B3'],
}, async () => {
  world.deps.zones = await openZones()
  const address = '133.11.0.77'
  const contact = { email: `zoned-${n}@shoppers.example.com`, country: 'US' }
  await post(buildPost({ items: tea(1), contact, zone: { country: 'Elsewhere' } }), {}, address)
  await passTime(world, store.storeId, 2 * HOUR)
  const mail = world.sent.find(({ to }) => to === contact.email)!
  world.advance(60_000)
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0' }
  await world.request('GET', findLink(mail.html, '/c/'), { headers: browser })
  world.advance(60_000)
  await recordOrders(world.deps, store.storeId, [markPurchased(world, buildOrder(world, contact))], 'webhook')
  await groupNotifications(world.deps)
  const japan = { city: '', region: '', country: 'Japan', timezone: '' }
  const news = (await selectRows('notifications')).map(({ type, zone }) => ({ type, zone }))
  for (const type of ['cart_abandoned', 'cart_recovered']) expect(news).toContainEqual({ type, zone: japan })
  expect(await findTablesWith(address)).toEqual([])
})

test('a post with a consent stores its country too', async () => {
  world.deps.zones = await openZones()
  const consent = { email: buildConsentBox('email') }
  await post(buildPost({ items: tea(1), contact: { email: 'yes@shoppers.example.com' }, consent }), {}, '133.11.0.78')
  expect((await selectRows('facts'))[0]!.payload).toMatchObject({ zone: { country: 'Japan' } })
  expect(await findTablesWith('133.11.0.78')).toEqual([])
})

test('a post cannot set its zone, and an unknown address has none', async () => {
  world.deps.zones = await openZones()
  await send({ items: tea(1), contact: { email: 'nowhere@shoppers.example.com' }, zone: { country: 'Elsewhere' } })
  await advanceToAbandoned(world, store.storeId, 2 * HOUR)
  await groupNotifications(world.deps)
  expect(await selectRows('notifications')).toMatchObject([{ type: 'cart_abandoned', zone: null }])
})

async function findTablesWith(text: string): Promise<string[]> {
  const names = Object.keys(tables)
  const found = await Promise.all(
    names.map((name) => world.pool.query(`select 1 from "${name}" t where t::text like $1 limit 1`, [`%${text}%`])),
  )
  return names.filter((_, place) => found[place]!.rowCount)
}
