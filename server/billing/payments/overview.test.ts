import { beforeEach, expect, it } from 'vitest'
import { createColleague } from '../../../test/factories.ts'
import { DAY } from '../../../test/message-scene.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { attachCard, createSubscriber, readSubscription, type Subscriber, subscribe } from '../../../test/subscriber.ts'
import { viewSubscription } from './overview.ts'
import { reconcileAccounts } from './reconcile.ts'
import { refreshAccount } from './refresh.ts'

// The Billing page: subscription and payments (A 2.7, A 7, decision 88), and the fetches that find unreported changes.

const world = createStripeWorld()
beforeEach(() => {
  world.stripe.intercept = () => undefined
})

const detail = async ({ token }: { token: string }) =>
  (await world.request('GET', '/api/payments/subscription', { token })).body
const history = (token: string, query = '') => world.request('GET', `/api/payments/payment-history${query}`, { token })
const countRequests = () => world.stripe.seen.length

/** Sessions expire while Stripe's time passes. */
async function staySignedIn({ accountId }: Subscriber) {
  const expires_at = new Date(world.now.getTime() + DAY)
  await world.db.updateTable('sessions').set({ expires_at }).where('account_id', '=', accountId).execute()
}

it('shows plan, price, dates, limits with extra stores, and flags', { tags: ['A3', 'A7'] }, async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop, { cycle: 'year', extraStores: 2 })
  const { subscription } = await detail(shop)
  expect(subscription).toMatchObject({
    plan: 'starter',
    status: 'active',
    source: 'stripe',
    billingCycle: 'year',
    amount: 42_000,
    currency: 'USD',
    extraStores: 2,
    hasCard: true,
    canManage: true,
    cancelAtPeriodEnd: false,
    trialEndsAt: null,
    currentPeriodEnd: subscription.nextBillingDate,
    lastPaymentDate: world.stripe.clock.now().toISOString(),
    planDetails: { name: 'Starter', features: expect.arrayContaining(['Priority Support']) },
    features: {
      maxStores: 4,
      maxEmailsPerMonth: 5_000,
      maxSmsPerMonth: 100,
      maxWhatsappPerMonth: 100,
      advancedAnalytics: true,
      prioritySupport: true,
      customBranding: true,
      apiAccess: false,
    },
    asOf: world.now.toISOString(),
  })
})

it('shows neither price nor date for a plan not paid by card, and null before a plan was chosen', {
  tags: ['A7'],
}, async () => {
  const shop = await createSubscriber(world)
  const own = { source: 'default' as const, plan: 'growth' as const, is_unlimited: true }
  await world.db.updateTable('subscriptions').set(own).where('account_id', '=', shop.accountId).execute()
  expect((await detail(shop)).subscription).toMatchObject({
    plan: 'growth',
    source: 'default',
    amount: 0,
    billingCycle: null,
    nextBillingDate: null,
    asOf: null,
    features: { maxStores: -1, maxEmailsPerMonth: -1, maxSmsPerMonth: -1, maxWhatsappPerMonth: -1 },
  })
  await world.db.deleteFrom('subscriptions').where('account_id', '=', shop.accountId).execute()
  expect(await detail(shop)).toEqual({ subscription: null })
})

it('after a chargeback shows the limits that apply and the former plan', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { plan: 'growth', extraStores: 3 })
  await refreshAccount(world.deps, shop.accountId)
  world.advance(60_000)
  await world.deps.stripe!.subscriptions.update(id, { metadata: { recoup_ended: 'operator' } })
  await world.deps.stripe!.subscriptions.cancel(id)
  expect((await detail(shop)).subscription).toMatchObject({
    plan: 'growth',
    status: 'canceled',
    features: { maxStores: 1, maxEmailsPerMonth: 500, advancedAnalytics: false },
  })
})

it('fetches from Stripe when opened, and again after a minute', async () => {
  const shop = await createSubscriber(world)
  expect((await detail(shop)).subscription.plan).toBe('free')
  await subscribe(world, shop)
  const before = countRequests()
  world.advance(59_000)
  expect((await detail(shop)).subscription.plan).toBe('free')
  expect(countRequests()).toBe(before)
  world.advance(1_000)
  expect((await detail(shop)).subscription.plan).toBe('starter')
})

it('shows the copy and its age if Stripe fails or takes too long', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  const { asOf } = (await detail(shop)).subscription
  world.advance(DAY / 2)
  world.stripe.intercept = () => ({ status: 500, body: { error: { type: 'api_error' } } })
  expect((await detail(shop)).subscription).toMatchObject({ plan: 'starter', asOf })
  // At most one request a minute, also during failures.
  const before = countRequests()
  expect((await detail(shop)).subscription).toMatchObject({ plan: 'starter', asOf })
  expect(countRequests()).toBe(before)
  world.advance(60_000)
  world.stripe.intercept = () => 'hang'
  const account = { accountId: shop.accountId, db: world.db }
  expect(await viewSubscription(world.deps, account, 5)).toMatchObject({ plan: 'starter', asOf })
})

