import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { readNotifications } from '../../../test/notifications.ts'
import { countPropertyRuns } from '../../../test/seed.ts'
import { readNextDueAt } from '../../../test/send-scene.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { sql, transact } from '../../core/db/db.ts'
import { setNextDue as scheduleNextRun } from '../../messages/messages/sql.ts'
import { createToken } from '../links/message-tokens.ts'
import { revokeTouchpoints } from './touchpoints.ts'

// Attribution of orders to messages (S3, A1–A3), and what the owner sees of it.

const world = createWorld()
let shop: Shop
let n = 0
let email = ''

beforeEach(async () => {
  email = `ada${++n}@shoppers.example.com`
  shop = await createShop(world)
})

const createMailedCart = () => shop.mailed({ email, firstName: 'Ada' })

const browser = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0'

function click(messageId: string, headers: Record<string, string> = { 'user-agent': browser }) {
  const token = createToken(world.deps.secrets, 'click', messageId)
  return world.request('GET', `/c/${token}`, { headers })
}

const buy = (order: Parameters<Shop['order']>[0] = {}) => shop.order({ kind: 'purchase', email, ...order })

test('a purchase after a click is recovered, shows the badge and notifies the owner (S3, A1)', async () => {
  const message = await createMailedCart()
  expect((await click(message.id)).status).toBe(302)
  world.advance(MINUTE)
  await buy({ totalMinor: 5_000 })
  const cart = await shop.cart()
  expect(cart).toMatchObject({ status: 'recovered', badge: 'Recovered', recovered_at: world.now, no_response_at: null })
  const [order] = await shop.orders()
  expect(order).toMatchObject({ cart_id: cart.id, message_id: message.id, net_minor: 5_000 })
  const news = (await shop.notifications()).filter((row) => row.type === 'cart_recovered')
  expect(news).toMatchObject([{ data: { cartId: cart.id, value: 5_000, currency: 'USD' } }])
  expect((await readNotifications(world, shop.storeId)).at(-1)!.message).toBe(
    `${cart.customer_name} came back and bought.`,
  )
  expect((await shop.messages()).map((each) => each.state)).toEqual(['sent', 'cancelled', 'cancelled'])
})

test('an order in a custom status ends the cart and counts once it is paid (S4)', async () => {
  const message = await createMailedCart()
  await click(message.id)
  world.advance(MINUTE)
  const unknown = { status: 'packed', totalMinor: 5_000, paidAt: null, amount: 'if_counted' } as const
  const order = await buy(unknown)
  const figures = async () => {
    const net = (await shop.orders())[0]!.net_minor
    const { status, is_void } = await shop.cart()
    return { net, status, is_void }
  }
  expect(await figures()).toEqual({ net: 0, status: 'recovered', is_void: true })
  expect((await shop.messages()).map((each) => each.state)).toEqual(['sent', 'cancelled', 'cancelled'])
  world.advance(MINUTE)
  const again = { orderId: order.orderId, createdAt: order.createdAt, totalMinor: 5_000 }
  const at = () => ({ modifiedAt: world.now.toISOString() })
  await buy({ ...again, ...at(), status: 'packed' })
  expect(await figures()).toEqual({ net: 5_000, status: 'recovered', is_void: false })
  world.advance(MINUTE)
  await buy({ ...again, ...at(), status: 'cancelled', kind: 'cancelled' })
  expect(await figures()).toEqual({ net: 0, status: 'recovered', is_void: true })
  world.advance(MINUTE)
  await buy({ ...again, ...unknown, ...at() })
  expect(await figures()).toMatchObject({ net: 0, is_void: true })
})

test('cash on delivery keeps its amount in custom statuses until one reports a return (S4)', async () => {
  await createMailedCart()
  world.advance(MINUTE)
  const order = await buy({ totalMinor: 5_000, paidAt: null })
  const becomes = async (status: string, more: Parameters<typeof buy>[0]) => {
    world.advance(MINUTE)
    const { orderId, createdAt } = order
    const modifiedAt = world.now.toISOString()
    await buy({ orderId, createdAt, modifiedAt, status, paidAt: null, totalMinor: 5_000, ...more })
    return (await shop.orders())[0]!.net_minor
  }
  expect(await becomes('shipped', { amount: 'if_counted' })).toBe(5_000)
  expect(await becomes('handed-over', { amount: 'if_counted', refundedMinor: 500 })).toBe(4_500)
  expect(await becomes('returned', { amount: 'none' })).toBe(0)
  expect(await becomes('shipped', { amount: 'if_counted' })).toBe(0)
  expect(await becomes('completed', {})).toBe(5_000)
  expect((await shop.cart()).status).toBe('purchased')
})

