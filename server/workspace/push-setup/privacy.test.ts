import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createTestBrowser, subscribeBrowser } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'

const world = createWorld()

test("an export lists a person's browsers without their push keys, and an erasure deletes them (C8)", async () => {
  const store = await createStore(world)
  await subscribeBrowser(world, store, createTestBrowser(), { email: 'ann@shoppers.example' })
  await subscribeBrowser(world, store, createTestBrowser(), { email: 'eve@shoppers.example', ip: '203.0.113.4' })
  const { token } = store
  const link = await world.request('GET', '/api/privacy/ann@shoppers.example/export', { token })
  const text = (await world.app.inject({ url: link.body.url })).body
  expect(text).toContain('updates.push.services.mozilla.com')
  expect(text).toContain('Tea & Co sends you a notification')
  expect(text).not.toMatch(/encrypted|endpoint/)
  await world.request('DELETE', '/api/privacy/ann@shoppers.example', { token, body: { confirmation: 'erase' } })
  await world.runJobs()
  const remaining = await world.db
    .selectFrom('push_subscriptions')
    .select('id')
    .where('store_id', '=', store.storeId)
    .execute()
  expect(remaining).toHaveLength(1)
  const consents = await world.db
    .selectFrom('consents')
    .select('evidence')
    .where('store_id', '=', store.storeId)
    .execute()
  expect(consents.filter(({ evidence }) => evidence === null)).toHaveLength(1)
})
