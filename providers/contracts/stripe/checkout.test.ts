import type Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openScene, readRefusal, type Scene, START, toUnixSeconds } from './scene.ts'

// Catalog, customers, checkout sessions until payment, portal sessions, webhook endpoints.

let scene: Scene
let stripe: Stripe
let order: Stripe.Checkout.SessionCreateParams

beforeAll(async () => {
  scene = await openScene()
  stripe = scene.stripe
  order = {
    mode: 'subscription',
    line_items: [{ price: scene.prices.starterMonth, quantity: 1 }],
    success_url: 'https://recoup.example/billing?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://recoup.example/pricing',
  }
})
afterAll(async () => {
  expect(scene.server.faults).toEqual([])
  await scene.server.close()
})

const create = (changes: object) => stripe.checkout.sessions.create({ ...order, ...changes })

it('finds prices by lookup key, which one price has at a time', async () => {
  const product = (await stripe.products.create({ name: 'Keyed' })).id
  const price = { product, currency: 'usd', unit_amount: 700, recurring: { interval: 'month' as const } }
  const first = await stripe.prices.create({ ...price, lookup_key: 'keyed' })
  expect(await readRefusal(stripe.prices.create({ ...price, lookup_key: 'keyed' }))).toMatchObject({
    statusCode: 400,
    param: 'lookup_key',
    message: expect.stringContaining(`A price (\`${first.id}\`) already uses that lookup key`),
  })
  const second = await stripe.prices.create({
    ...price,
    unit_amount: 800,
    lookup_key: 'keyed',
    transfer_lookup_key: true,
  })
  const found = await stripe.prices.list({ lookup_keys: ['keyed', 'starter_month'], active: true })
  expect(found.data.map(({ id }) => id).sort()).toEqual([second.id, scene.prices.starterMonth].sort())
  expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull()
  await stripe.prices.update(first.id, { lookup_key: 'keyed', transfer_lookup_key: true, active: false })
  expect((await stripe.prices.list({ lookup_keys: ['keyed'], active: true })).data).toEqual([])
})

it('returns decimal amounts as the client reads them', async () => {
  const price = await stripe.prices.retrieve(scene.prices.starterMonth)
  expect(String(price.unit_amount_decimal)).toBe('1900')
})

it('updates customers, merges their metadata, and returns only the deletion of a deleted one', async () => {
  const customer = await stripe.customers.create({ email: 'ann@shop.test', metadata: { account: '1', old: 'x' } })
  const changed = await stripe.customers.update(customer.id, { name: 'Ann', metadata: { old: '', new: 'y' } })
  expect(changed).toMatchObject({ name: 'Ann', metadata: { account: '1', new: 'y' } })
  expect((await stripe.customers.list({ email: 'ann@shop.test' })).data).toHaveLength(1)
  expect(await stripe.customers.del(customer.id)).toEqual({ id: customer.id, object: 'customer', deleted: true })
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true })
  expect((await stripe.customers.list({ email: 'ann@shop.test' })).data).toEqual([])
  expect(await readRefusal(create({ customer: customer.id }))).toMatchObject({
    code: 'resource_missing',
    param: 'customer',
    statusCode: 400,
  })
  expect(await readRefusal(stripe.customers.retrieve('cus_none'))).toMatchObject({ statusCode: 404 })
})

it('saves a card with its fingerprint, as the default of its own customer only', async () => {
  const [ann, bob] = [await stripe.customers.create(), await stripe.customers.create()]
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: ann.id })
  const same = await stripe.paymentMethods.attach('pm_card_visa', { customer: bob.id })
  expect(same.card!.fingerprint).toBe(card.card!.fingerprint)
  expect((await stripe.customers.listPaymentMethods(ann.id)).data.map(({ id }) => id)).toEqual([card.id])
  const setDefaultCard = (customer: string) =>
    stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
  expect((await setDefaultCard(ann.id)).invoice_settings.default_payment_method).toBe(card.id)
  expect(await readRefusal(setDefaultCard(bob.id))).toMatchObject({ param: 'invoice_settings[default_payment_method]' })
  expect(await readRefusal(stripe.paymentMethods.attach(card.id, { customer: bob.id }))).toMatchObject({
    statusCode: 400,
  })
  await stripe.paymentMethods.detach(card.id)
  expect((await stripe.customers.retrieve(ann.id)) as Stripe.Customer).toMatchObject({
    invoice_settings: { default_payment_method: null },
  })
})

