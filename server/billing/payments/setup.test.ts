import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { readConfig } from '../../core/config/config.ts'
import { eventTypes, findEntry } from './catalogue-rules.ts'
import { setUpBilling } from './setup.ts'

const world = createStripeWorld()

const settings = (env: Record<string, string> = {}) =>
  readConfig({
    PUBLIC_URL: 'https://recoup.example.com',
    STRIPE_SECRET_KEY: 'sk_test_contractserver',
    STRIPE_WEBHOOK_SECRET: 'whsec_contractserver',
    ...env,
  })
const setUp = (env?: Record<string, string>) => setUpBilling(world.deps.stripe!, settings(env))
const countWrites = () => world.stripe.seen.filter(({ method }) => method !== 'GET').length
const hook = () => world.stripe.all('webhook_endpoint').at(-1)!
const findPrice = (key: string) => world.stripe.all('price').find(({ lookup_key }) => lookup_key === key)!

it('creates missing objects, shows the secret once, and changes nothing the second time', async () => {
  const { done, notes, wrong } = await setUp()
  expect({ notes, wrong }).toEqual({ notes: [], wrong: [] })
  expect(done).toEqual([
    'Created the customer portal configuration.',
    expect.stringContaining(`STRIPE_WEBHOOK_SECRET=${hook().secret}`),
  ])
  expect(hook()).toMatchObject({
    url: 'https://recoup.example.com/api/webhooks/stripe',
    api_version: '2026-10-28.endive',
    enabled_events: [...eventTypes],
  })
  const before = countWrites()
  expect(await setUp()).toEqual({ done: [], notes: [], wrong: [] })
  expect(countWrites()).toBe(before)
})

it('created three products with six prices, plus tax', () => {
  expect(world.stripe.all('product').map(({ id }) => id)).toEqual([
    'recoup_starter',
    'recoup_growth',
    'recoup_extra_store',
  ])
  expect(world.stripe.all('price').map((price) => [price.lookup_key, price.unit_amount, price.tax_behavior])).toEqual([
    ['recoup_starter_month', 1_900, 'exclusive'],
    ['recoup_growth_month', 4_900, 'exclusive'],
    ['recoup_extra_store_month', 1_000, 'exclusive'],
    ['recoup_starter_year', 18_000, 'exclusive'],
    ['recoup_growth_year', 46_800, 'exclusive'],
    ['recoup_extra_store_year', 12_000, 'exclusive'],
  ])
})

it('reports a price with another amount and leaves it', async () => {
  const stripe = world.deps.stripe!
  const right = findPrice('recoup_starter_month')
  const cheap = await stripe.prices.create({
    product: 'recoup_starter',
    currency: 'usd',
    unit_amount: 1_500,
    recurring: { interval: 'month' },
    lookup_key: 'recoup_starter_month',
    transfer_lookup_key: true,
  })
  const before = countWrites()
  const { done, wrong } = await setUp()
  expect(done).toEqual([])
  expect(wrong).toEqual([
    expect.stringContaining(`The price recoup_starter_month (${cheap.id}) costs 15.00 USD a month`),
  ])
  expect(countWrites()).toBe(before)
  const replaced = await setUpBilling(stripe, settings(), { isReplacing: true })
  const price = findPrice('recoup_starter_month')
  expect(replaced).toEqual({
    done: [expect.stringContaining(`${price.id} was created instead.`)],
    notes: [],
    wrong: [],
  })
  expect(price.unit_amount).toBe(1_900)
  expect(findEntry(right)).toMatchObject({ plan: 'starter', cycle: 'month' })
  await stripe.products.update('recoup_growth', { active: false })
  expect((await setUp()).wrong).toEqual([expect.stringMatching(/^The product recoup_growth is archived/)])
  await stripe.products.update('recoup_growth', { active: true })
})

it('resets portal and webhook to their created state', async () => {
  const stripe = world.deps.stripe!
  const portal = world.stripe.all('billing_portal.configuration').at(-1)!
  await stripe.billingPortal.configurations.update(portal.id, { features: { subscription_cancel: { enabled: true } } })
  await stripe.webhookEndpoints.update(hook().id, { enabled_events: ['invoice.paid'], disabled: true })
  expect((await setUp()).done).toEqual([
    expect.stringContaining(`portal configuration (${portal.id})`),
    expect.stringContaining(`Updated the webhook endpoint https://recoup.example.com/api/webhooks/stripe`),
  ])
  expect(portal.features.subscription_cancel.enabled).toBe(false)
  expect(hook()).toMatchObject({ status: 'enabled', enabled_events: [...eventTypes] })
  // Additional settings are up to the operator.
  await stripe.webhookEndpoints.update(hook().id, { enabled_events: ['*'] })
  expect((await setUp()).done).toEqual([])
})

it('reports what it cannot fix: a missing secret, another version, a URL that Stripe cannot reach', async () => {
  expect((await setUp({ STRIPE_WEBHOOK_SECRET: '' })).wrong).toEqual([
    expect.stringMatching(/^STRIPE_WEBHOOK_SECRET is not set/),
  ])
  const endpoint = hook() as Stripe.WebhookEndpoint
  endpoint.api_version = '2020-08-27'
  expect((await setUp()).wrong).toEqual([expect.stringContaining('(2020-08-27) than Recoup (2026-10-28.endive)')])
  const { notes, wrong } = await setUp({ PUBLIC_URL: 'http://localhost:3000' })
  expect(wrong).toEqual([])
  expect(notes).toEqual([
    expect.stringContaining('stripe listen --forward-to http://localhost:3000/api/webhooks/stripe'),
  ])
})
