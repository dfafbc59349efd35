import { beforeEach, expect, test, vi } from 'vitest'
import { consent, germanPhone } from '../../test/by-hand-scene.ts'
import { badgeColumns } from '../../test/cart-badges.ts'
import { anOrder } from '../../test/factories.ts'
import { connectionsWait } from '../../test/locks.ts'
import { aScene, HOUR, wait } from '../../test/message-scene.ts'
import { aSteadyWorker, stored, storedOne } from '../../test/turn-scene.ts'
import { aWorld } from '../../test/world.ts'
import { recordOrders } from '../carts/record.ts'
import type { Outcome, OutgoingText } from '../channels/channel.ts'
import { newId } from '../core/ids.ts'
import { closeAbandonedSends } from './abandoned.ts'
import { sendDue } from './deliver.ts'

// Texts in flight, and what is written down about them.

const world = aWorld()
beforeEach(() => {
  world.texts.length = 0
})

const ACCEPTED: Outcome = { kind: 'accepted', providerId: 't-1', response: 'queued' }
const REFUSED: Outcome = {
  kind: 'rejected',
  reason: '21610',
  response: 'opted out',
  suppress: 'unsubscribed',
} as Outcome
/** `sendWithinSlots` flushes answers after this long without news. */
const PATIENCE_MS = 5_000

/** Due texts to so many people, in flight until they are answered. */
async function textsInFlight(count: number) {
  world.now = new Date(`${new Date(world.now.getTime() + 86_400_000).toISOString().slice(0, 10)}T09:00:00Z`)
  const scene = await aScene(world, 0, { plan: 'growth' })
  await world.db.updateTable('flow_steps').set({ channel: 'sms' }).where('store_id', '=', scene.storeId).execute()
  const orders = Array.from({ length: count }, () => anOrder(world, { country: 'DE', phone: germanPhone() }))
  await recordOrders(world.deps, scene.storeId, orders, 'sync')
  for (const order of orders) await consent(world, scene, order)
  await wait(world, scene.storeId, HOUR)
  const waiting: { text: OutgoingText; answer: (outcome: Outcome) => void }[] = []
  world.answerText = (text) => new Promise((resolve) => waiting.push({ text, answer: resolve }))
  const workerId = newId()
  const sending = sendDue({ ...world.deps, workerId }, { storeId: scene.storeId })
  await expect.poll(() => waiting.length).toBe(count)
  const end = async () => {
    for (const { answer } of waiting) answer(ACCEPTED)
    await sending
  }
  return { ...scene, waiting, workerId, end }
}
const stateOf = async (id: string) => (await storedOne(world, id)).state

test.each([
  ['an acceptance is settled', ACCEPTED, 'sent'],
  ['a refusal is settled', REFUSED, 'failed'],
])('%s while another text gets no answer, however long the sender waits for news', async (_, outcome, state) => {
  const timer = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms?: number, ...more: unknown[]) =>
    ms === PATIENCE_MS ? timer(() => {}, 0) : timer(run, ms, ...more)) as typeof setTimeout)
  const { waiting, end } = await textsInFlight(2)
  try {
    waiting[0]!.answer(outcome)
    await expect.poll(() => stateOf(waiting[0]!.text.messageId)).toBe(state)
    expect(await stateOf(waiting[1]!.text.messageId)).toBe('sending')
  } finally {
    vi.restoreAllMocks()
    await end()
  }
})

test('settling an accepted text leaves the plan’s counter free while it waits for a cart', async () => {
  const { accountId, waiting, end } = await textsInFlight(2)
  const client = await world.pool.connect()
  try {
    const { cart_id } = await storedOne(world, waiting[0]!.text.messageId)
    await client.query('begin')
    await client.query('select 1 from carts where id = $1 for update', [cart_id])
    waiting[0]!.answer(ACCEPTED)
    await connectionsWait(world, 1)
    await client.query('select 1 from plan_usage where account_id = $1 for update nowait', [accountId])
  } finally {
    await client.query('rollback')
    client.release()
    await end()
  }
})

test('a worker that is heard of again after its texts were listed keeps them', async () => {
  const { waiting, workerId, end } = await textsInFlight(1)
  const { messageId } = waiting[0]!.text
  const client = await world.pool.connect()
  try {
    const { shopper_id } = await storedOne(world, messageId)
    await client.query('begin')
    await client.query('select 1 from shoppers where id = $1 for update', [shopper_id])
    const closing = closeAbandonedSends(await aSteadyWorker(world))
    await connectionsWait(world, 1)
    const beat = { id: workerId, started_at: world.now, seen_at: world.now, steady_since: world.now }
    await world.db.insertInto('workers').values(beat).execute()
    await client.query('commit')
    await closing
    expect(await stateOf(messageId)).toBe('sending')
  } finally {
    client.release()
    await end()
  }
  expect(await stateOf(messageId)).toBe('sent')
})

test('a refused text gives no badge to a cart that its cart was joined to', async () => {
  const { storeId, waiting, end } = await textsInFlight(2)
  const [refused, other] = await Promise.all(waiting.map(({ text }) => storedOne(world, text.messageId)))
  const joined = { status: 'merged' as const, merged_into: other!.cart_id }
  await world.db.updateTable('carts').set(joined).where('id', '=', refused!.cart_id!).execute()
  waiting[0]!.answer(REFUSED)
  await expect.poll(() => stateOf(refused!.id)).toBe('failed')
  const cart = await world.db
    .selectFrom('carts as c')
    .select(badgeColumns('c'))
    .where('id', '=', other!.cart_id!)
    .executeTakeFirstOrThrow()
  expect(cart).toMatchObject({ badge: 'No Action', last_sent_at: null })
  await end()
  expect((await stored(world, storeId)).filter(({ state }) => state === 'sending')).toEqual([])
})
