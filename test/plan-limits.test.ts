import { beforeEach, expect, test } from 'vitest'
import { type PlanKey, type PlanLimits, plans } from '../shared/billing/billing.ts'
import { connectFakeStore, createHomeUrl, registerOwner } from './connected-store.ts'
import { createFakeStore } from './fake-store.ts'
import { createShop, postWithWorker, type Shop } from './manual-send-scene.ts'
import { acceptMail, createWorld } from './world.ts'

// Every limit of every plan: one below, at and one above (decision 6). A limit without a row here fails the test.

const world = createWorld()

beforeEach(() => {
  world.answer = acceptMail
})

/** `paid`: bought or granted besides the plan. */
interface Kind {
  name: string
  plan: PlanKey
  paid: { extra_stores?: number; is_unlimited?: boolean }
  limits: PlanLimits
}

const buildLimits = (maxStores: number, email: number, sms: number, whatsapp: number): PlanLimits => ({
  maxStores,
  maxEmailsPerMonth: email,
  maxSmsPerMonth: sms,
  maxWhatsappPerMonth: whatsapp,
})

const kinds: Kind[] = [
  { name: 'free', plan: 'free', paid: {}, limits: buildLimits(1, 500, 0, 0) },
  { name: 'starter', plan: 'starter', paid: {}, limits: buildLimits(2, 5_000, 100, 100) },
  { name: 'growth', plan: 'growth', paid: {}, limits: buildLimits(3, -1, 1_000, 1_000) },
  {
    name: 'starter with 2 extra stores',
    plan: 'starter',
    paid: { extra_stores: 2 },
    limits: buildLimits(4, 5_000, 100, 100),
  },
  {
    name: 'growth with 1 extra store',
    plan: 'growth',
    paid: { extra_stores: 1 },
    limits: buildLimits(4, -1, 1_000, 1_000),
  },
  { name: 'growth without limits', plan: 'growth', paid: { is_unlimited: true }, limits: buildLimits(-1, -1, -1, -1) },
]

const channels = {
  email: { limit: 'maxEmailsPerMonth', path: '/api/email/send-email' },
  sms: { limit: 'maxSmsPerMonth', path: '/api/sms/send-reminder' },
  whatsapp: { limit: 'maxWhatsappPerMonth', path: '/api/whatsapp/send-reminder' },
} as const
type Channel = keyof typeof channels

test('every limit of the price list is tested here with its value', () => {
  const tried = ['maxStores', ...Object.values(channels).map(({ limit }) => limit)]
  for (const { limits } of Object.values(plans)) expect(Object.keys(limits)).toEqual(tried)
  for (const plan of ['free', 'starter', 'growth'] as const)
    expect(kinds.find(({ name }) => name === plan)!.limits).toEqual(plans[plan].limits)
})

const pay = (accountId: string, paid: Kind['paid']) =>
  world.db
    .updateTable('subscriptions')
    .set({ ...paid, updated_at: world.now })
    .where('account_id', '=', accountId)
    .execute()

const setUsed = (accountId: string, channel: Channel, used: number) =>
  world.db
    .insertInto('plan_usage')
    .values({ account_id: accountId, month: `${world.now.toISOString().slice(0, 7)}-01`, channel, used })
    .onConflict((conflict) => conflict.columns(['account_id', 'month', 'channel']).doUpdateSet({ used }))
    .execute()

async function readUsed({ token }: Shop, channel: Channel): Promise<number> {
  const { meters } = (await world.request('GET', '/api/subscribe/usage', { token })).body
  return meters.find((each: { channel: string }) => each.channel === channel).used
}

/** Sends manually about another cart each time. */
function createSender(shop: Shop, channel: Channel) {
  let next = 0
  return async () => {
    const place = next++
    const { email } = shop.orders[place]!
    const cart = { cartId: shop.cartIds[place]!, cart_id: shop.cartIds[place]!, to: email }
    return postWithWorker(world, shop, channels[channel].path, cart)
  }
}

const messages = kinds.flatMap((kind) => (Object.keys(channels) as Channel[]).map((channel) => ({ ...kind, channel })))

test.each(messages)('$name, $channel: the last message of the month is sent, and the next one is not', async (row) => {
  const { channel, plan, paid } = row
  const limit = row.limits[channels[channel].limit]
  const shop = await createShop(world, 3, { plan })
  await pay(shop.accountId, paid)
  const send = createSender(shop, channel)
  if (limit === 0) {
    // The plan does not include the channel.
    expect(await send()).toMatchObject({ status: 403, body: { code: 'plan_required' } })
    expect(await readUsed(shop, channel)).toBe(0)
    return
  }
  const initialCount = limit < 0 ? 1_000_000 : limit - 1
  await setUsed(shop.accountId, channel, initialCount)
  expect([channel, (await send()).status]).toEqual([channel, 200])
  expect(await readUsed(shop, channel)).toBe(initialCount + 1)
  const next = await send()
  if (limit < 0) expect(next.status).toBe(200)
  else {
    const body = { code: 'plan_required', error: 'The plan’s messages for this month are used up.' }
    expect(next).toMatchObject({ status: 403, body: { ...body, fields: { reason: 'plan_limit' } } })
    // Above the limit, as after a downgrade: nothing is sent either.
    await setUsed(shop.accountId, channel, limit + 1)
    expect((await send()).status).toBe(403)
  }
  expect(await readUsed(shop, channel)).toBe(limit < 0 ? initialCount + 2 : limit + 1)
})

test.each(kinds)('$name: connects as many stores as the plan allows, and no more', async ({ plan, paid, limits }) => {
  const owner = await registerOwner(world, plan)
  await pay(owner.accountId, paid)
  const { maxStores } = limits
  const last = maxStores < 0 ? 5 : maxStores
  for (let n = 1; n <= last; n++)
    expect((await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))).status).toBe(200)
  const further = await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))
  if (maxStores < 0) return expect(further.status).toBe(200)
  const stores = maxStores === 1 ? '1 store' : `${maxStores} stores`
  const upgrade = plan === 'growth' ? 'To connect another one,' : 'Upgrade your plan, or'
  const error = `Your plan (${plans[plan].name}) includes ${stores}. ${upgrade} disconnect a store first.`
  expect(further).toMatchObject({ status: 403, body: { code: 'plan_required', error } })
  // More stores than the plan allows: still none.
  await world.db
    .updateTable('subscriptions')
    .set({ plan: 'free', extra_stores: 0 })
    .where('account_id', '=', owner.accountId)
    .execute()
  const beyond = await connectFakeStore(world, owner, createFakeStore(createHomeUrl()))
  expect(beyond).toMatchObject({ status: 403, body: { code: 'plan_required' } })
})
