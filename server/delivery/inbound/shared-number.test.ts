import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractServer, openContractTwilio } from '../../../providers/contracts/twilio.ts'
import { computeTwilioSignature } from '../../../providers/phone/callbacks.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { insertMessageTo, readMessageState } from '../../../test/provider-messages.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { authorizeTest } from '../../messages/channels/send-authorization.ts'
import { openTextChannels } from '../texts/text-channels.ts'
import { tidyInbound } from './inbound.ts'

// SMS by the operator's own account, for accounts that have connected none (decision 85): who sends, whose reports they are, and whom an answer
// to a number that all of them share is for.

const PUBLIC_URL = 'https://recoup.example.com'
const operatorSid = `AC${'d'.repeat(32)}`
const ownSid = `AC${'e'.repeat(32)}`
const number = '+12025550111'
const operator = {
  OPERATOR_TWILIO_ACCOUNT_SID: operatorSid,
  OPERATOR_TWILIO_AUTH_TOKEN: 'op-token',
  OPERATOR_TWILIO_SENDERS: `${number},DE:+491512345678`,
}
const world = createWorld({ PUBLIC_URL, ...operator })
let twilio: ContractServer
let tea: TestStore
let wine: TestStore
let salt: TestStore

beforeAll(async () => {
  const line = { inboundUrl: null, sender: number, provider: 'twilio' as const }
  twilio = await openContractTwilio({
    lines: [
      { ...line, account: operatorSid, token: 'op-token', signingSecret: 'op-token' },
      { ...line, account: ownSid, token: 'own-token', signingSecret: 'own-token' },
    ],
  })
  world.deps.config = { ...world.deps.config, twilioApiUrl: twilio.url }
  world.deps.channels.text = openTextChannels(world.deps).text
  ;[tea, wine, salt] = [await createStore(world), await createStore(world), await createStore(world)]
})
afterAll(() => twilio.close())
beforeEach(() => {
  world.advance(60_000)
  twilio.seen.length = 0
})

let phones = 1_000
const buildPhone = () => `+12125550${String(++phones).slice(-3)}`
const readChannel = async (store: TestStore) => (await world.deps.channels.text(store.accountId, 'sms'))!

async function write(store: TestStore, to: string, messageId = createId()) {
  world.advance(1_000)
  const channel = await readChannel(store)
  const message = { messageId, channel: 'sms' as const, to, text: 'Your tea waits', template: null }
  return channel.send({ ...message, sendAuthorization: authorizeTest() })
}

let posts = 0
async function postFromTwilio(path: string, params: object, { sid = operatorSid, token = 'op-token' } = {}) {
  const full = { AccountSid: sid, ...params }
  const reply = await world.app.inject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': computeTwilioSignature(token, PUBLIC_URL + path, full),
    },
    payload: new URLSearchParams(full).toString(),
  })
  return { status: reply.statusCode, words: /<Message>(.*)<\/Message>/.exec(reply.body)?.[1] ?? null }
}
const INBOUND = '/api/webhooks/twilio/operator/inbound'
const says = (From: string, Body: string, more: object = {}) =>
  postFromTwilio(INBOUND, { MessageSid: `SM${String(++posts).padStart(32, '0')}`, From, To: number, Body, ...more })

const stoppedFor = async (phone: string) => {
  const rows = await world.db
    .selectFrom('suppressions')
    .select('account_id')
    .where('address_hash', '=', world.deps.secrets.addressHash(phone))
    .execute()
  return rows.map(({ account_id }) => account_id).toSorted()
}
const accounts = (...stores: TestStore[]) => stores.map(({ accountId }) => accountId).toSorted()

