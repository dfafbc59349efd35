import type Stripe from 'stripe'
import { beforeEach, describe, expect, it } from 'vitest'
import { DAY } from '../../../test/message-scene.ts'
import { createStripeWorld } from '../../../test/stripe-world.ts'
import { createSubscriber, readSubscription, subscribe } from '../../../test/subscriber.ts'
import { cleanUpAccounts } from '../../workspace/accounts/accounts.ts'

// Stripe's webhooks are verified, stored once and answered; a snapshot follows (decision 83).

const world = createStripeWorld()

/** Uses other Stripe settings of the installation. */
async function runWithSettings(changed: object, work: () => Promise<void>): Promise<void> {
  const { config } = world.deps
  world.deps.config = { ...config, stripe: { ...config.stripe!, ...changed } }
  await work().finally(() => {
    world.deps.config = config
  })
}

beforeEach(() => {
  world.stripe.intercept = () => undefined
  world.stripe.webhooks.drop()
  world.queued.length = 0
})

async function post(payload: string, signature: string) {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
  const reply = await world.app.inject({ method: 'POST', url: '/api/webhooks/stripe', headers, payload })
  return { status: reply.statusCode, body: reply.json() as { error?: string; received?: boolean } }
}
const deliver = (event: Stripe.Event) => {
  const { payload, signature } = world.stripe.webhooks.signed(event)
  return post(payload, signature)
}
const readStoredEvent = (id: string) =>
  world.db.selectFrom('billing_events').selectAll().where('event_id', '=', id).executeTakeFirst()
const findNewestEvent = (type: Stripe.Event['type']) =>
  world.stripe.all('event').findLast((event) => event.type === type)!

/** An account with a subscription, and its event. */
async function createSubscriberWithEvent(type: Stripe.Event['type'] = 'customer.subscription.created') {
  const shop = await createSubscriber(world)
  await subscribe(world, shop)
  world.queued.length = 0
  return { shop, event: findNewestEvent(type) }
}

it('an event is stored once and answered at once, and the account is fetched afterwards', async () => {
  const { shop, event } = await createSubscriberWithEvent()
  const requestCount = world.stripe.seen.length
  expect(await deliver(event)).toEqual({ status: 200, body: { received: true } })
  expect(world.stripe.seen).toHaveLength(requestCount)
  expect(await readStoredEvent(event.id)).toMatchObject({
    type: event.type,
    stripe_customer_id: shop.customer,
    received_at: world.now,
    made_at: new Date(event.created * 1000),
  })
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'free' })
  await world.runJobs()
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'starter', source: 'stripe' })
})

it('the same event ten times at once is one row and one fetch', async () => {
  const { event } = await createSubscriberWithEvent()
  const replies = await Promise.all(Array.from({ length: 10 }, () => deliver(event)))
  expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(world.queued.map(({ name }) => name)).toEqual(['payments.refresh'])
  await world.runJobs()
  world.queued.length = 0
  await deliver(event)
  expect(world.queued).toEqual([])
})

it('many events of one account trigger one fetch', async () => {
  await createSubscriberWithEvent()
  const done = await world.stripe.webhooks.deliverAll(
    async (payload, signature) => (await post(payload, signature)).status,
  )
  expect(done.length).toBeGreaterThan(5)
  expect(done.every(({ answers }) => answers.at(-1) === 200)).toBe(true)
  expect(world.queued.map(({ name }) => name)).toEqual(['payments.refresh'])
})

