import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScene, readRefusal, type Scene, START, toUnixSeconds } from './scene.ts'

// Changes of a running subscription, and their cost.

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

/** Monthly Starter, paid with a card given by its test id. */
async function createSubscription(card = 'pm_card_visa', params: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const customer = await stripe.customers.create({ email: 'ann@shop.test' })
  const first = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: first.id } })
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: scene.prices.starterMonth, quantity: 1 }],
    ...params,
  })
  const later = await stripe.paymentMethods.attach(card, { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: later.id } })
  return { customer: customer.id, id: subscription.id, item: subscription.items.data[0]!.id }
}

const upgrade = ({ item }: { item: string }, proration_date?: number) => ({
  items: [{ id: item, price: scene.prices.growthMonth, quantity: 1 }],
  proration_behavior: 'always_invoice' as const,
  ...(proration_date && { proration_date }),
})

const readLastInvoice = async (subscription: string) => (await stripe.invoices.list({ subscription })).data[0]!

it('charges an upgrade as its preview at the same moment', async () => {
  const mine = await createSubscription()
  advanceDays(10)
  const at = toUnixSeconds(scene.server.clock.now())
  const preview = await stripe.invoices.createPreview({
    customer: mine.customer,
    subscription: mine.id,
    subscription_details: upgrade(mine, at),
  })
  // 21 of 31 days are left.
  expect(
    preview.lines.data.map(({ amount, parent }) => [amount, parent!.subscription_item_details!.proration]),
  ).toEqual([
    [-1_287, true],
    [3_319, true],
  ])
  expect(preview.amount_due).toBe(2_032)
  expect((await stripe.subscriptions.retrieve(mine.id)).items.data[0]!.price.lookup_key).toBe('starter_month')
  advanceDays(10.01)
  const changed = await stripe.subscriptions.update(mine.id, {
    ...upgrade(mine, at),
    payment_behavior: 'pending_if_incomplete',
  })
  expect(changed).toMatchObject({
    status: 'active',
    pending_update: null,
    items: { data: [{ id: mine.item, price: { lookup_key: 'growth_month' } }] },
  })
  expect(await readLastInvoice(mine.id)).toMatchObject({
    status: 'paid',
    amount_paid: 2_032,
    billing_reason: 'subscription_update',
  })
  expect((await readLastInvoice(mine.id)).lines.data.map(({ description }) => description)).toEqual([
    'Unused time on Starter after 12 Mar 2026',
    'Remaining time on Growth after 12 Mar 2026',
  ])
})

it('keeps a declined change pending, and drops it after 23 hours', async () => {
  const mine = await createSubscription('pm_card_chargeCustomerFail')
  advanceDays(10)
  scene.server.webhooks.drop()
  const waiting = await stripe.subscriptions.update(mine.id, {
    ...upgrade(mine),
    payment_behavior: 'pending_if_incomplete',
  })
  expect(waiting).toMatchObject({
    status: 'active',
    items: { data: [{ price: { lookup_key: 'starter_month' } }] },
    pending_update: { subscription_items: [{ price: { lookup_key: 'growth_month' } }] },
  })
  expect(await readLastInvoice(mine.id)).toMatchObject({ status: 'open', next_payment_attempt: null })
  expect(listWaitingEvents()).toContain('invoice.payment_failed')
  advanceDays(11)
  expect(await stripe.subscriptions.retrieve(mine.id)).toMatchObject({ status: 'active', pending_update: null })
  expect((await readLastInvoice(mine.id)).status).toBe('void')
  expect(listWaitingEvents()).toContain('customer.subscription.pending_update_expired')
})

it('applies a pending change when its invoice is paid', async () => {
  const mine = await createSubscription('pm_card_authenticationRequired')
  advanceDays(10)
  await stripe.subscriptions.update(mine.id, { ...upgrade(mine), payment_behavior: 'pending_if_incomplete' })
  const open = await readLastInvoice(mine.id)
  expect(listWaitingEvents()).toContain('invoice.payment_action_required')
  expect(open.hosted_invoice_url).toBe(`${scene.server.url}/i/${open.id}`)
  expect(await readRefusal(stripe.invoices.pay(open.id!))).toMatchObject({ type: 'StripeCardError', statusCode: 402 })
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: mine.customer })
  expect(await stripe.invoices.pay(open.id!, { payment_method: good.id })).toMatchObject({ status: 'paid' })
  expect(await stripe.subscriptions.retrieve(mine.id)).toMatchObject({
    pending_update: null,
    items: { data: [{ id: mine.item, price: { lookup_key: 'growth_month' } }] },
  })
  expect(listWaitingEvents()).toContain('customer.subscription.pending_update_applied')
  expect(await readRefusal(stripe.invoices.pay(open.id!))).toMatchObject({ code: 'invoice_already_paid' })
})

