import { beforeEach, expect, test } from 'vitest'
import { buildTea, createShop, DAY, MINUTE, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// The forecast of a flow: expected messages, and messages known not to be sent, with the reason.

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T09:00:00Z`)
  shop = await createShop(world, { plan: 'starter' })
})

/** Carts abandoned at nine, with the first reminder due at ten; it is 09:50. */
async function abandonCarts(...counts: number[]): Promise<string[]> {
  const emails: string[] = []
  for (const count of counts) {
    const email = `up${++n}@shoppers.example.com`
    await shop.fill(`u${n}`, [buildTea(count)])
    await shop.type(`u${n}`, { email })
    emails.push(email)
  }
  await world.db
    .updateTable('carts')
    .set({ abandon_at: new Date(world.now.getTime() + 15 * MINUTE) })
    .where('store_id', '=', shop.storeId)
    .execute()
  await shop.passTime(50 * MINUTE)
  return emails
}

const read = async () => (await world.request('GET', `/api/flows/${shop.flowId}/upcoming`, { token: shop.token })).body

const setCondition = (condition: object) =>
  world.pool.query(`update flow_steps set conditions = $2 where store_id = $1 and step = 1`, [
    shop.storeId,
    JSON.stringify({ match: 'all', groups: [{ match: 'all', conditions: [condition] }] }),
  ])

test('the forecast excludes a message whose condition is known not to hold, with the reason', async () => {
  await setCondition({ fact: 'items', is: 'at_least', count: 3 })
  const [, many] = await abandonCarts(1, 5)
  const upcoming = await read()
  expect(upcoming).toMatchObject({ total: 1, unforeseen: 0, notSent: [{ count: 1 }] })
  expect(upcoming.messages).toMatchObject([{ to: many, step: 1, channel: 'email' }])
})

test('the forecast evaluates day and hour conditions at the due time', async () => {
  await world.db.updateTable('stores').set({ time_zone: 'UTC' }).where('id', '=', shop.storeId).execute()
  await setCondition({ fact: 'hour', is: 'between', from: 10, until: 11 })
  await abandonCarts(1)
  expect(await read()).toMatchObject({ total: 1, notSent: [] })
  await setCondition({ fact: 'hour', is: 'between', from: 9, until: 10 })
  expect(await read()).toMatchObject({ total: 0, notSent: [{ count: 1 }] })
})

test('the forecast excludes suppressed addresses, and everything while the flow is inactive', async () => {
  const [stopped] = await abandonCarts(1, 1, 1)
  const of = { account_id: shop.accountId, channel: 'email', reason: 'unsubscribed', source: 'STOP' } as const
  await world.db
    .insertInto('suppressions')
    .values({ ...of, created_at: world.now, address_hash: world.deps.secrets.addressHash(stopped!) })
    .execute()
  const upcoming = await read()
  expect(upcoming).toMatchObject({ total: 2, notSent: [{ count: 1 }] })
  expect(upcoming.messages.map(({ to }: { to: string }) => to)).not.toContain(stopped)
  await world.db.updateTable('flows').set({ is_on: false }).where('id', '=', shop.flowId).execute()
  const { total, notSent } = await read()
  expect([total, notSent.map(({ count }: { count: number }) => count)]).toEqual([0, [3]])
})
