import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPluginDemo, type PluginDemo } from '../../test/plugin-demo.ts'
import { createWorld } from '../../test/world.ts'
import { addItem } from './cart.ts'
import { createSession, saveSession } from './sessions.ts'
import type { DemoStore } from './store.ts'

// The demo store's plugin and a real Recoup communicate over HTTP.

const world = createWorld()
let connected: PluginDemo
let demo: DemoStore
let storeId: string

beforeAll(async () => {
  connected = await openPluginDemo(world)
  ;({ demo, storeId } = connected)
})

afterAll(() => connected?.stop())

const listCarts = () =>
  world.db.selectFrom('carts').selectAll().where('store_id', '=', storeId).where('status', '<>', 'merged').execute()

test('is read with the derived key when connected by its plugin', async () => {
  await world.runJobs()
  const store = await world.db.selectFrom('stores').selectAll().where('id', '=', storeId).executeTakeFirstOrThrow()
  expect(store).toMatchObject({ is_address_proven: true, can_write: true, home_url: demo.url })
  const products = await world.db.selectFrom('products').select('product_id').where('store_id', '=', storeId).execute()
  expect(products.length).toBeGreaterThan(5)
})

test('records a cart that was queued for a day as one cart with its own time', async () => {
  const session = createSession(demo.shop)
  const { id } = demo.shop.db.sqlite.prepare('select id from products order by id limit 1').get() as { id: number }
  addItem(demo.shop, session, id, 2)
  session.billing.email = 'waits@shoppers.example.com'
  saveSession(demo.shop, session)
  const at = world.now
  expect(demo.plugin.queueChanges()).toBe(1)
  world.advance(24 * 3_600_000)
  expect(demo.plugin.queueChanges()).toBe(1)
  expect((await demo.plugin.sendQueue()).body).toMatchObject({ done: [1], refused: [] })
  expect(demo.plugin.queueChanges()).toBe(0)
  const [cart, ...others] = await listCarts()
  expect(others).toEqual([])
  expect(cart).toMatchObject({ email: 'waits@shoppers.example.com', last_activity_at: at, item_count: 2 })
})

test('answers a forged call without a signature', async () => {
  expect((await demo.plugin.call('beat', { v: 2 })).status).toBe(400)
  const { status } = await demo.plugin.call('restore', { token: 'x'.repeat(43) })
  expect(status).toBe(404)
  await world.request('DELETE', '/api/stores/disconnect', { token: connected.owner.token })
  expect((await demo.plugin.call('beat', {})).status).toBe(410)
})
