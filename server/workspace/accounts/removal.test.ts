import { beforeEach, expect, test } from 'vitest'
import { buildOrder } from '../../../test/factories.ts'
import { findRemainingTables } from '../../../test/remaining-rows.ts'
import { createShop } from '../../../test/shop.ts'
import { fetchMe, postAuth } from '../../../test/visitor.ts'
import { createWorld } from '../../../test/world.ts'
import { hashPassword } from '../../access/members/passwords.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { cleanUpAccounts } from './accounts.ts'

const world = createWorld()
const PASSWORD = 'correct horse'

beforeEach(() => {
  world.sent.length = 0
  world.queued.length = 0
})

async function createDoomedShop() {
  const shop = await createShop(world)
  const { email } = await world.db
    .updateTable('users')
    .set({ password_hash: await hashPassword(PASSWORD) })
    .where('id', '=', shop.userId)
    .returning('email')
    .executeTakeFirstOrThrow()
  await recordOrders(world.deps, shop.storeId, [buildOrder(world)], 'sync')
  await shop.passTime(2 * 3_600_000)
  return { ...shop, email }
}

const remove = (token: string, body: object) => world.request('POST', '/api/account/delete', { token, body })

const openMessages = async (storeId: string) =>
  world.db
    .selectFrom('messages')
    .select('state')
    .where('store_id', '=', storeId)
    .where('state', 'in', ['scheduled', 'held', 'claimed'])
    .execute()

const remains = (shop: { accountId: string; storeId: string }) => findRemainingTables(world, shop)

test('deleting needs the typed word and the password', async () => {
  const shop = await createDoomedShop()
  expect(await remove(shop.token, { confirmation: 'delte', password: PASSWORD })).toMatchObject({
    status: 400,
    body: { fields: { confirmation: 'Type “delete” to confirm.' } },
  })
  expect(await remove(shop.token, { confirmation: 'delete', password: 'wrong' })).toMatchObject({
    status: 400,
    body: { fields: { password: 'That is not your current password.' } },
  })
  expect((await fetchMe(world, shop.token)).status).toBe(200)
})

test('deleting stops all sending, ends the subscription and signs everyone out in one commit', async () => {
  const shop = await createDoomedShop()
  expect((await openMessages(shop.storeId)).length).toBeGreaterThan(0)
  world.sent.length = 0
  expect((await remove(shop.token, { confirmation: ' Delete ', password: PASSWORD })).status).toBe(200)
  // Before the job runs.
  expect(await openMessages(shop.storeId)).toEqual([])
  expect((await fetchMe(world, shop.token)).status).toBe(401)
  expect((await postAuth(world, 'login', { email: shop.email, password: PASSWORD })).status).toBe(401)
  const subscription = await world.db
    .selectFrom('subscriptions')
    .select('status')
    .where('account_id', '=', shop.accountId)
    .executeTakeFirst()
  expect(subscription).toBeUndefined()
  expect(await world.db.selectFrom('users').select('id').where('id', '=', shop.userId).execute()).toEqual([])
  expect(world.sent).toMatchObject([{ to: shop.email, subject: 'Your account was deleted' }])
})

test('the job then deletes all rows of the account and its stores, and none of others', async () => {
  const shop = await createDoomedShop()
  const other = await createDoomedShop()
  const before = await remains(other)
  expect(await remains(shop)).toEqual(
    expect.arrayContaining(['carts', 'cart_counts', 'facts', 'messages', 'rollups', 'rollup_days', 'shoppers']),
  )
  await remove(shop.token, { confirmation: 'delete', password: PASSWORD })
  await world.runJobs()
  expect(await remains(shop)).toEqual([])
  expect(await world.db.selectFrom('accounts').select('id').where('id', '=', shop.accountId).execute()).toEqual([])
  expect(await remains(other)).toEqual(before)
})

test('the server retries the deletion after a deadlock with an incoming mail reply', async () => {
  const shop = await createDoomedShop()
  // A sequence keeps its value after a rollback.
  await world.pool.query(`
    create sequence stops;
    create function end_first_stop() returns trigger language plpgsql as $$
      begin
        if nextval('stops') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if;
        return new;
      end $$;
    create trigger end_first_stop before update on messages for each row execute function end_first_stop()`)
  const answer = await remove(shop.token, { confirmation: 'delete', password: PASSWORD })
  await world.pool.query('drop function end_first_stop cascade; drop sequence stops')
  expect(answer.status).toBe(200)
  expect(await openMessages(shop.storeId)).toEqual([])
  await world.runJobs()
  expect(await remains(shop)).toEqual([])
})

test('the tick resumes a removal whose job was lost', async () => {
  const shop = await createDoomedShop()
  await remove(shop.token, { confirmation: 'delete', password: PASSWORD })
  world.queued.length = 0
  world.advance(11 * 60_000)
  await cleanUpAccounts(world.deps)
  await world.runJobs()
  expect(await remains(shop)).toEqual([])
})

test('a member keeps their own account, and a freed address can register again', async () => {
  const shop = await createDoomedShop()
  const mia = await postAuth(world, 'register', {
    name: 'Mia',
    email: `mia${shop.accountId}@x.example`,
    password: PASSWORD,
  })
  await world.db
    .insertInto('members')
    .values({ account_id: shop.accountId, user_id: mia.user.id, role: 'member', created_at: world.now })
    .execute()
  await remove(shop.token, { confirmation: 'delete', password: PASSWORD })
  expect((await fetchMe(world, mia.token)).status).toBe(200)
  const registered = await postAuth(world, 'register', { name: 'Olive', email: shop.email, password: PASSWORD })
  expect(registered).toMatchObject({ status: 200, user: { stores: [] } })
})
