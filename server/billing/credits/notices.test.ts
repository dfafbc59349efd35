import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { createId } from '../../core/common/ids.ts'
import { transactAccount } from '../../core/db/db.ts'
import { addCredits, payWithCredits } from './credits.ts'
import { notifyLowCredits } from './notices.ts'

const world = createWorld()
const CENT = 10_000
const DAY = 86_400_000

async function createAccount() {
  const { accountId } = await createStore(world)
  const account = { accountId, db: world.db }
  return {
    accountId,
    fill: (cents: number) => addCredits(account, { kind: 'test', micros: cents * CENT }, world.now),
    use: (cents: number) =>
      transactAccount(account, (tx) =>
        payWithCredits(tx as never, accountId, [{ messageId: createId(), micros: cents * CENT }], world.now),
      ),
  }
}

async function readNotices(accountId: string): Promise<string[]> {
  await notifyLowCredits(world.deps)
  await groupNotifications(world.deps)
  const rows = await world.db
    .selectFrom('account_notifications')
    .select('type')
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('type')
    .execute()
  return rows.map(({ type }) => type)
}

test('notifies once below a week’s use and once below the price of a text, and again after the next pack', async () => {
  const { accountId, fill, use } = await createAccount()
  await fill(1_000)
  expect(await readNotices(accountId)).toEqual([])
  await use(400)
  expect(await readNotices(accountId)).toEqual([])
  await use(150)
  expect(await readNotices(accountId)).toEqual(['credits_low'])
  world.advance(DAY)
  expect(await readNotices(accountId)).toEqual(['credits_low'])
  await use(400)
  await use(40)
  world.advance(1)
  await use(9)
  expect(await readNotices(accountId)).toEqual(['credits_low', 'credits_empty'])
  await fill(100)
  world.advance(DAY)
  expect(await readNotices(accountId)).toEqual(['credits_low', 'credits_empty', 'credits_low'])
})

test('does not notify without use for a week, or after the notice that none is left', async () => {
  const { accountId, fill, use } = await createAccount()
  await fill(100)
  await use(100)
  expect(await readNotices(accountId)).toEqual(['credits_empty'])
  const other = await createAccount()
  await other.fill(100)
  await other.use(60)
  world.advance(8 * DAY)
  expect(await readNotices(other.accountId)).toEqual([])
  expect(await readNotices(accountId)).toEqual(['credits_empty'])
})
