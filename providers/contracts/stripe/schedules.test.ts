import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScene, readRefusal, type Scene, START, toUnixSeconds } from './scene.ts'

// Scheduled changes at the period's end; refunds and disputes.

let scene: Scene
let stripe: Stripe

beforeEach(async () => {
  scene = await openScene()
  stripe = scene.stripe
})
afterEach(async () => {
  expect(scene.server.faults).toEqual([])
  await scene.server.close()
})

const DAY = 86_400_000
const advanceDays = (days: number) => scene.server.clock.advance(new Date(START.getTime() + days * DAY))
const listWaitingEvents = () => scene.server.webhooks.waiting().map(({ type }) => type)

/** Monthly Growth with two extra stores, paid. */
async function createSubscription(params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const customer = await stripe.customers.create({ email: 'ann@shop.test', payment_method: 'pm_card_visa' })
  const [card] = (await stripe.customers.listPaymentMethods(customer.id)).data
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    default_payment_method: card!.id,
    items: [
      { price: scene.prices.growthMonth, quantity: 1 },
      { price: scene.prices.storeMonth, quantity: 2 },
    ],
    ...params,
  })
  return { customer: customer.id, id: subscription.id, subscription }
}

/** The current phase unchanged, and a next one. */
async function scheduleChange(
  id: string,
  next: { price: string; quantity: number }[],
  end: object = { duration: { interval: 'month' } },
) {
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  const [current] = schedule.phases
  const { start_date, end_date, items, trial_end } = current!
  return stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      {
        start_date,
        end_date,
        ...(trial_end && { trial_end }),
        items: items.map(({ price, quantity }) => ({ price: price as string, quantity: quantity! })),
      },
      { items: next, ...end } as Stripe.SubscriptionScheduleUpdateParams.Phase,
    ],
  })
}

const listPriceKeys = async (id: string) =>
  (await stripe.subscriptions.retrieve(id)).items.data.map(({ price, quantity }) => `${quantity} ${price.lookup_key}`)
const readLastInvoice = async (subscription: string) => (await stripe.invoices.list({ subscription })).data[0]!

it('switches to a smaller plan with the next period, and then releases the subscription', async () => {
  const { id } = await createSubscription()
  const schedule = await scheduleChange(id, [{ price: scene.prices.starterMonth, quantity: 1 }])
  expect(schedule).toMatchObject({ status: 'active', subscription: id, end_behavior: 'release' })
  expect((await stripe.subscriptions.retrieve(id, { expand: ['schedule'] })).schedule).toMatchObject({
    phases: [{ end_date: schedule.phases[1]!.start_date }, { items: [{ price: scene.prices.starterMonth }] }],
  })
  expect(await listPriceKeys(id)).toEqual(['1 growth_month', '2 store_month'])
  advanceDays(30.9)
  expect(await listPriceKeys(id)).toEqual(['1 growth_month', '2 store_month'])
  advanceDays(31.1)
  expect(await listPriceKeys(id)).toEqual(['1 starter_month'])
  expect(await readLastInvoice(id)).toMatchObject({
    status: 'paid',
    amount_paid: 1_900,
    lines: { data: [{ amount: 1_900 }] },
  })
  expect((await stripe.subscriptionSchedules.retrieve(schedule.id)).current_phase!.start_date).toBe(
    schedule.phases[1]!.start_date,
  )
  advanceDays(62)
  expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
    status: 'released',
    released_subscription: id,
  })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active', schedule: null })
  expect(await readLastInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 1_900 })
})

it('switches to a yearly plan with the next period', async () => {
  const { id } = await createSubscription()
  await scheduleChange(id, [{ price: scene.prices.starterYear, quantity: 1 }], { duration: { interval: 'year' } })
  advanceDays(31.1)
  const subscription = await stripe.subscriptions.retrieve(id)
  const [item] = subscription.items.data
  expect(new Date(item!.current_period_start * 1000).toISOString()).toBe('2026-04-02T10:00:00.000Z')
  expect(new Date(item!.current_period_end * 1000).toISOString()).toBe('2027-04-02T10:00:00.000Z')
  expect((await readLastInvoice(id)).amount_paid).toBe(18_000)
})

