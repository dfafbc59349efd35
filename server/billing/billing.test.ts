import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { aWorld } from '../../test/world.ts'
import { hasActiveSubscription, planOf } from './billing.ts'

const world = aWorld()

async function anOwner() {
  const { body } = await world.request('POST', '/api/auth/register', {
    body: { name: 'Ada', email: `${crypto.randomUUID()}@shop.example.com`, password: 'secret' },
  })
  const { account_id } = await world.db
    .selectFrom('members')
    .select('account_id')
    .where('user_id', '=', body.user.id)
    .executeTakeFirstOrThrow()
  return {
    token: body.token as string,
    userId: body.user.id as string,
    account: { accountId: account_id, db: world.db },
  }
}

const choose = (token: string, planKey: unknown) =>
  world.request('POST', '/api/subscribe/manual-update', { token, body: { planKey } })
const status = async (token: string) => (await world.request('GET', '/api/subscribe/status', { token })).body

test('before a plan is chosen there is none, and it allows nothing', async () => {
  const { token, account } = await anOwner()
  expect(await status(token)).toMatchObject({ plan: null, status: null, nextBillingDate: null })
  const plan = await planOf(account)
  expect(plan.limits).toEqual({ maxStores: 0, maxEmailsPerMonth: 0, maxSmsPerMonth: 0, maxWhatsappPerMonth: 0 })
  expect(hasActiveSubscription(plan)).toBe(false)
})

test('the free plan is an active subscription', async () => {
  const { token, account } = await anOwner()
  const reply = await world.request('POST', '/api/subscribe/create-free-subscription', { token, body: {} })
  expect(reply).toMatchObject({ status: 200, body: { success: true, message: 'You are on the Lite plan.' } })
  expect(await status(token)).toMatchObject({ plan: 'free', status: 'active' })
  expect((await planOf(account)).limits.maxEmailsPerMonth).toBe(500)
  const { body } = await world.request('GET', '/api/auth/me', { token })
  expect(body.user).toMatchObject({ subscriptionStatus: 'active', hasActiveSubscription: true })
})

test('the price list is public and says what the specification says', async () => {
  const { status, body } = await world.request('GET', '/api/subscribe/plans')
  expect(status).toBe(200)
  expect(body.plans).toMatchObject({
    free: { name: 'Lite', price: 0, features: ['Basic Analytics', 'Email Support'] },
    starter: { name: 'Starter', price: 19 },
    growth: { name: 'Growth', price: 49 },
  })
})

test('in test mode a plan is set without paying, again and again', async () => {
  const { token } = await anOwner()
  for (const plan of ['starter', 'growth', 'growth', 'free']) {
    expect((await choose(token, plan)).body).toMatchObject({ success: true, plan, status: 'active' })
    expect(await status(token)).toMatchObject({ plan, status: 'active', isTestMode: true })
  }
})

test('a plan that is not sold is refused in words', async () => {
  const { token } = await anOwner()
  for (const plan of ['professional', 'enterprise']) {
    expect(await choose(token, plan)).toMatchObject({
      status: 400,
      body: { error: `The plan "${plan}" is not sold yet. Choose free, starter, or growth.` },
    })
  }
  expect(await choose(token, 'gold')).toMatchObject({
    status: 400,
    body: { error: 'There is no such plan. Choose free, starter, or growth.' },
  })
  expect((await choose(token, '')).status).toBe(400)
  expect(await status(token)).toMatchObject({ plan: null })
})

test('outside of test mode nobody sets a plan by hand', async () => {
  const { token } = await anOwner()
  const { config } = world.deps
  world.deps.config = { ...config, isBillingTestMode: false }
  expect((await choose(token, 'growth')).status).toBe(404)
  expect(await status(token)).toMatchObject({ plan: null, isTestMode: false })
  world.deps.config = config
})

test('the demo keeps its plan', async () => {
  const { token, account } = await anOwner()
  await choose(token, 'growth')
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', account.accountId).execute()
  expect((await choose(token, 'free')).status).toBe(403)
  expect((await world.request('POST', '/api/subscribe/create-free-subscription', { token, body: {} })).status).toBe(403)
  expect(await status(token)).toMatchObject({ plan: 'growth' })
})

test('only owners and admins touch the plan', async () => {
  const { token, userId, account } = await anOwner()
  for (const role of ['member', 'viewer'] as const) {
    await world.db.updateTable('members').set({ role }).where('user_id', '=', userId).execute()
    expect((await choose(token, 'growth')).status).toBe(403)
    expect((await world.request('GET', '/api/subscribe/status', { token })).status).toBe(200)
  }
  expect((await planOf(account)).key).toBeNull()
})

test('an ended subscription allows nothing, an unpaid one goes on until it ends', async () => {
  const { token, account } = await anOwner()
  await choose(token, 'growth')
  const set = (status: 'canceled' | 'past_due' | 'trialing') =>
    world.db.updateTable('subscriptions').set({ status }).where('account_id', '=', account.accountId).execute()
  await set('past_due')
  expect((await planOf(account)).limits.maxStores).toBe(3)
  expect(hasActiveSubscription(await planOf(account))).toBe(false)
  await set('canceled')
  expect((await planOf(account)).limits.maxStores).toBe(0)
  await set('trialing')
  expect(hasActiveSubscription(await planOf(account))).toBe(true)
})

test('without a sign-in there is no subscription to speak of', async () => {
  expect((await world.request('GET', '/api/subscribe/status')).status).toBe(401)
  expect((await world.request('POST', '/api/subscribe/manual-update', { body: { planKey: 'growth' } })).status).toBe(
    401,
  )
})
