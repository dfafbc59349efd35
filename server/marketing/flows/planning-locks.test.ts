import { beforeEach, expect, test } from 'vitest'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  listStepStates,
  type MessageScene,
  passTime,
  readMessages,
} from '../../../test/message-scene.ts'
import { readStoreUrl } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { transact } from '../../core/db/db.ts'
import { lockFlow } from './sql.ts'

// A flow edit and the planning of its messages are serialized (decision 53), so each sees the other's result.

const world = createWorld()

let scene: MessageScene

beforeEach(async () => {
  scene = await createMessageScene(world, 1, { plan: 'starter' })
})

const call = (method: string, url: string, body?: object) =>
  world.request(method, url, { token: scene.token, ...(body && { body }) })

async function removeSecondStep() {
  const { name, steps: all } = (await call('GET', '/api/flows')).body.flows[0]
  const saved = await call('PUT', `/api/flows/${scene.flowId}`, { name, steps: [all[0], all[2]] })
  expect([saved.status, saved.body.error]).toEqual([200, undefined])
}

/** Runs `begin` when everything is planned and nothing is committed. */
async function runDuringPlanning(begin: () => Promise<void>) {
  world.advance(HOUR)
  let [planning, begun]: Promise<unknown>[] = []
  await transact({ storeId: scene.storeId, db: world.db }, async (tx) => {
    // The last query of planning.
    await tx.db
      .selectFrom('send_schedule')
      .select('store_id')
      .where('store_id', '=', scene.storeId)
      .forUpdate()
      .execute()
    planning = detectAbandoned(world.deps)
    await waitForBlockedConnections(world, 1)
    begun = begin()
    await waitForBlockedConnections(world, 2)
  })
  await Promise.all([planning, begun])
}

test('removing a step while a cart becomes abandoned leaves no message of that step', async () => {
  await runDuringPlanning(removeSecondStep)
  expect(await listStepStates(world, scene.storeId)).toEqual(['scheduled', 'cancelled(step_removed)', 'scheduled'])
})

test('carts of a store wait for the next scan while its flow is edited; other stores do not wait', async () => {
  const other = await createMessageScene(world, 1, { plan: 'starter' })
  await transact({ storeId: scene.storeId, db: world.db }, async (tx) => {
    await lockFlow(tx, scene.flowId)
    await advanceToAbandoned(world, other.storeId, HOUR)
    expect(await listStepStates(world, scene.storeId)).toEqual([])
    expect(await listStepStates(world, other.storeId)).toHaveLength(3)
  })
  await passTime(world, scene.storeId, 0)
  expect(await listStepStates(world, scene.storeId)).toHaveLength(3)
})

test('a notification added while a cart becomes abandoned is planned for it', async () => {
  const storeUrl = await readStoreUrl(world, scene)
  const allow = async (maxNotifications: number) => {
    const message = { title: 'Your cart', body: 'It is still there' }
    const settings = { enabled: true, frequency: 'immediate', delay: 0, maxNotifications, ...message }
    expect((await call('POST', '/push-notifications/save-settings', { storeUrl, settings })).status).toBe(200)
  }
  await allow(1)
  await runDuringPlanning(() => allow(3))
  const messages = await readMessages(world, scene.storeId)
  expect(messages.filter(({ channel }) => channel === 'push')).toHaveLength(3)
})
