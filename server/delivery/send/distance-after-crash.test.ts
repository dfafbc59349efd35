import { beforeEach, describe, expect, test } from 'vitest'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  type MessageScene,
  passTime,
} from '../../../test/message-scene.ts'
import {
  createDyingProcess,
  createSteadyWorker,
  holdReplies,
  listDecisions,
  readStoredMessage,
  readStoredMessages,
  type StoredMessage,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { closeAbandonedSends } from './abandoned.ts'
import { sendDue } from './send-due.ts'

// A process dies between the send of a mail and its settlement (decision 149), which sets state and time of the next
// step. The next step keeps its distance (T4), even if its old time comes before the mail is settled.

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

const LATE = 23 * HOUR
/** The longest distance between two steps. */
const DISTANCE = 12 * HOUR

interface SentMail extends MessageScene {
  first: StoredMessage
}

/**
 * A first reminder was late, and in flight when its process ended; its answer, where there is one, is written down. The next reminder is
 * due an hour later, were it not for that.
 */
async function sending(outcome: Outcome | null, then: (of: SentMail) => Promise<void>) {
  const scene = await createMessageScene(world, 2)
  const { storeId } = scene
  await advanceToAbandoned(world, storeId, LATE)
  const server = holdReplies(world)
  const sending = sendDue(createDyingProcess(world).deps, { storeId })
  // The other one keeps the process waiting.
  await server.reach(2)
  world.answer = acceptMail
  const { mail, answer } = server.waiting[0]!
  try {
    if (outcome) {
      answer(outcome)
      await expect.poll(async () => (await readStoredMessage(world, mail.messageId)).answer).not.toBeNull()
    }
    await then({ ...scene, first: await readStoredMessage(world, mail.messageId) })
  } finally {
    server.answerAll()
    await sending
  }
}

const readNext = async ({ storeId, first }: SentMail) =>
  (await readStoredMessages(world, storeId)).find(({ cart_id, step }) => cart_id === first.cart_id && step === 2)!
/** The sent messages of the cart. */
const getSent = ({ first }: SentMail) =>
  world.sent.filter(({ to }) => to === first.to_address).map(({ messageId }) => messageId)

/** Whoever sends for the store meanwhile: the lease of the one that died is over. */
async function passOtherTurns({ storeId }: SentMail, ms: number) {
  const schedule = world.db.updateTable('send_schedule').where('store_id', '=', storeId)
  await schedule.set({ lease_until: null, next_due_at: world.now }).execute()
  await passTime(world, storeId, ms)
}

const finds = async () => closeAbandonedSends(await createSteadyWorker(world))

const ACCEPTED = { kind: 'accepted', providerId: 'p-1', response: '250 queued' } as const
const RETRY = { kind: 'retry', reason: 'smtp_451', response: '451 later', retryAfterMs: 3 * HOUR } as const

describe('the next process settles the mail, and the next step keeps its distance', () => {
  test.each<[string, Outcome | null, string]>([
    ['its answer was written down', ACCEPTED, 'sent'],
    ['its answer was lost', null, 'unknown'],
  ])('%s', async (_, outcome, state) => {
    await sending(outcome, async (of) => {
      const { first } = of
      const sendingAt = first.sending_at!
      expect([first.state, first.answer?.state, sendingAt]).toEqual(['sending', outcome ? state : undefined, world.now])
      expect((await readNext(of)).due_at).toEqual(new Date(sendingAt.getTime() + HOUR))
      // Its old time comes before the abandoned message is recovered.
      await passOtherTurns(of, HOUR)
      await passOtherTurns(of, HOUR)
      expect(getSent(of)).toEqual([first.id])
      expect(await readNext(of)).toMatchObject({ state: 'scheduled', claim: null, attempts: 0 })

      await finds()
      const finished = { state, sending_at: sendingAt, answer: null, judged: null }
      expect(await readStoredMessage(world, first.id)).toMatchObject(finished)
      expect(await listDecisions(world, first.id)).toEqual(['send ok', `result ${outcome ? 'accepted' : 'unknown'}`])
      const next = await readNext(of)
      expect(next).toMatchObject({ state: 'scheduled', due_at: new Date(sendingAt.getTime() + DISTANCE) })
      await passOtherTurns(of, DISTANCE - 2 * HOUR - 1)
      expect(getSent(of)).toEqual([first.id])
      await passOtherTurns(of, 1)
      expect(getSent(of)).toEqual([first.id, next.id])
    })
  })

  test('with several processes and repeated runs', async () => {
    await sending(ACCEPTED, async (of) => {
      await Promise.all([finds(), finds()])
      const { due_at } = await readNext(of)
      expect(due_at).toEqual(new Date(world.now.getTime() + DISTANCE))
      await passOtherTurns(of, HOUR)
      await finds()
      expect(await readNext(of)).toMatchObject({ due_at, state: 'scheduled' })
      expect(getSent(of)).toEqual([of.first.id])
    })
  })
})

test('a step held for longer than its distance is decided when its hold ends', async () => {
  await sending(ACCEPTED, async (of) => {
    const { id } = await readNext(of)
    const tomorrow = new Date(world.now.getTime() + 24 * HOUR)
    const held = { state: 'held' as const, reason: 'no_contact', wake_at: tomorrow, expires_at: tomorrow }
    await world.db.updateTable('messages').set(held).where('id', '=', id).execute()
    const schedule = world.db.updateTable('send_schedule').where('store_id', '=', of.storeId)
    await schedule.set({ next_due_at: tomorrow }).execute()
    await finds()
    const { state, wake_at } = await readNext(of)
    expect({ state, wake_at }).toEqual({ state: 'scheduled', wake_at: new Date(world.now.getTime() + DISTANCE) })
    const dueTimes = world.db.selectFrom('send_schedule').select('next_due_at').where('store_id', '=', of.storeId)
    expect((await dueTimes.executeTakeFirstOrThrow()).next_due_at!.getTime()).toBeLessThanOrEqual(wake_at.getTime())
  })
})

test('a deferred mail delays no step: the next one is sent at its time once the mail is settled', async () => {
  await sending(RETRY, async (of) => {
    const { first } = of
    await passOtherTurns(of, HOUR)
    expect(getSent(of)).toEqual([first.id])
    await finds()
    expect(await readStoredMessage(world, first.id)).toMatchObject({ state: 'held', reason: 'retry', sending_at: null })
    const next = await readNext(of)
    expect(next.due_at).toEqual(world.now)
    await passOtherTurns(of, 1_000)
    expect(getSent(of)).toEqual([first.id, next.id])
  })
})
