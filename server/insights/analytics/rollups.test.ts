import { expect, test } from 'vitest'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { type Db, sql } from '../../core/db/db.ts'
import { foldRollups, rebuildRollups } from './rollups.ts'

// Decision 28: the rollups always equal a count of the carts and orders.

const world = createWorld()
const ada = { email: 'ada@shoppers.example.com', firstName: 'Ada' }

interface Slot {
  slot: string
  currency: string
  abandoned: number
  abandoned_recovered: number
  recovered: number
  attributed_minor: number
  attributed_orders: number
}

const MEASURES = sql.raw('abandoned, abandoned_recovered, recovered, attributed_minor, attributed_orders')

/** Both tables together; what came to nothing is left out. */
async function readSlots(storeId: string): Promise<Slot[]> {
  const rows = await sql<Slot>`
    select case when slot = '-infinity' then '-infinity' else to_char(slot at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end as slot,
      currency, sum(abandoned)::int as abandoned, sum(abandoned_recovered)::int as abandoned_recovered,
      sum(recovered)::int as recovered, sum(attributed_minor)::int as attributed_minor,
      sum(attributed_orders)::int as attributed_orders
    from (select store_id, slot, currency, ${MEASURES} from rollups
      union all select store_id, slot, currency, ${MEASURES} from rollup_changes) r
    where store_id = ${storeId} group by r.slot, currency
    having (sum(abandoned), sum(abandoned_recovered), sum(recovered), sum(attributed_minor), sum(attributed_orders))
      <> (0, 0, 0, 0, 0)
    order by r.slot, currency`.execute(world.db)
  return rows.rows
}

/** Folding by day and by slot gives the same figures. */
async function expectDaysToFit(storeId: string): Promise<void> {
  const rows = await sql<{ days: object[]; slots: object[] }>`
    select (select json_agg(d order by day, currency) from (select day, currency, ${MEASURES} from rollup_days where store_id = ${storeId}) d) as days,
      (select json_agg(s order by day, currency) from (select date_trunc('day', slot, 'UTC') as day, currency,
        sum(abandoned)::int as abandoned, sum(abandoned_recovered)::int as abandoned_recovered, sum(recovered)::int as recovered,
        sum(attributed_minor)::int as attributed_minor, sum(attributed_orders)::int as attributed_orders from rollups where store_id = ${storeId} and slot > '-infinity'
        group by 1, 2) s) as slots`.execute(world.db)
  expect(rows.rows[0]!.days.length).toBeGreaterThan(0)
  expect(rows.rows[0]!.days).toEqual(rows.rows[0]!.slots)
}

/** All slots as one. */
async function total(storeId: string) {
  const slots = (await readSlots(storeId)).filter(({ slot }) => slot !== '-infinity')
  const add = (measure: Exclude<keyof Slot, 'slot' | 'currency'>) => slots.reduce((sum, slot) => sum + slot[measure], 0)
  const measures = ['abandoned', 'abandoned_recovered', 'recovered', 'attributed_minor', 'attributed_orders'] as const
  return measures.map(add)
}

const store = (shop: Shop) => ({ storeId: shop.storeId, db: world.db })
const fold = () => foldRollups(world.deps)

test('a cart counts once abandoned, and no longer once its shopper returns', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await shop.type('one', ada)
  expect(await total(shop.storeId)).toEqual([0, 0, 0, 0, 0])
  world.advance(HOUR)
  await detectAbandoned(world.deps)
  expect(await total(shop.storeId)).toEqual([1, 0, 0, 0, 0])
  await fold()
  world.advance(MINUTE)
  await shop.fill('one', [buildTea(2)])
  expect(await total(shop.storeId)).toEqual([0, 0, 0, 0, 0])
})

test('a recovery counts on its own day, in the share of the day of the abandonment, and its revenue on the day of the order', async () => {
  const shop = await createShop(world)
  const message = await shop.mailed(ada)
  const { abandoned_at } = await shop.cart()
  await shop.press(message.id)
  world.advance(20 * MINUTE)
  await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 5_000 })
  const nothing = {
    currency: 'USD',
    abandoned: 0,
    abandoned_recovered: 0,
    recovered: 0,
    attributed_minor: 0,
    attributed_orders: 0,
  }
  expect(await readSlots(shop.storeId)).toEqual([
    { ...nothing, slot: '-infinity', attributed_minor: 5_000, attributed_orders: 1 },
    { ...nothing, slot: getSlot(abandoned_at!), abandoned: 1, abandoned_recovered: 1 },
    { ...nothing, slot: getSlot(world.now), recovered: 1, attributed_minor: 5_000, attributed_orders: 1 },
  ])
})

