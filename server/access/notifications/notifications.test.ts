import { expect, test } from 'vitest'
import { createStore } from '../../../test/factories.ts'
import { readNotifications } from '../../../test/notifications.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from './group.ts'
import { notify, notifyAccount } from './notifications.ts'

const world = createWorld()

test('an account notification is created once and shown in each of its stores', async () => {
  const first = await createStore(world)
  const second = await createStore(world, { accountId: first.accountId })
  const otherStore = await createStore(world)
  const account = { accountId: first.accountId, db: world.db }
  await notifyAccount(account, { type: 'domain_reopened', data: { domain: 'mail.example' }, at: world.now })
  const store = { storeId: first.storeId, db: world.db }
  await notify(store, { type: 'capture_flood', data: { ceiling: 70 }, at: world.now })
  const readTitles = async (storeId: string) =>
    (await readNotifications(world, storeId)).map(({ title }) => title).toSorted()
  const ofAccount = 'mail.example accepts your email again'
  expect(await readTitles(first.storeId)).toEqual(['Unusually many new contacts', ofAccount])
  expect(await readTitles(second.storeId)).toEqual([ofAccount])
  expect(await readTitles(otherStore.storeId)).toEqual([])
  const rows = await world.db
    .selectFrom('account_notifications')
    .select(['type', 'data'])
    .where('account_id', '=', first.accountId)
    .execute()
  expect(rows).toEqual([{ type: 'domain_reopened', data: { domain: 'mail.example' } }])
})

test('each notification of an account is later than the one before, whenever its event happened (decision 66)', async () => {
  const { storeId, accountId } = await createStore(world)
  const at = (ms: number) => new Date(world.now.getTime() + ms)
  const announce = async (ms: number) => {
    await notify({ storeId, db: world.db }, { type: 'capture_flood', data: { ceiling: ms }, at: at(ms) })
    await groupNotifications(world.deps)
  }
  for (const ms of [0, 500, 200, 500]) await announce(ms)
  await notifyAccount({ accountId, db: world.db }, { type: 'domain_reopened', data: { domain: 'a' }, at: at(0) })
  await groupNotifications(world.deps)
  const rows = await world.db
    .selectFrom('notifications')
    .select(['created_at'])
    .where('store_id', '=', storeId)
    .orderBy('created_at')
    .execute()
  expect(rows.map(({ created_at }) => created_at)).toEqual([0, 500, 501, 502].map(at))
  const last = await world.db
    .selectFrom('account_notifications')
    .select('created_at')
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  expect(last.created_at).toEqual(at(503))
})
