import { beforeEach, expect, test } from 'vitest'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { createMessageScene, DAY, HOUR, passTime } from '../../../test/message-scene.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { acceptMail, createWorld, START } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { mailDueNotifications } from '../../access/notifications/mails.ts'
import { notifyUsage } from './usage-notices.ts'

// Owners are notified at 80 % and 100 % of their plan's limits, once a month and channel (decision 87).

const world = createWorld()

beforeEach(() => {
  world.now = START
  world.answer = acceptMail
  world.sent.length = 0
  world.queued.length = 0
})

async function setUsed({ accountId }: TestStore, used: number, channel: 'email' | 'sms' | 'whatsapp' = 'email') {
  const month = `${world.now.toISOString().slice(0, 7)}-01`
  await world.db
    .insertInto('plan_usage')
    .values({ account_id: accountId, month, channel, used })
    .onConflict((conflict) => conflict.columns(['account_id', 'month', 'channel']).doUpdateSet({ used }))
    .execute()
  await notifyUsage(world.deps)
}

const readTitles = async ({ storeId }: TestStore) =>
  (await readNotifications(world, storeId)).filter(({ type }) => type.startsWith('plan_')).map(({ title }) => title)

const NEAR = 'Your plan’s emails for this month are nearly used up'
const FULL = 'Your plan’s emails for this month are used up'

test('notifies at 80 % and at 100 % once each, when reached and not only when a message is held', async () => {
  const shop = await createStore(world)
  await setUsed(shop, 399)
  expect(await readTitles(shop)).toEqual([])
  await setUsed(shop, 400)
  expect(await readTitles(shop)).toEqual([NEAR])
  await setUsed(shop, 450)
  await setUsed(shop, 499)
  expect(await readTitles(shop)).toEqual([NEAR])
  world.advance(1_000)
  await setUsed(shop, 500)
  expect((await readTitles(shop)).sort()).toEqual([NEAR, FULL].sort())
  await setUsed(shop, 500)
  expect(await readTitles(shop)).toHaveLength(2)
})

test('mails the owner both with the usage', async () => {
  const shop = await createStore(world)
  const { email } = await world.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', shop.userId)
    .executeTakeFirstOrThrow()
  const mailed = async () => {
    await groupNotifications(world.deps)
    await mailDueNotifications(world.deps)
    await world.runJobs()
    return world.sent.splice(0).filter(({ to }) => to === email)
  }
  await setUsed(shop, 412)
  const near = await mailed()
  expect(near.map(({ subject }) => subject)).toEqual([NEAR])
  expect(near[0]!.text).toContain('412 of 500 used.')
  world.advance(DAY)
  await setUsed(shop, 500)
  expect((await mailed()).map(({ subject }) => subject)).toEqual([FULL])
  await setUsed(shop, 500)
  expect(await mailed()).toEqual([])
})

test('notifies again in a new month', async () => {
  const shop = await createStore(world)
  world.now = new Date('2026-05-31T23:59:59.000Z')
  await setUsed(shop, 500)
  world.now = new Date('2026-06-01T00:00:01.000Z')
  expect(await readTitles(shop)).toEqual([FULL])
  await notifyUsage(world.deps)
  expect(await readTitles(shop)).toEqual([FULL])
  await setUsed(shop, 400)
  expect((await readTitles(shop)).sort()).toEqual([NEAR, FULL].sort())
})

test('notifies per channel', async () => {
  const shop = await createStore(world, { plan: 'starter' })
  await setUsed(shop, 80, 'sms')
  await setUsed(shop, 100, 'whatsapp')
  expect((await readTitles(shop)).sort()).toEqual([
    'Your plan’s SMS for this month are nearly used up',
    'Your plan’s WhatsApp messages for this month are used up',
  ])
})

test('sends no 80 % notice after a jump to 100 %, nor when usage is returned', async () => {
  const shop = await createStore(world)
  await setUsed(shop, 500)
  await setUsed(shop, 499)
  expect(await readTitles(shop)).toEqual([FULL])
  await setUsed(shop, 499)
  expect(await readTitles(shop)).toEqual([FULL])
})

test('a message held by the limit notifies once, whether it or the clock comes first', async () => {
  const before = await createMessageScene(world, 1)
  await setUsed(before, 500)
  await passTime(world, before.storeId, HOUR)
  expect(await readTitles(before)).toEqual([FULL])
  const after = await createMessageScene(world, 1)
  const month = `${world.now.toISOString().slice(0, 7)}-01`
  const full = { account_id: after.accountId, month, channel: 'email' as const, used: 500 }
  await world.db.insertInto('plan_usage').values(full).execute()
  await passTime(world, after.storeId, HOUR)
  expect(await readTitles(after)).toEqual([FULL])
  await notifyUsage(world.deps)
  expect(await readTitles(after)).toEqual([FULL])
})

test('notifies only accounts with a limit of the plan in force, not those without a plan or with an overdue payment', async () => {
  const growth = await createStore(world, { plan: 'growth' })
  await setUsed(growth, 90_000)
  const free = await createStore(world)
  await setUsed(free, 7, 'sms')
  const overdue = await createStore(world, { plan: 'starter' })
  const since = new Date(world.now.getTime() - 8 * DAY)
  const subscription = (status: 'past_due' | 'canceled', { accountId }: TestStore) =>
    world.db
      .updateTable('subscriptions')
      .set({ status, past_due_since: status === 'past_due' ? since : null })
      .where('account_id', '=', accountId)
      .execute()
  await subscription('past_due', overdue)
  await setUsed(overdue, 5_000)
  const none = await createStore(world)
  await world.db.deleteFrom('subscriptions').where('account_id', '=', none.accountId).execute()
  await setUsed(none, 500)
  for (const shop of [growth, free, overdue, none]) expect(await readTitles(shop)).toEqual([])
  // A canceled plan has the free plan's limits.
  const canceled = await createStore(world, { plan: 'growth' })
  await subscription('canceled', canceled)
  await setUsed(canceled, 450)
  expect(await readTitles(canceled)).toEqual([NEAR])
})

test('two concurrent workers notify once', async () => {
  const shop = await createStore(world)
  await setUsed(shop, 399)
  await world.db.updateTable('plan_usage').set({ used: 500 }).where('account_id', '=', shop.accountId).execute()
  await Promise.all(Array.from({ length: 8 }, () => notifyUsage(world.deps)))
  expect(await readTitles(shop)).toEqual([FULL])
})