it('opens a session with a page and its lines, valid for a day', async () => {
  const customer = await stripe.customers.create({ email: 'ann@shop.test' })
  const session = await create({
    customer: customer.id,
    client_reference_id: 'account-1',
    subscription_data: {
      trial_period_days: 14,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
      metadata: { account: '1' },
    },
    payment_method_collection: 'if_required',
    allow_promotion_codes: true,
    tax_id_collection: { enabled: true },
    customer_update: { name: 'auto' },
  })
  expect(session).toMatchObject({
    mode: 'subscription',
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 0,
    subscription: null,
    url: `${scene.server.url}/c/pay/${session.id}`,
    expires_at: toUnixSeconds(START) + 86_400,
  })
  expect(session.id).toMatch(/^cs_test_\w+$/)
  const lines = await stripe.checkout.sessions.listLineItems(session.id)
  expect(lines.data).toMatchObject([{ quantity: 1, description: 'Starter', price: { id: scene.prices.starterMonth } }])
  const whole = await stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items', 'customer'] })
  expect(whole.line_items!.data).toHaveLength(1)
  expect(whole.customer).toMatchObject({ email: 'ann@shop.test' })
})

it('expires a session once', async () => {
  const session = await create({})
  expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null })
  expect(await readRefusal(stripe.checkout.sessions.expire(session.id))).toMatchObject({ statusCode: 400 })
})

it('refuses invalid sessions', async () => {
  const customer = (await stripe.customers.create({ email: 'ann@shop.test' })).id
  const { starterMonth, starterYear } = scene.prices
  const once = (await stripe.prices.create({ product_data: { name: 'Credits' }, currency: 'usd', unit_amount: 1_000 }))
    .id
  const stopped = (
    await stripe.prices.create({
      product_data: { name: 'Old' },
      currency: 'usd',
      unit_amount: 1,
      recurring: { interval: 'month' },
    })
  ).id
  await stripe.prices.update(stopped, { active: false })
  const buildLine = (price: string, quantity: unknown = 1) => ({ line_items: [{ price, quantity }] })
  const table: [object, string][] = [
    [{ payment_method_types: ['card'] }, 'Received unknown parameter: payment_method_types'],
    [{ ui_mode: 'hosted' }, 'Invalid ui_mode: must be one of elements, embedded_page, form, or hosted_page'],
    [{ mode: 'recurring' }, 'Invalid mode: must be one of'],
    [{ customer_creation: 'always' }, '`customer_creation` can only be used in `payment` and `setup` mode.'],
    [
      { mode: 'payment', ...buildLine(once), subscription_data: { description: 'x' } },
      '`subscription_data` can only be used in `subscription` mode.',
    ],
    [{ line_items: [], success_url: 'https://x.example' }, 'Missing required param: line_items.'],
    [{ success_url: 'billing' }, 'Not a valid URL'],
    [buildLine('price_none'), "No such price: 'price_none'"],
    [buildLine(starterMonth, -1), 'This value must be greater than or equal to 1.'],
    [buildLine(starterMonth, 'two'), 'Invalid integer: two'],
    [{ line_items: [{ price: starterMonth }] }, 'Quantity is required.'],
    [buildLine(stopped), 'The price specified is inactive.'],
    [buildLine(once), 'You must provide at least one recurring price'],
    [{ mode: 'payment' }, 'You specified `payment` mode but passed a recurring price.'],
    [
      {
        line_items: [
          { price: starterMonth, quantity: 1 },
          { price: starterYear, quantity: 1 },
        ],
      },
      'different billing intervals',
    ],
    [{ customer, customer_email: 'ann@shop.test' }, 'only specify one of these parameters'],
    [{ customer_email: 'ann' }, 'Invalid email address'],
    [{ customer, tax_id_collection: { enabled: true } }, '`customer_update[name]` to `auto`'],
    [{ customer, automatic_tax: { enabled: true } }, 'requires a valid address on the Customer'],
    [{ subscription_data: { trial_period_days: 0 } }, 'The minimum number of trial period days is 1'],
    [{ expires_at: toUnixSeconds(START) + 60 }, 'between 30 minutes and 24 hours'],
  ]
  for (const [changes, message] of table) {
    expect((await readRefusal(create(changes))).message, JSON.stringify(changes)).toContain(message)
  }
})

