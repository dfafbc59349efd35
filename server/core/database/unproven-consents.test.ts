import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { copyRows, createDatabaseFactory } from '../../../test/databases.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { loadMigrations } from './files.ts'
import { migrate } from './migrate.ts'

// Migrates a database from before 0078 with consents that nothing has proven.

const world = createWorld()
const databases = createDatabaseFactory()

const PHONE = '+12125550177'

test('consents of account pages and unpaid orders are unproven and wait for the confirmation SMS', async () => {
  const [usual, asking] = [await createStore(world), await createStore(world)]
  await world.pool.query(`update stores set sms_confirmation = 'page_script' where id = $1`, [asking.storeId])
  for (const { storeId } of [usual, asking]) {
    const add = (id: string, row: object) =>
      world.db
        .insertInto('consents')
        .values({
          store_id: storeId,
          id: `00000000-0000-4000-8000-0000000000${id}`,
          address_hash: Buffer.from(id),
          channel: 'email',
          status: 'granted',
          source: 'checkout',
          who: 'a•••',
          at: world.now,
          ...row,
        } as never)
        .execute()
    await add('01', {})
    await add('02', { channel: 'sms' })
    await add('03', { evidence: JSON.stringify({ unproven: 'page script' }) })
    await add('04', { status: 'withdrawn' })
    await add('06', { who: null })
    await add('05', { channel: 'sms', source: 'YES by SMS', is_confirmed: true })
    const consents = (['email', 'sms'] as const).map((channel) => ({ channel, wording: 'Yes' }))
    const order = { email: 'ada@shoppers.example.com', phone: PHONE, consents }
    const orders = [
      buildOrder(world, { ...order, orderId: '71', kind: 'pending', paidAt: null }),
      buildOrder(world, { ...order, orderId: '72', kind: 'purchase' }),
      // WooCommerce cancels an order that stays unpaid for an hour.
      buildOrder(world, { ...order, orderId: '73', kind: 'cancelled', paidAt: null }),
      buildOrder(world, { ...order, orderId: '74', kind: 'purchase' }),
    ]
    await recordOrders(world.deps, storeId, orders, 'sync')
    // A purchase that fails later remains a purchase.
    const failed = {
      ...order,
      orderId: '74',
      kind: 'failed',
      modifiedAt: new Date(world.now.getTime() + 1_000).toISOString(),
    } as const
    await recordOrders(world.deps, storeId, [buildOrder(world, failed)], 'sync')
  }
  const read = async (pool = world.pool) => {
    const { rows } = await pool.query(
      `select c.id, c.store_id = $1 as is_asking, channel, status, source, evidence ->> 'unproven' as unproven
       from consents c order by c.store_id, c.source, c.channel, c.id`,
      [asking.storeId],
    )
    return rows
  }
  const now = await read()

  const all = await loadMigrations()
  const old = databases.open(await databases.create(), 8)
  await migrate(old, { migrations: all.filter(({ number }) => number < 78) })
  await copyRows(world.pool, old)
  // As the earlier version recorded them.
  for (const { storeId } of [usual, asking]) {
    for (const [orderId, channel] of ['71', '73'].flatMap((id) => [[id, 'email'] as const, [id, 'sms'] as const])) {
      await old.query(
        `update consents set id = $1, source = 'order', evidence = nullif(evidence - 'unproven', '{}'), status = 'granted'
         where id = $2 and store_id = $3`,
        [getId(storeId, orderId, channel), getId(storeId, orderId, channel, 'unpaid order'), storeId],
      )
    }
  }
  expect((await read(old)).filter(({ source }) => source === 'unpaid order')).toEqual([])

  await migrate(old, { migrations: all })
  const account = { source: 'account page, unconfirmed', unproven: 'account page' }
  const expected = now.map((row) => {
    const [, end] = /^0{8}-.*0(\d)$/.exec(row.id) ?? []
    if (end === '1' || end === '4') return { ...row, ...account }
    return end === '2' ? { ...row, ...account, status: row.is_asking ? 'pending' : 'granted' } : row
  })
  const sorted = (rows: { id: string; is_asking: boolean }[]) =>
    rows.toSorted((a, b) => `${a.id} ${a.is_asking}`.localeCompare(`${b.id} ${b.is_asking}`))
  expect(sorted(await read(old))).toEqual(sorted(expected))
  expect(now.filter(({ source }) => source === 'unpaid order')).toHaveLength(8)
})

function getId(...name: string[]): string {
  const [storeId, ...rest] = name
  const hex = crypto.hash('sha256', [storeId, 'order', ...rest].join('\0'), 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