it('undoes a scheduled change by a release', async () => {
  const { id } = await createSubscription()
  const { id: schedule } = await scheduleChange(id, [{ price: scene.prices.starterMonth, quantity: 1 }])
  expect(await stripe.subscriptionSchedules.release(schedule)).toMatchObject({ status: 'released', subscription: null })
  expect(await readRefusal(stripe.subscriptionSchedules.release(schedule))).toMatchObject({
    message: expect.stringContaining('currently in the `released` status'),
  })
  advanceDays(31.1)
  expect(await listPriceKeys(id)).toEqual(['1 growth_month', '2 store_month'])
  expect(listWaitingEvents()).toEqual(
    expect.arrayContaining(['subscription_schedule.created', 'subscription_schedule.released']),
  )
  const changes = scene.server.webhooks.waiting().flatMap(({ data }) => Object.keys(data.previous_attributes ?? {}))
  expect(changes.filter((name) => name === 'schedule')).toHaveLength(2)
})

it('refuses to cancel at the period’s end under a schedule, and ends with the subscription', async () => {
  const { id } = await createSubscription()
  const { id: schedule } = await scheduleChange(id, [{ price: scene.prices.starterMonth, quantity: 1 }])
  expect(await readRefusal(stripe.subscriptions.update(id, { cancel_at_period_end: true }))).toMatchObject({
    param: 'cancel_at_period_end',
    message: expect.stringContaining('managed by the subscription schedule'),
  })
  await stripe.subscriptions.cancel(id)
  expect((await stripe.subscriptionSchedules.retrieve(schedule)).status).toBe('canceled')
})