it('changes nothing with error_if_incomplete when the payment fails', async () => {
  const mine = await createSubscription('pm_card_chargeCustomerFail')
  advanceDays(10)
  const change = stripe.subscriptions.update(mine.id, { ...upgrade(mine), payment_behavior: 'error_if_incomplete' })
  expect(await readRefusal(change)).toMatchObject({ type: 'StripeCardError', code: 'card_declined', statusCode: 402 })
  expect((await stripe.subscriptions.retrieve(mine.id)).items.data[0]!.price.lookup_key).toBe('starter_month')
  expect((await stripe.invoices.list({ subscription: mine.id })).data).toHaveLength(1)
})

it('becomes past due with allow_incomplete when the payment fails', async () => {
  const mine = await createSubscription('pm_card_chargeCustomerFail')
  advanceDays(10)
  expect(await stripe.subscriptions.update(mine.id, upgrade(mine))).toMatchObject({
    status: 'past_due',
    items: { data: [{ price: { lookup_key: 'growth_month' } }] },
  })
  advanceDays(25)
  const open = await readLastInvoice(mine.id)
  expect(open).toMatchObject({ status: 'open', attempt_count: 1, auto_advance: false, next_payment_attempt: null })
  expect((await stripe.subscriptions.retrieve(mine.id)).status).toBe('past_due')
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: mine.customer })
  await stripe.invoices.pay(open.id!, { payment_method: good.id })
  expect((await stripe.subscriptions.retrieve(mine.id)).status).toBe('active')
})

it('drops a pending change at the period’s end, if that is sooner', async () => {
  const mine = await createSubscription('pm_card_chargeCustomerFail')
  advanceDays(30.3)
  const waiting = await stripe.subscriptions.update(mine.id, {
    ...upgrade(mine),
    payment_behavior: 'pending_if_incomplete',
  })
  expect(waiting.pending_update!.expires_at).toBe(waiting.items.data[0]!.current_period_end)
  advanceDays(31.01)
  expect(await stripe.subscriptions.retrieve(mine.id)).toMatchObject({ pending_update: null })
})

it('starts a new year when a monthly plan becomes yearly', async () => {
  const mine = await createSubscription()
  advanceDays(10)
  const items = [{ id: mine.item, price: scene.prices.starterYear }]
  const preview = await stripe.invoices.createPreview({
    subscription: mine.id,
    subscription_details: { items, proration_behavior: 'always_invoice' },
  })
  await stripe.subscriptions.update(mine.id, { items, proration_behavior: 'always_invoice' })
  const invoice = await readLastInvoice(mine.id)
  expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-1_287, 18_000])
  expect(invoice.amount_paid).toBe(preview.amount_due)
  const changed = await stripe.subscriptions.retrieve(mine.id)
  expect(changed.billing_cycle_anchor).toBe(toUnixSeconds(scene.server.clock.now()))
  expect(new Date(changed.items.data[0]!.current_period_end * 1000).toISOString()).toBe('2027-03-12T10:00:00.000Z')
})

it('credits a downgrade to the customer’s balance, which the next invoice uses', async () => {
  const mine = await createSubscription('pm_card_visa', { items: [{ price: scene.prices.growthMonth, quantity: 1 }] })
  advanceDays(10)
  await stripe.subscriptions.update(mine.id, {
    items: [{ id: mine.item, price: scene.prices.starterMonth }],
    proration_behavior: 'always_invoice',
  })
  expect(await readLastInvoice(mine.id)).toMatchObject({
    status: 'paid',
    total: -2_032,
    amount_due: 0,
    ending_balance: -2_032,
  })
  expect((await stripe.customers.retrieve(mine.customer)) as Stripe.Customer).toMatchObject({ balance: -2_032 })
  advanceDays(31.1)
  expect(await readLastInvoice(mine.id)).toMatchObject({
    total: 1_900,
    starting_balance: -2_032,
    ending_balance: -132,
    amount_due: 0,
    status: 'paid',
  })
})

