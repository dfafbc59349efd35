import { expect, test } from 'vitest'
import { readFigures } from '../../../test/figures.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { sql } from '../../core/db/db.ts'
import { countFigures, rebuildFigures } from './figures.ts'

// Advanced Analytics: counting changed days one by one gives the same figures as a full recount.

const world = createWorld()
const ada = { email: 'ada@shoppers.example.com', firstName: 'Ada' }
const store = (shop: Shop) => ({ storeId: shop.storeId, db: world.db })

/** The incremental counts. */
async function counted(shop: Shop) {
  await countFigures(world.deps)
  return readFigures(world.db, shop.storeId)
}

async function expectSameRecount(shop: Shop) {
  const before = await counted(shop)
  await rebuildFigures(store(shop), world.now)
  expect(await readFigures(world.db, shop.storeId)).toEqual(before)
  return before
}

const none = {
  began: 0,
  began_over: 0,
  began_abandoned: 0,
  began_bought: 0,
  abandoned: 0,
  abandoned_minor: 0,
  unbought: 0,
  unbought_minor: 0,
  recovered: 0,
}

test('a cart counts on the days of its start and abandonment until it is bought (decision 92)', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea(2), pot])
  await shop.type('one', ada)
  const began = getDay(world.now)
  const all = async () => (await expectSameRecount(shop)).cart_figures!.filter((row) => hasDimension(row, 'all'))
  const row = { dimension: 'all', key: '', currency: 'USD' }
  expect(await all()).toEqual([{ ...none, ...row, day: began, began: 1 }])
  await shop.passTime(HOUR)
  const abandonedDay = getDay((await shop.cart()).abandoned_at!)
  expect(abandonedDay).toBe(began)
  expect(await all()).toEqual([
    {
      ...none,
      ...row,
      day: began,
      began: 1,
      began_over: 1,
      began_abandoned: 1,
      abandoned: 1,
      abandoned_minor: 11_000,
      unbought: 1,
      unbought_minor: 11_000,
    },
  ])
  world.advance(10 * MINUTE)
  await shop.press((await shop.messages()).find(({ state }) => state === 'sent')!.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 11_000 })
  expect(await all()).toEqual([
    {
      ...none,
      ...row,
      day: began,
      began: 1,
      began_over: 1,
      began_abandoned: 1,
      began_bought: 1,
      abandoned: 1,
      abandoned_minor: 11_000,
      recovered: 1,
    },
  ])
})

test('a cart changed after a message keeps its value at abandonment (decision 92)', async () => {
  const shop = await createShop(world)
  await shop.mailed(ada)
  await shop.fill('one', [buildTea(3), pot])
  expect(await shop.cart()).toMatchObject({ status: 'abandoned', value_minor: 13_100 })
  const { cart_figures, product_figures } = await expectSameRecount(shop)
  expect(cart_figures!.filter((row) => hasDimension(row, 'all'))).toMatchObject([
    { abandoned: 1, abandoned_minor: 2_100, unbought_minor: 2_100 },
  ])
  expect(product_figures).toMatchObject([{ lost_minor: 6_300 }, { lost_minor: 6_800 }])
  await shop.fill('one', [pot])
  expect(((await expectSameRecount(shop)).cart_figures as object[])[0]).toMatchObject({ abandoned_minor: 2_100 })
})

test('a cart abandoned again before any message counts with its new contents', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await shop.passTime(HOUR)
  await shop.fill('one', [pot])
  await shop.passTime(HOUR)
  expect((await expectSameRecount(shop)).cart_figures!.filter((row) => hasDimension(row, 'all'))).toMatchObject([
    { abandoned: 1, abandoned_minor: 6_800 },
  ])
})

const hasDimension = (row: unknown, dimension: string) => (row as { dimension: string }).dimension === dimension
/** Stores of these tests are in UTC. */
const getDay = (at: Date) => at.toISOString().slice(0, 10)

async function createShopHistory(): Promise<Shop> {
  const shop = await createShop(world)
  for (let n = 0; n < 6; n++) {
    const contact = { email: `person${n % 4}@shoppers.example.com` }
    const message = await shop.mailed({ ...ada, ...contact }, `browser-${n}`)
    if (n % 2) await shop.press(message.id)
    if (n % 3)
      await shop.order({ kind: 'purchase', ...contact, totalMinor: 1_000 * n, currency: n === 5 ? 'EUR' : 'USD' })
    world.advance(41 * HOUR)
    if (n === 2) await countFigures(world.deps)
  }
  return shop
}

test('incremental counts equal a recount: refunds, bounces, merges, deleted messages, a new time zone', async () => {
  const shop = await createShopHistory()
  const before = await expectSameRecount(shop)
  for (const table of ['cart_figures', 'funnel_figures', 'message_figures', 'order_figures', 'product_figures'])
    expect(before[table]!.length, table).toBeGreaterThan(1)

  const [first] = await shop.orders()
  await sql`update orders set net_minor = net_minor - 300 where store_id = ${shop.storeId} and order_id = ${first!.order_id}`.execute(
    world.db,
  )
  const refunded = await expectSameRecount(shop)
  expect(refunded.order_figures).not.toEqual(before.order_figures)

  const sent = (await shop.messages()).filter(({ state }) => state === 'sent')
  await sql`update messages set state = 'failed', reason = 'bounced:hard' where store_id = ${shop.storeId} and id = ${sent[0]!.id}`.execute(
    world.db,
  )
  const bounced = await expectSameRecount(shop)
  expect(bounced.message_figures).not.toEqual(refunded.message_figures)

  await sql`update carts set status = 'merged' where store_id = ${shop.storeId}
    and id = (select id from carts where store_id = ${shop.storeId} order by started_at limit 1)`.execute(world.db)
  const merged = await expectSameRecount(shop)
  expect(merged.cart_figures).not.toEqual(bounced.cart_figures)

  await sql`delete from messages where store_id = ${shop.storeId} and id = ${sent[1]!.id}`.execute(world.db)
  const deleted = await expectSameRecount(shop)
  expect(deleted.message_figures).not.toEqual(merged.message_figures)

  await sql`update shoppers set country = 'DE' where store_id = ${shop.storeId}`.execute(world.db)
  expect((await expectSameRecount(shop)).cart_figures).not.toEqual(deleted.cart_figures)

  await sql`update stores set time_zone = 'Pacific/Auckland' where id = ${shop.storeId}`.execute(world.db)
  expect((await expectSameRecount(shop)).order_figures).not.toEqual(deleted.order_figures)
})

