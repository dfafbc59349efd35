import { beforeEach, expect, it } from 'vitest'
import { createMessageScene, DAY, HOUR, listStepStates, passTime } from '../../../test/message-scene.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import {
  attachCard,
  buildItems,
  createSubscriber,
  readPayments,
  readSubscription,
  type Subscriber,
  subscribe,
} from '../../../test/subscriber.ts'
import { START } from '../../../test/world.ts'
import { refreshAccount } from './refresh.ts'

// Our subscription row is rebuilt from Stripe's objects (decision 83).

const world = createStripeWorld()
const refresh = ({ accountId }: Subscriber) => refreshAccount(world.deps, accountId)

beforeEach(() => {
  world.stripe.intercept = () => undefined
})

const customerRow = ({ accountId }: Subscriber) =>
  world.db.selectFrom('billing_customers').selectAll().where('account_id', '=', accountId).executeTakeFirstOrThrow()

it('copies plan, cycle, extra stores, amount and dates', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { plan: 'growth', cycle: 'year', extraStores: 2 })
  await refresh(shop)
  const end = world.stripe.all('subscription').at(-1)!.items.data[0]!.current_period_end
  expect(await readSubscription(world, shop)).toMatchObject({
    plan: 'growth',
    status: 'active',
    source: 'stripe',
    cycle: 'year',
    extra_stores: 2,
    is_unlimited: false,
    amount_minor: 70_800,
    currency: 'USD',
    has_card: true,
    cancel_at_period_end: false,
    past_due_since: null,
    current_period_end: new Date(end * 1000),
    next_billing_at: new Date(end * 1000),
    last_payment_at: world.stripe.clock.now(),
    trial_ends_at: null,
    next_plan: null,
    stripe_subscription_id: id,
    stripe_schedule_id: null,
  })
  expect(await customerRow(shop)).toMatchObject({ begun: 1, applied: 1, refreshed_at: world.now, failed_at: null })
})

it('copies a smaller plan scheduled for the end of the period', async () => {
  const shop = await createSubscriber(world)
  const stripe = world.deps.stripe!
  const { id } = await subscribe(world, shop, { plan: 'growth' })
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  const [phase] = schedule.phases
  await stripe.subscriptionSchedules.update(schedule.id, {
    phases: [
      { items: buildItems(world, { plan: 'growth' }), start_date: phase!.start_date, end_date: phase!.end_date },
      { items: buildItems(world, { plan: 'starter', extraStores: 1 }), duration: { interval: 'month' } },
    ],
  })
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject({
    plan: 'growth',
    stripe_schedule_id: schedule.id,
    changes_at: new Date(phase!.end_date * 1000),
    next_plan: 'starter',
    next_cycle: 'month',
    next_extra_stores: 1,
  })
  await stripe.subscriptionSchedules.release(schedule.id)
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'growth', next_plan: null, changes_at: null })
})

it('copies payments once, with their state', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop, { trialDays: 14 })
  await refresh(shop)
  expect(await readPayments(world, shop)).toEqual([])
  await attachCard(world, shop.customer, 'pm_card_chargeCustomerFail')
  world.passTime(15 * DAY)
  await refresh(shop)
  expect(await readPayments(world, shop)).toMatchObject([
    { status: 'failed', amount_minor: 1_900, currency: 'USD', failure_reason: 'Your card was declined.' },
  ])
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'starter', status: 'past_due' })
  const invoice = world.stripe.all('invoice').at(-1)!
  expect((await readSubscription(world, shop))!.past_due_since).toEqual(
    new Date(invoice.status_transitions.finalized_at! * 1000),
  )
  await attachCard(world, shop.customer)
  await world.deps.stripe!.invoices.pay(invoice.id!)
  await refresh(shop)
  expect(await readPayments(world, shop)).toMatchObject([
    { status: 'succeeded', failure_reason: null, refund_minor: 0, stripe_invoice_id: invoice.id },
  ])
  expect(await readSubscription(world, shop)).toMatchObject({ status: 'active', past_due_since: null })
  const [intent] = world.stripe.all('payment_intent').filter(({ customer }) => customer === shop.customer)
  await world.deps.stripe!.refunds.create({ payment_intent: intent!.id })
  await refresh(shop)
  expect(await readPayments(world, shop)).toMatchObject([{ status: 'refunded', refund_minor: 1_900 }])
  expect((await readSubscription(world, shop))!.stripe_subscription_id).toBe(id)
})

it.each([
  'operator',
  'default',
  'test',
  'free',
] as const)('a plan of the source %s stays while no subscription is live at Stripe', async (source) => {
  const shop = await createSubscriber(world)
  const own = { source, plan: source === 'free' ? ('free' as const) : ('growth' as const) }
  await world.db.updateTable('subscriptions').set(own).where('account_id', '=', shop.accountId).execute()
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject(own)
  const { id } = await subscribe(world, shop)
  await world.deps.stripe!.subscriptions.cancel(id)
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject({ ...own, stripe_subscription_id: null })
  await subscribe(world, shop)
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'starter', source: 'stripe' })
})

