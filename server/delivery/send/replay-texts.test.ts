import { beforeEach, expect, test } from 'vitest'
import { selectBadgeColumns } from '../../../test/cart-badges.ts'
import { advanceToAbandoned, DAY, HOUR } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import {
  createDyingProcess,
  createSteadyWorker,
  listDecisions,
  listMessageStates,
  readHoursToNextStep,
  readStoredMessage,
  readStoredMessages,
} from '../../../test/send-scene.ts'
import { createTextsInFlight } from '../../../test/texts-in-flight.ts'
import { createWorld } from '../../../test/world.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { recordDeliveryReport } from '../outcome/delivery.ts'
import { closeAbandonedSends } from './abandoned.ts'
import { sendDue } from './send-due.ts'

// A process dies with texts in flight: see replay.test.ts. Texts also have prices, refunded if unsent, and delivery
// reports.

const world = createWorld()
beforeEach(() => {
  world.texts.length = 0
})

/** The price of a text to Germany, in micros. */
const PRICE = 10_000

const ANSWERS = {
  accepted: { kind: 'accepted', providerId: 't-7', response: 'queued' },
  rejected: {
    kind: 'rejected',
    reason: '21610',
    response: 'opted out',
    isRecipientFault: false,
    suppress: 'unsubscribed',
  },
  retry: { kind: 'retry', reason: 'http_429', response: 'slower', retryAfterMs: 90_000 },
  unknown: { kind: 'unknown', reason: 'timeout', response: 'no answer' },
} as const satisfies Record<string, Outcome>
type Fate = keyof typeof ANSWERS | 'silent'
type Ids = Record<Fate, string>
const FATES: Fate[] = ['accepted', 'rejected', 'retry', 'unknown', 'silent']
const ENDS = ['sent', 'failed(rejected:21610)', 'held(retry)', 'unknown(unknown)', 'unknown(unknown)']

const states = (ids: Record<Fate, string>) =>
  listMessageStates(
    world,
    FATES.map((fate) => ids[fate]),
  )
const closes = async () => closeAbandonedSends(await createSteadyWorker(world))

/** One text of each fate; all but the last have their answers in their rows, and no end is written. Its process ends, and is back after `then`. */
async function dies(then: (of: { ids: Ids; accountId: string }) => Promise<unknown>, late: Outcome = ANSWERS.unknown) {
  const { deps, revive } = createDyingProcess(world)
  const scene = await createTextsInFlight(world, FATES.length, { deps, lateMs: 22 * HOUR })
  const { storeId, accountId, waiting, sending } = scene
  const sendingAt = world.now
  const ids = Object.fromEntries(FATES.map((fate, at) => [fate, waiting[at]!.text.messageId])) as Ids
  try {
    for (const [at, fate] of FATES.entries()) if (fate !== 'silent') waiting[at]!.answer(ANSWERS[fate])
    await expect
      .poll(async () => (await readStoredMessages(world, storeId)).filter(({ answer }) => answer).length)
      .toBe(FATES.length - 1)
    await then({ ids, accountId })
  } finally {
    revive()
    waiting.at(-1)!.answer(late)
    await sending
  }
  return { ...scene, ids, sendingAt }
}

const spent = async (accountId: string) => {
  const row = (table: 'plan_usage' | 'sending_spend') => world.db.selectFrom(table).where('account_id', '=', accountId)
  const { used } = await row('plan_usage').select('used').executeTakeFirstOrThrow()
  const { micros } = await row('sending_spend').select('micros').executeTakeFirstOrThrow()
  return { used, micros: Number(micros) }
}

const readBadge = (messageId: string) =>
  world.db
    .selectFrom('carts as c')
    .innerJoin('messages as m', 'm.cart_id', 'c.id')
    .select(selectBadgeColumns('c'))
    .where('m.id', '=', messageId)
    .executeTakeFirstOrThrow()

