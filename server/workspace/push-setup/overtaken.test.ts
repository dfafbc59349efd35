import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { HOUR, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createTestBrowser, readStoreUrl, subscribeBrowser } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'

const world = createWorld()

test('a held notification is overtaken by a later sent one, even after the maximum is lowered (T4)', async () => {
  // Late morning in New York, the store's time zone.
  world.now = new Date('2026-03-03T15:00:00Z')
  const store = await createStore(world, { isFlowOn: false, plan: 'growth' })
  await world.db
    .updateTable('stores')
    .set({ abandonment_timeout_minutes: 60, effective_timeout_minutes: 60 })
    .where('id', '=', store.storeId)
    .execute()
  const switchOn = async (maxNotifications: number) => {
    const settings = { enabled: true, frequency: 'immediate', delay: 0, maxNotifications, title: 'Hi', body: 'Waits' }
    const body = { storeUrl: await readStoreUrl(world, store), settings }
    const { status } = await world.request('POST', '/push-notifications/save-settings', { token: store.token, body })
    expect(status).toBe(200)
  }
  await switchOn(3)
  expect((await subscribeBrowser(world, store, createTestBrowser(), { ip: '198.51.100.7' })).status).toBe(200)
  await passTime(world, store.storeId, HOUR + MINUTE)
  await passTime(world, store.storeId, 7 * HOUR)
  expect(world.pushes).toHaveLength(2)
  await world.pool.query(
    `update messages set state = 'held', reason = 'retry', sending_at = null, due_at = $2, wake_at = $2,
       expires_at = $2::timestamptz + interval '1 day' where store_id = $1 and step = 1`,
    [store.storeId, world.now],
  )
  await switchOn(1)
  await passTime(world, store.storeId, HOUR)
  expect(world.pushes).toHaveLength(2)
  const first = (await readMessages(world, store.storeId)).find(({ step }) => step === 1)
  expect(first).toMatchObject({ state: 'skipped', reason: 'superseded' })
})
