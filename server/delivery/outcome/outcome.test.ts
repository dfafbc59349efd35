import { beforeEach, expect, test } from 'vitest'
import {
  createMessageScene,
  DAY,
  findLink,
  HOUR,
  listStepDecisions,
  listStepStates,
  MINUTE,
  passTime,
  readCart,
  readMessages,
} from '../../../test/message-scene.ts'
import { acceptMail, createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { transact } from '../../core/db/db.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import { retimeFlowMessages } from '../../messages/messages/messages.ts'

// Outcomes (D4): only proof of non-acceptance leads to a retry.

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
  world.queued.length = 0
})

const RETRY: Outcome = { kind: 'retry', reason: 'greylisted', response: '451 try later' }
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'timeout', response: 'no answer' }
const BOUNCE: Outcome = { kind: 'rejected', reason: 'no_mailbox', response: '550 no such user', isRecipientFault: true }
const REFUSED: Outcome = {
  kind: 'rejected',
  reason: 'content',
  response: '554 looks like spam',
  isRecipientFault: false,
}

const used = async (accountId: string) =>
  (await world.db.selectFrom('plan_usage').select('used').where('account_id', '=', accountId).executeTakeFirst())
    ?.used ?? 0

const suppressions = (accountId: string) =>
  world.db.selectFrom('suppressions').select(['reason', 'channel']).where('account_id', '=', accountId).execute()

test('a message provably not accepted is retried with growing pauses until it is accepted (D4)', async () => {
  const { storeId, accountId } = await createMessageScene(world)
  world.answer = () => RETRY
  await passTime(world, storeId, HOUR)
  const waits: number[] = []
  for (let n = 1; n <= 3; n++) {
    const [row] = await readMessages(world, storeId)
    expect(row).toMatchObject({ state: 'held', reason: 'retry', sending_at: null, attempts: n })
    expect(await used(accountId)).toBe(0)
    expect(await readCart(world, storeId)).toMatchObject({ badge: 'No Action', last_sent_at: null })
    waits.push(row!.wake_at.getTime() - world.now.getTime())
    await passTime(world, storeId, waits.at(-1)! - 1)
    expect(world.sent).toHaveLength(n)
    await passTime(world, storeId, 1)
    expect(world.sent).toHaveLength(n + 1)
  }
  expect(waits[2]! / waits[0]!).toBeGreaterThan(3)
  world.answer = acceptMail
  await passTime(world, storeId, 10 * MINUTE)
  expect((await listStepStates(world, storeId))[0]).toBe('sent')
  expect(await used(accountId)).toBe(1)
  expect((await readCart(world, storeId)).badge).toBe('Email Sent')
  const links = world.sent.map((mail) => findLink(mail.html, '/u/'))
  expect(new Set(links).size).toBe(1)
})

test('a message deferred beyond its age limit is closed as too old at the limit (D4, D7)', async () => {
  const { storeId } = await createMessageScene(world)
  world.answer = () => ({ ...RETRY, retryAfterMs: 5 * DAY }) as Outcome
  await passTime(world, storeId, HOUR)
  const [row] = await readMessages(world, storeId)
  expect(row!.wake_at).toEqual(row!.expires_at)
  await passTime(world, storeId, DAY)
  expect((await readMessages(world, storeId))[0]).toMatchObject({ state: 'skipped' })
  expect(world.sent.filter((mail) => mail.messageId === row!.id)).toHaveLength(1)
})

test('a deferred message is not retried before the server’s time, even if the shopper was active again (P1)', async () => {
  const { storeId } = await createMessageScene(world)
  world.answer = () => ({ ...RETRY, retryAfterMs: 2 * HOUR }) as Outcome
  await passTime(world, storeId, HOUR)
  const putOff = (await readMessages(world, storeId))[0]!
  const evaluateAt = async (ms: number) => {
    const activity = [{ cartId: putOff.cart_id!, lastActivity: new Date(putOff.due_at.getTime() + ms) }]
    await transact({ storeId, db: world.db }, (tx) => retimeFlowMessages(tx, activity, world.now))
    return (await readMessages(world, storeId))[0]!
  }
  const { state, reason, wake_at } = putOff
  expect(await evaluateAt(-30 * MINUTE)).toMatchObject({ state, reason, wake_at })
  // The step itself is due later now.
  const later = await evaluateAt(5 * HOUR)
  expect(later).toMatchObject({ state: 'scheduled', reason: null, wake_at: later.due_at })
})

