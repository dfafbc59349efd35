import { beforeAll, expect, test } from 'vitest'
import { findTraces } from '../../../test/erasure-scene.ts'
import { buildOrder, createStore } from '../../../test/factories.ts'
import { createPluginShop, type PluginShop } from '../../../test/plugin-shop.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// WordPress' tools for personal data: the plugin requests a person's data by address.

const world = createWorld()
const EMAIL = 'vera@privacy.example'
let shop: PluginShop
let other: PluginShop

beforeAll(async () => {
  shop = await createPluginShop(world)
  other = await createPluginShop(world)
  for (const { storeId } of [shop, other]) {
    const order = buildOrder(world, { email: EMAIL, kind: 'draft', firstName: 'Veronika', lastName: 'Unusual' })
    await recordOrders(world.deps, storeId, [order], 'sync')
  }
})

const ask = (from: PluginShop, what: string, more: object = {}) =>
  from.call('privacy', { v: 1, plugin: '0.2.0', ask: what, email: EMAIL, ...more })

test("an export has the person's rows of this shop only, in pages", async () => {
  const own = await createStore(world, { accountId: shop.owner.accountId, isFlowOn: false })
  await recordOrders(world.deps, own.storeId, [buildOrder(world, { email: EMAIL, lastName: 'Elsewhere' })], 'sync')
  const first = await ask(shop, 'export', { email: 'VERA@Privacy.example' })
  expect(first).toMatchObject({ status: 200, isSigned: true })
  const rows = [...first.body.rows]
  for (let page = 2, { isDone } = first.body; !isDone; page++) {
    const { body } = await ask(shop, 'export', { page })
    rows.push(...body.rows)
    isDone = body.isDone
  }
  const tables = new Set(rows.map(({ table }: { table: string }) => table))
  expect([...tables]).toEqual(expect.arrayContaining(['shoppers', 'carts', 'orders', 'facts']))
  const text = JSON.stringify(rows)
  expect(text).toContain('Veronika')
  // Neither of another account nor of another store of the same account.
  expect(text).not.toMatch(/Elsewhere|store_id/)
  expect(text).not.toContain(other.storeId)
  expect((await ask(shop, 'export', { page: 99 })).body).toEqual({ rows: [], isDone: true })
  expect((await ask(shop, 'export', { email: 'nobody@privacy.example' })).body).toEqual({ rows: [], isDone: true })
})

test.each([
  [{ ask: 'read' }],
  [{ email: '' }],
  [{ email: 7 }],
  [{ email: `${'x'.repeat(260)}@a.example` }],
  [{ page: 0 }],
  [{ page: 1.5 }],
  [{ ask: undefined }],
])('%j is rejected, and nothing is erased', async (more) => {
  expect(await ask(shop, 'export', more)).toMatchObject({ status: 400, isSigned: true })
  expect(await findTraces(world, ['veronika'])).not.toEqual([])
})

test('the API rejects a key of another shop, and a call signed for another purpose', async () => {
  const body = { v: 1, ask: 'erase', email: EMAIL }
  for (const change of [{ key: other.secret }, { signedName: 'beat' as const }, { store: other.storeId }])
    expect(await shop.call('privacy', body, change)).toMatchObject({ status: 401, isSigned: false })
  expect(world.queued.filter(({ name }) => name === 'privacy.erase')).toEqual([])
})

test('an erasure removes the person from all stores of the account, and from no other account', async () => {
  expect(await ask(shop, 'erase', { email: 'nobody@privacy.example' })).toMatchObject({ body: { isErasing: false } })
  expect(await ask(shop, 'erase')).toMatchObject({ status: 200, body: { isErasing: true } })
  await world.runJobs()
  const { rows } = await world.pool.query('select store_id, email, last_name from shoppers order by created_at')
  expect(rows.filter(({ email }) => email === EMAIL)).toEqual([
    { store_id: other.storeId, email: EMAIL, last_name: 'Unusual' },
  ])
  expect(rows.some(({ last_name }) => last_name === 'Elsewhere')).toBe(false)
  expect((await ask(shop, 'export')).body.rows.every(({ table }: { table: string }) => table !== 'shoppers')).toBe(true)
  expect((await ask(other, 'export')).body.rows.length).toBeGreaterThan(3)
})
