import type net from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ContractServer, openContractTwilio } from '../../../providers/contracts/twilio.ts'
import { openContractWhatsApp } from '../../../providers/contracts/whatsapp.ts'
import { buildOrder, createStore, type TestStore } from '../../../test/factories.ts'
import { grantConsent, takeGermanPhone } from '../../../test/manual-send-scene.ts'
import { advanceToAbandoned, DAY, HOUR, MINUTE, passTime, readMessages } from '../../../test/message-scene.ts'
import { createTestBrowser, fillBrowserCart, postFromPage, setUpPush } from '../../../test/push-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { foldStorePosts } from '../../carts/capture/capture-intake.ts'
import { recordOrders } from '../../carts/carts/record.ts'
import { openOwnMails } from '../email/own-mail.ts'
import { openTextChannels } from '../texts/text-channels.ts'

// A message that may go by several channels is held with the reason of one of them. When another one becomes possible it goes by that, and
// does not wait until it would have been looked at again.

const accountSid = `AC${'b'.repeat(32)}`
const phoneNumberId = '106540352242922'
const publicUrl = 'https://recoup.example.com'
const world = createWorld({ PUBLIC_URL: publicUrl, ALLOW_PRIVATE_STORES: 'on' })
let twilio: ContractServer
let meta: ContractServer
let smtp: SMTPServer
let ownMails: ReturnType<typeof openOwnMails>
let store: TestStore
/** Mails accepted by the account's own mail server. */
const requests: string[] = []