describe('the operator’s account', () => {
  test('sends SMS of accounts without credentials from its number for the country, with a report URL per account', async () => {
    expect(await write(tea, buildPhone())).toMatchObject({ kind: 'accepted' })
    await write(wine, '+4915123456789')
    const sent = twilio.seen
    expect(sent.map(({ path }) => path)).toEqual(Array(2).fill(`/2010-04-01/Accounts/${operatorSid}/Messages.json`))
    expect(sent.map(({ form }) => form.From)).toEqual([number, '+491512345678'])
    const [teaKey, wineKey] = sent.map(({ form }) => /twilio\/([\w-]+)\/status/.exec(form.StatusCallback!)![1])
    expect(teaKey).not.toBe(wineKey)
    expect((await readChannel(tea)).credits).toEqual({ perMille: 1_500 })
    expect(await world.deps.channels.text(tea.accountId, 'whatsapp')).toBeNull()
  })

  test('is shown without secrets or identity, and can be replaced by own credentials and restored', async () => {
    const read = async () => (await world.request('GET', '/api/channels', { token: salt.token })).body.sms
    const senders = [
      { country: null, sender: number },
      { country: 'DE', sender: '+491512345678' },
    ]
    const view = await read()
    expect(view).toMatchObject({ state: 'operator', provider: null, identity: {}, senders, hooks: [], version: 0 })
    const own = { accountSid: ownSid, authToken: 'own-token', senders: [{ country: null, sender: number }], version: 0 }
    const saved = await world.request('PUT', '/api/channels/sms', { token: salt.token, body: own })
    expect(saved.body).toMatchObject({ state: 'ready', provider: 'twilio' })
    expect((await readChannel(salt)).credits).toBeUndefined()
    await write(salt, buildPhone())
    expect(twilio.seen.at(-1)!.path).toContain(ownSid)
    await world.request('DELETE', '/api/channels/sms', { token: salt.token })
    expect(await read()).toMatchObject({ state: 'operator', version: 0 })
    // It is not there to be removed.
    await world.request('DELETE', '/api/channels/sms', { token: salt.token })
    expect(await read()).toMatchObject({ state: 'operator' })
  })

  test('that is no longer configured sends nothing, and its webhook calls are refused', async () => {
    const phone = buildPhone()
    await write(tea, phone)
    const { hook_key: key } = await world.db
      .selectFrom('channel_credentials')
      .select('hook_key')
      .where('account_id', '=', tea.accountId)
      .executeTakeFirstOrThrow()
    const { config } = world.deps
    world.deps.config = { ...config, operatorTexts: null }
    expect(await openTextChannels(world.deps).text(tea.accountId, 'sms')).toBeNull()
    const status = { MessageSid: `SM${'1'.repeat(32)}`, MessageStatus: 'sent' }
    expect(
      (await postFromTwilio(`/api/webhooks/twilio/${key}/status/${createId()}`, status, { token: '' })).status,
    ).toBe(404)
    expect((await says(phone, 'STOP')).status).toBe(404)
    world.deps.config = config
    expect(await stoppedFor(phone)).toEqual([])
  })

  test('is not used by the demo, which has the phone sandbox or nothing', async () => {
    const demo = await createStore(world)
    await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', demo.accountId).execute()
    expect(await world.deps.channels.text(demo.accountId, 'sms')).toBeNull()
  })

  test('records the recipient’s account before a text is sent', async () => {
    const channel = await readChannel(tea)
    const to = buildPhone()
    await world.pool.query('alter table operator_text_contacts rename to away')
    const message = { messageId: createId(), channel: 'sms' as const, to, text: 'Tea', template: null }
    const outcome = await channel.send({ ...message, sendAuthorization: authorizeTest() })
    await world.pool.query('alter table away rename to operator_text_contacts')
    expect(outcome).toMatchObject({ kind: 'retry', reason: 'not_sent' })
    expect(twilio.seen).toEqual([])
  })
})

