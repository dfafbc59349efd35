import { afterAll, beforeAll, expect } from 'vitest'
import { type ContractServer, openContractTwilio } from '../providers/contracts/twilio.ts'
import { openContractWhatsApp } from '../providers/contracts/whatsapp.ts'
import { computeHubSignature, computeTwilioSignature } from '../providers/phone/callbacks.ts'
import { openTextChannels } from '../server/delivery/texts/text-channels.ts'
import { createStore, type TestStore } from './factories.ts'
import { createWorld } from './world.ts'

export const accountSid = `AC${'b'.repeat(32)}`
export const otherAccountSid = `AC${'c'.repeat(32)}`
const phoneNumberId = '106540352242922'
const PUBLIC_URL = 'https://recoup.example.com'

/** Phone of the shopper who writes. */
export const adaPhone = '+4915123456789'

/** A store with SMS by Twilio and WhatsApp by Meta, a second account with SMS, and signed calls of both providers. */
export function createProviderWorld(env: Record<string, string> = {}) {
  const world = createWorld({ PUBLIC_URL, ...env })
  const scene = { keys: { sms: '', whatsapp: '', otherSms: '' } } as {
    keys: { sms: string; whatsapp: string; otherSms: string }
    meta: ContractServer
    twilio: ContractServer
    store: TestStore
  }
  let twilio: ContractServer

  beforeAll(async () => {
    const line = { inboundUrl: null, sender: '+12025550100' }
    twilio = scene.twilio = await openContractTwilio({
      lines: [accountSid, otherAccountSid].map((account) => ({
        ...line,
        provider: 'twilio',
        account,
        token: 'tok',
        signingSecret: 'tok',
      })),
    })
    scene.meta = await openContractWhatsApp({
      lines: [{ ...line, provider: 'meta', account: phoneNumberId, token: 'EAA', signingSecret: 'app' }],
      publicUrl: PUBLIC_URL,
    })
    world.deps.config = { ...world.deps.config, twilioApiUrl: twilio.url, whatsappApiUrl: scene.meta.url }
    world.deps.channels.text = openTextChannels(world.deps).text
    const store = await createStore(world)
    scene.store = store
    const otherStore = await createStore(world)
    const senders = [{ country: null, sender: '+12025550100' }]
    const put = (who: TestStore, channel: string, body: object) =>
      world.request('PUT', `/api/channels/${channel}`, { token: who.token, body: { version: 0, ...body } })
    const saved = [
      await put(store, 'sms', { accountSid, authToken: 'tok', senders }),
      await put(otherStore, 'sms', { accountSid: otherAccountSid, authToken: 'tok', senders }),
      await put(store, 'whatsapp', {
        provider: 'meta',
        phoneNumberId,
        businessAccountId: `9${phoneNumberId}`,
        accessToken: 'EAA',
        appSecret: 'app',
      }),
    ]
    expect(saved.map((reply) => [reply.status, reply.body.checkAnswer])).toEqual([
      [200, expect.stringMatching(/^Account “Phone sandbox”, active\./)],
      [200, expect.stringMatching(/^Account “Phone sandbox”, active\./)],
      [200, expect.stringMatching(/^“Phone sandbox”, \+12025550100\./)],
    ])
    const rows = await world.db.selectFrom('channel_credentials').selectAll().execute()
    const findHookKey = (who: TestStore, channel: string) =>
      rows.find((row) => row.account_id === who.accountId && row.channel === channel)!.hook_key
    Object.assign(scene.keys, {
      sms: findHookKey(store, 'sms'),
      whatsapp: findHookKey(store, 'whatsapp'),
      otherSms: findHookKey(otherStore, 'sms'),
    })
  })
  afterAll(async () => {
    await twilio.close()
    await scene.meta.close()
  })

  let counter = 0

  /** A post as Twilio sends it; `changes` differ from what was signed. */
  async function postFromTwilio(
    path: string,
    params: Record<string, string>,
    changes: { signed?: string; body?: object } = {},
  ) {
    const url = changes.signed ?? PUBLIC_URL + path
    const full = { AccountSid: accountSid, ApiVersion: '2010-04-01', ...params }
    const reply = await world.app.inject({
      method: 'POST',
      url: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': computeTwilioSignature('tok', url, full),
      },
      payload: new URLSearchParams({ ...full, ...changes.body }).toString(),
    })
    return { status: reply.statusCode, body: reply.body }
  }

  const buildInboundPath = () => `/api/webhooks/twilio/${scene.keys.sms}/inbound`
  const sendReply = (Body: string, more: object = {}) =>
    postFromTwilio(buildInboundPath(), {
      MessageSid: `SM${String(++counter).padStart(32, '0')}`,
      From: adaPhone,
      To: '+12025550100',
      Body,
      ...more,
    })
  async function postFromMeta(news: object, changes: { body?: string; field?: string } = {}) {
    const metadata = { phone_number_id: phoneNumberId, display_phone_number: '12025550100' }
    const value = { messaging_product: 'whatsapp', metadata, ...news }
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: changes.field ?? 'messages', value }] }],
    })
    const reply = await world.app.inject({
      method: 'POST',
      url: `/api/webhooks/whatsapp/${scene.keys.whatsapp}`,
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': computeHubSignature({ signingSecret: 'app' }, body),
      },
      payload: changes.body ?? body,
    })
    return reply.statusCode
  }

  const sendWhatsAppReply = (body: string, at = world.now, id = `wamid.${++counter}`) =>
    postFromMeta({
      messages: [{ from: adaPhone.slice(1), id, timestamp: formatUnixSeconds(at), type: 'text', text: { body } }],
    })
  return Object.assign(scene, {
    world,
    fromTwilio: postFromTwilio,
    fromMeta: postFromMeta,
    inboundPath: buildInboundPath,
    says: sendReply,
    writes: sendWhatsAppReply,
  })
}

/** Meta's time format. */
export const formatUnixSeconds = (at: Date) => String(Math.floor(at.getTime() / 1_000))