it('an ended subscription becomes the free plan, and a revoked one is canceled', async () => {
  const [ended, revoked] = [await createSubscriber(world, false), await createSubscriber(world, false)]
  const stripe = world.deps.stripe!
  for (const shop of [ended, revoked]) {
    const { id } = await subscribe(world, shop, { plan: 'growth' })
    await refresh(shop)
    if (shop === revoked) await stripe.subscriptions.update(id, { metadata: { recoup_ended: 'chargeback' } })
    await stripe.subscriptions.cancel(id)
    await refresh(shop)
  }
  expect(await readSubscription(world, ended)).toMatchObject({
    plan: 'free',
    status: 'active',
    source: 'stripe',
    cycle: null,
  })
  expect(await readSubscription(world, revoked)).toMatchObject({
    plan: 'growth',
    status: 'canceled',
    next_billing_at: null,
  })
})

it('a customer deleted at Stripe gets the free plan', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop)
  await refresh(shop)
  await world.deps.stripe!.customers.del(shop.customer)
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject({
    plan: 'free',
    status: 'active',
    stripe_subscription_id: id,
  })
  await refresh(await createSubscriber(world))
})

it('messages that waited for a larger plan are sent', async () => {
  const scene = await createMessageScene(world, 1)
  const shop = await createSubscriber(world, true, scene)
  const month = `${world.now.toISOString().slice(0, 7)}-01`
  const full = { account_id: shop.accountId, month, channel: 'email' as const, used: 500 }
  await world.db.insertInto('plan_usage').values(full).execute()
  await passTime(world, shop.storeId, HOUR)
  expect((await listStepStates(world, shop.storeId))[0]).toBe('held(plan_limit)')
  await subscribe(world, shop)
  await refresh(shop)
  await passTime(world, shop.storeId, 1_000)
  expect((await listStepStates(world, shop.storeId))[0]).toBe('sent')
})

it('a failure of Stripe changes nothing, is recorded and thrown, and the next fetch clears it', async () => {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  world.stripe.intercept = ({ path }) => (path === '/v1/invoices' ? 'cut' : undefined)
  await expect(refresh(shop)).rejects.toThrow('Stripe is not responding')
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'free', source: 'operator' })
  expect(await customerRow(shop)).toMatchObject({
    begun: 1,
    applied: 0,
    refreshed_at: null,
    failed_at: world.now,
    failure: expect.stringContaining('Stripe is not responding'),
  })
  world.stripe.intercept = () => undefined
  await refresh(shop)
  expect(await customerRow(shop)).toMatchObject({ begun: 2, applied: 2, failed_at: null, failure: null })
})

it('the newest of two live subscriptions counts, and the problem is recorded', async () => {
  const shop = await createSubscriber(world)
  const first = await subscribe(world, shop)
  world.passTime(1_000)
  const second = await subscribe(world, shop, { plan: 'growth' })
  await refresh(shop)
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'growth', stripe_subscription_id: second.id })
  expect((await customerRow(shop)).failure).toBe(
    `Two subscriptions are active at Stripe; the newest counts: ${[first.id, second.id].sort().join(', ')}.`,
  )
})

it('a snapshot that started earlier and ends later than another is not saved', async () => {
  const shop = await createSubscriber(world)
  const { id } = await subscribe(world, shop)
  let release = () => {}
  const held = new Promise<void>((go) => (release = go))
  const slow = {
    ...world.deps,
    stripe: new Proxy(world.deps.stripe!, {
      get: (client, name) =>
        name === 'invoices'
          ? {
              list: (params: object) => ({
                autoPagingToArray: async (of: { limit: number }) => {
                  const found = await client.invoices.list(params).autoPagingToArray(of)
                  await held
                  return found
                },
              }),
            }
          : Reflect.get(client, name),
    }),
  }
  const first = refreshAccount(slow, shop.accountId)
  const hasRequest = () =>
    world.stripe.seen.some(
      ({ method, path, query }) => method === 'GET' && path === '/v1/subscriptions' && query.includes(shop.customer),
    )
  await expect.poll(hasRequest).toBe(true)
  await world.deps.stripe!.subscriptions.update(id, { cancel_at_period_end: true })
  await refresh(shop)
  release()
  await first
  expect(await readSubscription(world, shop)).toMatchObject({ cancel_at_period_end: true })
  expect(await customerRow(shop)).toMatchObject({ begun: 2, applied: 2 })
})

it('an account that is being deleted gets no plan', async () => {
  const shop = await createSubscriber(world, false)
  await subscribe(world, shop)
  await world.db.updateTable('accounts').set({ deleted_at: START }).where('id', '=', shop.accountId).execute()
  await refresh(shop)
  expect(await readSubscription(world, shop)).toBeUndefined()
})

it('an account that never bought anything is not fetched', async () => {
  const requestCount = world.stripe.seen.length
  await refreshAccount(world.deps, crypto.randomUUID())
  expect(world.stripe.seen).toHaveLength(requestCount)
})
