import { expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import { readFigures } from '../../../test/figures.ts'
import { buildTea, createShop, DAY, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { sql } from '../../core/db/db.ts'
import { countChanges, countFigures, rebuildFigures } from './figures.ts'

// Which days of figures are recounted and when, and what pages show meanwhile.

const world = createWorld()
const ada = { email: 'ada@shoppers.example.com' }
const store = (shop: Shop) => ({ storeId: shop.storeId, db: world.db })
const figures = (shop: Shop) => readFigures(world.db, shop.storeId)

async function expectSameRecount(shop: Shop) {
  await countFigures(world.deps)
  const counted = await figures(shop)
  await rebuildFigures(store(shop), world.now)
  expect(await figures(shop)).toEqual(counted)
  return counted as Record<string, Record<string, unknown>[]>
}

const order = (shop: Shop, agoMs: number, more: Parameters<typeof buildOrder>[1] = {}) => {
  const at = new Date(world.now.getTime() - agoMs).toISOString()
  const order = {
    kind: 'purchase',
    ...ada,
    totalMinor: 500,
    createdAt: at,
    modifiedAt: at,
    paidAt: at,
    ...more,
  } as const
  return recordOrders(world.deps, shop.storeId, [buildOrder(world, order)], 'sync')
}

/** One cart a day that was left on it. */
const insertDailyCarts = (shop: Shop, days: number) =>
  sql`insert into carts (store_id, id, shopper_id, status, started_at, last_activity_at, abandon_at, abandoned_at, lost_at, opening_fact_id,
      last_fact_at, last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at)
    select store_id, gen_random_uuid(), shopper_id, 'lost', at, at, at, at, at, gen_random_uuid(), at,
      last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, at
    from carts, generate_series(1, ${days}::int) n, lateral (select started_at - n * interval '1 day' as at) d
    where store_id = ${shop.storeId}`.execute(world.db)

/** Which rows of the table were written again since. */
async function readVersions(shop: Shop, table: string) {
  const { rows } = await sql<{ version: string }>`
    select ctid::text || ' ' || xmin::text as version from ${sql.table(table)} where store_id = ${shop.storeId} order by 1`.execute(
    world.db,
  )
  return rows
}

test('a customer has one first order, even if older ones arrive after it was counted', async () => {
  const shop = await createShop(world)
  await order(shop, 0)
  await countFigures(world.deps)
  await order(shop, 40 * DAY)
  await order(shop, 30 * DAY)
  await order(shop, 20 * DAY)
  expect((await expectSameRecount(shop)).order_figures!.map(({ firsts }) => firsts)).toEqual([1, 0, 0, 0])
  // Two people are found to be one, who had bought before.
  await order(shop, 60 * DAY, { email: 'ada@home.example.com' })
  await order(shop, 50 * DAY, { email: 'ada@home.example.com' })
  await countFigures(world.deps)
  const [first, second] = (
    await sql<{ id: string }>`
    select distinct shopper_id as id from orders where store_id = ${shop.storeId}`.execute(world.db)
  ).rows
  await sql`update orders set shopper_id = ${first!.id} where store_id = ${shop.storeId} and shopper_id = ${second!.id}`.execute(
    world.db,
  )
  expect((await expectSameRecount(shop)).order_figures!.map(({ firsts }) => firsts)).toEqual([1, 0, 0, 0, 0, 0])
})

test('a cart counts as a returning shopper’s once an earlier purchase is known', async () => {
  const shop = await createShop(world)
  await order(shop, 10 * DAY, { email: 'ada@home.example.com' })
  await shop.fill('one', [buildTea()])
  await shop.type('one', ada)
  await countFigures(world.deps)
  const { rows } = await sql<{ buyer: string; shopper: string }>`
    select o.shopper_id as buyer, c.shopper_id as shopper from orders o join carts c on c.store_id = o.store_id
    where o.store_id = ${shop.storeId} and c.started_at > o.purchased_at and c.shopper_id <> o.shopper_id`.execute(
    world.db,
  )
  const { buyer, shopper } = rows[0]!
  for (const table of ['orders', 'shopper_keys'])
    await sql`update ${sql.table(table)} set shopper_id = ${shopper} where store_id = ${shop.storeId} and shopper_id = ${buyer}`.execute(
      world.db,
    )
  const counted = await expectSameRecount(shop)
  expect(counted.cart_figures!.filter(({ dimension }) => dimension === 'shopper').map(({ key }) => key)).toEqual([
    'returning',
  ])
})

test('figures are marked as incomplete while days are left to count', async () => {
  const shop = await createShop(world)
  const readFigures = async () => {
    await shop.staySignedIn()
    return (await shop.get('/api/analytics?range=30d')).body
  }
  await shop.fill('one', [buildTea()])
  await insertDailyCarts(shop, 35)
  await countChanges(store(shop), world.now, 1)
  expect(await readFigures()).toMatchObject({ isBeingCounted: true, countedUntil: null })
  await countFigures(world.deps)
  const counted = world.now.toISOString()
  expect(await readFigures()).toMatchObject({ isBeingCounted: false, countedUntil: null })
  world.advance(MINUTE)
  await sql`update carts set country = 'DE' where store_id = ${shop.storeId}`.execute(world.db)
  await countChanges(store(shop), world.now, 1)
  expect(await readFigures()).toMatchObject({ isBeingCounted: false, countedUntil: counted })
  await countFigures(world.deps)
  expect(await readFigures()).toMatchObject({ isBeingCounted: false, countedUntil: null })
})

test('a new attribution window recounts only orders; a new time zone recounts everything, and old figures stay visible meanwhile', async () => {
  const shop = await createShop(world)
  for (let n = 0; n < 3; n++) {
    await shop.mailed({ email: `person${n}@shoppers.example.com` }, `browser-${n}`)
    await shop.order({ kind: 'purchase', email: `person${n}@shoppers.example.com` })
    world.advance(35 * DAY)
  }
  await countFigures(world.deps)
  const before = await figures(shop)
  const others = ['cart_figures', 'funnel_figures', 'message_figures', 'product_figures']
  const versions = () => Promise.all(others.map((table) => readVersions(shop, table)))
  const written = await versions()
  await sql`update stores set attribution_window_days = 30 where id = ${shop.storeId}`.execute(world.db)
  await countChanges(store(shop), world.now, 1)
  const rows = Object.values(await figures(shop)).map((each) => each.length)
  expect(rows).toEqual(Object.values(before).map((each) => each.length))
  await expectRecountChanges(shop, async () => expect(await versions()).toEqual(written))

  await shop.get('/api/analytics?range=30d')
  await sql`update stores set time_zone = 'Pacific/Auckland' where id = ${shop.storeId}`.execute(world.db)
  await countChanges(store(shop), world.now, 1)
  for (const each of Object.values(await figures(shop))) expect(each.length).toBeGreaterThan(0)
  const { rows: people } = await sql`select 1 from counted_figures where store_id = ${shop.storeId}`.execute(world.db)
  expect(people).toEqual([])
  await expectSameRecount(shop)
})

/** Reads before the recount is complete. */
async function expectRecountChanges(shop: Shop, check: () => Promise<void>) {
  await countFigures(world.deps)
  await check()
  await expectSameRecount(shop)
}

test('an open recounts its message and the funnel; an order recounts the carts that began after it', async () => {
  const shop = await createShop(world)
  const message = await shop.mailed(ada)
  await countFigures(world.deps)
  const written = async () => {
    const tables = ['cart_figures', 'product_figures', 'order_figures', 'funnel_figures', 'message_figures']
    return Promise.all(tables.map((table) => readVersions(shop, table)))
  }
  const [carts, products, orders, funnel, messages] = await written()
  await shop.press(message.id)
  await countFigures(world.deps)
  const after = await written()
  expect(after.slice(0, 3)).toEqual([carts, products, orders])
  expect(after[3]).not.toEqual(funnel)
  expect(after[4]).not.toEqual(messages)

  await order(shop, 0)
  await countFigures(world.deps)
  const bought = await written()
  world.advance(30 * DAY)
  await order(shop, 0)
  await countFigures(world.deps)
  expect((await written()).slice(0, 2)).toEqual(bought.slice(0, 2))
  const began = (await figures(shop)).cart_figures as Record<string, unknown>[]
  expect(began.filter(({ dimension }) => dimension === 'shopper').map(({ key }) => key)).toEqual(['new'])
  await order(shop, 90 * DAY)
  await countFigures(world.deps)
  const later = (await figures(shop)).cart_figures as Record<string, unknown>[]
  expect(later.filter(({ dimension }) => dimension === 'shopper').map(({ key }) => key)).toEqual(['returning'])
  await expectSameRecount(shop)
})

test('many old days are recounted every five minutes, recent and few old ones at once', async () => {
  const shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await insertDailyCarts(shop, 60)
  await countFigures(world.deps)
  const counted = world.now.toISOString()
  const move = (to: string, days: number) =>
    sql`update carts set country = ${to} where store_id = ${shop.storeId}
      and started_at > ${world.now}::timestamptz - ${days} * interval '1 day'`.execute(world.db)
  const of = async (country: string) => {
    const { rows } = await sql<{ days: number }>`
      select count(distinct day)::int as days from cart_figures
      where store_id = ${shop.storeId} and dimension = 'country' and key = ${country}`.execute(world.db)
    return rows[0]!.days
  }
  world.advance(15_000)
  await move('DE', 99)
  await countFigures(world.deps)
  expect(await of('DE')).toBeLessThan(10)
  expect(await of('DE')).toBeGreaterThan(6)
  await shop.staySignedIn()
  expect((await shop.get('/api/analytics?range=30d')).body).toMatchObject({
    isBeingCounted: false,
    countedUntil: counted,
  })
  world.advance(15_000)
  await move('FR', 20)
  await countFigures(world.deps)
  expect(await of('FR')).toBeGreaterThan(18)
  world.advance(5 * MINUTE)
  await countFigures(world.deps)
  expect((await of('DE')) + (await of('FR'))).toBe(61)
  expect((await shop.get('/api/analytics?range=30d')).body).toMatchObject({ isBeingCounted: false, countedUntil: null })
  await expectSameRecount(shop)
})

test('a product keeps the name from its newest cart, even when an older day is recounted', async () => {
  const shop = await createShop(world)
  const name = async () => {
    await countFigures(world.deps)
    const { rows } = await sql<{ name: string }>`
      select name from figure_products where store_id = ${shop.storeId}`.execute(world.db)
    return rows.map((row) => row.name)
  }
  await shop.fill('one', [{ ...buildTea(), name: 'Tea' }])
  await shop.passTime(HOUR)
  expect(await name()).toEqual(['Tea'])
  world.advance(2 * DAY)
  await shop.fill('two', [{ ...buildTea(), name: 'Earl Grey' }])
  await shop.passTime(HOUR)
  expect(await name()).toEqual(['Earl Grey'])
  await sql`update carts set status = 'lost' where store_id = ${shop.storeId}
    and started_at = (select min(started_at) from carts where store_id = ${shop.storeId})`.execute(world.db)
  expect(await name()).toEqual(['Earl Grey'])
})

test('a store that cannot be counted does not block other stores', async () => {
  const shops = [await createShop(world), await createShop(world), await createShop(world)]
  for (const shop of shops) await shop.mailed(ada)
  const broken = shops.toSorted((a, b) => (a.storeId < b.storeId ? -1 : 1))[0]!
  await sql`update carts set items = '[{"productId": "16", "quantity": "none", "unitPriceMinor": 1}]' where store_id = ${broken.storeId}`.execute(
    world.db,
  )
  await countFigures(world.deps)
  for (const shop of shops) {
    const { product_figures } = await figures(shop)
    expect(product_figures).toHaveLength(shop === broken ? 0 : 1)
  }
})
