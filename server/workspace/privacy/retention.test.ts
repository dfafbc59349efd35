import { expect, test } from 'vitest'
import { createShopperEverywhere, findTraces, postCapture, ZEN } from '../../../test/erasure-scene.ts'
import { buildOrder, createColleague, createStore, type TestStore } from '../../../test/factories.ts'
import { HOUR, markPurchased, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { upsertCustomers } from '../../carts/sync/sync-sql.ts'
import { transact } from '../../core/db/db.ts'
import { computeNextSize, countExpired, enqueueRetention, runRetention } from './retention.ts'

// C10: expired shoppers are erased at night by the rules of C8. Figures: retention-figures.test.ts.

const world = createWorld()
const DAY = 24 * HOUR

const keepFor = (storeId: string, days: number | null) =>
  world.db.updateTable('stores').set({ retention_days: days }).where('id', '=', storeId).execute()

/** Runs a night, at three in the store's zone. */
async function night(storeId: string): Promise<void> {
  const today = Temporal.Instant.from(world.now.toISOString()).toZonedDateTimeISO('America/New_York')
  const next = today
    .toPlainDate()
    .add({ days: 1 })
    .toZonedDateTime({ timeZone: 'America/New_York', plainTime: '03:00' })
  world.now = new Date(next.epochMilliseconds)
  world.queued.length = 0
  await enqueueRetention(world.deps)
  expect(
    world.queued.filter(({ payload }) => (payload as { storeId?: string }).storeId === storeId).length,
  ).toBeLessThan(2)
  await world.runJobs()
}

/** Keeps the session valid, which would expire before the data. */
const signedIn = () => world.pool.query(`update sessions set expires_at = $1`, [new Date(world.now.getTime() + DAY)])
async function readRuns({ token }: TestStore) {
  await signedIn()
  return (await world.request('GET', '/api/retention', { token })).body.runs
}
const readShoppers = async (storeId: string) =>
  (
    await world.pool.query(
      'select email, phone, first_name, ended_at, had_contact from shoppers where store_id = $1 order by created_at, id',
      [storeId],
    )
  ).rows
const draft = (storeId: string, email: string) =>
  recordOrders(world.deps, storeId, [buildOrder(world, { email, kind: 'draft' })], 'sync')

test('an expired person leaves no trace but hashes, while suppressions, orders, totals and other people stay', async () => {
  const zen = await createShopperEverywhere(world)
  await keepFor(zen.storeId, 30)
  const totals = () =>
    world.pool.query(
      `select order_id, total_minor, net_minor, cart_id, purchased_at from orders
       where store_id = $1 and email is distinct from 'ann@walk.example' order by 1`,
      [zen.storeId],
    )
  const before = (await totals()).rows
  const { rows: suppressed } = await world.pool.query('select * from suppressions where account_id = $1', [
    zen.accountId,
  ])
  const { rows: consents } = await world.pool.query(
    `select id, encode(address_hash, 'hex') as hash, status, wording, at from consents where store_id = $1 order by id`,
    [zen.storeId],
  )
  world.advance(29 * DAY)
  await draft(zen.storeId, 'ann@walk.example')
  await night(zen.storeId)
  expect(await findTraces(world)).not.toEqual([])
  await night(zen.storeId)
  await night(zen.storeId)
  // Account data outside the store stays: suppressions, and rows that wait for the provider.
  const ofAccount = [
    'suppressions',
    'suppression_removals',
    'inbound_messages',
    'consent_imports',
    'consent_import_errors',
  ]
  const remaining = (await findTraces(world)).filter((place) => !ofAccount.includes(place.split('.')[0]!))
  expect(remaining.filter((place) => !place.startsWith('capture_inbox'))).toEqual([])
  expect((await totals()).rows).toEqual(before)
  expect((await world.pool.query('select * from suppressions where account_id = $1', [zen.accountId])).rows).toEqual(
    suppressed,
  )
  const { rows: after } = await world.pool.query(
    `select id, encode(address_hash, 'hex') as hash, status, wording, at from consents where store_id = $1 order by id`,
    [zen.storeId],
  )
  expect(after).toEqual(consents)
  expect(await findTraces(world, ['ann@walk'])).not.toEqual([])
  const runs = await readRuns(zen)
  expect(runs.reduce((sum: number, run: { customers: number }) => sum + run.customers, 0)).toBe(1)
  expect(runs.find((run: { customers: number }) => run.customers > 0)).toMatchObject({
    days: 30,
    finishedAt: expect.any(String),
    counts: { carts: 3, orders: 3, shoppers: 2 },
  })
})

test('a returning person is a new shopper who may be contacted, and expires again', async () => {
  const { storeId } = await createStore(world)
  await keepFor(storeId, 30)
  const order = buildOrder(world, { ...ZEN, email: 'back@walk.example', kind: 'draft' })
  await recordOrders(world.deps, storeId, [order], 'sync')
  world.advance(60_000)
  await recordOrders(world.deps, storeId, [markPurchased(world, order)], 'webhook')
  world.advance(31 * DAY)
  await night(storeId)
  expect(await readShoppers(storeId)).toEqual([
    { email: null, phone: null, first_name: null, ended_at: expect.any(Date), had_contact: true },
  ])
  // The order is reported again, with its buyer.
  const refunded = { ...markPurchased(world, order), refundedMinor: 500, modifiedAt: world.now.toISOString() }
  await recordOrders(world.deps, storeId, [{ ...refunded, paidAt: markPurchased(world, order).paidAt }], 'sync')
  const [again] = await readShoppers(storeId)
  expect(again.ended_at).toBe(null)
  const { rows: nets } = await world.pool.query('select net_minor, total_minor from orders where store_id = $1', [
    storeId,
  ])
  expect(nets).toEqual([{ net_minor: order.totalMinor - 500, total_minor: order.totalMinor }])
  const before = await world.pool.query('select count(*)::int as n from carts where store_id = $1', [storeId])
  await draft(storeId, 'back@walk.example')
  await passTime(world, storeId, 2 * HOUR)
  expect(world.sent.filter(({ to }) => to === 'back@walk.example').length).toBeGreaterThan(0)
  const after = await world.pool.query('select count(*)::int as n from carts where store_id = $1', [storeId])
  expect(after.rows[0].n).toBe(before.rows[0].n + 1)
  world.advance(31 * DAY)
  await night(storeId)
  expect(await findTraces(world, ['back@walk'])).toEqual([])
})

test('a cart, an order or a sign-in at the shop keeps a person; shoppers without contact expire as well', async () => {
  const { storeId, ...store } = await createStore(world)
  await keepFor(storeId, 30)
  const customer = (id: string, days: number) => ({
    customer_id: id,
    email: `c${id}@walk.example`,
    hashes: [],
    created_at: new Date(world.now.getTime() - days * DAY).toISOString(),
  })
  await transact({ storeId, db: world.db }, (tx) =>
    upsertCustomers(tx, JSON.stringify([customer('1', 10), customer('2', 40)]), world.now, world.now),
  )
  // An old record without other data is not copied at all; otherwise it would return every night.
  const { rows } = await world.pool.query('select customer_id from customers where store_id = $1', [storeId])
  expect(rows).toEqual([{ customer_id: '1' }])
  await draft(storeId, 'old@keep.example')
  await postCapture(
    world,
    { ...store, storeId },
    {
      cart: 'nameless-browser-cart',
      device: 'nameless-browser-device',
      page: 'nameless-browser',
      seq: 1,
      items: [{ id: '16', quantity: 1 }],
    },
  )
  world.advance(20 * DAY)
  await draft(storeId, 'cart@keep.example')
  const order = buildOrder(world, { email: 'order@keep.example' })
  await recordOrders(world.deps, storeId, [markPurchased(world, order)], 'sync')
  world.advance(12 * DAY)
  await night(storeId)
  expect((await readShoppers(storeId)).flatMap(({ email }) => email ?? []).toSorted()).toEqual([
    'cart@keep.example',
    'order@keep.example',
  ])
  expect(await findTraces(world, ['old@keep', 'nameless-browser'])).toEqual([])
})

test('a click, a restore or a consent keeps a person; an imported consent or an opt-out does not', async () => {
  const { storeId } = await createStore(world)
  await keepFor(storeId, 30)
  const names = ['click', 'restore', 'bot', 'yes', 'import', 'no'] as const
  for (const name of names) await draft(storeId, `${name}@seen.example`)
  await passTime(world, storeId, 2 * HOUR)
  const mailTo = (name: string) => world.sent.find(({ to }) => to === `${name}@seen.example`)!
  world.advance(20 * DAY)
  const touch = (name: string, kind: 'click' | 'restore', isHuman = true) =>
    world.pool.query(
      `insert into touchpoints (store_id, id, message_id, cart_id, shopper_id, kind, is_human, class_reason, at)
       select store_id, gen_random_uuid(), id, cart_id, shopper_id, $3, $4, 'test', $5 from messages where store_id = $1 and id = $2`,
      [storeId, mailTo(name).messageId, kind, isHuman, world.now],
    )
  await touch('click', 'click')
  await touch('restore', 'restore')
  await touch('bot', 'click', false)
  const createConsent = (name: string, status: 'granted' | 'withdrawn', source: string) =>
    world.db
      .insertInto('consents')
      .values({
        store_id: storeId,
        id: crypto.randomUUID(),
        channel: 'email',
        status,
        source,
        wording: null,
        at: world.now,
        address_hash: world.deps.secrets.addressHash(`${name}@seen.example`),
      })
      .execute()
  await createConsent('yes', 'granted', 'preference page')
  await createConsent('import', 'granted', 'import: a list')
  await createConsent('no', 'withdrawn', 'unsubscribe page')
  world.advance(12 * DAY)
  expect(await countExpired(world.deps, { storeId, db: world.db }, 30)).toEqual({
    contacts: 3,
    customers: 0,
    carts: 3,
    isMore: false,
  })
  await night(storeId)
  const readEmails = async () => (await readShoppers(storeId)).flatMap(({ email }) => email ?? []).toSorted()
  expect(await readEmails()).toEqual(['click@seen.example', 'restore@seen.example', 'yes@seen.example'])
  world.advance(20 * DAY)
  await night(storeId)
  expect(await readEmails()).toEqual([])
})

test('a count of many expired people hashes addresses in chunks and misses none', async () => {
  const { storeId } = await createStore(world)
  const people = 1_250
  await world.pool.query(
    `with people as (
       insert into shoppers (store_id, id, email, created_at, first_seen_at, had_contact)
       select $1, gen_random_uuid(), 'p' || n || '@many.example', $2, $2, true from generate_series(1, $3::int) n
       returning id, email)
     insert into shopper_keys (store_id, kind, value, shopper_id) select $1, 'email', email, id from people`,
    [storeId, world.now, people],
  )
  world.advance(31 * DAY)
  let [inOneGo, max] = [0, 0]
  const addressHash = (address: string) => {
    if (inOneGo === 0) setImmediate(() => (inOneGo = 0))
    inOneGo += 1
    max = Math.max(max, inOneGo)
    return world.deps.secrets.addressHash(address)
  }
  const deps = { ...world.deps, secrets: { ...world.deps.secrets, addressHash } }
  expect(await countExpired(deps, { storeId, db: world.db }, 30)).toMatchObject({ contacts: people, customers: 0 })
  expect(max).toBeGreaterThan(0)
  expect(max).toBeLessThanOrEqual(500)
})

test('nothing expires without a number of days, nor in another store', async () => {
  const [store, other] = [await createStore(world), await createStore(world)]
  await keepFor(store.storeId, null)
  await keepFor(other.storeId, 60)
  for (const { storeId } of [store, other]) await draft(storeId, 'both@stay.example')
  world.advance(61 * DAY)
  await night(store.storeId)
  await runRetention(world.deps, { storeId: store.storeId, day: '2026-01-01' })
  expect((await readShoppers(store.storeId))[0].email).toBe('both@stay.example')
  expect((await readShoppers(other.storeId))[0].email).toBe(null)
  expect(await readRuns(store)).toEqual([])
})

test('a person with a message in flight is left for the next night, others are erased; open messages are closed', async () => {
  const { storeId } = await createStore(world)
  await keepFor(storeId, 30)
  for (const name of ['wire', 'open', 'calm']) await draft(storeId, `${name}@busy.example`)
  await passTime(world, storeId, 2 * HOUR)
  const set = (state: string, name: string) =>
    world.pool.query(
      `update messages set state = $1 where store_id = $2 and id = (
        select id from messages where store_id = $2 and to_address = $3 limit 1) returning id`,
      [state, storeId, `${name}@busy.example`],
    )
  await set('sending', 'wire')
  world.advance(31 * DAY)
  await night(storeId)
  expect(await findTraces(world, ['open@busy', 'calm@busy'])).toEqual([])
  expect(await findTraces(world, ['wire@busy'])).not.toEqual([])
  await set('sent', 'wire')
  await night(storeId)
  expect(await findTraces(world, ['wire@busy'])).toEqual([])
})

test('a person locked by another transaction is left for the next night', async () => {
  const { storeId } = await createStore(world)
  await keepFor(storeId, 30)
  for (const name of ['held', 'free']) await draft(storeId, `${name}@lock.example`)
  world.advance(31 * DAY)
  const other = await world.pool.connect()
  await other.query('begin')
  await other.query(`select 1 from shoppers where store_id = $1 and email = 'held@lock.example' for update`, [storeId])
  await night(storeId)
  await other.query('rollback')
  other.release()
  expect((await readShoppers(storeId)).flatMap(({ email }) => email ?? [])).toEqual(['held@lock.example'])
  await night(storeId)
  expect(await findTraces(world, ['held@lock'])).toEqual([])
})

test('a run resumes after an interruption, completes once a day, and ends when the owner changes the days', async () => {
  const store = await createStore(world)
  const { storeId } = store
  await keepFor(storeId, 30)
  await draft(storeId, 'one@again.example')
  world.advance(31 * DAY)
  await night(storeId)
  const day = (await readRuns(store))[0].day
  await draft(storeId, 'two@again.example')
  await world.pool.query(`update shoppers set first_seen_at = first_seen_at - interval '90 days' where store_id = $1`, [
    storeId,
  ])
  await world.pool.query(
    `update carts set last_activity_at = last_activity_at - interval '90 days' where store_id = $1`,
    [storeId],
  )
  await enqueueRetention(world.deps)
  await world.runJobs()
  expect((await readShoppers(storeId)).some(({ email }) => email === 'two@again.example')).toBe(true)
  await world.pool.query('update retention_runs set finished_at = null where store_id = $1', [storeId])
  await keepFor(storeId, 60)
  await runRetention(world.deps, { storeId, day })
  expect((await readShoppers(storeId)).some(({ email }) => email === 'two@again.example')).toBe(true)
  expect((await readRuns(store))[0]).toMatchObject({ day, days: 30, finishedAt: expect.any(String) })
  await keepFor(storeId, 30)
  await world.pool.query('update retention_runs set finished_at = null, cursor_at = null where store_id = $1', [
    storeId,
  ])
  await runRetention(world.deps, { storeId, day })
  expect(await findTraces(world, ['two@again'])).toEqual([])
  expect((await readRuns(store))[0]).toMatchObject({ contacts: 2, customers: 0 })
})

test('an owner sets the days after a preview; new stores start with 180, and other roles may not set them', async () => {
  const store = await createStore(world)
  const ask = (method: string, path: string, body?: unknown, token = store.token) =>
    world.request(method, `/api/retention${path}`, { token, body })
  expect((await ask('GET', '')).body).toEqual({ days: 180, runs: [] })
  await draft(store.storeId, 'count@me.example')
  const order = buildOrder(world, { email: 'count@customer.example' })
  await recordOrders(world.deps, store.storeId, [markPurchased(world, order)], 'sync')
  world.advance(40 * DAY)
  await signedIn()
  expect((await ask('GET', '/count?days=30')).body).toEqual({ contacts: 1, customers: 1, carts: 1, isMore: false })
  expect((await ask('GET', '/count?days=60')).body).toMatchObject({ contacts: 0, customers: 0 })
  for (const days of [29, 731, 30.5, 'x', -1, '']) expect((await ask('GET', `/count?days=${days}`)).status).toBe(400)
  for (const days of [29, 731, 30.5, '60', undefined]) expect((await ask('PUT', '', { days })).status).toBe(400)
  expect((await ask('PUT', '', { days: 60 })).body.days).toBe(60)
  expect((await ask('PUT', '', { days: null })).body.days).toBe(null)
  expect((await ask('GET', '')).body.days).toBe(null)
  for (const role of ['member', 'viewer'] as const) {
    const { token } = await createColleague(world, store, role)
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/count?days=30'],
      ['PUT', ''],
    ] as const)
      expect((await ask(method, path, method === 'PUT' ? { days: 30 } : undefined, token)).status).toBe(403)
  }
})

test.each([
  ['as many as fit into its time', 4, 25, 4],
  ['no more than twice as many', 4, 2, 8],
  ['one person where four took far too long', 4, 200, 1],
  ['one person, however long one took', 1, 900, 1],
  ['more again once a batch was fast', 1, 12, 2],
  ['forty at most', 40, 5, 40],
])('the next batch erases %s', (_, size, tookMs, next) => {
  expect(computeNextSize(size, tookMs)).toBe(next)
})
