import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { createWorld } from '../../../test/world.ts'
import { loadEntitlements } from './entitlements.ts'

const world = createWorld()

async function createOwner() {
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

test('an account without a plan has no entitlements', { tags: ['A7'] }, async () => {
  const { token, account } = await createOwner()
  expect(await status(token)).toMatchObject({ plan: null, status: null, nextBillingDate: null })
  const { limits, isSubscribed } = await loadEntitlements(account, world.now)
  expect(limits).toEqual({ maxStores: 0, maxEmailsPerMonth: 0, maxSmsPerMonth: 0, maxWhatsappPerMonth: 0 })
  expect(isSubscribed).toBe(false)
})

test('the free plan is an active subscription', { tags: ['A3', 'A7'] }, async () => {
  const { token, account } = await createOwner()
  const reply = await world.request('POST', '/api/subscribe/create-free-subscription', { token, body: {} })
  expect(reply).toMatchObject({ status: 200, body: { success: true, message: 'You are on the Lite plan.' } })
  expect(await status(token)).toMatchObject({ plan: 'free', status: 'active' })
  expect((await loadEntitlements(account, world.now)).limits.maxEmailsPerMonth).toBe(500)
  const { body } = await world.request('GET', '/api/auth/me', { token })
  expect(body.user).toMatchObject({ subscriptionStatus: 'active', hasActiveSubscription: true })
})

test('the price list is public and matches the specification', { tags: ['A1', 'A3', 'A7'] }, async () => {
  const { status, body } = await world.request('GET', '/api/subscribe/plans')
  expect(status).toBe(200)
  expect(body.plans).toMatchObject({
    free: { name: 'Lite', price: 0, features: ['Basic Analytics', 'Email Support'] },
    starter: { name: 'Starter', price: 19 },
    growth: { name: 'Growth', price: 49 },
  })
})

test('in test mode a plan can be set without payment, repeatedly', { tags: ['A7'] }, async () => {
  const { token } = await createOwner()
  for (const plan of ['starter', 'growth', 'growth', 'free']) {
    expect((await choose(token, plan)).body).toMatchObject({ success: true, plan, status: 'active' })
    expect(await status(token)).toMatchObject({ plan, status: 'active', isTestMode: true })
  }
  // It keeps the chosen cycle and shows its price.
  const detail = async () => (await world.request('GET', '/api/payments/subscription', { token })).body.subscription
  const set = (body: object) => world.request('POST', '/api/subscribe/manual-update', { token, body })
  await set({ planKey: 'starter', cycle: 'year' })
  expect(await detail()).toMatchObject({ plan: 'starter', billingCycle: 'year', amount: 18_000 })
  await set({ planKey: 'starter' })
  expect(await detail()).toMatchObject({ billingCycle: null, amount: 1_900 })
  await set({ planKey: 'free', cycle: 'year' })
  expect(await detail()).toMatchObject({ plan: 'free', billingCycle: null })
  expect((await set({ planKey: 'starter', cycle: 'week' })).status).toBe(400)
})

test('a plan that is not sold is refused with a sentence', { tags: ['A3'] }, async () => {
  const { token } = await createOwner()
  for (const plan of ['professional', 'enterprise']) {
    expect(await choose(token, plan)).toMatchObject({
      status: 400,
      body: { error: `The plan "${plan}" is not available yet. Choose free, starter, or growth.` },
    })
  }
  expect(await choose(token, 'gold')).toMatchObject({
    status: 400,
    body: { error: 'There is no such plan. Choose free, starter, or growth.' },
  })
  expect((await choose(token, '')).status).toBe(400)
  expect(await status(token)).toMatchObject({ plan: null })
})

test('outside of test mode no plan can be set manually', { tags: ['A7'] }, async () => {
  const { token } = await createOwner()
  const { config } = world.deps
  world.deps.config = { ...config, isBillingTestMode: false }
  expect((await choose(token, 'growth')).status).toBe(404)
  expect(await status(token)).toMatchObject({ plan: null, isTestMode: false })
  world.deps.config = config
})

test('the demo account keeps its plan', async () => {
  const { token, account } = await createOwner()
  await choose(token, 'growth')
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', account.accountId).execute()
  expect((await choose(token, 'free')).status).toBe(403)
  expect((await world.request('POST', '/api/subscribe/create-free-subscription', { token, body: {} })).status).toBe(403)
  expect(await status(token)).toMatchObject({ plan: 'growth' })
})

test('only owners and admins can change the plan', async () => {
  const { token, userId, account } = await createOwner()
  for (const role of ['member', 'viewer'] as const) {
    await world.db.updateTable('members').set({ role }).where('user_id', '=', userId).execute()
    expect((await choose(token, 'growth')).status).toBe(403)
    expect((await world.request('GET', '/api/subscribe/status', { token })).status).toBe(200)
  }
  expect((await loadEntitlements(account, world.now)).plan).toBeNull()
})

test('the status has the plan in force and the end of the grace period (decisions 86 and 121)', async () => {
  const { token, account } = await createOwner()
  await choose(token, 'growth')
  const set = (status: 'canceled' | 'past_due' | 'trialing', past_due_since: Date | null = null) =>
    world.db
      .updateTable('subscriptions')
      .set({ status, past_due_since })
      .where('account_id', '=', account.accountId)
      .execute()
  await set('trialing')
  expect(await status(token)).toMatchObject({ hasActiveSubscription: true, planInForce: 'growth', graceUntil: null })
  const since = new Date(world.now.getTime() - 7 * 86_400_000 + 1)
  await set('past_due', since)
  const graceUntil = new Date(world.now.getTime() + 1).toISOString()
  expect(await status(token)).toMatchObject({ hasActiveSubscription: true, planInForce: 'growth', graceUntil })
  await set('past_due', new Date(since.getTime() - 1))
  expect(await status(token)).toMatchObject({ plan: 'growth', hasActiveSubscription: false, planInForce: 'growth' })
  const { user } = (await world.request('GET', '/api/auth/me', { token })).body
  expect(user).toMatchObject({ subscriptionStatus: 'past_due', hasActiveSubscription: false })
  await set('canceled')
  expect(await status(token)).toMatchObject({ plan: 'growth', hasActiveSubscription: false, planInForce: 'free' })
  await choose(token, 'growth')
  expect(await status(token)).toMatchObject({ status: 'active', hasActiveSubscription: true, planInForce: 'growth' })
})

test('the status has plan, status and date of the next bill (A 3)', { tags: ['A3'] }, async () => {
  const { token, account } = await createOwner()
  await choose(token, 'growth')
  const next_billing_at = new Date('2026-04-02T00:00:00Z')
  await world.db
    .updateTable('subscriptions')
    .set({ status: 'past_due', past_due_since: world.now, next_billing_at })
    .set({ current_period_end: next_billing_at, has_card: true })
    .where('account_id', '=', account.accountId)
    .execute()
  expect(await status(token)).toMatchObject({
    plan: 'growth',
    status: 'past_due',
    nextBillingDate: '2026-04-02T00:00:00.000Z',
    currentPeriodEnd: '2026-04-02T00:00:00.000Z',
    hasCard: true,
  })
})

test('an inactive free plan cannot exist', { tags: ['A4.3'] }, async () => {
  const { token, account } = await createOwner()
  await world.request('POST', '/api/subscribe/create-free-subscription', { token, body: {} })
  for (const status of ['canceled', 'past_due', 'trialing'] as const) {
    const set = world.db.updateTable('subscriptions').set({ status }).where('account_id', '=', account.accountId)
    await expect(set.execute()).rejects.toThrow('subscriptions_free_is_active')
  }
  expect(await status(token)).toMatchObject({ plan: 'free', status: 'active' })
})

test('the status requires a session', async () => {
  expect((await world.request('GET', '/api/subscribe/status')).status).toBe(401)
  expect((await world.request('POST', '/api/subscribe/manual-update', { body: { planKey: 'growth' } })).status).toBe(
    401,
  )
})
