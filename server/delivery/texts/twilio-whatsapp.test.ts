import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ContractServer, openContractTwilio } from '../../../providers/contracts/twilio.ts'
import { computeTwilioSignature } from '../../../providers/phone/callbacks.ts'
import { createShop, postWithWorker, type Shop } from '../../../test/manual-send-scene.ts'
import { DAY } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { openTextChannels } from './text-channels.ts'

// WhatsApp by Twilio as an owner sets it up and a shopper ends it: credentials, content template, message, reports, STOP.

const PUBLIC_URL = 'https://recoup.example.com'
const accountSid = `AC${'d'.repeat(32)}`
const contentSid = `HX${'a1'.repeat(16)}`
const variables = ['customer_name', 'store_name', 'cart_items', 'cart_total']
const line = { provider: 'twilio' as const, account: accountSid, token: 'tok', signingSecret: 'tok', inboundUrl: null }
const world = createWorld({ PUBLIC_URL })
let twilio: ContractServer
let shop: Shop

beforeAll(async () => {
  twilio = await openContractTwilio({ lines: [{ ...line, sender: '+12025550100' }], publicUrl: PUBLIC_URL })
  world.deps.config = { ...world.deps.config, twilioApiUrl: twilio.url }
  world.deps.channels.text = openTextChannels(world.deps).text
  shop = await createShop(world)
})
afterAll(() => twilio.close())

const put = (path: string, body: object) => world.request('PUT', `/api/channels/${path}`, { token: shop.token, body })
const remind = () => postWithWorker(world, shop, '/api/whatsapp/send-reminder', { cartId: shop.cartIds[0] })
const readMessageState = async () =>
  (await world.request('GET', `/api/carts/${shop.cartIds[0]}/messages`, { token: shop.token })).body.messages.at(-1)

/** A post of Twilio's, signed for the address it was given. */
async function calls(address: string, params: Record<string, string>, signedFor = address) {
  const all = { AccountSid: accountSid, ...params }
  const reply = await world.app.inject({
    method: 'POST',
    url: address.slice(PUBLIC_URL.length),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': computeTwilioSignature('tok', signedFor, all),
      // What a proxy in between calls this server is of no matter.
      host: '10.0.0.7:3000',
    },
    payload: new URLSearchParams(all).toString(),
  })
  return reply.statusCode
}

test('an approved content template is sent, reported as delivered and read, and STOP applies to WhatsApp only', async () => {
  const senders = [{ country: null, sender: '+12025550100' }]
  const saved = await put('whatsapp', { provider: 'twilio', accountSid, authToken: 'tok', senders, version: 0 })
  expect(saved.body.templates.map((each: { title: string; status: string }) => [each.title, each.status])).toEqual([
    ['cart_reminder', 'approved'],
    ['cart_last_call', 'pending'],
  ])
  expect((await remind()).body.fields.reason).toBe('template_missing')
  expect((await put('whatsapp/template', { name: contentSid, language: 'en', variables })).status).toBe(200)
  world.advance(DAY)
  expect((await remind()).body.message).toBe('WhatsApp message sent successfully!')

  const { form } = twilio.seen.at(-1)!
  const phone = shop.orders[0]!.phone!
  expect(form).toMatchObject({ To: `whatsapp:${phone}`, From: 'whatsapp:+12025550100', ContentSid: contentSid })
  expect(JSON.parse(form.ContentVariables!)).toMatchObject({
    1: 'Ada',
    2: 'Tea & Co',
    5: expect.stringMatching(/^[\w-]{43}$/),
  })

  const sent = world.db.selectFrom('messages').select('provider_id').where('state', '=', 'sent')
  const sid = (await sent.executeTakeFirstOrThrow()).provider_id!
  const customer = async () => {
    const { body } = await world.request('GET', '/api/carts/abandoned', { token: shop.token })
    return body.carts.find((cart: { phone: string | null }) => cart.phone === phone).customer_data
  }
  // Not every phone has WhatsApp: the number is shown as one once a message has arrived there.
  expect(await customer()).toMatchObject({ phone, whatsapp: null })
  const report = { MessageSid: sid, MessageStatus: 'read', To: form.To!, From: form.From! }
  expect(await calls(form.StatusCallback!, report, form.StatusCallback!.replace('https', 'http'))).toBe(403)
  for (const status of ['read', 'delivered', 'sent']) {
    expect(await calls(form.StatusCallback!, { ...report, MessageStatus: status })).toBe(204)
  }
  expect(await readMessageState()).toMatchObject({ state: 'delivered', readAt: expect.any(String) })
  expect(await customer()).toMatchObject({ phone, whatsapp: phone })

  const inbound = form.StatusCallback!.replace(/status\/.*/, 'inbound')
  const stop = { MessageSid: `SM${'9'.repeat(32)}`, From: `whatsapp:${phone}`, To: form.From!, Body: 'STOP' }
  expect(await calls(inbound, stop)).toBe(200)
  world.advance(DAY + 1)
  expect((await remind()).body.fields.reason).toBe('suppressed_unsubscribed')
  const rows = await world.db.selectFrom('suppressions').select('channel').execute()
  expect(rows).toEqual([{ channel: 'whatsapp' }])
})