it('cancels after the last phase with end_behavior cancel', async () => {
  const { id } = await createSubscription()
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  await stripe.subscriptionSchedules.update(schedule.id, { end_behavior: 'cancel' })
  advanceDays(31.1)
  expect((await stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  expect((await stripe.subscriptionSchedules.retrieve(schedule.id)).status).toBe('completed')
})

it('ends a trial that the new phases do not name, and keeps one that they do', async () => {
  const trial = await createSubscription({ trial_period_days: 14 })
  const schedule = await scheduleChange(trial.id, [{ price: scene.prices.starterMonth, quantity: 1 }])
  expect(await stripe.subscriptions.retrieve(trial.id)).toMatchObject({ status: 'trialing' })
  const [first, next] = schedule.phases
  const plain = (phase: Stripe.SubscriptionSchedule.Phase) => ({
    start_date: phase.start_date,
    end_date: phase.end_date,
    items: phase.items.map(({ price, quantity }) => ({ price: price as string, quantity: quantity! })),
  })
  await stripe.subscriptionSchedules.update(schedule.id, { phases: [plain(first!), plain(next!)] })
  expect(await stripe.subscriptions.retrieve(trial.id)).toMatchObject({ status: 'active' })
})

it('applies a change of the current phase at once, and records a direct change in it', async () => {
  const { id } = await createSubscription()
  const schedule = await scheduleChange(id, [{ price: scene.prices.starterMonth, quantity: 1 }])
  const item = (await stripe.subscriptions.retrieve(id)).items.data[1]!
  await stripe.subscriptions.update(id, { items: [{ id: item.id, quantity: 5 }] })
  expect(
    (await stripe.subscriptionSchedules.retrieve(schedule.id)).phases[0]!.items.map(({ quantity }) => quantity),
  ).toEqual([1, 5])
})

it('refuses invalid schedules', async () => {
  const { id } = await createSubscription()
  const create = (params: object) => readRefusal(stripe.subscriptionSchedules.create(params))
  expect(await create({ from_subscription: id, end_behavior: 'cancel' })).toMatchObject({ param: 'end_behavior' })
  expect(await create({ from_subscription: 'sub_none' })).toMatchObject({
    code: 'resource_missing',
    param: 'from_subscription',
  })
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  expect((await create({ from_subscription: id })).message).toContain('already attached to a schedule')
  const { start_date, end_date } = schedule.phases[0]!
  const items = [{ price: scene.prices.growthMonth, quantity: 1 }]
  const update = async (phases: object[]) =>
    (await readRefusal(stripe.subscriptionSchedules.update(schedule.id, { phases: phases as [] }))).message
  expect(await update([{ items, end_date }])).toContain('missing at least one phase with a `start_date`')
  expect(await update([{ items, start_date: start_date + 1, end_date }])).toContain('start date of the current phase')
  expect(await update([{ items, start_date: 'now', end_date }])).toContain('start date of the current phase')
  expect(await update([{ items, start_date, end_date }, { items }])).toBe(
    'Missing required param: phases[1][end_date].',
  )
  expect(
    await update([
      { items, start_date, end_date },
      { items, start_date: end_date + 5, end_date: end_date + 500 },
    ]),
  ).toContain('the end date of the phase before it')
  expect(await update([{ items, start_date, end_date, duration: { interval: 'month' } }])).toContain('only specify one')
  expect(await update([{ items: [{ price: 'price_none' }], start_date, end_date }])).toBe("No such price: 'price_none'")
  expect(await update([{ start_date, end_date }])).toBe('Missing required param: phases[0][items].')
  expect(await update([{ items, start_date, end_date, iterations: 1 }])).toBe(
    'Received unknown parameter: phases[0][iterations]',
  )
})

async function readPaidCharge() {
  const { id, customer } = await createSubscription()
  const charge = (await stripe.charges.list({ customer })).data[0]!
  scene.server.webhooks.drop()
  return { id, charge }
}

it('refunds a part, then the rest, and no more', async () => {
  const { charge } = await readPaidCharge()
  const part = await stripe.refunds.create({ charge: charge.id, amount: 1_900, reason: 'requested_by_customer' })
  expect(part).toMatchObject({ status: 'succeeded', amount: 1_900, payment_intent: charge.payment_intent })
  expect(await readRefusal(stripe.refunds.create({ charge: charge.id, amount: 6_900 }))).toMatchObject({
    param: 'amount',
    message: 'Refund amount ($69.00) is greater than unrefunded amount on charge ($50.00)',
  })
  await stripe.refunds.create({ payment_intent: charge.payment_intent as string })
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ refunded: true, amount_refunded: 6_900 })
  expect((await readRefusal(stripe.refunds.create({ charge: charge.id }))).code).toBe('charge_already_refunded')
  expect((await stripe.refunds.list({ charge: charge.id })).data.map(({ amount }) => amount)).toEqual([5_000, 1_900])
  expect(listWaitingEvents()).toEqual(['refund.created', 'charge.refunded', 'refund.created', 'charge.refunded'])
})

it('opens a dispute for a bank, and closes it', async () => {
  const { charge } = await readPaidCharge()
  const dispute = scene.server.openDispute(charge.id)
  expect(await stripe.disputes.retrieve(dispute.id)).toMatchObject({
    charge: charge.id,
    amount: 6_900,
    status: 'needs_response',
  })
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ disputed: true })
  expect((await readRefusal(stripe.refunds.create({ charge: charge.id }))).code).toBe('charge_disputed')
  expect(scene.server.closeDispute(dispute.id, 'lost').status).toBe('lost')
  expect((await stripe.disputes.list({ charge: charge.id })).data).toHaveLength(1)
  expect(listWaitingEvents()).toEqual([
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.closed',
  ])
  expect(toUnixSeconds(scene.server.clock.now())).toBe(dispute.created)
})