it('an account without purchases is not fetched', async () => {
  const shop = await createSubscriber(world)
  await world.db.deleteFrom('billing_customers').where('account_id', '=', shop.accountId).execute()
  const before = countRequests()
  expect((await detail(shop)).subscription).toMatchObject({ plan: 'free', canManage: false })
  expect(countRequests()).toBe(before)
})

it('lists the account’s own payments, ten a page, newest first', { tags: ['A7'] }, async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  world.passTime(366 * DAY)
  await refreshAccount(world.deps, shop.accountId)
  await staySignedIn(shop)
  const first = (await history(shop.token)).body
  expect(first.pagination).toEqual({ page: 1, limit: 10, total: 13, pages: 2 })
  expect(first.payments).toHaveLength(10)
  expect(first.payments[0]).toMatchObject({
    status: 'succeeded',
    amount: 1_900,
    currency: 'USD',
    refundAmount: 0,
    failureReason: null,
    stripeInvoiceId: expect.stringMatching(/^in_/),
    invoiceUrl: expect.stringContaining('/i/in_'),
    description: expect.stringContaining('Starter'),
  })
  const { payments } = (await history(shop.token, '?page=2')).body
  const dates = [...first.payments, ...payments].map(({ createdAt }) => createdAt)
  expect(dates).toEqual(dates.toSorted().reverse())
  expect(dates).toHaveLength(13)
  const otherUser = await createSubscriber(world)
  await staySignedIn(otherUser)
  expect((await history(otherUser.token)).body).toMatchObject({ payments: [], pagination: { total: 0 } })
})

it('lists partial and full refunds of a payment', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  await refreshAccount(world.deps, shop.accountId)
  const { id } = world.stripe.all('charge').findLast(({ customer }) => customer === shop.customer)!
  for (const [amount, status, refundAmount] of [
    [500, 'succeeded', 500],
    [1_400, 'refunded', 1_900],
  ] as const) {
    await world.deps.stripe!.refunds.create({ charge: id, amount })
    await refreshAccount(world.deps, shop.accountId)
    await staySignedIn(shop)
    expect((await history(shop.token)).body.payments).toMatchObject([{ status, amount: 1_900, refundAmount }])
  }
})

it('members see the plan only, owners and admins also the payments', async () => {
  const shop = await createSubscriber(world)
  for (const [role, status] of [
    ['admin', 200],
    ['member', 403],
    ['viewer', 403],
  ] as const) {
    const { token } = await createColleague(world, shop, role)
    expect([role, (await history(token)).status]).toEqual([role, status])
    expect((await detail({ token })).subscription.plan).toBe('free')
  }
})

it('the nightly fetch finds unreported changes and skips accounts fetched recently', async () => {
  await world.db.deleteFrom('billing_customers').execute()
  const [late, fresh] = [await createSubscriber(world), await createSubscriber(world)]
  for (const shop of [late, fresh]) await subscribe(world, shop)
  for (const shop of [late, fresh]) await refreshAccount(world.deps, shop.accountId)
  await attachCard(world, late.customer, 'pm_card_chargeCustomerFail')
  world.passTime(31.5 * DAY)
  await refreshAccount(world.deps, fresh.accountId)
  world.queued.length = 0
  await reconcileAccounts(world.deps)
  await reconcileAccounts(world.deps)
  expect(world.queued).toMatchObject([{ name: 'payments.refresh', payload: { accountId: late.accountId } }])
  await world.runJobs()
  expect(await readSubscription(world, late)).toMatchObject({ status: 'past_due' })
  await reconcileAccounts(world.deps)
  expect(world.queued).toEqual([])
})

it('an account on which Stripe fails is retried in an hour and blocks no other', async () => {
  await world.db.deleteFrom('billing_customers').execute()
  const shop = await createSubscriber(world)
  world.stripe.intercept = () => 'cut'
  await reconcileAccounts(world.deps)
  await expect(world.runJobs()).rejects.toThrow('Stripe')
  await reconcileAccounts(world.deps)
  expect(world.queued).toEqual([])
  world.advance(3_600_001)
  await reconcileAccounts(world.deps)
  expect(world.queued).toMatchObject([{ payload: { accountId: shop.accountId } }])
  const { stripe } = world.deps
  delete world.deps.stripe
  world.queued.length = 0
  await reconcileAccounts(world.deps)
  world.deps.stripe = stripe!
  expect(world.queued).toEqual([])
})

it('a failed fetch is retried in an hour, even after a successful one today', async () => {
  await world.db.deleteFrom('billing_customers').execute()
  const shop = await createSubscriber(world)
  await refreshAccount(world.deps, shop.accountId)
  world.stripe.intercept = () => 'cut'
  await expect(refreshAccount(world.deps, shop.accountId)).rejects.toThrow('Stripe')
  world.stripe.intercept = () => undefined
  world.queued.length = 0
  await reconcileAccounts(world.deps)
  expect(world.queued).toEqual([])
  world.advance(3_600_001)
  await reconcileAccounts(world.deps)
  expect(world.queued).toMatchObject([{ payload: { accountId: shop.accountId } }])
  await world.runJobs()
  await reconcileAccounts(world.deps)
  expect(world.queued).toEqual([])
})