describe('an invalid delivery is refused with a sentence and not stored', () => {
  it.each([
    [
      'with a forged signature',
      () => world.stripe.webhooks.signed(findNewestEvent('invoice.paid'), 'whsec_of_somebody_else').signature,
    ],
    ['without a signature', () => ''],
    ['with a malformed signature', () => 't=now,v1=ffff'],
  ])('%s', async (_, signature) => {
    const { event } = await createSubscriberWithEvent('invoice.paid')
    const { payload } = world.stripe.webhooks.signed(event)
    const { status, body } = await post(payload, signature())
    expect([status, body.error]).toEqual([400, expect.stringMatching(/^The signature is not valid/)])
    expect(await readStoredEvent(event.id)).toBeUndefined()
    expect(world.queued).toEqual([])
  })

  it('with another body than the signed one', async () => {
    const { event } = await createSubscriberWithEvent()
    const { payload, signature } = world.stripe.webhooks.signed(event)
    expect((await post(payload.replace('customer.subscription', 'customer.Subscription'), signature)).status).toBe(400)
    expect(await readStoredEvent(event.id)).toBeUndefined()
  })

  it('signed more than five minutes ago', async () => {
    const { event } = await createSubscriberWithEvent()
    const { payload, signature } = world.stripe.webhooks.signed(event)
    world.advance(6 * 60_000)
    expect((await post(payload, signature)).status).toBe(400)
    expect(await readStoredEvent(event.id)).toBeUndefined()
    // Stripe signs again when it retries.
    expect((await deliver(event)).status).toBe(200)
  })

  it('of the other mode', async () => {
    const { event } = await createSubscriberWithEvent()
    await runWithSettings({ secretKey: 'rk_live_ofours' }, async () => {
      const { status, body } = await deliver(event)
      expect([status, body.error]).toEqual([
        400,
        'This is an event of Stripe’s test mode, and the key here is one of its live mode.',
      ])
      expect(await readStoredEvent(event.id)).toBeUndefined()
      expect((await deliver({ ...event, livemode: true })).status).toBe(200)
    })
    const { body } = await deliver({ ...event, id: 'evt_live', livemode: true })
    expect(body.error).toMatch(/live mode, and the key here is one of its test/)
  })

  it('signed correctly but no event', async () => {
    for (const strange of [{ id: 'evt_1' }, { ...findNewestEvent('invoice.paid'), id: '../x' }, [], 'event']) {
      const { status, body } = await deliver(strange as unknown as Stripe.Event)
      expect([status, body.error]).toEqual([400, 'This is not an event of Stripe.'])
    }
  })

  it('larger than any event', async () => {
    const event = { ...findNewestEvent('invoice.paid'), id: 'evt_large', padding: 'x'.repeat(1_000_000) }
    expect((await deliver(event)).status).toBe(413)
    expect(await readStoredEvent('evt_large')).toBeUndefined()
  })
})

it('each secret is accepted, so that one can be replaced', async () => {
  const { event } = await createSubscriberWithEvent()
  await runWithSettings({ webhookSecrets: ['whsec_old', 'whsec_contractserver'] }, async () => {
    expect((await deliver(event)).status).toBe(200)
  })
  await runWithSettings({ webhookSecrets: [] }, async () => {
    expect((await deliver(event)).body.error).toBe('STRIPE_WEBHOOK_SECRET is not set here.')
  })
})

it('without Stripe the endpoint does not exist', async () => {
  const { event } = await createSubscriberWithEvent()
  const { payload, signature } = world.stripe.webhooks.signed(event)
  const { stripe } = world.deps
  delete world.deps.stripe
  expect((await post(payload, signature)).status).toBe(404)
  world.deps.stripe = stripe!
})

it('an unknown customer is answered and logged', async () => {
  const { id } = await world.deps.stripe!.customers.create({ email: 'ann@elsewhere.test' })
  const event = findNewestEvent('customer.created')
  expect((await deliver(event)).status).toBe(200)
  expect(await readStoredEvent(event.id)).toMatchObject({ stripe_customer_id: id })
  expect(world.queued).toEqual([])
})

it('a detached card names its previous customer', async () => {
  const { shop } = await createSubscriberWithEvent()
  const [card] = world.stripe.all('payment_method').filter(({ customer }) => customer === shop.customer)
  await world.deps.stripe!.paymentMethods.detach(card!.id)
  await deliver(findNewestEvent('payment_method.detached'))
  expect(world.queued).toMatchObject([{ name: 'payments.refresh', payload: { accountId: shop.accountId } }])
})

it('a refund names only a charge, whose customer is fetched', async () => {
  const { shop } = await createSubscriberWithEvent()
  await world.runJobs()
  const intent = world.stripe.all('payment_intent').find(({ customer }) => customer === shop.customer)!
  await world.deps.stripe!.refunds.create({ payment_intent: intent.id, amount: 900 })
  await deliver(findNewestEvent('refund.created'))
  await world.runJobs()
  const payment = world.db.selectFrom('payments').selectAll().where('account_id', '=', shop.accountId)
  expect(await payment.executeTakeFirst()).toMatchObject({ status: 'succeeded', refund_minor: 900 })
})

it('a failed fetch is recorded, and the event is stored anyway', async () => {
  const { shop, event } = await createSubscriberWithEvent()
  world.stripe.intercept = () => 'cut'
  await deliver(event)
  await expect(world.runJobs()).rejects.toThrow('Stripe is not responding')
  expect(await readStoredEvent(event.id)).toBeDefined()
  expect(await readSubscription(world, shop)).toMatchObject({ plan: 'free' })
})

it('events are deleted after 40 days', async () => {
  const { event } = await createSubscriberWithEvent()
  await deliver(event)
  world.passTime(39 * DAY)
  await cleanUpAccounts(world.deps)
  expect(await readStoredEvent(event.id)).toBeDefined()
  world.passTime(2 * DAY)
  await cleanUpAccounts(world.deps)
  expect(await readStoredEvent(event.id)).toBeUndefined()
})