describe('a delivery report', () => {
  test('applies to the message’s account, and is refused if forged or from another Twilio account', async () => {
    const [phone, MessageSid] = ['+4915123456001', `SM${'a'.repeat(32)}`]
    const id = await insertMessageTo(
      phone,
      { world, store: tea },
      { state: 'sent', channel: 'sms', providerId: MessageSid },
    )
    await readChannel(tea)
    await readChannel(wine)
    const rows = await world.db.selectFrom('channel_credentials').select(['account_id', 'hook_key']).execute()
    const path = (store: TestStore) =>
      `/api/webhooks/twilio/${rows.find((row) => row.account_id === store.accountId)!.hook_key}/status/${id}`
    const delivered = { MessageSid, MessageStatus: 'delivered' }
    expect((await postFromTwilio(path(wine), delivered)).status).toBe(204)
    expect((await readMessageState(world.db, id)).state).toBe('sent')
    expect((await postFromTwilio(path(tea), delivered, { token: 'guess' })).status).toBe(403)
    expect((await postFromTwilio(path(tea), delivered, { sid: ownSid, token: 'own-token' })).status).toBe(404)
    expect((await postFromTwilio(path(tea), delivered)).status).toBe(204)
    expect((await readMessageState(world.db, id)).state).toBe('delivered')
  })
})

describe('a reply to the shared number', () => {
  test('STOP applies to every account that has written to the shopper by it, and to no other', async () => {
    const phone = buildPhone()
    await write(tea, phone)
    await write(wine, phone)
    expect((await says(phone, 'stop')).words).toContain('you will get no more messages')
    expect(await stoppedFor(phone)).toEqual(accounts(tea, wine))
    expect((await says(phone, 'STOP')).words).toBeNull()
    await write(salt, phone)
    await says(phone, 'STOP')
    expect(await stoppedFor(phone)).toEqual(accounts(tea, wine, salt))
  })

  test('START applies to the account of the newest message only', async () => {
    const phone = buildPhone()
    for (const store of [tea, wine]) await write(store, phone)
    await says(phone, 'STOP')
    world.advance(1_000)
    expect((await says(phone, 'START')).words).toContain('you get our messages again')
    expect(await stoppedFor(phone)).toEqual(accounts(tea))
  })

  test('HELP gets one reply, in the name of the last sender', async () => {
    const phone = buildPhone()
    for (const store of [wine, tea]) await write(store, phone)
    expect((await says(phone, 'help')).words).toContain('support@recoup.example.com')
    const stored = await world.db
      .selectFrom('inbound_messages')
      .select('account_id')
      .where('address_hash', '=', world.deps.secrets.addressHash(phone))
      .execute()
    expect(stored.map(({ account_id }) => account_id)).toEqual([tea.accountId])
  })

  test('is idempotent, and ignored with a forged signature', async () => {
    const phone = buildPhone()
    await write(tea, phone)
    const stop = { MessageSid: `SM${'9'.repeat(32)}` }
    await says(phone, 'STOP', stop)
    world.advance(1_000)
    await says(phone, 'START')
    await says(phone, 'STOP', stop)
    expect(await stoppedFor(phone)).toEqual([])
    const forged = { MessageSid: `SM${'8'.repeat(32)}`, From: phone, To: number, Body: 'STOP' }
    expect((await postFromTwilio(INBOUND, forged, { token: 'guess' })).status).toBe(403)
    expect((await postFromTwilio(INBOUND, forged, { sid: ownSid, token: 'own-token' })).status).toBe(404)
    expect(await stoppedFor(phone)).toEqual([])
  })

  test('is ignored from a number without messages, and on WhatsApp', async () => {
    const phone = buildPhone()
    expect(await says(phone, 'STOP')).toEqual({ status: 200, words: null })
    await write(tea, phone)
    expect(await says(`whatsapp:${phone}`, 'STOP')).toEqual({ status: 200, words: null })
    expect(await stoppedFor(phone)).toEqual([])
  })

  test('finds no account after 400 days', async () => {
    const phone = buildPhone()
    await write(tea, phone)
    world.advance(401 * 86_400_000)
    await write(wine, phone)
    await tidyInbound(world.deps)
    await says(phone, 'STOP')
    expect(await stoppedFor(phone)).toEqual(accounts(wine))
  })
})
