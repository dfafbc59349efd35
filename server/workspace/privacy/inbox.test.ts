import { expect, test } from 'vitest'
import { findTraces } from '../../../test/erasure-scene.ts'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { recordPosts } from '../../carts/capture/capture.ts'
import { foldStorePosts } from '../../carts/capture/capture-intake.ts'
import { selectInboxPosts } from '../../carts/capture/capture-sql.ts'
import { createId } from '../../core/common/ids.ts'
import { insertPosts } from '../../core/db/system.ts'

// Both the process that received a post and the worker may turn it into facts.

const world = createWorld()

test('a post processed twice during an erasure does not bring back an address (C8)', async () => {
  const shop = await createStore(world)
  const store = { storeId: shop.storeId, db: world.db }
  const post = (seq: number, email: string) => ({
    cart: 'tok-of-una-browser-cart-1',
    page: 'tok-of-una-browser-p',
    seq,
    contact: { email },
    items: [{ id: '16', quantity: 1 }],
  })
  const keep = (seq: number, email: string) =>
    insertPosts(world.db, [{ store_id: shop.storeId, id: createId(), received_at: world.now, post: post(seq, email) }])
  await keep(1, 'una@walk.example')
  await foldStorePosts(world.deps, { storeId: shop.storeId, db: world.db })
  const reply = await world.request('DELETE', '/api/privacy/una@walk.example', {
    token: shop.token,
    body: { confirmation: 'erase' },
  })
  expect(reply.status).toBe(202)
  world.advance(1_000)
  await keep(2, 'una-two@walk.example')
  const read = await selectInboxPosts(store, 100)
  expect(read).toHaveLength(1)
  await world.runJobs()
  expect(await findTraces(world, ['una@walk', 'una-two@walk'])).toEqual([])
  await recordPosts(world.deps, { storeId: shop.storeId, db: world.db }, read)
  expect(await findTraces(world, ['una@walk', 'una-two@walk'])).toEqual([])
})