it('adds prorations to the next invoice by default, and creates none with proration_behavior none', async () => {
  const mine = await createSubscription()
  advanceDays(10)
  await stripe.subscriptions.update(mine.id, { items: [{ price: scene.prices.storeMonth, quantity: 2 }] })
  expect((await stripe.invoices.list({ subscription: mine.id })).data).toHaveLength(1)
  const next = await stripe.invoices.createPreview({ subscription: mine.id })
  expect(next.lines.data.map(({ amount }) => amount)).toEqual([1_355, 1_900, 2_000])
  await stripe.subscriptions.update(mine.id, { items: [{ id: mine.item, quantity: 2 }], proration_behavior: 'none' })
  advanceDays(31.1)
  expect((await readLastInvoice(mine.id)).lines.data.map(({ amount }) => amount)).toEqual([1_355, 3_800, 2_000])
})

it('changes a plan during its trial for free, and ends the trial on request', async () => {
  const mine = await createSubscription('pm_card_visa', { trial_period_days: 14 })
  advanceDays(5)
  const changed = await stripe.subscriptions.update(mine.id, upgrade(mine))
  expect(changed).toMatchObject({ status: 'trialing', items: { data: [{ price: { lookup_key: 'growth_month' } }] } })
  expect((await stripe.invoices.list({ subscription: mine.id })).data).toHaveLength(1)
  const ended = await stripe.subscriptions.update(mine.id, { trial_end: 'now' })
  expect(ended).toMatchObject({ status: 'active', trial_end: toUnixSeconds(scene.server.clock.now()) })
  expect(await readLastInvoice(mine.id)).toMatchObject({ status: 'paid', amount_paid: 4_900 })
  expect(listWaitingEvents()).toContain('customer.subscription.trial_will_end')
})

it('adds tax to taxable lines', async () => {
  await scene.server.close()
  scene = await openScene({ taxPercent: 20 })
  stripe = scene.stripe
  const mine = await createSubscription('pm_card_visa', { automatic_tax: { enabled: true } })
  expect(await readLastInvoice(mine.id)).toMatchObject({
    subtotal: 1_900,
    total: 2_280,
    amount_paid: 2_280,
    total_taxes: [{ amount: 380 }],
  })
})

it('refuses invalid subscriptions', async () => {
  const mine = await createSubscription()
  const { growthMonth, starterMonth, starterYear, storeMonth } = scene.prices
  const once = (await stripe.prices.create({ product_data: { name: 'Once' }, currency: 'usd', unit_amount: 1 })).id
  const table: [object, string][] = [
    [{ cancel_at_end: true }, 'Received unknown parameter: cancel_at_end'],
    [{ items: [{ id: 'si_none', price: growthMonth }] }, "No such subscription_item: 'si_none'"],
    [{ items: [{ id: mine.item, price: 'price_none' }] }, "No such price: 'price_none'"],
    [{ items: [{ id: mine.item, price: once }] }, 'only accepts prices with `type=recurring`'],
    [{ items: [{ price: starterMonth }] }, 'Cannot add multiple subscription items with the same plan'],
    [{ items: [{ price: starterYear }] }, 'must have the same billing interval'],
    [{ items: [{ id: mine.item, deleted: true }] }, 'at least one active plan'],
    [{ items: [{ price: storeMonth, quantity: -1 }] }, 'This value must be greater than or equal to 0.'],
    [{ proration_date: 1, items: [{ id: mine.item, price: growthMonth }] }, 'Cannot specify a proration date outside'],
    [{ trial_end: 1 }, 'Unix timestamp in the future'],
    [
      {
        metadata: { a: 'b' },
        payment_behavior: 'pending_if_incomplete',
        items: [{ id: mine.item, price: growthMonth }],
      },
      'you cannot pass `metadata`',
    ],
    [{ default_payment_method: 'pm_none' }, 'No such PaymentMethod'],
    [{ billing_cycle_anchor: 'now' }, 'Invalid object'],
  ]
  for (const [changes, message] of table) {
    expect(
      (await readRefusal(stripe.subscriptions.update(mine.id, changes as Stripe.SubscriptionUpdateParams))).message,
      JSON.stringify(changes),
    ).toContain(message)
  }
  const other = (await stripe.customers.create()).id
  expect(await readRefusal(stripe.invoices.createPreview({ customer: other, subscription: mine.id }))).toMatchObject({
    param: 'subscription',
  })
  expect(
    await readRefusal(stripe.subscriptions.create({ customer: other, items: [{ price: starterMonth }] })),
  ).toMatchObject({ code: 'resource_missing' })
  await stripe.subscriptions.update(mine.id, { cancel_at_period_end: true })
  expect(await readRefusal(stripe.invoices.createPreview({ subscription: mine.id }))).toMatchObject({
    code: 'invoice_upcoming_none',
  })
})