it('sells once for an amount that the session defines', async () => {
  const session = await create({
    mode: 'payment',
    line_items: [
      { price_data: { currency: 'usd', unit_amount: 2_500, product_data: { name: 'SMS credits' } }, quantity: 1 },
    ],
  })
  expect(session).toMatchObject({ amount_total: 2_500, mode: 'payment', payment_method_collection: null })
})

it('creates an invoice for a one-time sale only on request', async () => {
  const customer = (await stripe.customers.create({ email: 'ann@shop.test' })).id
  const line = {
    price_data: { currency: 'usd', unit_amount: 2_500, product_data: { name: 'SMS credits' } },
    quantity: 1,
  }
  const order = { mode: 'payment', customer, customer_email: undefined, line_items: [line] } as const
  const invoice_creation = { enabled: true, invoice_data: { description: 'Credits', metadata: { kind: 'credits' } } }
  const session = await create({ ...order, invoice_creation })
  expect(session).toMatchObject({ invoice: null, invoice_creation: { enabled: true } })
  scene.server.buy(session.id, { card: '4242424242424242' })
  const { invoice, payment_intent } = await stripe.checkout.sessions.retrieve(session.id)
  expect(await stripe.invoices.retrieve(String(invoice), { expand: ['payments'] })).toMatchObject({
    status: 'paid',
    amount_paid: 2_500,
    customer,
    parent: null,
    description: 'Credits',
    lines: { data: [{ description: 'SMS credits', amount: 2_500 }] },
    payments: { data: [{ status: 'paid', payment: { payment_intent } }] },
  })
  const without = await create(order)
  scene.server.buy(without.id, { card: '4242424242424242' })
  expect((await stripe.checkout.sessions.retrieve(without.id)).invoice).toBeNull()
  expect(await readRefusal(create({ invoice_creation }))).toMatchObject({ param: 'invoice_creation' })
})

it('opens the portal only with a configuration', async () => {
  const customer = (await stripe.customers.create()).id
  expect((await readRefusal(stripe.billingPortal.sessions.create({ customer }))).message).toContain(
    'No configuration provided',
  )
  const configuration = await stripe.billingPortal.configurations.create({
    business_profile: { headline: 'Recoup' },
    features: { payment_method_update: { enabled: true }, invoice_history: { enabled: true } },
  })
  const session = await stripe.billingPortal.sessions.create({
    customer,
    configuration: configuration.id,
    return_url: 'https://recoup.example/billing',
  })
  expect(session.url).toBe(`${scene.server.url}/p/session/${session.id}`)
  await stripe.billingPortal.configurations.update(configuration.id, { active: false })
  expect(
    await readRefusal(stripe.billingPortal.sessions.create({ customer, configuration: configuration.id })),
  ).toMatchObject({
    param: 'configuration',
  })
})

it('returns the secret of a webhook endpoint once, and refuses an unreachable address', async () => {
  const create = (url: string) => stripe.webhookEndpoints.create({ url, enabled_events: ['invoice.paid'] })
  const endpoint = await create('https://recoup.example/api/webhooks/stripe')
  expect(endpoint.secret).toMatch(/^whsec_/)
  expect((await stripe.webhookEndpoints.list()).data).toMatchObject([
    { id: endpoint.id, enabled_events: ['invoice.paid'] },
  ])
  expect((await stripe.webhookEndpoints.retrieve(endpoint.id)).secret).toBeUndefined()
  expect(await readRefusal(create('http://127.0.0.1:3000/hook'))).toMatchObject({ param: 'url' })
  expect(await readRefusal(create('hook'))).toMatchObject({ message: 'Not a valid URL' })
  await stripe.webhookEndpoints.del(endpoint.id)
  expect((await stripe.webhookEndpoints.list()).data).toEqual([])
})
