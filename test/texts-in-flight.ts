import { expect } from 'vitest'
import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import type { Outcome, OutgoingText } from '../server/messages/channels/channel.ts'
import { buildOrder } from './factories.ts'
import { grantConsent, takeGermanPhone } from './manual-send-scene.ts'
import { advanceToAbandoned, createMessageScene, HOUR } from './message-scene.ts'
import { POOL_SIZE } from './send-scene.ts'
import type { World } from './world.ts'

// Test support: SMS that were sent and have no reply yet.

export const ACCEPTED: Outcome = { kind: 'accepted', providerId: 't-1', response: 'queued' }

/**
 * Sends texts to `count` shoppers, `lateMs` after they were due; at most `POOL_SIZE` are in flight until they get
 * replies.
 */
export async function createTextsInFlight(
  world: World,
  count: number,
  { lateMs = 0, deps = { ...world.deps, workerId: createId() } } = {},
) {
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T09:00:00Z`)
  const scene = await createMessageScene(world, 0, { plan: 'growth' })
  await world.db.updateTable('flow_steps').set({ channel: 'sms' }).where('store_id', '=', scene.storeId).execute()
  const orders = Array.from({ length: count }, () => buildOrder(world, { country: 'DE', phone: takeGermanPhone() }))
  await recordOrders(world.deps, scene.storeId, orders, 'sync')
  for (const order of orders) await grantConsent(world, scene, order)
  await advanceToAbandoned(world, scene.storeId, HOUR + lateMs)
  const waiting: { text: OutgoingText; answer: (outcome: Outcome) => void }[] = []
  world.answerText = (text) => new Promise((resolve) => waiting.push({ text, answer: resolve }))
  const sending = sendDue(deps, { storeId: scene.storeId })
  await expect.poll(() => waiting.length).toBe(Math.min(POOL_SIZE, count))
  /** Accepts the texts in flight and all later ones. */
  const end = async () => {
    world.answerText = () => ACCEPTED
    for (const { answer } of waiting) answer(ACCEPTED)
    await sending
  }
  return { ...scene, orders, waiting, workerId: deps.workerId, sending, end }
}
