import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  countStepStates,
  createMessageScene,
  HOUR,
  isBeingSent,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { transact } from '../../core/db/db.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import * as outcomes from '../outcome/outcome-sql.ts'
import { countSenders } from './send-window.ts'

// Slots shared by all stores (D10), and the effect of one unanswered message.

const world = createWorld()
/** Of the world's mail channel. */
const POOL = 5
beforeEach(() => {
  world.answer = acceptMail
})

test('stores that send at once share the slots in turn (D8, D10)', async () => {
  const stores = [
    await createMessageScene(world, 12),
    await createMessageScene(world, 12),
    await createMessageScene(world, 12),
    await createMessageScene(world, 1),
  ]
  for (const { storeId } of stores) await advanceToAbandoned(world, storeId, stores[0]!.storeId === storeId ? HOUR : 0)
  for (const { storeId } of stores) await completeOrderCheck(world, storeId)
  const small = stores[3]!.orders[0]!.email!
  const order: string[] = []
  const onTheWire: (() => void)[] = []
  world.answer = async (mail) => {
    order.push(mail.to)
    await new Promise<void>((resolve) => onTheWire.push(resolve))
    return acceptMail(mail)
  }
  const all = Promise.all(stores.map(({ storeId }) => sendDueMessages(world, storeId)))
  await expect.poll(() => countSenders(world.deps.channels.email!)).toBe(stores.length)
  // One answer at a time, and none before its place is taken again: what takes turns is not who is quick.
  for (let remaining = 37; remaining > 0; remaining--) {
    await expect.poll(() => onTheWire.length).toBe(Math.min(POOL, remaining))
    const sending = world.db.selectFrom('messages').select('id').where(isBeingSent)
    expect((await sending.execute()).length).toBeLessThanOrEqual(POOL)
    onTheWire.shift()!()
  }
  await all
  expect(order).toHaveLength(37)
  expect(order.indexOf(small)).toBeLessThan(10)
})

test('a message without a reply blocks no other, and its late reply is recorded', async () => {
  const { storeId, orders } = await createMessageScene(world, 3)
  await advanceToAbandoned(world, storeId, HOUR)
  const [hanging, late] = orders.map(({ email }) => email!)
  const answer = Promise.withResolvers<Outcome>()
  let tries = 0
  world.answer = (mail) => {
    if (mail.to === hanging) return answer.promise
    const isPutOff = mail.to === late && ++tries === 1
    return isPutOff ? { kind: 'retry', reason: 'smtp_450', response: '450', retryAfterMs: 1_000 } : acceptMail(mail)
  }
  const first = sendDueMessages(world, storeId)
  while ((await countStepStates(world, storeId)).held !== 1) await sleep(50)
  world.advance(2_000)
  while ((await countStepStates(world, storeId)).sent !== 2) {
    await sendDueMessages(world, storeId)
    await sleep(200)
  }
  expect(await countStepStates(world, storeId)).toEqual({ sent: 2, sending: 1 })
  answer.resolve({ kind: 'accepted', providerId: 'p', response: '250' })
  await first
  expect(await countStepStates(world, storeId)).toEqual({ sent: 3 })
  expect(world.sent.filter(({ to }) => to === hanging)).toHaveLength(1)
})

test('replies during a database outage are recorded and free their slots (D4, D10)', async () => {
  const stores = [await createMessageScene(world, 12), await createMessageScene(world, 12)]
  for (const [at, { storeId }] of stores.entries()) await advanceToAbandoned(world, storeId, at === 0 ? HOUR : 0)
  const [first, second] = stores.map(({ storeId }) => storeId) as [string, string]
  await completeOrderCheck(world, first)
  const allAnswered = Promise.withResolvers<void>()
  let answered = 0
  world.answer = (mail) => {
    // Late enough for the settings to be read again before the next mail is sent.
    world.advance(600)
    if (++answered === POOL) setImmediate(allAnswered.resolve)
    return acceptMail(mail)
  }
  let opened = 0
  world.deps.channels.ownMail = async () => {
    if (++opened === 1) return null
    await allAnswered.promise
    throw new Error('Connection terminated unexpectedly')
  }
  await expect(sendDueMessages(world, first)).rejects.toThrow('Connection terminated')
  expect(await countStepStates(world, first)).toEqual({ sent: POOL, scheduled: 12 - POOL })
  world.answer = acceptMail
  world.deps.channels.ownMail = async () => null
  await completeOrderCheck(world, second)
  await sendDueMessages(world, second)
  expect(await countStepStates(world, second)).toEqual({ sent: 12 })
})

test('a repeated commit of an earlier send’s outcome leaves a later send unchanged (D1)', async () => {
  const { storeId } = await createMessageScene(world)
  await advanceToAbandoned(world, storeId, HOUR)
  const store = { storeId, db: world.db }
  const { id } = (await readMessages(world, storeId)).find(({ step }) => step === 1)!
  const earlier = world.now
  const later = world.advance(60_000)
  const { workerId } = world.deps
  await world.db
    .updateTable('messages')
    .set({ state: 'sending', sending_at: later, worker_id: workerId })
    .where('id', '=', id)
    .execute()
  const end = (sendingAt: Date) =>
    transact(store, (tx) => outcomes.applyOutcomes(tx, workerId, [{ ...putOff, id, sending_at: sendingAt }], later))
  expect([...(await end(earlier))]).toEqual([])
  expect(await countStepStates(world, storeId)).toEqual({ sending: 1 })
  expect([...(await end(later))]).toEqual([id])
  expect(await countStepStates(world, storeId)).toEqual({ held: 1 })
})

const putOff = {
  state: 'held' as const,
  reason: 'retry',
  provider_id: null,
  response: '450',
  wake_at: null,
  address_hash: '',
  result: 'retry',
  news: null,
}