const getSlot = (at: Date) => new Date(Math.floor(at.getTime() / (15 * MINUTE)) * 15 * MINUTE).toISOString()

test('refunds reduce the day of the order, and a cancelled order removes all of it (S3)', async () => {
  const shop = await createShop(world)
  const message = await shop.mailed(ada)
  await shop.press(message.id)
  world.advance(MINUTE)
  const bought = await shop.order({ kind: 'purchase', email: ada.email, totalMinor: 5_000 })
  const day = (await readSlots(shop.storeId)).filter((slot) => slot.attributed_minor > 0).map(({ slot }) => slot)
  world.advance(3 * DAY)
  await fold()
  await shop.order({ ...bought, refundedMinor: 1_500, modifiedAt: world.now.toISOString() })
  expect(
    (await readSlots(shop.storeId)).filter((slot) => slot.attributed_minor === 3_500).map(({ slot }) => slot),
  ).toEqual(day)
  expect(await total(shop.storeId)).toEqual([1, 1, 1, 3_500, 1])
  world.advance(MINUTE)
  await shop.order({ ...bought, kind: 'cancelled', status: 'cancelled', modifiedAt: world.now.toISOString() })
  expect(await total(shop.storeId)).toEqual([1, 0, 0, 0, 0])
})

test('late evidence corrects old slots from purchased to recovered', async () => {
  const shop = await createShop(world)
  const message = await shop.mailed(ada)
  await shop.press(message.id)
  world.advance(MINUTE)
  const bought = await shop.order({ kind: 'purchase', email: ada.email })
  expect(await total(shop.storeId)).toEqual([1, 1, 1, 4_200, 1])
  await fold()
  await world.db.deleteFrom('touchpoints').where('store_id', '=', shop.storeId).execute()
  await shop.order({ ...bought, status: 'completed', modifiedAt: new Date(world.now.getTime() + 1).toISOString() })
  expect((await shop.cart()).status).toBe('purchased')
  expect(await total(shop.storeId)).toEqual([1, 0, 0, 0, 0])
})

test('a cart joined to another counts once', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await shop.fill('two', [buildTea(2)])
  world.advance(HOUR)
  await detectAbandoned(world.deps)
  expect(await total(shop.storeId)).toEqual([2, 0, 0, 0, 0])
  await shop.type('one', ada)
  await shop.type('two', ada)
  await detectAbandoned(world.deps)
  const counted = (await shop.carts()).filter((cart) => cart.status !== 'merged' && cart.abandoned_at !== null)
  expect((await total(shop.storeId))[0]).toBe(counted.length)
})

async function createShopHistory(people = 6): Promise<Shop> {
  const shop = await createShop(world)
  for (let n = 0; n < people; n++) {
    const contact = { email: `person${n}@shoppers.example.com` }
    const message = await shop.mailed({ ...ada, ...contact }, `browser-${n}`)
    if (n % 2) await shop.press(message.id)
    if (n % 3)
      await shop.order({ kind: 'purchase', ...contact, totalMinor: 1_000 * n, currency: n === 5 ? 'EUR' : 'USD' })
    world.advance(17 * HOUR)
    if (n === 2) await fold()
  }
  return shop
}

test('a recount gives the same figures, folded or not, and is idempotent', async () => {
  const shop = await createShopHistory()
  const before = await readSlots(shop.storeId)
  expect(new Set(before.map(({ currency }) => currency)).size).toBe(2)
  await rebuildRollups(store(shop))
  expect(await readSlots(shop.storeId)).toEqual(before)
  await fold()
  await rebuildRollups(store(shop))
  await rebuildRollups(store(shop))
  await fold()
  expect(await readSlots(shop.storeId)).toEqual(before)
  await expectDaysToFit(shop.storeId)
})