beforeAll(async () => {
  const line = { inboundUrl: null, sender: '+12025550100' }
  twilio = await openContractTwilio({
    lines: [{ ...line, provider: 'twilio', account: accountSid, token: 'tok-secret', signingSecret: 'tok-secret' }],
  })
  meta = await openContractWhatsApp({
    lines: [{ ...line, provider: 'meta', account: phoneNumberId, token: 'EAA-secret', signingSecret: 'app-secret' }],
    publicUrl,
  })
  smtp = new SMTPServer({
    logger: false,
    disableReverseLookup: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onAuth: ({ username }, _session, done) => done(null, { user: username! }),
    onData(stream, { envelope }, done) {
      stream.resume().on('end', () => {
        requests.push(envelope.rcptTo[0]!.address)
        done(null, 'queued as 7')
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  world.deps.config = { ...world.deps.config, twilioApiUrl: twilio.url, whatsappApiUrl: meta.url }
  world.deps.channels.text = openTextChannels(world.deps).text
  ownMails = openOwnMails(world.deps)
  world.deps.channels.ownMail = ownMails.of
})
afterAll(async () => {
  await ownMails.close()
  await Promise.all([twilio.close(), meta.close(), new Promise<void>((resolve) => smtp.close(() => resolve()))])
})
beforeEach(async () => {
  requests.length = 0
  world.pushes.length = 0
  await world.db.deleteFrom('rate_limits').execute()
  world.now = new Date(`${new Date(world.now.getTime() + DAY).toISOString().slice(0, 10)}T09:00:00Z`)
  store = await createStore(world, { plan: 'growth' })
})

const call = async (method: string, url: string, body?: object) => {
  const reply = await world.request(method, url, { token: store.token, ...(body && { body }) })
  expect([url, reply.status, reply.body.error]).toEqual([url, 200, undefined])
  return reply.body
}

/** As they stand from before, when their providers were set up. */
async function setStepChannels(first: string, ...others: string[]): Promise<void> {
  await world.db
    .updateTable('flow_steps')
    .set({ channel: first as 'sms', fallback: others as 'sms'[] })
    .where('flow_id', '=', store.flowId)
    .execute()
}

/** Of a German shopper, who has consented to all channels. */
async function createCart() {
  const order = buildOrder(world, { country: 'DE', phone: takeGermanPhone() })
  await recordOrders(world.deps, store.storeId, [order], 'sync')
  await grantConsent(world, store, order)
  return order
}

const first = async () => {
  const { state, reason, channel } = (await readMessages(world, store.storeId)).find(({ step }) => step === 1)!
  return [state, reason, channel]
}

const advance = () => passTime(world, store.storeId, MINUTE)

const saveMailServer = () =>
  call('PUT', '/api/sending/mail-server', {
    host: '127.0.0.1',
    port: (smtp.server.address() as net.AddressInfo).port,
    security: 'none',
    user: 'shop@mugs.example',
    password: 'correct horse',
    fromAddress: '',
    version: 0,
  })
const saveSms = () =>
  call('PUT', '/api/channels/sms', {
    accountSid,
    authToken: 'tok-secret',
    version: 0,
    senders: [{ country: null, sender: '+12025550100' }],
  })
const saveWhatsapp = () =>
  call('PUT', '/api/channels/whatsapp', {
    provider: 'meta',
    phoneNumberId,
    businessAccountId: `9${phoneNumberId}`,
    version: 0,
    accessToken: 'EAA-secret',
    appSecret: 'app-secret',
  })
const chooseTemplate = () =>
  call('PUT', '/api/channels/whatsapp/template', {
    name: 'cart_reminder',
    language: 'en_US',
    variables: ['customer_name', 'store_name', 'cart_items', 'cart_total'],
  })

test('a message held by quiet hours for SMS is sent by email once there is a mail server', async () => {
  await saveSms()
  await setStepChannels('sms', 'email')
  world.now = new Date(`${world.now.toISOString().slice(0, 10)}T20:30:00Z`)
  const { email } = await createCart()
  await passTime(world, store.storeId, HOUR)
  expect(await first()).toEqual(['held', 'quiet_hours', 'sms'])
  await saveMailServer()
  await advance()
  expect(await first()).toEqual(['sent', null, 'email'])
  expect(requests).toEqual([email])
})

test('a message held for a mail server is sent by SMS once that is set up', async () => {
  await setStepChannels('email', 'sms')
  await createCart()
  await passTime(world, store.storeId, HOUR)
  expect(await first()).toEqual(['held', 'mail_not_configured', 'email'])
  await saveSms()
  await advance()
  expect(await first()).toEqual(['sent', null, 'sms'])
})

test('a message held for another channel is sent by WhatsApp once its template is chosen', async () => {
  await setStepChannels('sms', 'email', 'whatsapp')
  await createCart()
  await passTime(world, store.storeId, HOUR)
  expect(await first()).toEqual(['held', 'sms_not_configured', 'sms'])
  await saveWhatsapp()
  await advance()
  expect((await first())[0]).toBe('held')
  await chooseTemplate()
  await advance()
  expect(await first()).toEqual(['sent', null, 'whatsapp'])
})

test('a message held for another channel is sent by push once a browser subscribes', async () => {
  await setStepChannels('email', 'push')
  // Day in the US.
  world.now = new Date(`${world.now.toISOString().slice(0, 10)}T16:00:00Z`)
  const browser = createTestBrowser()
  const { storeKey, publicKey, prompt } = await setUpPush(world, store)
  await fillBrowserCart(world, store, browser, 'ada@shoppers.example')
  await foldStorePosts(world.deps, { storeId: store.storeId, db: world.db })
  await passTime(world, store.storeId, HOUR + MINUTE)
  expect(await first()).toEqual(['held', 'mail_not_configured', 'email'])
  const { cart, device, subscription } = browser
  const subscribeBody = {
    storeKey,
    cart,
    device,
    subscription,
    publicKey,
    wording: prompt.wording,
    method: 'functions',
  }
  expect((await postFromPage(world, store, 'subscribe', subscribeBody)).status).toBe(200)
  await advance()
  expect(await first()).toEqual(['sent', null, 'push'])
  expect(world.pushes).toHaveLength(1)
})

test('a message held for a paused mail server is sent by SMS, its first channel, once that is set up', async () => {
  await saveMailServer()
  await setStepChannels('sms', 'email')
  await createCart()
  await world.db
    .updateTable('mail_servers')
    .set({ rests_until: new Date(world.now.getTime() + 3 * HOUR), problem: '421 too many connections' })
    .where('account_id', '=', store.accountId)
    .execute()
  await passTime(world, store.storeId, HOUR)
  expect(await first()).toEqual(['held', 'mail_server_away', 'email'])
  await saveSms()
  await advance()
  expect(await first()).toEqual(['sent', null, 'sms'])
})

test('a message with SMS as its only channel is sent once SMS is set up', async () => {
  await setStepChannels('sms')
  await createCart()
  await passTime(world, store.storeId, HOUR)
  expect(await first()).toEqual(['held', 'sms_not_configured', 'sms'])
  await saveSms()
  await advance()
  expect(await first()).toEqual(['sent', null, 'sms'])
})

test('a message held for all channels, or sent before, stays held', async () => {
  await setStepChannels('email', 'sms')
  await createCart()
  await advanceToAbandoned(world, store.storeId, HOUR)
  await call('POST', `/api/flows/${store.flowId}/switch`, { isOn: false })
  await advance()
  expect(await first()).toEqual(['held', 'flow_off', 'email'])
  await saveSms()
  await advance()
  expect(await first()).toEqual(['held', 'flow_off', 'email'])
  const later = new Date(world.now.getTime() + 3 * HOUR)
  await world.db
    .updateTable('messages')
    .set({ reason: 'retry', channels: null, attempts: 1, wake_at: later })
    .where('store_id', '=', store.storeId)
    .where('step', '=', 1)
    .execute()
  await saveMailServer()
  await advance()
  expect(await first()).toEqual(['held', 'retry', 'email'])
})
