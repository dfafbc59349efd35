import { beforeEach, expect, test } from 'vitest'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import {
  advanceToAbandoned,
  createMessageScene,
  DAY,
  HOUR,
  passTime,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { isFullRun } from '../../../test/seed.ts'
import { acceptMail, createWorld, START } from '../../../test/world.ts'
import { detectAbandoned } from '../../carts/carts/detect.ts'
import { recordOrders } from '../../carts/carts/record.ts'

// Meters of an account: used, held and expiring (decision 87).

const world = createWorld()

beforeEach(() => {
  world.now = START
  world.answer = acceptMail
  world.sent.length = 0
  world.queued.length = 0
})

const currentMonth = () => `${world.now.toISOString().slice(0, 7)}-01`

const setUsed = (accountId: string, channel: 'email' | 'sms', used: number) =>
  world.db
    .insertInto('plan_usage')
    .values({ account_id: accountId, month: currentMonth(), channel, used })
    .onConflict((conflict) => conflict.columns(['account_id', 'month', 'channel']).doUpdateSet({ used }))
    .execute()

async function readUsage({ token }: Pick<TestStore, 'token'>) {
  const { status, body } = await world.request('GET', '/api/subscribe/usage', { token })
  expect(status).toBe(200)
  return body
}
const readEmailMeter = async (store: Pick<TestStore, 'token'>) => (await readUsage(store)).meters[0]

test('the usage endpoint returns the month’s usage of the plan and the number of connected stores', async () => {
  const shop = await createStore(world, { plan: 'starter' })
  const second = await createStore(world, { accountId: shop.accountId })
  await setUsed(shop.accountId, 'email', 4_100)
  await setUsed(shop.accountId, 'sms', 100)
  expect(await readUsage(shop)).toEqual({
    month: currentMonth(),
    renewsAt: '2026-04-01T00:00:00.000Z',
    meters: [
      { channel: 'email', used: 4_100, limit: 5_000, held: 0, expiring: 0, level: 'near' },
      { channel: 'sms', used: 100, limit: 100, held: 0, expiring: 0, level: 'full' },
      { channel: 'whatsapp', used: 0, limit: 100, held: 0, expiring: 0, level: 'ok' },
    ],
    stores: {
      used: 2,
      limit: 2,
      problem: 'Your plan (Starter) includes 2 stores. Upgrade your plan, or disconnect a store first.',
      canAdd: false,
    },
  })
  await world.db.updateTable('stores').set({ is_active: false }).where('id', '=', second.storeId).execute()
  expect((await readUsage(shop)).stores).toEqual({ used: 1, limit: 2, problem: null, canAdd: false })
  // Another account is not affected.
  const otherStore = await createStore(world)
  expect(await readEmailMeter(otherStore)).toMatchObject({ used: 0, limit: 500 })
  // The next month starts at zero.
  world.now = new Date('2026-04-01T00:00:00.000Z')
  expect(await readUsage(shop)).toMatchObject({ month: '2026-04-01', renewsAt: '2026-05-01T00:00:00.000Z' })
  expect(await readEmailMeter(shop)).toMatchObject({ used: 0, level: 'ok' })
})

test('without a plan there is no usage, and with an overdue payment the plan’s own limits are shown', async () => {
  const shop = await createStore(world, { plan: 'starter' })
  const since = new Date(world.now.getTime() - 8 * DAY)
  await world.db
    .updateTable('subscriptions')
    .set({ status: 'past_due', past_due_since: since })
    .where('account_id', '=', shop.accountId)
    .execute()
  expect(await readEmailMeter(shop)).toMatchObject({ limit: 5_000 })
  expect((await readUsage(shop)).stores).toMatchObject({ limit: 2, problem: expect.stringContaining('overdue') })
  await world.db.deleteFrom('subscriptions').where('account_id', '=', shop.accountId).execute()
  const { meters, stores } = await readUsage(shop)
  expect(meters.map(({ limit }: { limit: number }) => limit)).toEqual([0, 0, 0])
  const problem = 'Choose a plan before you connect a store. The free plan includes one store.'
  expect(stores).toEqual({ used: 1, limit: 0, problem, canAdd: false })
})

test('messages held by the plan limit are counted over all stores, and so are those that expire before the month renews', async () => {
  const first = await createMessageScene(world, 3)
  const second = await createStore(world, { accountId: first.accountId })
  await recordOrders(world.deps, second.storeId, [buildOrder(world), buildOrder(world)], 'sync')
  await setUsed(first.accountId, 'email', 500)
  await advanceToAbandoned(world, first.storeId, HOUR)
  await advanceToAbandoned(world, second.storeId, 0)
  await sendDueMessages(world, first.storeId)
  await sendDueMessages(world, second.storeId)
  expect(await readEmailMeter(first)).toMatchObject({ used: 500, held: 5, expiring: 5, level: 'full' })
  const [one, two] = (await readMessages(world, first.storeId)).filter(({ state }) => state === 'held')
  const setExpiry = (id: string, expires_at: Date) =>
    world.db.updateTable('messages').set({ expires_at }).where('id', '=', id).execute()
  await setExpiry(one!.id, new Date('2026-04-01T00:00:00.000Z'))
  await setExpiry(two!.id, new Date('2026-04-01T00:00:00.001Z'))
  expect(await readEmailMeter(first)).toMatchObject({ held: 5, expiring: 4 })
  // Messages held for another reason do not count.
  await world.db.updateTable('messages').set({ reason: 'quiet_hours' }).where('id', '=', one!.id).execute()
  expect(await readEmailMeter(first)).toMatchObject({ held: 4, expiring: 3 })
  const otherStore = await createStore(world)
  expect(await readEmailMeter(otherStore)).toMatchObject({ held: 0, expiring: 0 })
  // A larger plan sends them.
  await world.request('POST', '/api/subscribe/manual-update', { token: first.token, body: { planKey: 'growth' } })
  await world.db.updateTable('messages').set({ reason: 'plan_limit' }).where('id', '=', one!.id).execute()
  await passTime(world, first.storeId, 1_000)
  await passTime(world, second.storeId, 0)
  expect(await readEmailMeter(first)).toMatchObject({ used: 505, limit: -1, held: 0, level: 'ok' })
})

const SENDERS = isFullRun ? 50 : 20
const ALLOWANCE = isFullRun ? 20 : 8

test('concurrent senders keep the counter exact, and no reader sees more than the limit', async () => {
  const shop = await createMessageScene(world, 1)
  const others = []
  for (let n = 1; n < SENDERS; n++) others.push(await createStore(world, { accountId: shop.accountId }))
  for (const { storeId } of others) await recordOrders(world.deps, storeId, [buildOrder(world)], 'sync')
  const stores = [shop, ...others]
  world.advance(HOUR)
  const started = world.now
  await world.db
    .updateTable('sync_state')
    .set({ completed_start: started, completed_at: started })
    .where('stream', '=', 'order_check')
    .execute()
  await detectAbandoned(world.deps)
  await setUsed(shop.accountId, 'email', 500 - ALLOWANCE)
  let isSending = true
  const counts: number[] = []
  const poll = async () => {
    while (isSending) counts.push((await readEmailMeter(shop)).used)
  }
  const polling = poll()
  await Promise.all(stores.map(({ storeId }) => sendDueMessages(world, storeId)))
  isSending = false
  await polling
  expect(world.sent).toHaveLength(ALLOWANCE)
  // Messages above the allowance are held and evaluated again.
  world.advance(1_000)
  await Promise.all(stores.map(({ storeId }) => sendDueMessages(world, storeId)))
  expect(world.sent).toHaveLength(ALLOWANCE)
  expect(await readEmailMeter(shop)).toEqual({
    channel: 'email',
    used: 500,
    limit: 500,
    held: SENDERS - ALLOWANCE,
    expiring: SENDERS - ALLOWANCE,
    level: 'full',
  })
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(Math.max(...counts)).toBeLessThanOrEqual(500)
})
