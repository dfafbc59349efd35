import { expect, test } from 'vitest'
import { copyRows, createDatabaseFactory } from '../../../test/databases.ts'
import { createShop, HOUR } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'
import { sql } from '../db/db.ts'
import { loadMigrations } from './files.ts'
import { migrate } from './migrate.ts'

// Migrates a database with rows from before 0044 and 0045.

const world = createWorld()
const databases = createDatabaseFactory()

test('carts of cancelled and refunded orders are marked, and the kinds of mail reports are checked', async () => {
  const shop = await createShop(world)
  const carts: Record<string, string> = {}
  for (const name of ['kept', 'cancelled', 'refunded', 'partly']) {
    const email = `${name}@shoppers.example.com`
    const { message, order } = await createRecovered(shop, email, name)
    carts[message.cart_id!] = name
    if (name === 'kept') continue
    const change = {
      cancelled: { kind: 'cancelled', status: 'cancelled' },
      refunded: { refundedMinor: 4_200 },
      partly: { refundedMinor: 100 },
    }
    world.advance(HOUR)
    await shop.order({ ...order, modifiedAt: world.now.toISOString(), ...change[name as 'partly'] } as object)
  }
  const [{ id }] = (await shop.messages()) as [{ id: string }, ...unknown[]]
  await sql`insert into mail_reports (store_id, message_id, kind, source, words, at)
    values (${shop.storeId}, ${id}, 'hard', 'dsn', '550', ${world.now})`.execute(world.db)
  const all = await loadMigrations()
  const old = databases.open(await databases.create(), 8)
  await migrate(old, { migrations: all.filter(({ number }) => number < 44) })
  await copyRows(world.pool, old)
  await old.query('update carts set is_void = false')
  const isChecked = async () =>
    (await old.query(`select convalidated from pg_constraint where conname = 'mail_reports_kind_check'`)).rows[0]
      .convalidated
  expect(await isChecked()).toBe(false)

  await migrate(old, { migrations: all })
  const { rows } = await old.query<{ id: string }>('select id from carts where is_void')
  expect(rows.map((row) => carts[row.id]).sort()).toEqual(['cancelled', 'refunded'])
  expect(await isChecked()).toBe(true)
})

async function createRecovered(shop: Awaited<ReturnType<typeof createShop>>, email: string, browser: string) {
  const message = await shop.mailed({ email }, browser)
  await shop.press(message.id)
  const order = await shop.order({ email, kind: 'purchase' })
  return { message, order }
}
