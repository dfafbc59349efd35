import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScene, readRefusal, type Scene, START, toUnixSeconds } from './scene.ts'

// The life cycle of a subscription on the server's clock: trial, payment, renewal, retries, end.

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
const addDays = (days: number) => new Date(START.getTime() + days * DAY)
const advanceDays = (days: number) => scene.server.clock.advance(addDays(days))
const listWaitingEvents = () => scene.server.webhooks.waiting().map(({ type }) => type)
const dropEvents = () => scene.server.webhooks.drop()

/** Buys monthly Starter through Checkout. */
async function buyStarter({
  card,
  trial = true,
  ...options
}: {
  card?: string
  trial?: boolean
  missing?: 'cancel' | 'pause'
} = {}) {
  const customer = await stripe.customers.create({ email: 'ann@shop.test' })
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: scene.prices.starterMonth, quantity: 1 }],
    success_url: 'https://recoup.example/billing?session_id={CHECKOUT_SESSION_ID}',
    payment_method_collection: card ? 'always' : 'if_required',
    subscription_data: {
      metadata: { account: '1' },
      ...(trial && {
        trial_period_days: 14,
        trial_settings: { end_behavior: { missing_payment_method: options.missing ?? 'cancel' } },
      }),
    },
  })
  dropEvents()
  scene.server.buy(session.id, { ...(card && { card }) })
  const done = await stripe.checkout.sessions.retrieve(session.id)
  return { customer: customer.id, session: done, id: done.subscription as string }
}

const read = (id: string) => stripe.subscriptions.retrieve(id)
const listInvoices = async (subscription: string) => (await stripe.invoices.list({ subscription, limit: 100 })).data

it('starts a trial without a card, announces its end three days before, and cancels without a card', async () => {
  const { id, session } = await buyStarter()
  expect(session).toMatchObject({ status: 'complete', payment_status: 'no_payment_required', url: null })
  expect(await read(id)).toMatchObject({
    status: 'trialing',
    trial_end: toUnixSeconds(addDays(14)),
    metadata: { account: '1' },
    default_payment_method: null,
    items: {
      data: [{ current_period_end: toUnixSeconds(addDays(14)), quantity: 1, price: { lookup_key: 'starter_month' } }],
    },
  })
  expect(await listInvoices(id)).toMatchObject([{ status: 'paid', total: 0, billing_reason: 'subscription_create' }])
  expect(listWaitingEvents()).toEqual([
    'invoice.created',
    'customer.subscription.created',
    'invoice.finalized',
    'invoice.paid',
    'invoice.payment_succeeded',
    'checkout.session.completed',
  ])
  dropEvents()
  advanceDays(10.9)
  expect(listWaitingEvents()).toEqual([])
  advanceDays(11)
  expect(listWaitingEvents()).toEqual(['customer.subscription.trial_will_end'])
  advanceDays(14)
  expect(listWaitingEvents()).toEqual(['customer.subscription.trial_will_end', 'customer.subscription.deleted'])
  expect(await read(id)).toMatchObject({ status: 'canceled', ended_at: toUnixSeconds(addDays(14)) })
})

it('pauses when a trial ends without a card, if configured', async () => {
  const { id } = await buyStarter({ missing: 'pause' })
  advanceDays(14)
  expect(await read(id)).toMatchObject({ status: 'paused', ended_at: null })
  expect(listWaitingEvents()).toContain('customer.subscription.paused')
})

it('charges the card an hour after the trial, and every month', async () => {
  const { id, customer } = await buyStarter({ card: '4242 4242 4242 4242' })
  expect(listWaitingEvents()).toEqual(expect.arrayContaining(['payment_method.attached', 'setup_intent.succeeded']))
  dropEvents()
  advanceDays(14)
  expect(await read(id)).toMatchObject({
    status: 'active',
    items: { data: [{ current_period_start: toUnixSeconds(addDays(14)) }] },
  })
  expect((await listInvoices(id))[0]).toMatchObject({ status: 'draft', billing_reason: 'subscription_cycle' })
  advanceDays(15)
  const [paid] = await listInvoices(id)
  expect(paid).toMatchObject({
    status: 'paid',
    amount_paid: 1_900,
    amount_remaining: 0,
    number: expect.stringMatching(/-0002$/),
  })
  expect(paid!.parent!.subscription_details!.subscription).toBe(id)
  expect(listWaitingEvents()).toEqual(
    expect.arrayContaining([
      'invoice.finalized',
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice_payment.paid',
      'invoice.paid',
    ]),
  )
  advanceDays(80)
  const all = await listInvoices(id)
  expect(all.map(({ created }) => new Date(created * 1000).toISOString().slice(0, 10))).toEqual([
    '2026-05-16',
    '2026-04-16',
    '2026-03-16',
    '2026-03-02',
  ])
  const [payment] = (await stripe.invoicePayments.list({ invoice: paid!.id! })).data
  const params = { type: 'payment_intent' as const, payment_intent: payment!.payment.payment_intent as string }
  expect((await stripe.invoicePayments.list({ payment: params })).data).toMatchObject([
    { invoice: paid!.id, status: 'paid' },
  ])
  const intent = await stripe.paymentIntents.retrieve(payment!.payment.payment_intent as string, {
    expand: ['latest_charge'],
  })
  expect(intent).toMatchObject({ status: 'succeeded', customer, latest_charge: { amount: 1_900, paid: true } })
})

