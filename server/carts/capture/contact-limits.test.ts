import { beforeEach, expect, test } from 'vitest'
import { limitText } from '../../../shared/carts/capture-status.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { HOUR, MINUTE, passTime } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import { recordOrders } from '../carts/record.ts'
import { foldStalePosts } from './capture-intake.ts'

// Limits on new contacts, and the orders that confirm contacts above them (X5, S6). Every test has its own store.

const world = createWorld()
const TABLET = '192.0.2.9'
let store: TestStore
let url: string
let n = 0

beforeEach(async () => {
  url = `https://limits-${++n}.example.com`
  store = await createStore(world, { url })
  const products = ['16', '17'].map((id) => ({
    product_id: id,
    variation_id: '',
    name: `Tea ${id}`,
    price_minor: 2_100,
  }))
  await world.db
    .insertInto('products')
    .values(
      products.map((row) => ({
        ...row,
        store_id: store.storeId,
        currency: 'USD',
        is_available: true,
        seen_at: world.now,
      })),
    )
    .execute()
})

const seqs = new Map<string, number>()
const tea = (quantity = 2) => [{ id: '16', quantity }]
const mail = (i: number | string) => `p${i}@shoppers.example.com`

/** A shopper's browser with its own cart and network. */
async function post(i: number | string, body: object, ip = TABLET) {
  const status = await send(i, body, ip)
  await foldStalePosts(world.deps, 0)
  return status
}

