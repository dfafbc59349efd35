import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { raiseProblem, resolveProblem } from './problems.ts'

const world = createWorld()

const listOpen = (accountId: string) =>
  world.db
    .selectFrom('operator_problems')
    .select(['kind', 'detail'])
    .where('account_id', '=', accountId)
    .where('resolved_at', 'is', null)
    .orderBy('kind')
    .execute()

test('a problem is open once while it is found, is resolved when it is gone, and can reopen', async () => {
  const { accountId } = await createStore(world)
  const other = await createStore(world)
  const account = { accountId, db: world.db }
  const found = (detail: string) => raiseProblem(account, { kind: 'two_subscriptions', detail, now: world.now })
  await Promise.all([found('sub_1 and sub_2'), found('sub_1 and sub_2')])
  await raiseProblem(account, { kind: 'chargeback', detail: 'x'.repeat(5_000), now: world.now })
  await raiseProblem({ accountId: other.accountId, db: world.db }, { kind: 'chargeback', detail: 'a', now: world.now })
  expect(await listOpen(accountId)).toEqual([
    { kind: 'chargeback', detail: 'x'.repeat(1_000) },
    { kind: 'two_subscriptions', detail: 'sub_1 and sub_2' },
  ])
  await resolveProblem(account, 'two_subscriptions', world.now)
  await resolveProblem(account, 'chargeback', world.now)
  expect(await listOpen(accountId)).toEqual([])
  expect(await listOpen(other.accountId)).toHaveLength(1)
  await found('sub_3 and sub_4')
  expect(await listOpen(accountId)).toEqual([{ kind: 'two_subscriptions', detail: 'sub_3 and sub_4' }])
})
