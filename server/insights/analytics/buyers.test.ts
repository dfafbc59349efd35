import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../../core/db/db.ts'
import { countRequestedBuyers } from './buyers.ts'
import { countFigures } from './figures.ts'

// Distinct buyers of a range (decision 95): other stores do not wait for a store with many orders.

const world = createWorld()
const ada = 'ada@shoppers.example.com'
const bo = 'bo@shoppers.example.com'

beforeAll(async () => {
  await sql`create table counts_made (days integer)`.execute(world.db)
  await sql`create function note_count() returns trigger language plpgsql as $$
    begin insert into counts_made values (new.days); return null; end $$`.execute(world.db)
  await sql`create trigger counts_noted after update on counted_figures for each row when (new.counted_at is distinct from old.counted_at)
    execute function note_count()`.execute(world.db)
})
beforeEach(async () => void (await sql`truncate counts_made, counted_figures`.execute(world.db)))

const listCountedDays = async () =>
  (await sql<{ days: number }>`select days from counts_made order by days`.execute(world.db)).rows.map(
    ({ days }) => days,
  )

const buys = (shop: Shop, email: string) => shop.order({ kind: 'purchase', email, totalMinor: 1_000 })

/** Ada bought so often 20 days ago, and now; Bo bought now. */
async function createStoreWithOrders(orders: number): Promise<Shop> {
  const shop = await createShop(world, { plan: 'growth' })
  await buys(shop, ada)
  await world.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into orders (store_id, order_id, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor)
      select store_id, 'old ' || n, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor
      from orders, generate_series(2, ${orders}::int) n where store_id = ${shop.storeId}`.execute(tx)
  })
  world.advance(20 * DAY)
  await shop.staySignedIn()
  await buys(shop, ada)
  await buys(shop, bo)
  await countFigures(world.deps)
  return shop
}
const buildLargeStore = () => createStoreWithOrders(5_000)
const buildSmallStore = () => createStoreWithOrders(2)

const readAnalytics = async (shop: Shop, range = '7d') => (await shop.get(`/api/analytics?range=${range}`)).body
const customers = async (shop: Shop, range?: string) => (await readAnalytics(shop, range)).customers

const notCounted = { new: null, returning: null, repeatPurchaseRate: null, avgOrdersPerCustomer: null, countedAt: null }
const counted = { new: 1, returning: 1, repeatPurchaseRate: 0.5, avgOrdersPerCustomer: 1, isBeingCounted: false }

test('buyers of many orders are counted once in the background and unknown before', async () => {
  const shop = await buildLargeStore()
  const replies = await Promise.all(Array.from({ length: 5 }, () => readAnalytics(shop)))
  for (const each of replies) {
    expect(each).toMatchObject({
      customers: notCounted,
      isBeingCounted: true,
      countedUntil: null,
      counts: { orders: 2 },
    })
  }
  expect(await listCountedDays()).toEqual([])
  await Promise.all([countRequestedBuyers(world.deps), countRequestedBuyers(world.deps)])
  await countRequestedBuyers(world.deps)
  expect(await listCountedDays()).toEqual([7])
  expect(await readAnalytics(shop)).toMatchObject({ customers: counted, isBeingCounted: false })
  // It was not requested yet.
  expect(await customers(shop, '30d')).toMatchObject(notCounted)
  expect(await customers(shop)).toMatchObject(counted)
})

test('buyers of few orders are counted by the first request', async () => {
  const shop = await buildSmallStore()
  const replies = await Promise.all(Array.from({ length: 5 }, () => customers(shop)))
  expect(replies).toEqual(Array(5).fill({ ...counted, countedAt: world.now.toISOString() }))
  expect(await listCountedDays()).toEqual([7])
  await buys(shop, 'cy@shoppers.example.com')
  world.advance(15 * MINUTE)
  expect(await customers(shop)).toMatchObject({ new: 2, countedAt: world.now.toISOString() })
})

test('after 15 minutes the last count is shown with its time until there is a newer one', async () => {
  const shop = await buildLargeStore()
  await customers(shop)
  await countRequestedBuyers(world.deps)
  const last = { ...counted, countedAt: world.now.toISOString() }
  await buys(shop, 'cy@shoppers.example.com')
  world.advance(15 * MINUTE - 1)
  expect(await customers(shop)).toEqual(last)
  await countRequestedBuyers(world.deps)
  expect(await listCountedDays()).toEqual([7])
  world.advance(1)
  expect(await customers(shop)).toEqual({ ...last, isBeingCounted: true })
  expect(await customers(shop)).toEqual({ ...last, isBeingCounted: true })
  expect(await readAnalytics(shop)).toMatchObject({ isBeingCounted: false })
  await countRequestedBuyers(world.deps)
  expect(await listCountedDays()).toEqual([7, 7])
  expect(await customers(shop)).toMatchObject({ new: 2, countedAt: world.now.toISOString(), isBeingCounted: false })
})

test('yesterday’s count is shown until today’s is done, also shortly after midnight', async () => {
  const shop = await buildLargeStore()
  world.now = new Date(`${world.now.toISOString().slice(0, 10)}T23:55:00-04:00`)
  await customers(shop)
  await countRequestedBuyers(world.deps)
  const last = await customers(shop)
  world.advance(10 * MINUTE)
  expect(await customers(shop)).toEqual({ ...last, isBeingCounted: true })
  await countRequestedBuyers(world.deps)
  expect(await customers(shop)).toMatchObject({ countedAt: world.now.toISOString(), isBeingCounted: false })
})

test('a count from before the clock was set back is repeated', async () => {
  const shop = await buildLargeStore()
  await customers(shop)
  await countRequestedBuyers(world.deps)
  world.advance(-HOUR)
  expect(await customers(shop)).toMatchObject({ isBeingCounted: true })
  await countRequestedBuyers(world.deps)
  expect(await customers(shop)).toMatchObject({ countedAt: world.now.toISOString(), isBeingCounted: false })
})

test('a request does not wait for a running count', async () => {
  const shop = await buildLargeStore()
  await customers(shop)
  await countRequestedBuyers(world.deps)
  world.advance(HOUR)
  await world.db.transaction().execute(async (tx) => {
    await sql`select 1 from counted_figures where store_id = ${shop.storeId} for update`.execute(tx)
    expect(await customers(shop)).toMatchObject({ new: 1, isBeingCounted: true })
    // Nor does another process.
    await countRequestedBuyers(world.deps)
  })
  expect(await listCountedDays()).toEqual([7])
})

test('a new time zone causes a recount', async () => {
  const shop = await buildLargeStore()
  await customers(shop)
  await countRequestedBuyers(world.deps)
  await sql`update stores set time_zone = 'Pacific/Auckland' where id = ${shop.storeId}`.execute(world.db)
  await countFigures(world.deps)
  expect(await customers(shop)).toMatchObject(notCounted)
  await countRequestedBuyers(world.deps)
  expect(await customers(shop)).toMatchObject(counted)
})

test('a store whose buyers cannot be counted does not block other stores', async () => {
  const [ill, well] = [await buildLargeStore(), await buildLargeStore()]
  await ill.staySignedIn()
  await customers(ill)
  world.advance(MINUTE)
  await customers(well)
  await sql`alter table counted_figures add constraint ill check (counted_at is null or store_id <> ${sql.lit(ill.storeId)})`.execute(
    world.db,
  )
  await countRequestedBuyers(world.deps)
  expect(await customers(ill)).toMatchObject(notCounted)
  expect(await customers(well)).toMatchObject(counted)
  await sql`alter table counted_figures drop constraint ill`.execute(world.db)
  await countRequestedBuyers(world.deps)
  expect(await customers(ill)).toMatchObject({ countedAt: world.now.toISOString() })
})