async function send(i: number | string, body: object, ip: string) {
  const cart = `cart-${n}-${i}-`.padEnd(20, 'x')
  const seq = seqs.get(cart) ?? 0
  seqs.set(cart, seq + 1)
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${store.captureKey}`,
    headers: { origin: url, 'content-type': 'text/plain' },
    payload: JSON.stringify({ cart, page: cart, seq, ...body }),
    remoteAddress: ip,
  })
  return reply.statusCode
}

const typeContact = (i: number | string, ip = TABLET) => post(i, { items: tea(), contact: { email: mail(i) } }, ip)
const recordWebhookOrders = (...list: PlatformOrder[]) => recordOrders(world.deps, store.storeId, list, 'webhook')
/** The draft order that a checkout keeps for a cart of `tea()`. */
const draft = (email: string | null, more: Partial<PlatformOrder> = {}) => buildOrder(world, { email, ...more })

/** Twenty shoppers of one network have typed addresses within the hour. */
async function typeTwenty() {
  await typeMany(20, () => TABLET)
}

async function typeMany(count: number, ipOf: (i: number) => string) {
  const getBody = (i: number) => ({ items: tea(), contact: { email: mail(i) } })
  await Promise.all(Array.from({ length: count }, (_, i) => send(i + 1, getBody(i + 1), ipOf(i + 1))))
  await foldStalePosts(world.deps, 0)
}

const carts = () =>
  world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', store.storeId)
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .orderBy('email')
    .execute()

const selectCartsOf = async (...numbers: (number | string)[]) => {
  const all = await carts()
  return all.filter(({ email, fold }) => numbers.some((i) => [email, fold.contact.unconfirmedEmail].includes(mail(i))))
}

const listNotifications = async (kind: string) =>
  (await readNotifications(world, store.storeId)).filter(({ type }) => type === kind)

test('the 21st new contact of a network in an hour is kept with its cart but gets no messages, and known contacts and other networks are not limited (X5)', async () => {
  await typeTwenty()
  expect(await typeContact(21)).toBe(204)
  expect(await selectCartsOf(20)).toEqual([expect.objectContaining({ email: mail(20), item_count: 2 })])
  expect(await selectCartsOf(21)).toEqual([
    expect.objectContaining({ email: null, item_count: 2, customer_name: 'Guest' }),
  ])
  await post(1, { contact: { email: mail(1), firstName: 'Ada' } })
  await typeContact(22, '192.0.2.10')
  expect(await selectCartsOf(1)).toEqual([expect.objectContaining({ email: mail(1), customer_name: 'Ada' })])
  expect(await selectCartsOf(22)).toEqual([expect.objectContaining({ email: mail(22) })])
  world.advance(HOUR + MINUTE)
  await typeContact(23)
  expect(await selectCartsOf(23)).toEqual([expect.objectContaining({ email: mail(23) })])
})

test('an address counts once per network, however many carts have it, and stays above the limit (X5)', async () => {
  const refused = async () => (await carts()).flatMap(({ fold }) => fold.contact.unconfirmedEmail ?? [])
  const typedIn = (cart: string, email: string) => post(cart, { items: tea(), contact: { email } })
  for (let i = 0; i < 17; i++) await typeContact(i)
  for (let i = 0; i < 5; i++) await typedIn(`again-${i}`, mail(i))
  for (let i = 17; i < 20; i++) await typeContact(i)
  expect(await refused()).toEqual([])
  await typeContact(20)
  await typedIn('again-20', mail(20))
  await typedIn('again-19', mail(19))
  expect(new Set(await refused())).toEqual(new Set([mail(20)]))
})

test('clients of one IPv6 network count as one client (X5)', async () => {
  await typeMany(20, (i) => `2001:db8:1:2::${i}`)
  await typeContact(21, '2001:db8:1:2:ffff::1')
  await typeContact(22, '2001:db8:1:3::1')
  expect((await selectCartsOf(21, 22)).map((cart) => cart.email)).toEqual(expect.arrayContaining([mail(22), null]))
})

test('an unconfirmed contact typed again into the same cart is stored once and stays unconfirmed (X5, S7)', async () => {
  await typeTwenty()
  await typeContact(21)
  const again = (page: string) => post(21, { page, seq: 0, contact: { email: mail(21) } })
  await post(21, { contact: { email: mail(21) } })
  world.advance(HOUR + MINUTE)
  await again('page-2-of-it')
  await again('page-3-of-it')
  expect(await selectCartsOf(21)).toEqual([expect.objectContaining({ email: null })])
  const facts = await world.db.selectFrom('facts').select('id').where('store_id', '=', store.storeId).execute()
  expect(facts).toHaveLength(21)
})

test('an unconfirmed contact gets no message, and the record has the reason (X5, D12)', async () => {
  await typeTwenty()
  await typeContact(21)
  await passTime(world, store.storeId, 2 * HOUR)
  expect(world.sent.map((sent) => sent.to)).not.toContain(mail(21))
  expect(world.sent).toHaveLength(20)
  const [cart] = await selectCartsOf(21)
  const held = await world.db
    .selectFrom('messages')
    .select(['state', 'reason'])
    .where('cart_id', '=', cart!.id)
    .where('step', '=', 1)
    .execute()
  expect(held).toEqual([{ state: 'held', reason: 'contact_unconfirmed' }])
})

test('the owner sees the unconfirmed contact on the cart, and number and reason in the settings (X5)', async () => {
  await typeTwenty()
  await typeContact(21)
  await typeContact(22)
  await recordWebhookOrders(draft(mail(22)))
  const [cart] = await selectCartsOf(21)
  const ask = async (path: string) =>
    (await world.request('GET', `${path}?storeId=${store.storeId}`, { token: store.token })).body
  expect((await ask(`/api/carts/${cart!.id}`)).cart).toMatchObject({
    customer_email: null,
    unconfirmed: { email: mail(21), phone: null },
  })
  const status = await ask('/api/capture-status')
  expect(status).toEqual({ unconfirmed: { client: 2, store: 0, open: 1 }, ceiling: 60 })
  expect(limitText(status)).toBe(
    'In the last 24 hours, 2 new contacts were above a limit: 2 because more than 20 came from one network within an hour. The carts are kept. 1 of them is not confirmed by an order or draft order yet and is not messaged.',
  )
})

test('a draft with the address confirms it, so that one cart gets the mail (X5, S6)', async () => {
  await typeTwenty()
  await typeContact(21)
  const [before] = await selectCartsOf(21)
  world.advance(MINUTE)
  await recordWebhookOrders(draft(mail(21), { items: [{ ...buildOrder(world).items[0]!, quantity: 3 }] }))
  const found = await selectCartsOf(21)
  expect(found).toEqual([expect.objectContaining({ id: before!.id, email: mail(21), item_count: 3 })])
  await passTime(world, store.storeId, 2 * HOUR)
  expect(world.sent.map((sent) => sent.to)).toContain(mail(21))
})

test('a draft that only confirms the contact does not count as activity (S7)', async () => {
  await typeTwenty()
  await typeContact(21)
  const [before] = await selectCartsOf(21)
  world.advance(5 * MINUTE)
  await recordWebhookOrders(draft(mail(21), { firstName: null, lastName: null }))
  expect((await selectCartsOf(21))[0]!.last_activity_at).toEqual(before!.last_activity_at)
})

test('a draft read before the address was typed confirms it too (X5)', async () => {
  await typeTwenty()
  await post(21, { items: tea(1) })
  await recordWebhookOrders(draft(mail(21)))
  world.advance(MINUTE)
  await post(21, { contact: { email: mail(21) } })
  expect(await selectCartsOf(21)).toHaveLength(1)
  expect((await selectCartsOf(21))[0]).toMatchObject({ email: mail(21) })
})

test('an old order does not confirm that its buyer typed the address (X5)', async () => {
  await recordWebhookOrders(draft(mail(21), { kind: 'purchase' }))
  world.advance(24 * HOUR)
  await typeTwenty()
  await typeContact(21)
  expect((await carts()).filter((cart) => cart.status === 'active' && cart.email === mail(21))).toEqual([])
})

test('an unconfirmed contact merges with no cart (X5)', async () => {
  await typeContact('known', '198.51.100.1')
  const [before] = await selectCartsOf('known')
  await typeTwenty()
  await post('attacker', { items: [{ id: '17', quantity: 9 }], contact: { email: mail('known') } })
  const own = (await carts()).find((cart) => cart.email === mail('known'))
  expect(own).toMatchObject({ id: before!.id, item_count: 2, last_activity_at: before!.last_activity_at })
})

test('a draft merges with the only captured cart without contact that has its lines at its time (S6)', async () => {
  await post('guest', { items: tea() })
  await post('other', { items: tea(5) })
  world.advance(9 * MINUTE)
  await recordWebhookOrders(draft(mail('late')))
  const all = await carts()
  expect(all.map(({ email, item_count }) => [email, item_count])).toEqual(
    expect.arrayContaining([
      [mail('late'), 2],
      [null, 5],
    ]),
  )
  expect(all).toHaveLength(2)
})

test.each([
  ['two carts match', async () => void (await post('b', { items: tea() })), 0],
  ['they are more than ten minutes apart', async () => {}, 11 * MINUTE],
  ['the lines differ', async () => void (await post('a', { items: tea(3) })), 0],
  ['the cart has its own contact', async () => void (await post('a', { contact: { email: mail('a') } })), 0],
])('a draft merges with no captured cart by its lines when %s (S6)', async (_, prepare, laterMs) => {
  await post('a', { items: tea() })
  world.advance(1_000)
  await prepare()
  const before = (await carts()).length
  world.advance(laterMs)
  await recordWebhookOrders(draft(mail('late')))
  expect(await carts()).toHaveLength(before + 1)
})

test('two drafts that match the same cart merge neither with it nor with each other (S6)', async () => {
  await post('a', { items: tea() })
  await recordWebhookOrders(draft(mail('x')), draft(mail('y')))
  expect((await carts()).map((cart) => cart.email).sort()).toEqual([mail('x'), mail('y'), null].sort())
})

test('a draft of a shopper with a captured cart merges with no guest’s cart (S6)', async () => {
  await post('a', { items: tea(), contact: { email: mail('a') } })
  await post('guest', { items: tea() })
  await recordWebhookOrders(draft(mail('a')))
  expect((await carts()).map((cart) => cart.email)).toEqual([mail('a'), null])
})

test('a draft without contact belongs to the captured cart, which gets its later contact (S6)', async () => {
  await post('guest', { items: tea() })
  const nameless = draft(null, { firstName: null, lastName: null })
  await recordWebhookOrders(nameless, draft(null, { items: [{ ...buildOrder(world).items[0]!, quantity: 7 }] }))
  expect(await carts()).toEqual([expect.objectContaining({ email: null, item_count: 2 })])
  // Another guest with the same items must not get the contact typed into this draft.
  await post('twin', { items: tea() })
  world.advance(30 * MINUTE)
  await recordWebhookOrders({ ...nameless, email: mail('late'), modifiedAt: world.now.toISOString() })
  expect((await carts()).map((cart) => cart.email)).toEqual([mail('late'), null])
})

test('a purchase by an unconfirmed contact ends its cart (S3)', async () => {
  await typeTwenty()
  await typeContact(21)
  world.advance(MINUTE)
  await recordWebhookOrders(draft(mail(21), { kind: 'purchase' }))
  expect((await selectCartsOf(21)).map((cart) => cart.status)).toEqual(['purchased'])
})

test('a store accepts sixty new contacts an hour, then items only, and raises one alarm (X5)', async () => {
  await typeMany(62, (i) => `203.0.113.${i % 4}`)
  expect((await carts()).filter((cart) => cart.email === null)).toHaveLength(2)
  expect(await carts()).toHaveLength(62)
  const alarms = await listNotifications('capture_flood')
  expect(alarms).toHaveLength(1)
  expect(alarms[0]!.message).toContain('more than 60 new contacts')
})

test('a few networks with many contacts do not stop the reminders of others', async () => {
  await typeMany(72, (i) => `203.0.113.${i % 4}`)
  const before = (await carts()).filter((cart) => cart.email === null).length
  expect(before).toBe(12)
  await typeContact('genuine', '192.0.2.77')
  await typeContact('genuine-2', '192.0.2.77')
  await typeContact('genuine-3', '192.0.2.77')
  await typeContact('other', '192.0.2.78')
  const emails = (await selectCartsOf('genuine', 'genuine-2', 'genuine-3', 'other')).flatMap(({ email }) => email ?? [])
  expect(emails.sort()).toEqual([mail('genuine'), mail('genuine-2'), mail('other')].sort())
  // Many networks with few contacts each reach a limit too.
  for (let i = 0; i < 66; i++)
    await send(`far-${i}`, { items: tea(), contact: { email: mail(`far-${i}`) } }, `198.51.100.${i}`)
  await foldStalePosts(world.deps, 0)
  expect((await carts()).filter((cart) => cart.email?.startsWith('pfar-'))).toHaveLength(57)
})

test('a store with more contacts accepts five times its usual hour (X5)', async () => {
  const hours = [1, 2, 3].map((ago) => new Date(Math.floor(world.now.getTime() / HOUR) * HOUR - ago * HOUR))
  await world.db
    .insertInto('capture_hours')
    .values(hours.map((hour, i) => ({ store_id: store.storeId, hour, contacts: [13, 14, 400][i]! })))
    .execute()
  await typeMany(71, (i) => `203.0.113.${i % 4}`)
  expect((await carts()).filter((cart) => cart.email === null)).toHaveLength(1)
  expect((await listNotifications('capture_flood'))[0]!.message).toContain('more than 70')
})

test('an erased shopper leaves no unconfirmed contact, and none returns (C8)', async () => {
  await typeTwenty()
  await typeContact(21)
  await typeContact('known', '198.51.100.7')
  const { status } = await world.request('DELETE', `/api/privacy/${mail(21)}`, {
    token: store.token,
    body: { confirmation: 'erase' },
  })
  expect(status).toBeLessThan(300)
  await world.runJobs()
  await typeContact(21)
  for (const table of ['facts', 'carts', 'unconfirmed_contacts']) {
    const { rows } = await world.pool.query(
      `select count(*)::int as n from ${table} t where store_id = $1 and t::text like $2`,
      [store.storeId, `%${mail(21)}%`],
    )
    expect([table, rows[0].n]).toEqual([table, 0])
  }
  expect(await selectCartsOf('known')).toHaveLength(1)
})