it('retries after 3, 5 and 7 days, and cancels after the last attempt', async () => {
  const { id } = await buyStarter({ card: '4000000000000341' })
  advanceDays(14.1)
  const [open] = await listInvoices(id)
  expect(open).toMatchObject({
    status: 'open',
    attempt_count: 1,
    amount_due: 1_900,
    next_payment_attempt: toUnixSeconds(addDays(17)) + 3_600,
  })
  expect(await read(id)).toMatchObject({ status: 'past_due' })
  expect(listWaitingEvents()).toEqual(
    expect.arrayContaining(['invoice.payment_failed', 'payment_intent.payment_failed', 'charge.failed']),
  )
  const payment = (await stripe.invoices.retrieve(open!.id!, { expand: ['payments.data.payment.payment_intent'] }))
    .payments!.data[0]!
  expect(payment.payment.payment_intent).toMatchObject({
    last_payment_error: { code: 'card_declined', decline_code: 'generic_decline', message: 'Your card was declined.' },
  })
  advanceDays(17.1)
  expect((await stripe.invoices.retrieve(open!.id!)).attempt_count).toBe(2)
  advanceDays(22.1)
  expect((await read(id)).status).toBe('past_due')
  advanceDays(29.1)
  expect(await read(id)).toMatchObject({ status: 'canceled', cancellation_details: { reason: 'payment_failed' } })
  expect(await stripe.invoices.retrieve(open!.id!)).toMatchObject({
    status: 'open',
    attempt_count: 4,
    next_payment_attempt: null,
  })
})

it('stays unpaid after the last attempt, if configured, and creates invoices without charging', async () => {
  await scene.server.close()
  scene = await openScene({ afterRetries: 'unpaid', retryDays: [1] })
  stripe = scene.stripe
  const { id } = await buyStarter({ card: '4000000000000341' })
  advanceDays(16)
  expect((await read(id)).status).toBe('unpaid')
  advanceDays(46)
  expect((await listInvoices(id))[0]).toMatchObject({ status: 'draft', auto_advance: false })
})

it('recovers with the next attempt once another card is saved', async () => {
  const { id, customer } = await buyStarter({ card: '4000000000000341' })
  advanceDays(15)
  expect((await read(id)).status).toBe('past_due')
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  dropEvents()
  advanceDays(18)
  expect((await read(id)).status).toBe('active')
  expect(listWaitingEvents()).toEqual(expect.arrayContaining(['invoice.paid', 'customer.subscription.updated']))
  expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ delinquent: false })
})

it('refuses a declined card at once and keeps the session open', async () => {
  await expect(buyStarter({ card: '4000000000000341', trial: false })).rejects.toThrow('Your card was declined.')
  await expect(buyStarter({ card: '1234567812345678', trial: false })).rejects.toThrow('Your card number is incorrect.')
  await expect(buyStarter({ trial: false })).rejects.toThrow('Enter a card.')
  expect(scene.server.all('checkout.session').map(({ status }) => status)).toEqual(['open', 'open', 'open'])
  expect(scene.server.all('subscription')).toEqual([])
})

it('sells at once without a trial', async () => {
  const { id, session } = await buyStarter({ card: '4242424242424242', trial: false })
  expect(session).toMatchObject({ payment_status: 'paid', invoice: expect.stringMatching(/^in_/) })
  expect((await read(id)).status).toBe('active')
  expect((await listInvoices(id))[0]).toMatchObject({
    status: 'paid',
    amount_paid: 1_900,
    billing_reason: 'subscription_create',
  })
  expect(() => scene.server.buy(session.id, { card: '4242424242424242' })).toThrow('This session is complete.')
})