test('several processes settle each text once, and unsent texts cost nothing', async () => {
  const { ids, accountId, storeId, sendingAt } = await dies(async ({ ids, accountId }) => {
    expect(await spent(accountId)).toEqual({ used: 5, micros: 5 * PRICE })
    await Promise.all([closes(), closes()])
    await closes()
    expect(await states(ids)).toEqual(ENDS)
  })
  // The process was only slow, and writes the same row again.
  expect(await states(ids)).toEqual(ENDS)
  expect(await spent(accountId)).toEqual({ used: 3, micros: 3 * PRICE })
  for (const fate of FATES) {
    const isOut = fate !== 'rejected' && fate !== 'retry'
    const row = await readStoredMessage(world, ids[fate])
    expect(row).toMatchObject({
      answer: null,
      judged: null,
      claim: null,
      attempts: 1,
      sending_at: isOut ? sendingAt : null,
    })
    expect([fate, Number(row.cost_micros)]).toEqual([fate, isOut ? PRICE : 0])
    const sent = { badge: 'SMS Sent', last_sent_at: sendingAt, no_response_at: new Date(sendingAt.getTime() + DAY) }
    const not = { badge: 'No Action', last_sent_at: null, no_response_at: null }
    expect([fate, await readBadge(ids[fate])]).toEqual([fate, isOut ? sent : not])
    expect([fate, await readHoursToNextStep(world, ids[fate], sendingAt)]).toEqual([fate, isOut ? 12 : 1])
  }
  const records = await Promise.all(FATES.map((fate) => listDecisions(world, ids[fate])))
  expect(records.map(([sent, ...more]) => [sent!.split(' ')[0], ...more])).toEqual([
    ['send', 'result accepted'],
    ['send', 'result rejected:21610'],
    ['send', 'result retry'],
    ['send', 'result unknown'],
    ['send', 'result unknown'],
  ])
  const refused = world.db.selectFrom('suppressions').select(['channel', 'address', 'reason'])
  const { to_address } = await readStoredMessage(world, ids.rejected)
  expect(await refused.where('account_id', '=', accountId).execute()).toEqual([
    { channel: 'sms', address: to_address, reason: 'unsubscribed' },
  ])
  const news = (await readNotifications(world, storeId))
    .map(({ type }) => type)
    .filter((type) => type.startsWith('sms_'))
  expect(news.sort()).toEqual(['sms_failed', 'sms_failed', 'sms_sent'])
})

test('a late reply changes an unknown text, and nothing is sent twice', async () => {
  const { ids, accountId, storeId } = await dies(closes, { ...ANSWERS.accepted, providerId: 't-8' })
  expect(await states(ids)).toEqual([...ENDS.slice(0, -1), 'sent'])
  expect(await spent(accountId)).toEqual({ used: 3, micros: 3 * PRICE })
  world.answerText = () => ({ ...ANSWERS.accepted, providerId: 't-9' })
  await advanceToAbandoned(world, storeId, 90_000)
  await sendDue(world.deps, { storeId })
  // Only what was put off is tried again.
  expect(world.texts.slice(FATES.length).map(({ messageId }) => messageId)).toEqual([ids.retry])
  expect(await states(ids)).toEqual(['sent', ENDS[1], 'sent', ENDS[3], 'sent'])
  expect(await spent(accountId)).toEqual({ used: 4, micros: 4 * PRICE })
})

test('a provider’s report before the process was found dead counts once', async () => {
  const { ids } = await dies(async ({ ids, accountId }) => {
    const report = { accountId, channel: 'sms' as const, code: null, at: world.now }
    const arrived = { ...report, providerId: 't-7', messageId: ids.accepted, status: 'delivered' as const }
    const lost = { ...report, providerId: 't-8', messageId: ids.silent, status: 'failed' as const, code: '30003' }
    for (const each of [arrived, lost, arrived, lost]) await recordDeliveryReport(world.deps, each)
    expect(new Set(await states(ids))).toEqual(new Set(['sending']))
    await closes()
  })
  expect(await states(ids)).toEqual(['delivered', ...ENDS.slice(1, -1), 'failed(undelivered:30003)'])
  expect((await listDecisions(world, ids.accepted)).slice(1)).toEqual(['result accepted', 'result delivered'])
  expect(await readBadge(ids.silent)).toMatchObject({ badge: 'No Action', last_sent_at: null })
})