test.each([
  [0, [5_000]],
  // Imported old payments are not news.
  [2, []],
])('an order in a custom status notifies once it is paid, if that was %s days ago, and shows as ordered on the restore page (S4)', async (daysAgo, expected) => {
  const message = await createMailedCart()
  await click(message.id)
  world.advance(MINUTE)
  const order = await buy({ status: 'quote', totalMinor: 5_000, paidAt: null, amount: 'if_counted' })
  const news = async () =>
    (await shop.notifications()).flatMap(({ type, data }) =>
      type === 'cart_recovered' ? [(data as { value: number }).value] : [],
    )
  expect(await news()).toEqual([])
  expect((await shop.press(message.id)).body).toMatchObject({ isOrdered: true, items: [] })
  world.advance(3 * DAY)
  const modifiedAt = world.now.toISOString()
  const paidAt = new Date(world.now.getTime() - daysAgo * DAY).toISOString()
  const again = { orderId: order.orderId, createdAt: order.createdAt, totalMinor: 5_000, paidAt }
  await buy({ ...again, modifiedAt, status: 'quote' })
  expect(await news()).toEqual(expected)
  world.advance(MINUTE)
  await buy({ ...again, modifiedAt: world.now.toISOString(), status: 'completed' })
  expect(await news()).toEqual(expected)
})

test('a quote without a price recovers nothing, and a free order does (S4)', async () => {
  await click((await createMailedCart()).id)
  world.advance(MINUTE)
  const quote = await buy({ status: 'quote', totalMinor: 0, paidAt: null, amount: 'if_counted' })
  expect(await shop.cart()).toMatchObject({ is_void: true })
  world.advance(MINUTE)
  const modifiedAt = world.now.toISOString()
  await buy({ orderId: quote.orderId, createdAt: quote.createdAt, totalMinor: 0, paidAt: null, modifiedAt })
  expect(await shop.cart()).toMatchObject({ is_void: false })
})

test('the net amount counts whichever state of the order arrives first (S4, S7)', async () => {
  await createMailedCart()
  world.advance(MINUTE)
  const early = world.now.toISOString()
  world.advance(MINUTE)
  const order = { orderId: '901', createdAt: early, totalMinor: 5_000, paidAt: null }
  await buy({ ...order, status: 'shipped', amount: 'if_counted', refundedMinor: 500 })
  const amounts = async () => {
    const [row] = await world.db
      .selectFrom('orders')
      .select(['net_minor', 'waiting_minor', 'is_unproven', 'status'])
      .where('store_id', '=', shop.storeId)
      .execute()
    return { ...row, is_void: (await shop.cart()).is_void }
  }
  const waiting = { net_minor: 0, waiting_minor: 4_500, is_unproven: true, status: 'shipped', is_void: true }
  expect(await amounts()).toEqual(waiting)
  const before = { ...order, modifiedAt: early }
  await buy({ ...before, kind: 'pending', status: 'pending' })
  expect(await amounts()).toEqual(waiting)
  await buy({ ...before, modifiedAt: new Date(Date.parse(early) + 1_000).toISOString() })
  const counted = { net_minor: 4_500, waiting_minor: null, is_unproven: false, is_void: false }
  expect(await amounts()).toEqual({ ...waiting, ...counted })
})

test('pressing Restore records a touch (A1)', async () => {
  const message = await createMailedCart()
  expect((await shop.press(message.id)).status).toBe(200)
  world.advance(MINUTE)
  await buy()
  expect((await shop.cart()).status).toBe('recovered')
})

test('a touch precedes a purchase that the store dates to the same second (S3, A1)', async () => {
  const message = await createMailedCart()
  world.advance(1_400 - (world.now.getTime() % 1_000))
  await shop.press(message.id)
  world.advance(300)
  await buy({ paidAt: new Date(world.now.getTime() - 700).toISOString() })
  expect((await shop.cart()).status).toBe('recovered')
  expect((await shop.orders())[0]!.message_id).toBe(message.id)
})

test('bots, prefetches and viewing the cart attribute nothing (A1)', async () => {
  const message = await createMailedCart()
  await click(message.id, { 'user-agent': 'curl/8' })
  await click(message.id, { 'user-agent': browser, 'sec-purpose': 'prefetch' })
  await world.request('GET', `/api/carts/rt_${world.deps.secrets.token('restore', `${message.id}:0`)}`)
  world.advance(MINUTE)
  await buy()
  expect((await shop.cart()).status).toBe('purchased')
  expect((await shop.orders())[0]).toMatchObject({ touchpoint_id: null, message_id: null })
  expect((await shop.notifications()).map((row) => row.type)).not.toContain('cart_recovered')
})

