import crypto from 'node:crypto'
import { expect, test } from 'vitest'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { applyDefaultPlan } from './default-plan.ts'

// A self-hosted server that sells no plans (decision 82): no Stripe, and not in local mode.

const world = createWorld({ BILLING_TEST_MODE: 'off' })

async function registerOwner() {
  const { status, body } = await world.request('POST', '/api/auth/register', {
    body: { name: 'Ada', email: `${crypto.randomUUID()}@shop.example.com`, password: 'secret' },
  })
  expect(status).toBe(200)
  return body as { token: string; user: { accountId: string; hasActiveSubscription: boolean } }
}
const readStatus = async (token: string) => (await world.request('GET', '/api/subscribe/status', { token })).body
const readLimits = async (token: string) => {
  const { meters, stores } = (await world.request('GET', '/api/subscribe/usage', { token })).body
  return [stores.limit, ...meters.map(({ limit }: { limit: number }) => limit)]
}
const applyDefault = (defaultPlan: 'free' | 'starter' | 'growth', isBillingTestMode = false) => {
  world.deps.config = { ...world.deps.config, defaultPlan, isBillingTestMode }
  return applyDefaultPlan(world.deps)
}

test('a new account is subscribed at once, to Growth without limits', async () => {
  const { token, user } = await registerOwner()
  expect(user.hasActiveSubscription).toBe(true)
  expect(await readStatus(token)).toMatchObject({
    plan: 'growth',
    status: 'active',
    source: 'default',
    isUnlimited: true,
    sells: 'none',
    hasActiveSubscription: true,
  })
  expect(await readLimits(token)).toEqual([-1, -1, -1, -1])
  const detail = (await world.request('GET', '/api/payments/subscription', { token })).body.subscription
  expect(detail).toMatchObject({ amount: 0, canManage: false, features: { maxStores: -1, maxEmailsPerMonth: -1 } })
})

test('a default plan below Growth is limited as usual', async () => {
  await applyDefault('starter')
  const { token } = await registerOwner()
  expect(await readStatus(token)).toMatchObject({ plan: 'starter', source: 'default', isUnlimited: false })
  expect(await readLimits(token)).toEqual([2, 5_000, 100, 100])
  await applyDefault('growth')
})

test('at startup the default plan is applied to accounts without a plan or with an older default, and not to others', async () => {
  const { token, user } = await registerOwner()
  const accountWithoutPlan = await createStore(world)
  await world.db.deleteFrom('subscriptions').where('account_id', '=', accountWithoutPlan.accountId).execute()
  const others = await Promise.all(
    (['free', 'test', 'operator'] as const).map(async (source) => {
      const store = await createStore(world, { plan: 'starter' })
      await world.db.updateTable('subscriptions').set({ source }).where('account_id', '=', store.accountId).execute()
      return store
    }),
  )
  const demo = await createStore(world)
  await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', demo.accountId).execute()
  await world.db
    .updateTable('subscriptions')
    .set({ source: 'default' })
    .where('account_id', '=', demo.accountId)
    .execute()
  expect(await applyDefault('growth')).toBe(1)
  expect(await readStatus(accountWithoutPlan.token)).toMatchObject({
    plan: 'growth',
    source: 'default',
    isUnlimited: true,
  })
  expect(await applyDefault('growth')).toBe(0)
  expect(await applyDefault('free')).toBeGreaterThanOrEqual(2)
  expect(await readStatus(token)).toMatchObject({ plan: 'free', source: 'default', isUnlimited: false })
  for (const other of others) expect(await readStatus(other.token)).toMatchObject({ plan: 'starter' })
  expect(await readStatus(demo.token)).toMatchObject({ plan: 'free', source: 'default', isUnlimited: false })
  await world.db
    .updateTable('subscriptions')
    .set({ plan: 'starter' })
    .where('account_id', '=', demo.accountId)
    .execute()
  await applyDefault('growth')
  expect(await readStatus(demo.token)).toMatchObject({ plan: 'starter' })
  expect(user.accountId).not.toBe(accountWithoutPlan.accountId)
})

test('a smaller default plan puts excess stores to rest, and a larger one wakes them', async () => {
  await applyDefault('growth')
  const first = await createStore(world)
  world.advance(1_000)
  const second = await createStore(world, { accountId: first.accountId })
  await world.db
    .updateTable('subscriptions')
    .set({ source: 'default', plan: 'growth', is_unlimited: true })
    .where('account_id', '=', first.accountId)
    .execute()
  const listRestingStores = async () =>
    (await world.request('GET', '/api/subscribe/resting-stores', { token: first.token })).body.stores
      .filter(({ isResting }: { isResting: boolean }) => isResting)
      .map(({ id }: { id: string }) => id)
  await applyDefault('free')
  expect(await listRestingStores()).toEqual([second.storeId])
  await applyDefault('growth')
  expect(await listRestingStores()).toEqual([])
})

test('without billing, plans cannot be chosen; with billing, no default plan is applied', async () => {
  await applyDefault('growth')
  const { token } = await registerOwner()
  const choiceReply = await world.request('POST', '/api/subscribe/create-free-subscription', { token, body: {} })
  expect([choiceReply.status, choiceReply.body.error]).toEqual([404, billingTexts.noBilling])
  const manualReply = await world.request('POST', '/api/subscribe/manual-update', { token, body: { planKey: 'free' } })
  expect(manualReply.status).toBe(404)
  expect(await readStatus(token)).toMatchObject({ plan: 'growth' })
  expect(await applyDefault('growth', true)).toBe(0)
  const later = await registerOwner()
  expect(await readStatus(later.token)).toMatchObject({ plan: null, hasActiveSubscription: false, sells: 'test' })
  // An account that was given a plan keeps it.
  expect(await readStatus(token)).toMatchObject({ plan: 'growth', source: 'default', isUnlimited: true })
})
