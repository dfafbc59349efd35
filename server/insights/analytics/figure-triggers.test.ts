import { beforeAll, expect, test } from 'vitest'
import { isFullRun } from '../../../test/seed.ts'
import { buildTea, createShop, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { type Db, sql } from '../../core/db/db.ts'

// Triggers mark the figures to recount, in statements of one row and of a hundred thousand. A session plans what they do by its
// first statement and keeps the plan: what would take the square of the rows takes a second for one and an hour for the next.

const world = createWorld()
/** Enough rows to check what the triggers record. Proofs check their speed on more. */
const MANY = isFullRun ? 10_000 : 500
let shop: Shop

beforeAll(async () => {
  shop = await createShop(world)
  await shop.fill('one', [buildTea()])
  const { id } = await shop.cart()
  // A shopper without carts: a sent message is recorded in each cart of its shopper.
  await shop.order({ kind: 'purchase' })
  const shopper_id = (await shop.orders())[0]!.shopper_id
  const { storeId } = shop
  await sql`insert into carts (store_id, id, shopper_id, status, started_at, last_activity_at, abandon_at, lost_at, opening_fact_id, last_fact_at,
      last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at)
    select store_id, gen_random_uuid(), shopper_id, status, started_at, last_activity_at, abandon_at, lost_at, gen_random_uuid(), last_fact_at,
      last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at
    from carts, generate_series(1, ${MANY}::int) where store_id = ${storeId} and id = ${id}`.execute(world.db)
  await sql`insert into messages (store_id, id, shopper_id, origin_kind, origin_id, step, channel, state, due_at, expires_at, wake_at,
      sending_at, created_at, updated_at)
    select ${storeId}, gen_random_uuid(), ${shopper_id}, 'campaign', gen_random_uuid(), 1, 'email', 'sent', now(), now(), now(), now(), now(), now()
    from generate_series(1, ${MANY}::int)`.execute(world.db)
  await sql`insert into orders (store_id, order_id, shopper_id, kind, status, created_at, modified_at, purchased_at, currency, total_minor, net_minor)
    select ${storeId}, 'many-' || n, ${shopper_id}, 'purchase', 'processing', now(), now(), now(), 'USD', 100, 100
    from generate_series(1, ${MANY}::int) n`.execute(world.db)
  await sql`insert into coupon_codes (store_id, message_id, coupon_id, shopper_id, code, terms, expires_at, next_try_at, created_at)
    select store_id, id, gen_random_uuid(), shopper_id, id, '', now(), now(), now() from messages where store_id = ${storeId}`.execute(
    world.db,
  )
  await forgetChanges()
})

const forgetChanges = () => sql`delete from figure_changes where store_id = ${shop.storeId}`.execute(world.db)

/** By the plan that a statement of one row has made. */
async function runInOneSession(update: (db: Db, many: number) => Promise<{ numAffectedRows?: bigint }>) {
  await world.db.connection().execute(async (db) => {
    await sql`discard plans`.execute(db)
    await update(db, 1)
    await sql`set statement_timeout = '12s'`.execute(db)
    try {
      expect(Number((await update(db, MANY)).numAffectedRows)).toBe(MANY)
    } finally {
      await sql`set statement_timeout = default`.execute(db)
    }
  })
  const { rows } = await sql<{ noted: number }>`
    select count(*)::int as noted from figure_changes where store_id = ${shop.storeId}`.execute(world.db)
  await forgetChanges()
  return rows[0]!.noted
}

const some = (table: 'carts' | 'messages' | 'orders' | 'coupon_codes', set: string) => (db: Db, many: number) =>
  sql`update ${sql.table(table)} set ${sql.raw(set)}
    where ctid = any(array(select ctid from ${sql.table(table)} where store_id = ${shop.storeId} limit ${many}))`.execute(
    db,
  )

test.each([
  ['carts that are due later', 'carts', `abandon_at = abandon_at + interval '1 minute'`, 'nothing'],
  ['carts that are lost', 'carts', `status = 'lost'`, 'changes'],
  ['messages that are due later', 'messages', `wake_at = wake_at + interval '1 minute'`, 'nothing'],
  ['messages that came back', 'messages', `reason = 'bounced:hard', state = 'failed'`, 'changes'],
  ['orders that are refunded', 'orders', 'net_minor = net_minor - 1', 'changes'],
  ['codes that are asked for', 'coupon_codes', 'attempts = attempts + 1', 'nothing'],
  ['codes that are used', 'coupon_codes', `used_order_id = 'many-1'`, 'changes'],
] as const)('many %s, after a statement of one', async (_, table, set, noted) => {
  expect((await runInOneSession(some(table, set))) > 0).toBe(noted === 'changes')
})
