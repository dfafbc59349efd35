import { beforeEach, describe, expect, test } from 'vitest'
import { hasSentMessage, selectBadgeColumns } from '../../../test/cart-badges.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  listStepDecisions,
  type MessageScene,
  markPurchased,
} from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import {
  createSteadyWorker,
  holdReplies,
  listDecisions,
  listMessageStates,
  readHoursToNextStep,
  readNextDueAt,
  readStoredMessage,
  readStoredMessages,
} from '../../../test/send-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { setNextDue as scheduleNextRun } from '../../messages/messages/sql.ts'
import { closeAbandonedSends } from './abandoned.ts'
import { sendDue } from './send-due.ts'

// A process dies with mails in flight. Another process settles those with a stored reply once; the others become
// unknown (D4).

const world = createWorld()
beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
  world.sent.length = 0
})

const ANSWERS = {
  accepted: { kind: 'accepted', providerId: 'p-7', response: '250 queued' },
  rejected: { kind: 'rejected', reason: 'smtp_550', response: '550 no such user', isRecipientFault: true },
  retry: { kind: 'retry', reason: 'smtp_451', response: '451 later', retryAfterMs: 90_000 },
  unknown: { kind: 'unknown', reason: 'timeout', response: 'no answer' },
} as const satisfies Record<string, Outcome>
type Fate = keyof typeof ANSWERS | 'silent'
const FATES: Fate[] = ['accepted', 'rejected', 'retry', 'unknown', 'silent']

/** One mail of each fate; all but the last have their answers in their rows, and no end is written. Its process ends after `then`. */
async function dies(
  then: (of: MessageScene & { ids: Record<Fate, string> }) => Promise<unknown>,
  late: Outcome | null = null,
) {
  const scene = await createMessageScene(world, FATES.length)
  const { storeId } = scene
  // Late enough for the next step to have to keep its distance (T4).
  await advanceToAbandoned(world, storeId, 23 * HOUR)
  const server = holdReplies(world)
  const sending = sendDue({ ...world.deps, workerId: createId() }, { storeId })
  await server.reach(FATES.length)
  const sendingAt = world.now
  const ids = Object.fromEntries(FATES.map((fate, at) => [fate, server.waiting[at]!.mail.messageId])) as Record<
    Fate,
    string
  >
  try {
    for (const [at, fate] of FATES.entries()) if (fate !== 'silent') server.waiting[at]!.answer(ANSWERS[fate])
    await expect
      .poll(async () => (await readStoredMessages(world, storeId)).filter(({ answer }) => answer).length)
      .toBe(FATES.length - 1)
    await then({ ...scene, ids })
  } finally {
    server.waiting.at(-1)!.answer(late ?? ANSWERS.unknown)
    await sending
  }
  return { ...scene, ids, sendingAt }
}

const states = (ids: Record<Fate, string>) =>
  listMessageStates(
    world,
    FATES.map((fate) => ids[fate]),
  )
const closes = async () => closeAbandonedSends(await createSteadyWorker(world))

const readCart = async (messageId: string) =>
  world.db
    .selectFrom('carts as c')
    .innerJoin('messages as m', 'm.cart_id', 'c.id')
    .select([hasSentMessage('c'), ...selectBadgeColumns('c')])
    .where('m.id', '=', messageId)
    .executeTakeFirstOrThrow()

const usage = (accountId: string) =>
  world.db.selectFrom('plan_usage').select(['month', 'used']).where('account_id', '=', accountId).execute()

const ENDS = ['sent', 'failed(rejected:smtp_550)', 'held(retry)', 'unknown(unknown)', 'unknown(unknown)']