test('a touch after the purchase, or before it by more than the window, attributes nothing (A1)', async () => {
  const message = await createMailedCart()
  await click(message.id)
  world.advance(5 * DAY + 1)
  await buy()
  expect((await shop.cart()).status).toBe('purchased')
  world.advance(MINUTE)
  await shop.press(message.id)
  const order = (await shop.orders())[0]!
  await shop.order({ ...orderAs(order), status: 'completed' })
  expect((await shop.cart()).status).toBe('purchased')
  expect((await shop.orders())[0]!.touchpoint_id).toBeNull()
})

const orderAs = (order: { order_id: string; purchased_at: Date | null }) => ({
  orderId: order.order_id,
  kind: 'purchase' as const,
  email,
  paidAt: order.purchased_at!.toISOString(),
})

test('the last human touch before an order attributes it, and no other touch does (A2)', async () => {
  const first = await createMailedCart()
  await click(first.id)
  await shop.passTime(DAY)
  const second = (await shop.messages()).find((each) => each.step === 2)!
  expect(second.state).toBe('sent')
  world.advance(10 * MINUTE)
  await click(second.id)
  world.advance(MINUTE)
  await click(first.id, { 'user-agent': 'curl/8' })
  world.advance(MINUTE)
  await buy()
  expect((await shop.orders())[0]!.message_id).toBe(second.id)
})

test('staff orders end the cart and are never attributed (A2)', async () => {
  const message = await createMailedCart()
  await click(message.id)
  world.advance(MINUTE)
  await buy({ source: 'staff' })
  expect((await shop.cart()).status).toBe('purchased')
  expect((await shop.orders())[0]).toMatchObject({ is_staff: true, touchpoint_id: null, message_id: null })
})

test('a refund reduces revenue to net, a cancelled order to zero, and the state stays (S3)', async () => {
  const message = await createMailedCart()
  await click(message.id)
  world.advance(MINUTE)
  const order = await buy({ totalMinor: 5_000 })
  world.advance(DAY)
  await shop.order({ ...order, refundedMinor: 2_000, modifiedAt: world.now.toISOString() })
  expect((await shop.orders())[0]!.net_minor).toBe(3_000)
  world.advance(DAY)
  await shop.order({ ...order, kind: 'cancelled', status: 'cancelled', modifiedAt: world.now.toISOString() })
  expect((await shop.orders())[0]).toMatchObject({ net_minor: 0, message_id: message.id })
  const { id, status } = await shop.cart()
  expect(status).toBe('recovered')
  expect((await shop.get(`/api/carts/${id}`)).body.cart).toMatchObject({ state: 'recovered', is_void: true })
})

test('late evidence changes purchased to recovered and logs the change (S3)', async () => {
  const message = await createMailedCart()
  await click(message.id)
  world.advance(MINUTE)
  // Bought in another browser with another address; the store reports later that it is the same customer.
  await shop.fill('two', [pot])
  await shop.type('two', { email: `other-${email}` })
  world.advance(MINUTE)
  const order = await buy({ email: `other-${email}` })
  const bought = (await shop.liveCarts()).find((cart) => cart.status === 'purchased')!
  expect(bought).toBeDefined()
  world.advance(MINUTE)
  await shop.type('one', { email: `other-${email}` })
  const cart = (await shop.liveCarts())[0]!
  expect(cart.status).toBe('recovered')
  expect((await shop.orders())[0]).toMatchObject({ order_id: order.orderId, message_id: message.id, cart_id: cart.id })
})

test('a purchase found to precede the touch becomes plain purchased, in the log and on the badge (S3)', async () => {
  const message = await createMailedCart()
  const before = world.now
  world.advance(HOUR)
  await click(message.id)
  world.advance(MINUTE)
  await buy()
  expect((await shop.cart()).status).toBe('recovered')
  world.advance(HOUR)
  await buy({ createdAt: before.toISOString(), modifiedAt: before.toISOString(), paidAt: before.toISOString() })
  const cart = await shop.cart()
  expect(cart).toMatchObject({ status: 'purchased', badge: 'Email Sent', recovered_at: null, ended_at: before })
  const moves = (await shop.events()).filter((event) => ['recovered', 'purchased'].includes(event.kind))
  expect(moves.map((event) => event.kind)).toEqual(['recovered', 'purchased'])
  expect(moves[1]).toMatchObject({ at: world.now, detail: { before: 'recovered' } })
  const { body } = await shop.get(`/api/carts/${cart.id}/messages`)
  expect(body.timeline.at(-1)).toMatchObject({ kind: 'purchased', text: expect.stringContaining('Corrected') })
})

