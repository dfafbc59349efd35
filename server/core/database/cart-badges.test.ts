import type pg from 'pg'
import { expect, test } from 'vitest'
import { copyRows, createDatabaseFactory } from '../../../test/databases.ts'
import { buildTea, createShop, HOUR, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../common/ids.ts'
import { loadMigrations } from './files.ts'
import { migrate } from './migrate.ts'

// Migrates a database from before 0061 with carts in every state.

const world = createWorld()
const databases = createDatabaseFactory()

const readRows = async (pool: pg.Pool, table: string) =>
  (await pool.query(`select * from ${table} order by 1, 2`)).rows as Record<string, unknown>[]
const countsOf = async (pool: pg.Pool) =>
  (
    await pool.query(`select store_id, badge, day::text, sum(change)::int as carts from cart_counts
    group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3`)
  ).rows

async function createDatabaseOfBefore(): Promise<pg.Pool> {
  const old = databases.open(await databases.create(), 8)
  await migrate(old, { migrations: (await loadMigrations()).filter(({ number }) => number < 61) })
  return old
}

async function createCartInEveryState(): Promise<Shop> {
  const shop = await createShop(world)
  const email = (name: string) => `${name}@shoppers.example.com`
  const lost = await shop.mailed({ email: email('lost') }, 'lost')
  await world.pool.query(`update carts set status = 'lost' where id = $1`, [lost.cart_id])
  const restored = await shop.mailed({ email: email('recovered') }, 'recovered')
  await shop.press(restored.id)
  await shop.order({ email: email('recovered'), kind: 'purchase' })
  await shop.mailed({ email: email('silent') }, 'silent')
  await shop.passTime(25 * HOUR)
  await shop.mailed({ email: email('bought') }, 'bought')
  await shop.order({ email: email('bought'), kind: 'purchase' })
  await shop.mailed({ email: email('mailed') }, 'mailed')
  await shop.fill('untouched', [buildTea()])
  await shop.passTime(HOUR)
  await shop.fill('emptied', [buildTea()])
  await shop.fill('active', [buildTea()])
  world.advance(MINUTE)
  await shop.fill('emptied', [])
  return shop
}

test('the migration keeps badges, counters and filters of carts', async () => {
  const shop = await createCartInEveryState()
  const old = await createDatabaseOfBefore()
  await copyRows(world.pool, old)
  const before = await readRows(old, 'carts')
  expect(new Set(before.map(({ status }) => status))).toEqual(
    new Set(['lost', 'recovered', 'abandoned', 'purchased', 'emptied', 'active']),
  )
  expect(new Set(before.map(({ badge }) => badge))).toEqual(
    new Set(['No Action', 'Email Sent', 'No Response', 'Recovered']),
  )

  await migrate(old)
  const isOfCart = ({ badge, last_sent_at, no_response_at, listed_at }: Record<string, unknown>) =>
    badge !== 'No Action' || last_sent_at !== null || no_response_at !== null || listed_at !== null
  expect(await readRows(old, 'cart_badges')).toEqual((await readRows(world.pool, 'cart_badges')).filter(isOfCart))
  expect(await readRows(old, 'mailed_shoppers')).toEqual(await readRows(world.pool, 'mailed_shoppers'))

  // From here on triggers maintain both databases.
  for (const pool of [old, world.pool]) {
    await pool.query(`update carts set status = 'lost' where store_id = $1 and status = 'active'`, [shop.storeId])
    await pool.query(`update carts set status = 'purchased' where store_id = $1 and status = 'abandoned'`, [
      shop.storeId,
    ])
    await pool.query(`update carts set last_activity_at = last_activity_at - interval '3 days' where status = 'lost'`)
    await pool.query(`delete from carts where store_id = $1 and status = 'recovered'`, [shop.storeId])
  }
  expect(await countsOf(old)).toEqual(await countsOf(world.pool))
  const { rows: wrong } = await old.query(`
    select c.id from carts c left join cart_badges b on b.store_id = c.store_id and b.cart_id = c.id
    where b.listed_at is distinct from case when c.status in ('abandoned', 'recovered', 'lost') then c.last_activity_at end
    union all
    select b.cart_id from cart_badges b where not exists (select 1 from carts c where c.store_id = b.store_id and c.id = b.cart_id)`)
  expect(wrong).toEqual([])
})

test('the migration waits for other processes and is refused while one runs', async () => {
  const old = await createDatabaseOfBefore()
  const beat = `insert into workers (id, started_at, seen_at, steady_since) values ($1, now(), now(), now())`
  await old.query(beat, [createId()])
  const attempt = () => migrate(old, { lockAttempts: 2, pause: async () => {} })
  await expect(attempt()).rejects.toThrow(/0061_cart_badges.sql gave up .* Stop other processes of Recoup/)
  expect((await readRows(old, 'carts')).length).toBe(0)
  await old.query(`update workers set seen_at = seen_at - interval '11 seconds'`)
  expect(await attempt()).toContain('0061_cart_badges.sql')
})