describe('messages in flight of a dead process are settled', () => {
  test('once by several processes: state, records, cart, next step, plan, suppression, notification', async () => {
    const { ids, storeId, accountId, sendingAt, orders } = await dies(async ({ ids }) => {
      await Promise.all([closes(), closes()])
      await closes()
      expect(await states(ids)).toEqual(ENDS)
    })
    // Late writes of the process itself change nothing.
    expect(await states(ids)).toEqual(ENDS)
    const initial = { answer: null, judged: null, claim: null }
    const at = { sending_at: sendingAt }
    expect(await readStoredMessage(world, ids.accepted)).toMatchObject({ ...initial, ...at, provider_id: 'p-7' })
    expect(await readStoredMessage(world, ids.rejected)).toMatchObject({ ...initial, sending_at: null })
    const wakeAt = new Date(sendingAt.getTime() + 90_000)
    expect(await readStoredMessage(world, ids.retry)).toMatchObject({
      ...initial,
      sending_at: null,
      wake_at: wakeAt,
      attempts: 1,
    })
    for (const fate of ['unknown', 'silent'] as const)
      expect(await readStoredMessage(world, ids[fate])).toMatchObject({ ...initial, ...at, attempts: 1 })

    const records = await Promise.all(FATES.map((fate) => listDecisions(world, ids[fate])))
    expect(records.map(([sent, ...more]) => [sent!.split(' ')[0], ...more])).toEqual([
      ['send', 'result accepted'],
      ['send', 'result rejected:smtp_550'],
      ['send', 'result retry'],
      ['send', 'result unknown'],
      ['send', 'result unknown'],
    ])

    const answerBy = new Date(sendingAt.getTime() + DAY)
    const mailed = { badge: 'Email Sent', is_mailed: true, last_sent_at: sendingAt, no_response_at: answerBy }
    const not = { badge: 'No Action', is_mailed: false, last_sent_at: null, no_response_at: null }
    for (const fate of FATES)
      expect([fate, await readCart(ids[fate])]).toEqual([fate, ['rejected', 'retry'].includes(fate) ? not : mailed])

    const distances = await Promise.all(FATES.map((fate) => readHoursToNextStep(world, ids[fate], sendingAt)))
    expect(distances).toEqual([12, 1, 1, 12, 12])

    expect((await usage(accountId)).map(({ used }) => used)).toEqual([3])
    const refused = await world.db
      .selectFrom('suppressions')
      .select(['address', 'reason'])
      .where('account_id', '=', accountId)
      .execute()
    const emails = world.sent.filter(({ messageId }) => messageId === ids.rejected).map(({ to }) => to)
    expect(orders.map(({ email }) => email)).toContain(emails[0])
    expect(refused).toEqual([{ address: emails[0], reason: 'hard_bounce' }])
    const news = (await readNotifications(world, storeId))
      .map(({ type }) => type)
      .filter((type) => type.startsWith('email_'))
    expect(news.sort()).toEqual(['email_failed', 'email_failed', 'email_sent'])
  })

  test('a mail that was not accepted gives its plan usage back to the month of its send', async () => {
    let month: Date | null = null
    const { accountId } = await dies(async ({ accountId }) => {
      month = (await usage(accountId))[0]!.month as unknown as Date
      expect((await usage(accountId)).map(({ used }) => used)).toEqual([FATES.length])
      world.advance(40 * DAY)
      await closes()
    })
    expect(await usage(accountId)).toEqual([{ month, used: 3 }])
  })

  test('a late reply changes an unknown mail, and nothing is sent twice', async () => {
    const { ids, storeId } = await dies(closes, ANSWERS.accepted)
    expect(await states(ids)).toEqual([...ENDS.slice(0, -1), 'sent'])
    expect((await listDecisions(world, ids.silent)).slice(1).sort()).toEqual(['result accepted', 'result unknown'])
    world.answer = acceptMail
    world.advance(90_000)
    await advanceToAbandoned(world, storeId, 0)
    await sendDue(world.deps, { storeId })
    const sent = world.sent.map(({ messageId }) => messageId)
    // Only what was put off is tried again.
    expect(sent.slice(FATES.length)).toEqual([ids.retry])
    expect(await states(ids)).toEqual(['sent', ENDS[1], 'sent', ENDS[3], 'sent'])
  })

  test('a deferred mail is retried in time, even if a run before did not know of it', async () => {
    await dies(async ({ storeId, ids }) => {
      // The steps behind the others would set a look as well.
      const others = FATES.filter((fate) => fate !== 'retry').map((fate) => ids[fate])
      await world.pool.query(`update messages set state = 'sent', answer = null, judged = null where id = any($1)`, [
        others,
      ])
      await transact({ storeId, db: world.db }, scheduleNextRun)
      const planned = await readNextDueAt(world, storeId)
      await closes()
      const { wake_at } = await readStoredMessage(world, ids.retry)
      expect(planned!.getTime()).toBeGreaterThan(wake_at.getTime())
      expect(await readNextDueAt(world, storeId)).toEqual(wake_at)
    })
  })

  test('a deferred mail is closed when its cart was bought meanwhile, and a sent one stays (D5)', async () => {
    const { ids } = await dies(async ({ storeId, orders, ids }) => {
      world.advance(1_000)
      const buys = orders.map((order) => markPurchased(world, order))
      await recordOrders(world.deps, storeId, buys, 'webhook')
      expect(new Set(await states(ids))).toEqual(new Set(['sending']))
      await closes()
    })
    expect(await states(ids)).toEqual(['sent', ENDS[1], 'cancelled(purchased)', ENDS[3], ENDS[4]])
    expect((await listDecisions(world, ids.retry)).slice(1)).toEqual(['cancel purchased'])
  })

  test('a mail kept in the built-in mailbox is marked', async () => {
    const { ids, storeId } = await dies(async ({ ids }) => {
      await world.pool.query(`update messages set answer = jsonb_set(answer, '{isMailbox}', 'true') where id = $1`, [
        ids.accepted,
      ])
      await closes()
    })
    expect((await states(ids))[0]).toBe('sent(accepted:mailbox)')
    expect(await listStepDecisions(world, storeId)).toContain('result accepted:mailbox')
  })

  test('messages of a slow but live process stay unchanged', async () => {
    const { ids } = await dies(async ({ storeId, ids }) => {
      const { worker_id } = (await readStoredMessages(world, storeId))[0]!
      const row = { id: worker_id!, started_at: world.now, seen_at: world.now, steady_since: world.now }
      await world.db.insertInto('workers').values(row).execute()
      await closes()
      expect(new Set(await states(ids))).toEqual(new Set(['sending']))
    })
    expect(await states(ids)).toEqual(ENDS)
  })
})
