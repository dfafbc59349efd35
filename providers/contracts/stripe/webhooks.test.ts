import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openScene, type Scene, START } from './scene.ts'

// Delivery of events: signed, and shuffled, duplicated, lost, late or forged at a test's request.

let scene: Scene
const received: string[] = []

beforeEach(async () => {
  scene = await openScene()
  received.length = 0
  scene.server.webhooks.drop()
  for (const email of ['a@x.test', 'b@x.test', 'c@x.test']) await scene.stripe.customers.create({ email })
})
afterEach(async () => {
  expect(scene.server.faults).toEqual([])
  await scene.server.close()
})

/** An application that verifies signatures as ours does. `at`: its clock. */
const receiver =
  (at = scene.server.clock.now()) =>
  async (payload: string, signature: string) => {
    try {
      const event = Stripe.webhooks.constructEvent(
        payload,
        signature,
        scene.server.webhookSecret,
        300,
        undefined,
        at.getTime(),
      )
      const { object } = event.data
      received.push('email' in object ? String(object.email) : event.type)
      return 200
    } catch {
      received.push('refused')
      return 400
    }
  }

it('delivers each event once, signed, in order', async () => {
  const done = await scene.server.webhooks.deliverAll(receiver())
  expect(received).toEqual(['a@x.test', 'b@x.test', 'c@x.test'])
  expect(done.map(({ event }) => event.type)).toEqual(['customer.created', 'customer.created', 'customer.created'])
  expect(await scene.server.webhooks.deliverAll(receiver())).toEqual([])
})

it('delivers over HTTP', async () => {
  const app = createServer((request, reply) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', async () => {
      const status = await receiver()(body, String(request.headers['stripe-signature']))
      reply.writeHead(status).end()
    })
  })
  await new Promise<void>((done) => app.listen(0, '127.0.0.1', done))
  await scene.server.webhooks.deliverAll(`http://127.0.0.1:${(app.address() as AddressInfo).port}/hook`)
  app.close()
  expect(received).toEqual(['a@x.test', 'b@x.test', 'c@x.test'])
})

it('delivers events as they happen, on request', async () => {
  const { webhooks } = scene.server
  webhooks.deliverTo(receiver())
  await webhooks.idle()
  expect(received).toHaveLength(3)
  await scene.stripe.customers.create({ email: 'd@x.test' })
  await webhooks.idle()
  expect(received.at(-1)).toBe('d@x.test')
  webhooks.deliverTo(null)
  await scene.stripe.customers.create({ email: 'e@x.test' })
  await webhooks.idle()
  expect(webhooks.waiting()).toHaveLength(1)
})

it('keeps events without a listener', async () => {
  const [delivery] = await scene.server.webhooks.deliverAll('http://127.0.0.1:9/hook')
  expect(delivery!.answers).toEqual([0])
  expect(scene.server.webhooks.waiting()).toHaveLength(3)
})

it('repeats rejected events with a new signature', async () => {
  await scene.server.webhooks.deliverAll(async () => 500)
  expect(scene.server.webhooks.waiting()).toHaveLength(3)
  scene.server.clock.advance(new Date(START.getTime() + 86_400_000))
  await scene.server.webhooks.deliverAll(receiver())
  expect(received).toEqual(['a@x.test', 'b@x.test', 'c@x.test'])
  expect(scene.server.webhooks.waiting()).toEqual([])
})

it('shuffles, duplicates, loses and delays', async () => {
  const { webhooks, clock } = scene.server
  webhooks.shuffle(() => 0)
  webhooks.double((_, at) => at === 0)
  webhooks.drop(({ data }) => (data.object as { email?: string }).email === 'a@x.test')
  webhooks.delay(3_600, ({ data }) => (data.object as { email?: string }).email === 'c@x.test')
  await webhooks.deliverAll(receiver())
  expect(received).toEqual(['b@x.test', 'b@x.test'])
  clock.advance(new Date(START.getTime() + 3_600_000))
  await webhooks.deliverAll(receiver())
  expect(received).toEqual(['b@x.test', 'b@x.test', 'c@x.test'])
})

it('forges an event that does not verify', async () => {
  scene.server.webhooks.drop()
  scene.server.webhooks.forge('customer.created', { id: 'cus_x', object: 'customer', email: 'eve@x.test' })
  await scene.server.webhooks.deliverAll(receiver())
  expect(received).toEqual(['refused'])
})

it('signs with the application’s time, if given', async () => {
  await scene.server.close()
  const later = new Date('2026-11-24T00:00:00Z')
  scene = await openScene({ signedAt: () => later })
  await scene.server.webhooks.deliverAll(receiver(later))
  expect(new Set(received)).toEqual(new Set(['product.created', 'price.created']))
  const [event] = scene.server.all('event')
  const { payload, signature } = scene.server.webhooks.signed(event!)
  expect(await receiver(new Date('2026-11-24T00:10:00Z'))(payload, signature)).toBe(400)
})

it('signs with the secret of an endpoint created through the API, and delivers only its event types', async () => {
  const url = 'https://recoup.example/api/webhooks/stripe'
  const endpoint = await scene.stripe.webhookEndpoints.create({ url, enabled_events: ['customer.created'] })
  const { payload, signature } = scene.server.webhooks.signed(scene.server.all('event').at(-1)!, endpoint.secret)
  const event = Stripe.webhooks.constructEvent(payload, signature, endpoint.secret!, 300, undefined, START.getTime())
  await scene.stripe.products.create({ name: 'Not asked for' })
  expect(scene.server.webhooks.waiting().map(({ type }) => type)).toContain('product.created')
  const done = await scene.server.webhooks.deliverAll(async (body, header) => {
    Stripe.webhooks.constructEvent(body, header, endpoint.secret!, 300, undefined, START.getTime())
    return 200
  }, url)
  expect(new Set(done.map(({ event }) => event.type))).toEqual(new Set(['customer.created']))
  expect(await scene.stripe.events.retrieve(event.id)).toMatchObject({ type: 'customer.created' })
  expect((await scene.stripe.events.list({ type: 'customer.created' })).data).toHaveLength(3)
})