test('a recount repairs lost changes and leaves other stores unchanged', async () => {
  const [shop, other] = [await createShopHistory(), await createShopHistory(3)]
  const [before, others] = [await readSlots(shop.storeId), await readSlots(other.storeId)]
  await sql`update rollups set abandoned = abandoned + 7 where store_id = ${shop.storeId}`.execute(world.db)
  await sql`delete from rollup_changes where store_id = ${shop.storeId}`.execute(world.db)
  expect(await readSlots(shop.storeId)).not.toEqual(before)
  await rebuildRollups(store(shop))
  expect(await readSlots(shop.storeId)).toEqual(before)
  expect(await readSlots(other.storeId)).toEqual(others)
})

test('an update of a counted cart column changes the figures, and one of another column writes nothing', async () => {
  const shop = await createShopHistory()
  const { rows: carts } = await sql<{ id: string }>`select id from carts
    where store_id = ${shop.storeId} and abandoned_at is not null order by id limit 2`.execute(world.db)
  const [first, second] = carts.map(({ id }) => id)
  const changes = [
    `status = 'recovered', recovered_at = now()`,
    `recovered_at = recovered_at + interval '3 hours'`,
    `is_void = true`,
    `is_void = false`,
    `currency = 'GBP'`,
    `abandoned_at = abandoned_at - interval '2 days'`,
    `status = 'merged'`,
    `status = 'abandoned', recovered_at = null`,
    `abandoned_at = null`,
    `abandoned_at = now()`,
  ]
  for (const change of changes) {
    const before = await readSlots(shop.storeId)
    await sql`update carts set ${sql.raw(change)} where store_id = ${shop.storeId} and id = ${first}`.execute(world.db)
    const after = await readSlots(shop.storeId)
    expect(after, change).not.toEqual(before)
    await rebuildRollups(store(shop))
    expect(await readSlots(shop.storeId), change).toEqual(after)
  }
  // Two that change places in one statement.
  await sql`update carts c set abandoned_at = o.abandoned_at, currency = o.currency, status = o.status, recovered_at = o.recovered_at
    from carts o where c.store_id = ${shop.storeId} and o.store_id = c.store_id
      and (c.id, o.id) in ((${first}::uuid, ${second}::uuid), (${second}::uuid, ${first}::uuid))`.execute(world.db)
  const swapped = await readSlots(shop.storeId)
  await fold()
  await sql`update carts set lost_at = lost_at + interval '1 day' where store_id = ${shop.storeId}`.execute(world.db)
  const { rows } = await sql`select 1 from rollup_changes where store_id = ${shop.storeId}`.execute(world.db)
  expect(rows).toEqual([])
  await rebuildRollups(store(shop))
  expect(await readSlots(shop.storeId)).toEqual(swapped)
})

test('folds, recounts and writes run concurrently without losses or waits', async () => {
  const shop = await createShop(world)
  const people = Array.from({ length: 12 }, (_, n) => `busy-${n}`)
  for (const browser of people) await shop.fill(browser, [buildTea()])
  world.advance(HOUR)
  // A transaction under way holds no lock a second writer of the same slot would wait for.
  await world.db.transaction().execute(async (tx) => {
    await abandonOne(tx, shop.storeId)
    await detectAbandoned(world.deps)
    await Promise.all([fold(), fold(), fold()])
  })
  const work = people.flatMap((browser, n) => [
    shop.fill(browser, [buildTea(n + 2)]),
    fold(),
    ...(n % 4 ? [] : [rebuildRollups(store(shop))]),
  ])
  await Promise.all(work)
  const after = await readSlots(shop.storeId)
  await rebuildRollups(store(shop))
  expect(await readSlots(shop.storeId)).toEqual(after)
})

async function abandonOne(tx: Db, storeId: string): Promise<void> {
  await sql`update carts set status = 'abandoned', abandoned_at = abandon_at where store_id = ${storeId}
    and id = (select id from carts where store_id = ${storeId} limit 1)`.execute(tx)
}

test('deleting a store deletes its rollups', async () => {
  const shop = await createShopHistory(3)
  await world.db.deleteFrom('flow_steps').where('store_id', '=', shop.storeId).execute()
  await world.db.deleteFrom('stores').where('id', '=', shop.storeId).execute()
  await fold()
  const counts = await sql<{ count: number }>`
    select (select count(*) from rollups where store_id = ${shop.storeId})
      + (select count(*) from rollup_days where store_id = ${shop.storeId})
      + (select count(*) from rollup_changes where store_id = ${shop.storeId}) as count`.execute(world.db)
  expect(counts.rows[0]!.count).toBe(0)
})
