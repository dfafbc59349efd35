import { beforeEach, expect, test, vi } from 'vitest'
import { selectBadgeColumns } from '../../../test/cart-badges.ts'
import { waitForBlockedConnections } from '../../../test/locks.ts'
import { changeQuantities } from '../../../test/message-scene.ts'
import {
  createSteadyWorker,
  readStoredMessage,
  readStoredMessages,
  type StoredMessage,
} from '../../../test/send-scene.ts'
import { ACCEPTED, createTextsInFlight } from '../../../test/texts-in-flight.ts'
import { createWorld } from '../../../test/world.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import type { Outcome } from '../../messages/channels/channel.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import { recordDeliveryReport } from '../outcome/delivery.ts'
import { closeAbandonedSends } from './abandoned.ts'

// Settling of texts in flight.

const world = createWorld()
beforeEach(() => {
  world.texts.length = 0
})

const REFUSED: Outcome = {
  kind: 'rejected',
  reason: '21610',
  response: 'opted out',
  suppress: 'unsubscribed',
} as Outcome
/** `sendWithinSlots` flushes answers after this long without news. */
const PATIENCE_MS = 5_000

const readState = async (id: string) => (await readStoredMessage(world, id)).state

test.each([
  ['an acceptance is settled', ACCEPTED, 'sent'],
  ['a refusal is settled', REFUSED, 'failed'],
])('%s while another text gets no answer, however long the sender waits for news', async (_, outcome, state) => {
  const timer = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number, ...more: unknown[]) =>
    ms === PATIENCE_MS ? timer(() => {}, 0) : timer(run, ms, ...more)) as typeof setTimeout)
  const { waiting, end } = await createTextsInFlight(world, 2)
  try {
    waiting[0]!.answer(outcome)
    await expect.poll(() => readState(waiting[0]!.text.messageId)).toBe(state)
    expect(await readState(waiting[1]!.text.messageId)).toBe('sending')
  } finally {
    vi.restoreAllMocks()
    await end()
  }
})

test('settling an accepted text leaves the plan’s counter free while it waits for a cart', async () => {
  const { accountId, waiting, end } = await createTextsInFlight(world, 2)
  const client = await world.pool.connect()
  try {
    const { cart_id } = await readStoredMessage(world, waiting[0]!.text.messageId)
    await client.query('begin')
    await client.query('select 1 from carts where id = $1 for update', [cart_id])
    waiting[0]!.answer(ACCEPTED)
    await waitForBlockedConnections(world, 1)
    await client.query('select 1 from plan_usage where account_id = $1 for update nowait', [accountId])
  } finally {
    await client.query('rollback')
    client.release()
    await end()
  }
})

test('a worker with a new heartbeat after its texts were listed keeps them', async () => {
  const { waiting, workerId, end } = await createTextsInFlight(world, 1)
  const { messageId } = waiting[0]!.text
  const client = await world.pool.connect()
  try {
    const { shopper_id } = await readStoredMessage(world, messageId)
    await client.query('begin')
    await client.query('select 1 from shoppers where id = $1 for update', [shopper_id])
    const closing = closeAbandonedSends(await createSteadyWorker(world))
    await waitForBlockedConnections(world, 1)
    const beat = { id: workerId, started_at: world.now, seen_at: world.now, steady_since: world.now }
    await world.db.insertInto('workers').values(beat).execute()
    await client.query('commit')
    await closing
    expect(await readState(messageId)).toBe('sending')
  } finally {
    client.release()
    await end()
  }
  expect(await readState(messageId)).toBe('sent')
})

test('a refused text gives no badge to the cart its cart was joined to', async () => {
  const { storeId, waiting, end } = await createTextsInFlight(world, 2)
  const [refused, other] = await Promise.all(waiting.map(({ text }) => readStoredMessage(world, text.messageId)))
  const joined = { status: 'merged' as const, merged_into: other!.cart_id }
  await world.db.updateTable('carts').set(joined).where('id', '=', refused!.cart_id!).execute()
  waiting[0]!.answer(REFUSED)
  await expect.poll(() => readState(refused!.id)).toBe('failed')
  const cart = await world.db
    .selectFrom('carts as c')
    .select(selectBadgeColumns('c'))
    .where('id', '=', other!.cart_id!)
    .executeTakeFirstOrThrow()
  expect(cart).toMatchObject({ badge: 'No Action', last_sent_at: null })
  await end()
  expect((await readStoredMessages(world, storeId)).filter(({ state }) => state === 'sending')).toEqual([])
})