it('asks for no card when nothing is due and none is required', async () => {
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: scene.prices.starterMonth, quantity: 1 }],
    success_url: 'https://recoup.example/billing',
    payment_method_collection: 'if_required',
    subscription_data: { trial_period_days: 14 },
  })
  const buy = (purchase: object) => () => scene.server.buy(session.id, purchase)
  expect(buy({ card: '4242424242424242', email: 'ann@shop.test' })).toThrow('asks for no card')
  expect(buy({})).toThrow('Enter an email address.')
  expect(buy({ email: 'ann@shop.test' })()).toBe('complete')
  expect(scene.server.all('customer')).toMatchObject([{ email: 'ann@shop.test' }])
})

it('cancels at the period’s end, undoes that, and cancels at once', async () => {
  const { id } = await buyStarter({ card: '4242424242424242', trial: false })
  const ending = await stripe.subscriptions.update(id, {
    cancel_at_period_end: true,
    cancellation_details: { comment: 'Too dear' },
  })
  expect(ending).toMatchObject({
    status: 'active',
    cancel_at: ending.items.data[0]!.current_period_end,
    canceled_at: toUnixSeconds(START),
    cancellation_details: { reason: 'cancellation_requested', comment: 'Too dear' },
  })
  expect(await stripe.subscriptions.update(id, { cancel_at_period_end: false })).toMatchObject({
    cancel_at: null,
    canceled_at: null,
  })
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  advanceDays(31.1)
  expect(await read(id)).toMatchObject({ status: 'canceled' })
  expect(await listInvoices(id)).toHaveLength(1)
  expect((await stripe.subscriptions.list({ status: 'canceled' })).data).toHaveLength(1)
  expect((await stripe.subscriptions.list()).data).toEqual([])

  expect(await readRefusal(stripe.subscriptions.cancel(id))).toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
  })
  expect(await readRefusal(stripe.subscriptions.update(id, { cancel_at_period_end: false }))).toMatchObject({
    statusCode: 400,
  })
  expect(await stripe.subscriptions.update(id, { metadata: { ended: 'chargeback' } })).toMatchObject({
    metadata: { ended: 'chargeback' },
  })
  const other = (await buyStarter({ card: '4242424242424242', trial: false })).id
  expect(await stripe.subscriptions.cancel(other)).toMatchObject({ status: 'canceled', cancel_at_period_end: false })
})

it('expires a session after a day', async () => {
  const { session } = await buyStarter().catch(() => ({ session: null }))
  const open = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: scene.prices.starterMonth, quantity: 1 }],
    success_url: 'https://recoup.example/billing',
  })
  dropEvents()
  advanceDays(1)
  expect(session!.status).toBe('complete')
  expect((await stripe.checkout.sessions.retrieve(open.id)).status).toBe('expired')
  expect(listWaitingEvents()).toEqual(['checkout.session.expired'])
})

it('sells credits once', async () => {
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    customer_email: 'ann@shop.test',
    line_items: [
      { price_data: { currency: 'usd', unit_amount: 2_500, product_data: { name: 'SMS credits' } }, quantity: 1 },
    ],
    success_url: 'https://recoup.example/billing',
    payment_intent_data: { metadata: { kind: 'credits' } },
  })
  dropEvents()
  expect(scene.server.buy(session.id, { card: '4000002760003184' })).toBe('confirm')
  expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
  expect(scene.server.buy(session.id, { card: '4000002760003184', isConfirmed: true })).toBe('complete')
  const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ['payment_intent.latest_charge'] })
  expect(done).toMatchObject({
    payment_status: 'paid',
    customer: null,
    customer_details: { email: 'ann@shop.test' },
    payment_intent: { amount_received: 2_500, metadata: { kind: 'credits' }, latest_charge: { paid: true } },
  })
  expect(listWaitingEvents()).toEqual([
    'payment_intent.created',
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.completed',
  ])
})

it('refuses unsupported features with an error', async () => {
  const { id } = await buyStarter({ card: '4242424242424242', trial: false })
  expect(
    (await readRefusal(stripe.subscriptions.update(id, { pause_collection: { behavior: 'void' } }))).message,
  ).toContain('does not play the parameter pause_collection')
})
