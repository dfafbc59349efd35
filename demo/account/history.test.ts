import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Deps } from '../../server/deps.ts'
import { openGuardedHttp } from '../../server/net/guarded-fetch.ts'
import { createWooCommerceClient } from '../../server/platforms/woocommerce.ts'
import { sweepStore } from '../../server/stores/sync.ts'
import { aWorld } from '../../test/world.ts'
import { type DemoStore, startDemoStore } from '../store/store.ts'
import { ensureDemoAccount } from './account.ts'
import { pastOf, resetDemo, settleDemo } from './reset.ts'

// The demo as a visitor finds it: a store that runs, an account that is connected, and a past the real engine has lived through.

const world = aWorld()
const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` }
const http = openGuardedHttp({ allowPrivate: true, allowedOrigins: [] })
let shop: DemoStore
let storeId: string
const captures: unknown[] = []

beforeAll(async () => {
  shop = await startDemoStore({ port: 0, dataFile: ':memory:', now: () => world.now.getTime(), ...keys })
  world.storeClient = (_platform, access) =>
    createWooCommerceClient(access, { fetch: http.fetch, now: () => world.now })
  world.deps.demo = {
    storeUrl: shop.url,
    mailboxUrl: 'http://localhost:3002',
    keys,
    setCapture: (capture) => captures.push(capture),
    reset: shop.reset,
    rebuild: (deps: Deps) => resetDemo(deps, { days: 10 }),
    insertOrders: shop.insertOrders,
    past: pastOf,
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

test('the account is made once, connected, on the largest plan, with its flow on at demo speed (decision 29)', async () => {
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
  const signedIn = await world.request('POST', '/api/auth/demo')
  expect(signedIn.body).toMatchObject({ user: { isDemo: true, hasActiveSubscription: true } })
})

/** A past is written in one transaction, which nobody has to wait for. */
async function visitMeanwhile(): Promise<void> {
  await vi.waitUntil(async () => {
    const { rows } = await world.pool.query(
      `select from pg_stat_activity where application_name = 'recoup-demo' and datname = current_database()
       and query like '%messages%'`,
    )
    return rows.length > 0
  }, 30_000)
  const { token } = (await world.request('POST', '/api/auth/demo')).body
  const past = (await world.request('GET', '/api/demo/past', { token })).body
  expect(past).toEqual({ isBeingWritten: true, percent: expect.any(Number) })
  expect(past.percent).toBeLessThan(100)
  const settings = await world.request('PUT', '/api/stores/settings', { token, body: { capMessages: 4 } })
  expect(settings.status).toBe(200)
  const [{ id, name, steps }] = (await world.request('GET', '/api/flows', { token })).body.flows
  expect((await world.request('PUT', `/api/flows/${id}`, { token, body: { name, steps } })).status).toBe(200)
}

test('weeks of shoppers went through the engine, and left nothing to be sent', { timeout: 300_000 }, async () => {
  let isWritten = false
  const settling = settleDemo(world.deps, world.deps.demo!, { days: 35 }).then(() => {
    isWritten = true
  })
  await visitMeanwhile()
  expect(isWritten).toBe(false)
  await settling
  const { token } = (await world.request('POST', '/api/auth/demo')).body
  expect((await world.request('GET', '/api/demo/past', { token })).body).toEqual({
    isBeingWritten: false,
    percent: null,
  })
  const carts = await count('select status as name, count(*) as n from carts where store_id = $1 group by 1')
  const messages = await count('select state as name, count(*) as n from messages where store_id = $1 group by 1')
  const total = Object.values(carts).reduce((sum, n) => sum + n, 0)
  expect(total).toBeGreaterThan(130)
  expect(total).toBeLessThan(260)
  for (const status of ['abandoned', 'recovered', 'purchased', 'emptied', 'lost'])
    expect(carts[status]).toBeGreaterThan(1)
  expect(messages.sent).toBeGreaterThan(80)
  expect(world.sent).toEqual([])
  // Whoever has no address may still come and type one: those rows wait until they are too old.
  const waiting = await count(`select coalesce(reason, state) as name, count(*) as n from messages
    where store_id = $1 and state in ('scheduled', 'held', 'claimed', 'handed_over') group by 1`)
  expect(Object.keys(waiting).filter((reason) => reason !== 'no_contact' && reason !== 'no_consent')).toEqual([])
})

test('what was recovered is attributed to mails that were sent and clicked before', async () => {
  const { rows } = await world.pool.query(
    `select c.recovered_at, o.purchased_at, t.at as touched_at, m.handed_over_at, o.net_minor from carts c
     join orders o on o.store_id = c.store_id and o.cart_id = c.id
     left join touches t on t.store_id = o.store_id and t.id = o.touch_id
     left join messages m on m.store_id = o.store_id and m.id = o.message_id
     where c.store_id = $1 and c.status = 'recovered'`,
    [storeId],
  )
  expect(rows.length).toBeGreaterThan(4)
  for (const row of rows) {
    expect(row.handed_over_at < row.touched_at && row.touched_at <= row.purchased_at).toBe(true)
  }
})

test('boxes were ticked, mails opened by people and machines, and some had enough', async () => {
  const said = await count(
    `select channel || ' ' || status as name, count(*) as n from consents where store_id = $1 group by 1`,
  )
  expect(said['email granted']).toBeGreaterThan(40)
  expect(said['sms granted']).toBeGreaterThan(10)
  const visits = await count(
    `select kind || ' ' || class as name, count(*) as n from visits where store_id = $1 group by 1`,
  )
  for (const kind of ['open human', 'open machine', 'click human']) expect(visits[kind]).toBeGreaterThan(3)
  const ends = await count(`select p.reason as name, count(*) as n from suppressions p
    join stores s on s.account_id = p.account_id where s.id = $1 group by 1`)
  expect(ends.unsubscribed).toBeGreaterThan(1)
})

test('the demo store has the same orders: a sync finds nothing new', async () => {
  const before = await count(`select 'facts' as name, count(*) as n from facts where store_id = $1
    union all select 'orders', count(*) from orders where store_id = $1`)
  world.advance(1_000)
  expect(await sweepStore(world.deps, { storeId })).toMatchObject({ kind: 'done' })
  const after = await count(`select 'facts' as name, count(*) as n from facts where store_id = $1
    union all select 'orders', count(*) from orders where store_id = $1`)
  expect(after).toEqual(before)
  expect(before.orders).toBeGreaterThan(40)
})

test('made once; reset, it is all new, and the visitor stays signed in', async () => {
  const { body } = await world.request('POST', '/api/auth/demo')
  const marks = async () => (await world.pool.query('select count(*) from facts')).rows[0].count
  const before = await marks()
  await settleDemo(world.deps, world.deps.demo!)
  expect(await marks()).toBe(before)
  const reply = await world.request('POST', '/api/demo/reset', { token: body.token })
  expect(reply).toMatchObject({ status: 200, body: { success: true } })
  const stores = await world.db.selectFrom('stores').select(['id', 'is_active']).execute()
  expect(stores).toEqual([{ id: expect.not.stringMatching(storeId), is_active: true }])
  const me = await world.request('GET', '/api/auth/me', { token: body.token })
  expect(me.status).toBe(200)
}, 60_000)
