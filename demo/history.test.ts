import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DemoStore, startDemoStore } from '../providers/woocommerce/store.ts'
import { groupNotifications } from '../server/access/notifications/group.ts'
import { loadBrand } from '../server/carts/brand/brand.ts'
import { foldStalePosts } from '../server/carts/capture/capture-intake.ts'
import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { pullCustomers } from '../server/carts/sync/local-copies.ts'
import { sweepStore } from '../server/carts/sync/sync.ts'
import { createId } from '../server/core/common/ids.ts'
import { insertPosts } from '../server/core/db/system.ts'
import { openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import type { Deps } from '../server/deps.ts'
import { createWooCommerceClient } from '../server/platforms/woocommerce/platform.ts'
import { buildOrder } from '../test/factories.ts'
import { isFullRun } from '../test/seed.ts'
import { createWorld } from '../test/world.ts'
import { ensureDemoAccount } from './account.ts'
import { readPastProgress, resetDemo, setUpDemo } from './reset.ts'

// The demo as a visitor finds it: a running store, a connected account, and a past replayed through the real engine.

/** A few days are enough for most checks; lost carts and most unsubscribes need a longer past. */
const PAST = isFullRun
  ? {
      days: 90,
      daysNews: 80,
      statuses: ['abandoned', 'recovered', 'purchased', 'emptied', 'lost'],
      carts: [340, 680],
      sent: 200,
      recovered: 10,
      emails: 100,
      texts: 25,
      visits: 8,
      used: 2,
      guests: 130,
      orders: 100,
    }
  : {
      days: 12,
      daysNews: 8,
      statuses: ['abandoned', 'recovered', 'purchased', 'emptied'],
      carts: [40, 90],
      sent: 25,
      recovered: 2,
      emails: 12,
      texts: 3,
      visits: 1,
      used: 0,
      guests: 20,
      orders: 12,
    }

const world = createWorld()
const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
const http = openGuardedHttp({ allowPrivate: true, allowedOrigins: [] })
let shop: DemoStore
let storeId: string
const captures: unknown[] = []
const pushes: { head: string; workerUrl: string }[] = []

beforeAll(async () => {
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', now: () => world.now.getTime(), ...keys })
  world.storeClient = (access) => createWooCommerceClient(access, { fetch: http.fetch, now: () => world.now })
  world.deps.demo = {
    storeUrl: shop.url,
    mailboxUrl: 'http://localhost:3002',
    shopify: null,
    keys,
    setCapture: (capture) => captures.push(capture),
    setPush: (host) => pushes.push(host),
    reset: shop.reset,
    rebuild: (deps: Deps) => resetDemo(deps, { days: 5 }),
    insertOrders: shop.insertOrders,
    isReady: () => true,
    past: readPastProgress,
  }
  world.deps.config = { ...world.deps.config, isDemo: true }
})

afterAll(async () => {
  await shop?.stop()
  http.close()
})

async function count(query: string): Promise<Record<string, number>> {
  const { rows } = await world.pool.query(query, [storeId])
  return Object.fromEntries(rows.map((row) => [row.name, Number(row.n)]))
}

test('creates the account once: connected, on the largest plan, with its flow on at demo speed (decision 29)', async () => {
  const first = await ensureDemoAccount(world.deps, world.deps.demo!)
  expect(await ensureDemoAccount(world.deps, world.deps.demo!)).toEqual(first)
  storeId = first.storeId
  const store = await world.db.selectFrom('stores').selectAll().where('id', '=', storeId).executeTakeFirstOrThrow()
  expect(store).toMatchObject({
    is_demo: true,
    is_active: true,
    base_country: 'US',
    selling_countries: ['US'],
    sender_name: 'Maple & Clay',
  })
  expect(store.effective_timeout_minutes).toBe(1)
  expect(captures.at(-1)).toEqual({
    scriptUrl: `${world.deps.config.publicUrl}/capture/${store.capture_key}.js`,
    storeKey: store.capture_key,
  })
  // Its pages have web push by the code for functions.php: the store has no plugin.
  const { publicUrl } = world.deps.config
  expect(pushes.at(-1)).toEqual({
    head: `<script src="${publicUrl}/push/${store.capture_key}.js" data-method="functions" data-store-url="${shop.url}" defer></script>`,
    workerUrl: `${publicUrl}/push/sw.js`,
  })
  const setup = await world.request('POST', '/api/push-notifications/auto-setup', {
    headers: { origin: shop.url },
    body: { storeUrl: shop.url, method: 'functions' },
  })
  expect(setup.body).toMatchObject({ storeKey: store.capture_key, workerUrl: `${shop.url}/?recoup-sw=1` })
  const signedIn = await world.request('POST', '/api/auth/demo')
  expect(signedIn.body).toMatchObject({ user: { isDemo: true, hasActiveSubscription: true } })
  // Emails have the demo store's look and logo.
  const brand = await loadBrand({ storeId, db: world.db })
  expect(brand).toMatchObject({ button: '#a4451f', fontStack: 'georgia', logo: { width: 570, height: 96 } })
})

/**
 * The past is written in one transaction that must not block others. Statements before its first event also contain
 * "messages" (the flow is saved), when no progress is reported yet. The visit waits for both.
 */
async function visitMeanwhile(): Promise<void> {
  await vi.waitUntil(async () => {
    const { rows } = await world.pool.query(
      `select 1 from pg_stat_activity where application_name = 'recoup-demo' and datname = current_database()
       and query like '%messages%'`,
    )
    return rows.length > 0 && (readPastProgress(world.deps).percent ?? 0) > 0
  }, 120_000)
  const { token } = (await world.request('POST', '/api/auth/demo')).body
  const past = (await world.request('GET', '/api/demo/past', { token })).body
  expect(past).toEqual({ isBeingWritten: true, percent: expect.any(Number) })
  expect(past.percent).toBeLessThan(100)
  const settings = await world.request('PUT', '/api/stores/settings', { token, body: { capMessages: 4 } })
  expect(settings.status).toBe(200)
  const [{ id, name, steps }] = (await world.request('GET', '/api/flows', { token })).body.flows
  expect((await world.request('PUT', `/api/flows/${id}`, { token, body: { name, steps } })).status).toBe(200)
}

const VISITOR = 'visitor@shoppers.example'

/** Posts a cart as the demo store's page does: products, the checkout's draft order, then the email. */
async function shopMeanwhile(): Promise<void> {
  const { capture_key } = await world.db
    .selectFrom('stores')
    .select('capture_key')
    .where('id', '=', storeId)
    .executeTakeFirstOrThrow()
  const { product_id } = await world.db
    .selectFrom('products')
    .select('product_id')
    .where('store_id', '=', storeId)
    .where('variation_id', '=', '')
    .executeTakeFirstOrThrow()
  const ids = { cart: 'visitor-cart-xxxxxxxx', page: 'visitor-page-xxxxxxxx' }
  const items = [{ id: product_id, quantity: 1 }]
  // Accepted but not yet recorded as a fact, as on a busy server, during the replay.
  const inboxRow = { store_id: storeId, id: createId(), received_at: world.now, post: { ...ids, seq: 0, items } }
  await insertPosts(world.db, [inboxRow])
  const { percent } = readPastProgress(world.deps)
  await vi.waitUntil(() => (readPastProgress(world.deps).percent ?? 100) >= percent! + 3, 120_000)
  const line = { productId: product_id, variationId: null, name: 'Pot', sku: null, quantity: 1, unitPriceMinor: 2_000 }
  const draft = buildOrder(world, { orderId: '90001', email: VISITOR, items: [{ ...line, imageUrl: null }] })
  await foldStalePosts(world.deps, 0)
  await recordOrders(world.deps, storeId, [draft], 'webhook')
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/capture/${capture_key}`,
    headers: { origin: shop.url, 'content-type': 'text/plain;charset=UTF-8' },
    payload: JSON.stringify({ ...ids, seq: 1, items, contact: { email: VISITOR, country: 'US' } }),
  })
  expect(reply.statusCode).toBe(204)
  await foldStalePosts(world.deps, 0)
  world.advance(61_000)
  await detectAbandoned(world.deps)
  await sendDue(world.deps, { storeId })
}

test('replays weeks of shoppers through the engine and leaves no message to send', { timeout: 300_000 }, async () => {
  // Like the tick between connecting and the replay.
  await groupNotifications(world.deps)
  let isWritten = false
  const settling = setUpDemo(world.deps, world.deps.demo!, { days: PAST.days }).then(() => {
    isWritten = true
  })
  await visitMeanwhile()
  await shopMeanwhile()
  expect(world.sent.map(({ to }) => to)).toEqual([VISITOR])
  expect(isWritten).toBe(false)
  await settling
  // The second step is an SMS now. Its waiting messages are checked again, and none from the written past is sent.
  await sendDue(world.deps, { storeId })
  const { token } = (await world.request('POST', '/api/auth/demo')).body
  expect((await world.request('GET', '/api/demo/past', { token })).body).toEqual({
    isBeingWritten: false,
    percent: null,
  })
  const days = await count(
    `select created_at::date::text as name, count(*) as n from notifications where store_id = $1 group by 1`,
  )
  expect(Object.keys(days).length).toBeGreaterThan(PAST.daysNews)
  const unread = (await world.request('GET', '/api/notifications/unread-count', { token })).body.count
  expect(unread).toBeGreaterThan(0)
  expect(unread).toBeLessThan(40)
  const carts = await count('select status as name, count(*) as n from carts where store_id = $1 group by 1')
  const messages = await count('select state as name, count(*) as n from messages where store_id = $1 group by 1')
  const total = Object.values(carts).reduce((sum, n) => sum + n, 0)
  expect(total).toBeGreaterThan(PAST.carts[0]!)
  expect(total).toBeLessThan(PAST.carts[1]!)
  for (const status of PAST.statuses) expect([status, carts[status]]).toEqual([status, expect.toSatisfy((n) => n > 1)])
  expect(messages.sent).toBeGreaterThan(PAST.sent)
  expect(world.sent).toHaveLength(1)
  // Shoppers without an address may still enter one: those rows wait until they expire.
  const waiting = await count(`select coalesce(reason, state) as name, count(*) as n from messages
    where store_id = $1 and state in ('scheduled', 'held', 'claimed', 'sending')
      and cart_id not in (select id from carts where store_id = $1 and email = '${VISITOR}') group by 1`)
  expect(Object.keys(waiting).filter((reason) => reason !== 'no_contact' && reason !== 'no_consent')).toEqual([])
})

test('records a cart posted during the replay as one cart with its products, and reminds it at once', async () => {
  const { rows } = await world.pool.query(
    `select e.kind from carts c join cart_events e on e.store_id = c.store_id and e.cart_id = c.id
     where c.store_id = $1 and c.email = $2 order by e.at, e.id`,
    [storeId, VISITOR],
  )
  expect(rows.map(({ kind }) => kind)).toEqual(['active', 'abandoned'])
  const usage = await world.pool.query(
    `select sum(u.used)::int as used, (select count(*)::int from messages m where m.store_id = $1 and m.state = 'sent') as sent
     from plan_usage u join stores s on s.account_id = u.account_id where s.id = $1`,
    [storeId],
  )
  expect(usage.rows[0].used).toBe(usage.rows[0].sent)
})

test('attributes recovered carts to emails that were sent and clicked before', async () => {
  const { rows } = await world.pool.query(
    `select c.recovered_at, o.purchased_at, t.at as touched_at, m.sending_at, o.net_minor from carts c
     join orders o on o.store_id = c.store_id and o.cart_id = c.id
     left join touchpoints t on t.store_id = o.store_id and t.id = o.touchpoint_id
     left join messages m on m.store_id = o.store_id and m.id = o.message_id
     where c.store_id = $1 and c.status = 'recovered'`,
    [storeId],
  )
  expect(rows.length).toBeGreaterThan(PAST.recovered)
  for (const row of rows) {
    expect(row.sending_at < row.touched_at && row.touched_at <= row.purchased_at).toBe(true)
  }
})

test('contains consents, human and machine opens, unsubscribes and complaints', async () => {
  const orderCount = await count(
    `select channel || ' ' || status as name, count(*) as n from consents where store_id = $1 group by 1`,
  )
  expect(orderCount['email granted']).toBeGreaterThan(PAST.emails)
  expect(orderCount['sms granted']).toBeGreaterThan(PAST.texts)
  const visits = await count(
    `select kind || ' ' || class as name, count(*) as n from engagement_events where store_id = $1 group by 1`,
  )
  for (const kind of ['open human', 'open machine', 'click human']) expect(visits[kind]).toBeGreaterThan(PAST.visits)
  const ends = await count(`select p.reason as name, count(*) as n from suppressions p
    join stores s on s.account_id = p.account_id where s.id = $1 group by 1`)
  if (isFullRun) expect(ends.unsubscribed).toBeGreaterThan(1)
})

interface ListedCoupon {
  code: string
  kind: string
  madeBy: string
  usageCount: number
  startDate: string | null
  endDate: string | null
  steps: { step: number }[]
  figures: {
    issued: number | null
    sent: number
    used: number
    orders: number
    netRevenue: number
    discountGiven: number
  }
}

async function coupons(): Promise<Map<string, ListedCoupon>> {
  const { token } = (await world.request('POST', '/api/auth/demo')).body
  const { status, body } = await world.request('GET', '/api/coupons', { token })
  expect(status, JSON.stringify(body)).toBe(200)
  return new Map(body.coupons.map((coupon: ListedCoupon) => [coupon.code, coupon]))
}

test('contains the store’s own coupons, an active, an expired and a future one, and a personal one in the last email', async () => {
  const listed = await coupons()
  const own = [...listed.values()].filter(({ madeBy }) => madeBy === 'store').map(({ code }) => code)
  expect(own.toSorted()).toEqual(['FREESHIP', 'LASTYEAR', 'TEATIME5', 'WELCOME10'])
  expect([...listed.keys()].slice(0, 4).toSorted()).toEqual(['CART', 'GIFT10', 'KILN20', 'TEA15'])
  const time = (code: string, which: 'startDate' | 'endDate') =>
    Date.parse(listed.get(code)![which]!) - world.now.getTime()
  expect(time('TEA15', 'startDate')).toBeLessThan(0)
  expect(time('TEA15', 'endDate')).toBeGreaterThan(3 * 86_400_000)
  expect(time('KILN20', 'endDate')).toBeLessThan(0)
  expect(time('GIFT10', 'startDate')).toBeGreaterThan(0)
  expect(listed.get('CART')).toMatchObject({ kind: 'personal', steps: [{ step: 3 }] })
})

test('sends codes with last emails; the revenue of used codes matches the orders', async () => {
  const listed = await coupons()
  const { figures } = listed.get('CART')!
  expect(figures.used).toBeGreaterThan(PAST.used)
  expect(figures.sent).toBeGreaterThan(figures.used)
  expect(figures.issued).toBeGreaterThanOrEqual(figures.sent)
  expect(figures.orders).toBe(figures.used)
  expect(figures.discountGiven).toBeGreaterThan(0)
  // Ten percent off before shipping: the rest is at most nine times the discount, plus shipping.
  expect(figures.netRevenue).toBeGreaterThan(8 * figures.discountGiven)
  const { rows } = await world.pool.query(
    `select k.code, o.message_id = k.message_id as is_owed, m.coupon_code = k.code as is_sent, t.kind, t.at = o.purchased_at as is_touch
     from coupon_codes k join orders o on o.store_id = k.store_id and o.order_id = k.used_order_id
     join messages m on m.store_id = k.store_id and m.id = k.message_id and m.sending_at < k.used_at
     left join touchpoints t on t.store_id = o.store_id and t.id = o.touchpoint_id where k.store_id = $1`,
    [storeId],
  )
  const ofCoupon = { is_owed: true, is_sent: true, kind: 'coupon', is_touch: true }
  expect(rows).toEqual(Array.from({ length: figures.used }, () => ({ code: expect.any(String), ...ofCoupon })))
  for (const code of ['TEA15', 'WELCOME10']) {
    const { usageCount, figures: shared } = listed.get(code)!
    expect(shared.orders).toBeGreaterThan(0)
    expect(shared).toMatchObject({ issued: null, used: usageCount, orders: usageCount })
    expect(shared.discountGiven).toBeGreaterThan(0)
  }
})

test('keeps only the used codes of the past in the store', async () => {
  const states = await count(
    `select state || case when used_at is null then '' else ' used' end as name, count(*) as n from coupon_codes
     where store_id = $1 group by 1`,
  )
  expect(Object.keys(states).toSorted()).toEqual(['deleted', 'made used'])
  const inStore = shop.coupons.list('cart-').map((coupon) => coupon.usageCount)
  expect(inStore).toEqual(Array.from({ length: states['made used']! }, () => 1))
  const orders = await count(
    `select 'owed' as name, count(*) as n from orders where store_id = $1 and message_id is not null
     union all select 'with a code', count(*) from coupon_codes where store_id = $1 and used_at is not null`,
  )
  expect(orders.owed).toBeGreaterThan(orders['with a code']!)
})

test('contains guests, and registered customers with company and last login', async () => {
  await pullCustomers(world.deps, { storeId })
  const { token } = (await world.request('POST', '/api/auth/demo')).body
  const list = async (registered: 'yes' | 'no') =>
    (await world.request('GET', `/api/stores/customers/recent?page=1&registered=${registered}`, { token })).body
  const existing = (await list('yes')).customers as {
    company: string | null
    last_login: string | null
    is_registered: boolean
  }[]
  expect(existing).toHaveLength(6)
  expect(existing.filter(({ company }) => company)).toHaveLength(4)
  expect(existing.filter(({ last_login }) => last_login)).toHaveLength(5)
  const { customers: newest } = (await world.request('GET', '/api/stores/customers/recent?page=1&limit=10', { token }))
    .body as { customers: { is_registered: boolean }[] }
  expect(new Set(newest.map(({ is_registered }) => is_registered))).toEqual(new Set([true, false]))
  const guests = await list('no')
  expect(guests.pagination.total).toBeGreaterThan(PAST.guests)
})

test('has the same orders as the demo store, so a sync finds no changes', async () => {
  const before = await count(`select 'facts' as name, count(*) as n from facts where store_id = $1
    union all select 'orders', count(*) from orders where store_id = $1`)
  world.advance(1_000)
  expect(await sweepStore(world.deps, { storeId })).toMatchObject({ kind: 'done' })
  const after = await count(`select 'facts' as name, count(*) as n from facts where store_id = $1
    union all select 'orders', count(*) from orders where store_id = $1`)
  expect(after).toEqual(before)
  expect(before.orders).toBeGreaterThan(PAST.orders)
})

test('creates the demo once; a reset recreates everything and keeps the visitor signed in', async () => {
  const { body } = await world.request('POST', '/api/auth/demo')
  const countFacts = async () => (await world.pool.query('select count(*) from facts')).rows[0].count
  const before = await countFacts()
  await setUpDemo(world.deps, world.deps.demo!)
  expect(await countFacts()).toBe(before)
  const listed = await coupons()
  const auth = { token: body.token }
  const { _id } = (await world.request('GET', '/api/coupons?search=TEA15', auth)).body.coupons[0]
  expect((await world.request('DELETE', `/api/coupons/${_id}`, auth)).status).toBe(200)
  shop.coupons.delete('welcome10')
  const reply = await world.request('POST', '/api/demo/reset', { token: body.token })
  expect(reply).toMatchObject({ status: 200, body: { success: true } })
  const stores = await world.db.selectFrom('stores').select(['id', 'is_active']).execute()
  expect(stores).toEqual([{ id: expect.not.stringMatching(storeId), is_active: true }])
  const me = await world.request('GET', '/api/auth/me', { token: body.token })
  expect(me.status).toBe(200)
  const again = await coupons()
  expect([...again.keys()].toSorted()).toEqual([...listed.keys()].toSorted())
  expect(again.get('CART')).toMatchObject({ kind: 'personal', steps: [{ step: 3 }] })
  expect(again.get('WELCOME10')!.usageCount).toBeGreaterThan(0)
})
