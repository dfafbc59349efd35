import { expect, test } from 'vitest'
import { postCapture } from '../../../test/erasure-scene.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from './record.ts'

// A report that names an erased shopper changes only the contents of its own browser (S6, C8).

const world = createWorld()
const tea = [{ id: '16', quantity: 1 }]
const pot = [{ id: '17', quantity: 1 }]
const erased = { email: 'gone@walk.example' }
const ada = { email: 'ada@walk.example' }

function createBrowser(store: TestStore, name: string) {
  const token = `tok-of-${name}-browser`.padEnd(24, '-')
  let seq = 0
  return (items: { id: string; quantity: number }[], contact?: { email: string }) => {
    world.advance(1_000)
    const post = { cart: token, device: `${token}d`, page: `${token}p`, seq: seq++, items }
    return postCapture(world, store, { ...post, ...(contact && { contact }) })
  }
}

async function erase(store: TestStore): Promise<void> {
  const body = { confirmation: 'erase' }
  const { status } = await world.request('DELETE', `/api/privacy/${erased.email}`, { token: store.token, body })
  expect(status).toBe(202)
}

async function readCarts({ storeId }: TestStore): Promise<string[]> {
  const rows = await world.db
    .selectFrom('carts')
    .select(['status', 'fold', 'email'])
    .where('store_id', '=', storeId)
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .execute()
  return rows.map(({ status, fold, email }) =>
    [status, ...fold.episode!.items.map(({ productId }) => productId), email].join(' '),
  )
}

test('a browser that types an erased address neither empties nor fills another browser’s cart', async () => {
  const store = await createStore(world)
  await recordOrders(world.deps, store.storeId, [buildOrder(world, erased)], 'sync')
  const [adas, mallorys] = [createBrowser(store, 'ada'), createBrowser(store, 'mallory')]
  await adas(tea, ada)
  await mallorys(pot, ada)
  await adas(tea)
  await erase(store)
  await mallorys([], erased)
  expect((await readCarts(store)).at(-1)).toBe('active 16 ada@walk.example')
  await mallorys(pot, erased)
  await mallorys([], erased)
  expect((await readCarts(store)).at(-1)).toBe('active 16 ada@walk.example')
  await adas([], erased)
  expect((await readCarts(store)).at(-1)).toBe('emptied 16 ada@walk.example')
})

test('the shopper’s own browser empties the cart it filled under their name before', async () => {
  const store = await createStore(world)
  const own = createBrowser(store, 'own')
  await own(tea, erased)
  await erase(store)
  await own(pot, erased)
  expect(await readCarts(store)).toEqual(['active 17 gone@walk.example'])
  await own([], erased)
  expect(await readCarts(store)).toEqual(['emptied 17 gone@walk.example'])
})
