import Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { API_VERSION, SDK_VERSION } from './declarations.ts'
import { readRefusal } from './scene.ts'
import { openClient, type StripeServer, startStripe } from './server.ts'

// What all calls share: key, version, typed parameters, idempotency, pages, expansion.

let server: StripeServer
let stripe: Stripe

beforeAll(async () => {
  server = await startStripe({ now: new Date('2026-03-02T10:00:00Z') })
  stripe = openClient(server)
})
afterAll(async () => {
  expect(server.faults).toEqual([])
  await server.close()
})

const post = (path: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.apiKey}`,
      'stripe-version': API_VERSION,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(body).toString(),
  })

it('uses the API version of the pinned client', async () => {
  expect(SDK_VERSION).toBe('23.1.0')
  expect(API_VERSION).toBe('2026-10-28.endive')
  expect(stripe.getApiField('version')).toBe(API_VERSION)
  await expect(stripe.accounts.retrieveCurrent()).resolves.toMatchObject({
    default_currency: 'usd',
    charges_enabled: true,
  })
})

it('refuses a wrong key, a missing key, and another version', async () => {
  const other = new Stripe('sk_test_other', { ...server.client, maxNetworkRetries: 0 })
  expect(await readRefusal(other.customers.list())).toMatchObject({
    type: 'StripeAuthenticationError',
    statusCode: 401,
    message: 'Invalid API Key provided: sk_test_********ther',
  })
  expect((await fetch(`${server.url}/v1/customers`)).status).toBe(401)
  const old = await post('/v1/customers', {}, { 'stripe-version': '2024-06-20' })
  expect(old.status).toBe(400)
  expect(await old.json()).toMatchObject({ error: { message: expect.stringContaining('Invalid Stripe API version') } })
})

it('refuses a path that Stripe does not have', async () => {
  expect(await readRefusal(stripe.rawRequest('POST', '/v1/checkout/session', {}))).toMatchObject({
    statusCode: 404,
    message: expect.stringContaining('Unrecognized request URL (POST: /v1/checkout/session)'),
  })
})

it('refuses unknown, missing, mistyped or empty parameters and lists them', async () => {
  const product = await stripe.products.create({ name: 'Growth' })
  const create = (body: object) => readRefusal(stripe.prices.create(body as Stripe.PriceCreateParams))
  const good = { product: product.id, currency: 'usd', unit_amount: 100, recurring: { interval: 'month' } }
  expect(await create({ ...good, colour: 'red' })).toMatchObject({ code: 'parameter_unknown', param: 'colour' })
  expect(await create({ ...good, recurring: { interval: 'month', every: 2 } })).toMatchObject({
    code: 'parameter_unknown',
    param: 'recurring[every]',
    message: 'Received unknown parameter: recurring[every]',
  })
  expect(await create({ product: product.id })).toMatchObject({ code: 'parameter_missing', param: 'currency' })
  expect(await create({ ...good, unit_amount: 'much' })).toMatchObject({
    code: 'parameter_invalid_integer',
    param: 'unit_amount',
    message: 'Invalid integer: much',
  })
  expect(await create({ ...good, recurring: { interval: 'moon' } })).toMatchObject({
    param: 'recurring[interval]',
    message: 'Invalid recurring[interval]: must be one of day, month, week, or year',
  })
  expect(await create({ ...good, active: 'perhaps' })).toMatchObject({ message: 'Invalid boolean: perhaps' })
  expect(await create({ ...good, currency: '' })).toMatchObject({ code: 'parameter_invalid_empty', param: 'currency' })
  expect(await create({ ...good, recurring: 'month' })).toMatchObject({ message: 'Invalid object', param: 'recurring' })
  expect(server.all('price')).toEqual([])
})

it('repeats the reply for the same request, and refuses its key for another', async () => {
  const first = await stripe.customers.create({ email: 'ann@shop.test' }, { idempotencyKey: 'one' })
  const again = await stripe.customers.create({ email: 'ann@shop.test' }, { idempotencyKey: 'one' })
  expect(again.id).toBe(first.id)
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
  expect(
    await readRefusal(stripe.customers.create({ email: 'bob@shop.test' }, { idempotencyKey: 'one' })),
  ).toMatchObject({
    type: 'StripeIdempotencyError',
    statusCode: 400,
  })
  expect(await readRefusal(stripe.products.create({ name: 'One' }, { idempotencyKey: 'one' }))).toMatchObject({
    type: 'StripeIdempotencyError',
    message: expect.stringContaining("same endpoint they were first used for ('/v1/customers')"),
  })
})

it('stores no reply for invalid parameters, and stores the error of a started request', async () => {
  const wrong = { name: 'Two', shine: 'yes' } as Stripe.ProductCreateParams
  expect(await readRefusal(stripe.products.create(wrong, { idempotencyKey: 'two' }))).toMatchObject({ param: 'shine' })
  expect((await stripe.products.create({ name: 'Two' }, { idempotencyKey: 'two' })).name).toBe('Two')
  const price = { product: 'prod_later', currency: 'usd', unit_amount: 5 }
  expect(await readRefusal(stripe.prices.create(price, { idempotencyKey: 'three' }))).toMatchObject({
    code: 'resource_missing',
  })
  await stripe.products.create({ id: 'prod_later', name: 'Later' })
  expect(await readRefusal(stripe.prices.create(price, { idempotencyKey: 'three' }))).toMatchObject({
    code: 'resource_missing',
  })
})

it('returns lists newest first, in pages of the requested size', async () => {
  const mine = { metadata: { of: 'pages' } }
  const created: string[] = []
  for (const name of ['a', 'b', 'c']) created.push((await stripe.products.create({ name, ...mine })).id)
  const listed: string[] = []
  for await (const one of stripe.products.list({ limit: 1 })) if (one.metadata.of === 'pages') listed.push(one.id)
  expect(listed).toEqual(created.reverse())
  expect(await readRefusal(stripe.products.list({ limit: 101 }))).toMatchObject({ param: 'limit' })
  expect(await readRefusal(stripe.products.list({ starting_after: 'prod_none' }))).toMatchObject({
    param: 'starting_after',
  })
})

it('expands ids to objects on request, and refuses fields that cannot be expanded', async () => {
  const product = await stripe.products.create({ name: 'Starter' })
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 1900 })
  expect(price.product).toBe(product.id)
  const whole = await stripe.prices.retrieve(price.id, { expand: ['product'] })
  expect(whole.product).toMatchObject({ id: product.id, name: 'Starter' })
  const listed = await stripe.prices.list({ product: product.id, expand: ['data.product'] })
  expect(listed.data[0]!.product).toMatchObject({ name: 'Starter' })
  expect(await readRefusal(stripe.prices.retrieve(price.id, { expand: ['currency'] }))).toMatchObject({
    message: 'This property cannot be expanded (currency).',
  })
})

it('hangs, disconnects or replies differently when a test asks for it', async () => {
  server.intercept = ({ path }) =>
    path === '/v1/products'
      ? { status: 429, body: { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many' } } }
      : 'cut'
  expect(await readRefusal(stripe.products.list())).toMatchObject({ type: 'StripeRateLimitError' })
  expect(await readRefusal(stripe.prices.list())).toMatchObject({ type: 'StripeConnectionError' })
  server.intercept = () => undefined
})