test('attributed revenue never exceeds the store’s revenue, and no order counts twice (A2, A3)', async () => {
  const step = fc.record({
    what: fc.constantFrom('fill', 'click', 'press', 'machine', 'buy', 'buy', 'staff', 'refund', 'cancel', 'wait'),
    minutes: fc.integer({ min: 2, max: 3 * 24 * 60 }),
    amount: fc.integer({ min: 0, max: 9_000 }),
  })
  const history = fc.array(step, { minLength: 3, maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      email = `ada${++n}@shoppers.example.com`
      const message = await createMailedCart()
      let order = null as Awaited<ReturnType<typeof buy>> | null
      for (const { what, minutes, amount } of steps) {
        world.advance(minutes * MINUTE)
        const modifiedAt = world.now.toISOString()
        if (what === 'fill') await shop.fill('one', [buildTea(1 + (amount % 3))])
        if (what === 'click') await click(message.id)
        if (what === 'press') await shop.press(message.id)
        if (what === 'machine') await click(message.id, { 'user-agent': 'curl/8' })
        if (what === 'buy') order = await buy({ totalMinor: amount })
        if (what === 'staff') await buy({ totalMinor: amount, source: 'staff' })
        if (what === 'refund' && order) order = await shop.order({ ...order, modifiedAt, refundedMinor: amount })
        if (what === 'cancel' && order) {
          await shop.order({ ...order, modifiedAt, kind: 'cancelled', status: 'cancelled' })
        }
      }
      await shop.passTime(0)
      await assertRevenue()
      shop = await createShop(world)
    }),
    countPropertyRuns(12, 100),
  )
})

/** Checks each day of the store, and the total. */
async function assertRevenue() {
  const days = await sql<{ attributed: number; revenue: number }>`
    select coalesce(sum(net_minor) filter (where touchpoint_id is not null), 0)::int as attributed, sum(net_minor)::int as revenue
    from orders where store_id = ${shop.storeId} and purchased_at is not null
    group by rollup (date_trunc('day', purchased_at))`.execute(world.db)
  for (const { attributed, revenue } of days.rows) expect(attributed).toBeLessThanOrEqual(revenue ?? 0)
  const wrong = await sql`
    select o.order_id from orders o left join touchpoints t on t.store_id = o.store_id and t.id = o.touchpoint_id
    where o.store_id = ${shop.storeId} and o.touchpoint_id is not null and (o.is_staff or o.purchased_at is null
      or not t.is_human or t.at > o.purchased_at or t.at < o.purchased_at - interval '5 days' or t.message_id <> o.message_id
      or exists (select 1 from touchpoints l where l.store_id = t.store_id and l.shopper_id = o.shopper_id and l.is_human
        and l.at <= o.purchased_at and l.at > t.at))`.execute(world.db)
  expect(wrong.rows).toEqual([])
}

test('a touch recorded after the purchase attributes it if the store’s clock is ahead (S3, A2)', async () => {
  const message = await createMailedCart()
  // The store's clock is ten seconds ahead of ours.
  const at = new Date(world.now.getTime() + 10_000).toISOString()
  await buy({ modifiedAt: at, paidAt: at })
  expect((await shop.cart()).status).toBe('purchased')
  world.advance(2_000)
  await click(message.id)
  expect((await shop.cart()).status).toBe('recovered')
  expect((await shop.orders())[0]).toMatchObject({ message_id: message.id })
})

test('a touch after the purchase changes nothing (A1)', async () => {
  const message = await createMailedCart()
  await buy()
  world.advance(MINUTE)
  await click(message.id)
  expect((await shop.cart()).status).toBe('purchased')
  expect((await shop.orders())[0]).toMatchObject({ message_id: null })
})

test('new attribution of a purchase triggers another check of the shopper’s held messages (D6)', async () => {
  await createMailedCart()
  await buy()
  world.advance(HOUR)
  await shop.fill('two', [pot])
  await shop.type('two', { email })
  await shop.passTime(HOUR)
  const { storeId } = shop
  const open = (await shop.messages()).find((each) => each.state === 'scheduled')!
  const late = new Date(world.now.getTime() + 30 * DAY)
  await world.db
    .updateTable('messages')
    .set({ state: 'held', reason: 'no_consent', wake_at: late })
    .where('store_id', '=', storeId)
    .where('state', '=', 'scheduled')
    .execute()
  await transact({ storeId, db: world.db }, scheduleNextRun)
  const at = world.now
  await transact({ storeId, db: world.db }, (tx) =>
    revokeTouchpoints(tx, { shopperId: open.shopper_id, cartId: null, at }),
  )
  expect((await shop.messages()).find(({ id }) => id === open.id)!.wake_at).toEqual(open.due_at)
  expect(await readNextDueAt(world, storeId)).toEqual(open.due_at)
})