test('a non-existent address fails the message and is suppressed for the account (D4, C1)', async () => {
  const { storeId, accountId, orders } = await createMessageScene(world)
  world.answer = () => BOUNCE
  await passTime(world, storeId, HOUR)
  expect((await listStepStates(world, storeId))[0]).toBe('failed(rejected:no_mailbox)')
  expect(await suppressions(accountId)).toEqual([{ reason: 'hard_bounce', channel: 'email' }])
  expect(await used(accountId)).toBe(0)
  world.answer = acceptMail
  await passTime(world, storeId, 23 * HOUR)
  expect((await listStepStates(world, storeId))[1]).toBe('skipped(suppressed_hard_bounce)')
  expect(world.sent.filter((mail) => mail.to === orders[0]!.email)).toHaveLength(1)
})

test('a rejection of the content fails the message and suppresses no address (D4)', async () => {
  const { storeId, accountId } = await createMessageScene(world)
  world.answer = () => REFUSED
  await passTime(world, storeId, HOUR)
  expect((await listStepStates(world, storeId))[0]).toBe('failed(rejected:content)')
  expect(await suppressions(accountId)).toEqual([])
  expect(await listStepDecisions(world, storeId)).toEqual(['send ok', 'result rejected:content'])
  expect((await readCart(world, storeId)).badge).toBe('No Action')
})

test('an unknown message is never resent, counts for plan and cap, and delays the next step (D4)', async () => {
  const { storeId, accountId } = await createMessageScene(world)
  await world.db
    .updateTable('stores')
    .set({ cap_messages: 1, cap_window_hours: 48 })
    .where('id', '=', storeId)
    .execute()
  world.answer = () => UNKNOWN
  await passTime(world, storeId, HOUR)
  world.answer = acceptMail
  for (let n = 0; n < 5; n++) await passTime(world, storeId, HOUR)
  expect(world.sent).toHaveLength(1)
  expect(await used(accountId)).toBe(1)
  expect((await readCart(world, storeId)).badge).toBe('Email Sent')
  await passTime(world, storeId, 18 * HOUR)
  expect((await listStepStates(world, storeId)).slice(0, 2)).toEqual(['unknown(unknown)', 'held(frequency_cap)'])
})

test('a human click proves that an unknown message arrived; a scanner’s does not (D4, A1)', async () => {
  const { storeId } = await createMessageScene(world)
  world.answer = () => UNKNOWN
  await passTime(world, storeId, HOUR)
  const link = findLink(world.sent[0]!.html, '/c/')
  world.advance(MINUTE)
  await world.request('GET', link, { headers: { 'user-agent': 'Barracuda/1.0' } })
  await world.request('HEAD', link, { headers: { 'user-agent': 'Mozilla/5.0 Safari/604.1' } })
  expect((await listStepStates(world, storeId))[0]).toBe('unknown(unknown)')
  const reply = await world.request('GET', link, { headers: { 'user-agent': 'Mozilla/5.0 Safari/604.1' } })
  expect(reply.status).toBe(302)
  expect((await listStepStates(world, storeId))[0]).toBe('sent')
  expect(await listStepDecisions(world, storeId)).toEqual(['send ok', 'result unknown', 'result accepted'])
})

test('an accepted message is recorded once with the provider’s reply (D4)', async () => {
  const { storeId } = await createMessageScene(world)
  await passTime(world, storeId, HOUR)
  const [row] = await readMessages(world, storeId)
  expect(row).toMatchObject({
    state: 'sent',
    provider_id: `p-${row!.id}`,
    provider_response: '250 queued',
    attempts: 1,
  })
  await groupNotifications(world.deps)
  const news = await world.db.selectFrom('notifications').select('type').where('store_id', '=', storeId).execute()
  expect(news.map(({ type }) => type).sort()).toEqual(['cart_abandoned', 'email_sent'])
})
