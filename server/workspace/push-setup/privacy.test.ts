import { expect, test } from 'vitest'
import { aStore } from '../../../test/factories.ts'
import { aBrowser, subscribes } from '../../../test/push-scene.ts'
import { aWorld } from '../../../test/world.ts'

const world = aWorld()

test("an export lists a person's browsers without their push keys, and an erasure deletes them (C8)", async () => {
  const store = await aStore(world)
  await subscribes(world, store, aBrowser(), { email: 'ann@shoppers.example' })
  await subscribes(world, store, aBrowser(), { email: 'eve@shoppers.example', ip: '203.0.113.4' })
  const { token } = store
  const link = await world.request('GET', '/api/privacy/ann@shoppers.example/export', { token })
  const text = (await world.app.inject({ url: link.body.url })).body
  expect(text).toContain('updates.push.services.mozilla.com')
  expect(text).toContain('Tea & Co sends you a notification')
  expect(text).not.toMatch(/encrypted|endpoint/)
  await world.request('DELETE', '/api/privacy/ann@shoppers.example', { token, body: { confirmation: 'erase' } })
  await world.runJobs()
  const left = await world.db
    .selectFrom('push_subscriptions')
    .select('id')
    .where('store_id', '=', store.storeId)
    .execute()
  expect(left).toHaveLength(1)
  const consents = await world.db
    .selectFrom('consents')
    .select('evidence')
    .where('store_id', '=', store.storeId)
    .execute()
  expect(consents.filter(({ evidence }) => evidence === null)).toHaveLength(1)
})
