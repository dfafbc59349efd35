import type Stripe from 'stripe'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScene, type Scene, START } from './scene.ts'

// Stripe's pages, used by a browser without scripts.

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

const advanceDays = (days: number) => scene.server.clock.advance(new Date(START.getTime() + days * 86_400_000))

async function open(url: string, fields?: Record<string, string>) {
  const answer = await fetch(url, {
    redirect: 'manual',
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })
  return { status: answer.status, html: await answer.text(), location: answer.headers.get('location') }
}

const createSession = (params: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
  stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [
      { price: scene.prices.starterMonth, quantity: 1 },
      { price: scene.prices.storeMonth, quantity: 2 },
    ],
    success_url: 'https://recoup.example/billing?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://recoup.example/pricing?a=1&b=2',
    ...params,
  })

it('sells on the page of a session, shows a declined card, and redirects back', async () => {
  const { id, url } = await createSession()
  const page = await open(url!)
  expect(page.html).toContain('1 × Starter $19.00 per month')
  expect(page.html).toContain('2 × Extra store $20.00 per month')
  expect(page.html).toContain('Total due today $39.00')
  expect(page.html).toContain('href="https://recoup.example/pricing?a=1&#38;b=2"')
  const declined = await open(url!, { email: 'ann@shop.test', card: '4000 0000 0000 0341' })
  expect(declined.html).toContain('<p role="alert">Your card was declined.</p>')
  const paid = await open(url!, { email: 'ann@shop.test', card: '4242 4242 4242 4242' })
  expect(paid).toMatchObject({ status: 303, location: `https://recoup.example/billing?session_id=${id}` })
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'complete', payment_status: 'paid' })
  expect(await open(url!, { email: 'ann@shop.test', card: '4242 4242 4242 4242' })).toMatchObject({ status: 410 })
  expect((await stripe.subscriptions.list()).data).toHaveLength(1)
})

it('starts a trial without a card', async () => {
  const { url } = await createSession({
    payment_method_collection: 'if_required',
    subscription_data: { trial_period_days: 14 },
  })
  const page = await open(url!)
  expect(page.html).toContain('14 days free')
  expect(page.html).toContain('<button>Start trial</button>')
  expect(page.html).not.toContain('Card number')
  expect((await open(url!, {})).html).toContain('Enter an email address.')
  expect((await open(url!, { email: 'ann@shop.test' })).status).toBe(303)
})

it('asks for the bank’s confirmation, and continues only after it', async () => {
  const { url } = await createSession()
  const fields = { email: 'ann@shop.test', card: '4000002760003184' }
  const reply = await open(url!, fields)
  expect(reply.html).toContain('Your bank asks')
  expect((await open(url!, { ...fields, bank: 'no' })).html).toContain('unable to authenticate')
  expect(scene.server.all('subscription')).toEqual([])
  expect((await open(url!, { ...fields, bank: 'yes' })).status).toBe(303)
})

it('escapes names in HTML', async () => {
  const product = await stripe.products.create({ name: '<b>Bold</b>' })
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 100 })
  const { url } = await createSession({ mode: 'payment', line_items: [{ price: price.id, quantity: 1 }] })
  const { html } = await open(url!)
  expect(html).toContain('&#60;b&#62;Bold')
  expect(html).toContain('<button>Pay</button>')
})

async function openPortal(customer: string, features: Stripe.BillingPortal.ConfigurationCreateParams.Features) {
  const configuration = (await stripe.billingPortal.configurations.create({ features })).id
  return stripe.billingPortal.sessions.create({ customer, configuration, return_url: 'https://recoup.example/billing' })
}

async function buySession(card: string) {
  const { id, url } = await createSession()
  await open(url!, { email: 'ann@shop.test', card: '4242424242424242' })
  const { customer, subscription } = await stripe.checkout.sessions.retrieve(id)
  const all = {
    payment_method_update: { enabled: true },
    invoice_history: { enabled: true },
    subscription_cancel: { enabled: true },
  }
  const { url: portal } = await openPortal(customer as string, all)
  if (card !== '4242424242424242') await open(portal, { do: 'add', card })
  return { customer: customer as string, subscription: subscription as string, portal }
}

it('saves another card in the portal, which the next attempt charges', async () => {
  const { subscription, portal } = await buySession('4000000000000341')
  advanceDays(31.1)
  expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('past_due')
  expect((await open(portal)).html).toContain('visa •••• 0341 (default)')
  expect((await open(portal, { do: 'add', card: '1111' })).html).toContain('Your card number is incorrect.')
  expect(await open(portal, { do: 'add', card: '5555 5555 5555 4444' })).toMatchObject({ status: 303 })
  const page = (await open(portal)).html
  expect(page).toContain('mastercard •••• 4444 (default)')
  expect(page).toContain('Starter, Extra store: past_due')
  expect(page).toContain('href="https://recoup.example/billing"')
  advanceDays(35)
  expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
})

it('cancels at the period’s end in the portal and undoes it, if allowed', async () => {
  const { customer, subscription, portal } = await buySession('4242424242424242')
  await open(portal, { do: 'cancel', id: subscription })
  expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(true)
  expect((await open(portal)).html).toContain('Don&#39;t cancel subscription')
  await open(portal, { do: 'keep', id: subscription })
  expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(false)
  const { url: bare } = await openPortal(customer, { invoice_history: { enabled: true } })
  expect((await open(bare)).html).not.toContain('Cancel subscription')
  expect((await open(bare, { do: 'cancel', id: subscription })).html).toContain('This is not allowed here.')
  expect((await open(bare, { do: 'add', card: '4242424242424242' })).html).toContain('This is not allowed here.')
})

it('accepts the payment of an open invoice, and saves the card', async () => {
  const { subscription, portal } = await buySession('4000000000000341')
  advanceDays(31.1)
  const invoice = (await stripe.invoices.list({ subscription })).data[0]!
  expect((await open(portal)).html).toContain(`href="${invoice.hosted_invoice_url}"`)
  expect((await open(invoice.hosted_invoice_url!)).html).toContain('Amount due $39.00')
  expect((await open(invoice.hosted_invoice_url!, { card: '4000000000009995' })).html).toContain('insufficient funds')
  expect((await open(invoice.hosted_invoice_url!, { card: '4242424242424242' })).status).toBe(303)
  expect((await open(invoice.hosted_invoice_url!)).html).toContain('Status: paid')
  expect(await stripe.subscriptions.retrieve(subscription)).toMatchObject({
    status: 'active',
    default_payment_method: expect.any(String),
  })
  advanceDays(65)
  expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
})

it('asks for the bank’s confirmation on the page of an invoice', async () => {
  const { subscription } = await buySession('4000002760003184')
  advanceDays(31.1)
  const { hosted_invoice_url: url } = (await stripe.invoices.list({ subscription })).data[0]!
  expect((await open(url!)).html).toContain('Confirm payment')
  expect((await open(url!, { bank: 'yes' })).status).toBe(303)
  expect((await stripe.subscriptions.retrieve(subscription)).status).toBe('active')
})

it('has no other pages', async () => {
  expect((await open(`${scene.server.url}/c/pay/cs_test_none`)).status).toBe(404)
  expect((await open(`${scene.server.url}/p/session/bps_none`)).status).toBe(404)
  expect((await open(`${scene.server.url}/i/in_none`)).status).toBe(404)
  expect((await open(`${scene.server.url}/elsewhere`)).status).toBe(404)
})