test('an order is attributed, assisted by a message before it, or organic; its shopper is new once (A4, decision 95)', async () => {
  const shop = await createShop(world)
  const attributed = await shop.mailed(ada)
  await shop.press(attributed.id)
  world.advance(MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 4_000 })
  const bo = { email: 'bo@shoppers.example.com' }
  await shop.mailed(bo, 'two')
  await shop.order({ kind: 'purchase', email: bo.email, totalMinor: 3_000 })
  // The result of this message is unknown: it counts as sent.
  const di = { email: 'di@shoppers.example.com' }
  const { id } = await shop.mailed(di, 'three')
  await sql`update messages set state = 'unknown', reason = 'unknown' where store_id = ${shop.storeId} and id = ${id}`.execute(
    world.db,
  )
  await shop.order({ kind: 'purchase', email: di.email, totalMinor: 1_500 })
  await shop.order({ kind: 'purchase', email: 'cy@shoppers.example.com', totalMinor: 2_000 })
  await shop.order({ kind: 'purchase', email: 'cy@shoppers.example.com', totalMinor: 500 })
  const sums = new Map<string, number[]>()
  for (const row of (await expectSameRecount(shop)).order_figures as Record<string, number | string>[]) {
    const [orders = 0, net = 0, firsts = 0] = sums.get(String(row.source)) ?? []
    sums.set(String(row.source), [
      orders + Number(row.orders),
      net + Number(row.net_minor),
      firsts + Number(row.firsts),
    ])
  }
  expect(Object.fromEntries(sums)).toEqual({
    attributed: [1, 4_000, 1],
    assisted: [2, 4_500, 2],
    organic: [2, 2_500, 1],
  })
  world.advance(30 * DAY)
  await detectAbandoned(world.deps)
  await expectSameRecount(shop)
})

test('an anonymous in-store buyer does not count as a customer until identified', async () => {
  const shop = await createShop(world)
  const anonymous = { email: null, firstName: null, lastName: null, source: 'pos' as const }
  for (let n = 0; n < 5; n++) await shop.order({ kind: 'purchase', ...anonymous, totalMinor: 1_000 })
  await shop.order({ kind: 'purchase', email: 'bo@shoppers.example.com', totalMinor: 6_000 })
  const till = await shop.order({ kind: 'purchase', ...anonymous, totalMinor: 2_000 })
  const lifetimeValue = async () => {
    await expectSameRecount(shop)
    return (await shop.get('/api/analytics?range=30d')).body.customerLifetimeValue
  }
  expect(await lifetimeValue()).toBe(60)
  const revenue = (await counted(shop)).order_figures as Record<string, number>[]
  expect(revenue.map(({ net_minor }) => net_minor)).toEqual([13_000])
  const named = {
    ...till,
    email: 'cy@shoppers.example.com',
    modifiedAt: new Date(world.now.getTime() + 1).toISOString(),
  }
  await shop.order(named)
  expect(await lifetimeValue()).toBe(40)
  await sql`delete from shopper_keys where store_id = ${shop.storeId} and value = 'cy@shoppers.example.com'`.execute(
    world.db,
  )
  expect(await lifetimeValue()).toBe(60)
})

test('a message about a joined cart counts for the cart it was joined to, on the day that one began (S6, decision 93)', async () => {
  const shop = await createShop(world)
  const message = await shop.mailed(ada)
  await shop.order({ kind: 'purchase', email: ada.email })
  world.advance(2 * DAY)
  await shop.fill('one', [pot])
  const [mailed, other] = await shop.carts()
  await expectSameRecount(shop)
  await sql`update carts set status = 'merged', merged_into = ${other!.id} where store_id = ${shop.storeId} and id = ${mailed!.id}`.execute(
    world.db,
  )
  const row = { day: getDay(other!.started_at), sent: 1, opened: 0, clicked: 0, converted: 0 }
  const expected = ['all', 'email'].map((channel) => ({ channel, ...row }))
  expect((await expectSameRecount(shop)).funnel_figures).toEqual(expected)
  await shop.press(message.id)
  expect((await expectSameRecount(shop)).funnel_figures).toEqual(expected.map((each) => ({ ...each, clicked: 1 })))
})

test('deleting a store deletes its figures', async () => {
  const shop = await createShopHistory()
  await world.db.deleteFrom('flow_steps').where('store_id', '=', shop.storeId).execute()
  await world.db.deleteFrom('stores').where('id', '=', shop.storeId).execute()
  await countFigures(world.deps)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from figure_changes where store_id = ${shop.storeId}`.execute(world.db)
  expect(rows[0]!.count).toBe(0)
  expect(Object.values(await readFigures(world.db, shop.storeId)).flat()).toEqual([])
})