/**
 * Two people turn out to be one while a text is in flight about the cart that is joined to the other, whose own text
 * was refused.
 */
async function joinedInFlight() {
  const scene = await createTextsInFlight(world, 2)
  const { storeId, waiting, orders } = scene
  const rows = await Promise.all(waiting.map(({ text }) => readStoredMessage(world, text.messageId)))
  // Of carts that began together the one with the smaller id goes on (S6).
  const [into, from] = rows.toSorted((a, b) => (a.cart_id! < b.cart_id! ? -1 : 1)) as [StoredMessage, StoredMessage]
  waiting
    .find(({ text }) => text.messageId === into.id)!
    .answer({ kind: 'rejected', reason: '30005', response: 'gone', isRecipientFault: false })
  await expect.poll(() => readState(into.id)).toBe('failed')
  world.advance(1_000)
  const [first, second] = orders as [PlatformOrder, PlatformOrder]
  await recordOrders(world.deps, storeId, [{ ...changeQuantities(world, second), email: first.email }], 'sync')
  const cart = () =>
    world.db
      .selectFrom('carts as c')
      .select(['c.status', 'c.merged_into', ...selectBadgeColumns('c')])
      .where('id', '=', into.cart_id!)
      .executeTakeFirstOrThrow()
  expect(await world.db.selectFrom('carts').select('merged_into').where('id', '=', from.cart_id!).execute()).toEqual([
    { merged_into: into.cart_id },
  ])
  return { ...scene, into, from, cart }
}

test('activity in a cart joined with one whose text is in flight counts as after the send (S2, S6)', async () => {
  const { storeId, orders, cart, from, end } = await joinedInFlight()
  try {
    expect(await readState(from.id)).toBe('sending')
    world.advance(1_000)
    await recordOrders(world.deps, storeId, [changeQuantities(world, orders[0]!)], 'sync')
    expect(await cart()).toMatchObject({ status: 'abandoned', badge: 'No Action', last_sent_at: null })
  } finally {
    await end()
  }
  expect(await cart()).toMatchObject({ status: 'abandoned', badge: 'SMS Sent', last_sent_at: from.sending_at })
})

test('an undelivered text removes its badge from the cart its cart was joined to', async () => {
  const { accountId, cart, from, end } = await joinedInFlight()
  await end()
  expect(await cart()).toMatchObject({ badge: 'SMS Sent' })
  const about = { accountId, channel: 'sms' as const, messageId: from.id, providerId: 't-1', at: world.now }
  await recordDeliveryReport(world.deps, { ...about, status: 'failed', code: '30003' })
  expect(await readState(from.id)).toBe('failed')
  expect(await cart()).toMatchObject({ badge: 'No Action', last_sent_at: null, no_response_at: null })
})

test('an undelivered text leaves the badge of a newer message unchanged', async () => {
  const { accountId, cart, into, from, end } = await joinedInFlight()
  await end()
  const sentAt = new Date(from.sending_at!.getTime() + 5_000)
  await world.pool.query(
    `update messages set state = 'sent', reason = null, sending_at = $2, finished_at = $2 where id = $1`,
    [into.id, sentAt],
  )
  const badge = { badge: 'Email Sent' as const, last_sent_at: sentAt, no_response_at: null }
  await world.db.updateTable('cart_badges').set(badge).where('cart_id', '=', into.cart_id!).execute()
  await world.db.updateTable('carts').set({ status: 'purchased' }).where('id', '=', into.cart_id!).execute()
  const about = { accountId, channel: 'sms' as const, messageId: from.id, providerId: 't-1', at: world.now }
  await recordDeliveryReport(world.deps, { ...about, status: 'failed', code: '30003' })
  expect(await readState(from.id)).toBe('failed')
  expect(await cart()).toMatchObject(badge)
})

test('every statement that ends a message clears the stored decision from its row', async () => {
  const { waiting, end } = await createTextsInFlight(world, 1)
  const { messageId } = waiting[0]!.text
  try {
    for (const state of ['sent', 'delivered', 'unknown']) {
      const ends = world.pool.query('update messages set state = $2 where id = $1', [messageId, state])
      await expect(ends).rejects.toThrow('messages_settled')
    }
  } finally {
    await end()
  }
})
