import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hubSignature, twilioSignature } from '../../demo/phone/callbacks.ts'
import { type ContractServer, openContractTwilio } from '../../test/contract-servers/twilio.ts'
import { openContractWhatsApp } from '../../test/contract-servers/whatsapp.ts'
import { anOrder, aStore, type TestStore } from '../../test/factories.ts'
import { aWorld } from '../../test/world.ts'
import { recordOrders } from '../carts/record.ts'
import { newId } from '../ids.ts'
import { hookUrl, openSecrets, openTextChannels } from './text-channels.ts'

// What providers call, with real signatures: forged, foreign, repeated, late and out of order.

const accountSid = `AC${'b'.repeat(32)}`
const phoneNumberId = '106540352242922'
const world = aWorld({ PUBLIC_URL: 'https://recoup.example.com' })
const ada = '+4915123456789'
let twilio: ContractServer
let meta: ContractServer
let store: TestStore
let stranger: TestStore
const keys = { sms: '', whatsapp: '', strangerSms: '' }

beforeAll(async () => {
  const line = { inboundUrl: null, sender: '+12025550100' }
  twilio = await openContractTwilio({
    lines: [accountSid, `AC${'c'.repeat(32)}`].map((account) => ({
      ...line,
      ...{ provider: 'twilio', account, token: 'tok', signingSecret: 'tok' },
    })),
  })
  meta = await openContractWhatsApp({
    lines: [{ ...line, provider: 'meta', account: phoneNumberId, token: 'EAA', signingSecret: 'app' }],
    publicUrl: 'https://recoup.example.com',
  })
  world.deps.config = { ...world.deps.config, twilioApiUrl: twilio.url, whatsappApiUrl: meta.url }
  world.deps.channels.text = openTextChannels(world.deps).text
  store = await aStore(world)
  stranger = await aStore(world)
  const senders = [{ country: null, sender: '+12025550100' }]
  const put = (who: TestStore, channel: string, body: object) =>
    world.request('PUT', `/api/channels/${channel}`, { token: who.token, body: { version: 0, ...body } })
  const saved = [
    await put(store, 'sms', { accountSid, authToken: 'tok', senders }),
    await put(stranger, 'sms', { accountSid: `AC${'c'.repeat(32)}`, authToken: 'tok', senders }),
    await put(store, 'whatsapp', {
      ...{
        provider: 'meta',
        phoneNumberId,
        businessAccountId: `9${phoneNumberId}`,
        accessToken: 'EAA',
        appSecret: 'app',
      },
    }),
  ]
  expect(saved.map((reply) => [reply.status, reply.body.checkAnswer])).toEqual([
    [200, 'Account “Phone sandbox”, active'],
    [200, 'Account “Phone sandbox”, active'],
    [200, '“Phone sandbox”, +12025550100'],
  ])
  const rows = await world.db.selectFrom('channel_credentials').selectAll().execute()
  const keyOf = (who: TestStore, channel: string) =>
    rows.find((row) => row.account_id === who.accountId && row.channel === channel)!.hook_key
  Object.assign(keys, {
    ...{ sms: keyOf(store, 'sms'), whatsapp: keyOf(store, 'whatsapp'), strangerSms: keyOf(stranger, 'sms') },
  })
})
afterAll(async () => {
  await twilio.close()
  await meta.close()
})

let counter = 0

/** A post as Twilio makes it; `changes` to what was signed. */
async function fromTwilio(
  path: string,
  params: Record<string, string>,
  changes: { signed?: string; body?: object } = {},
) {
  const url = changes.signed ?? `https://recoup.example.com${path}`
  const full = { AccountSid: accountSid, ApiVersion: '2010-04-01', ...params }
  const reply = await world.app.inject({
    method: 'POST',
    url: path,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature('tok', url, full),
    },
    payload: new URLSearchParams({ ...full, ...changes.body }).toString(),
  })
  return { status: reply.statusCode, body: reply.body }
}

const inboundPath = () => `/api/webhooks/twilio/${keys.sms}/inbound`
const says = (Body: string, more: object = {}) =>
  fromTwilio(inboundPath(), {
    ...{ MessageSid: `SM${String(++counter).padStart(32, '0')}`, From: ada, To: '+12025550100', Body },
    ...more,
  })
const messageOf = (xml: string) => /<Message>(.*)<\/Message>/.exec(xml)?.[1] ?? null

async function fromMeta(news: object, changes: { body?: string } = {}) {
  const metadata = { phone_number_id: phoneNumberId, display_phone_number: '12025550100' }
  const value = { messaging_product: 'whatsapp', metadata, ...news }
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  })
  const reply = await world.app.inject({
    method: 'POST',
    url: `/api/webhooks/whatsapp/${keys.whatsapp}`,
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': hubSignature({ signingSecret: 'app' }, body),
    },
    payload: changes.body ?? body,
  })
  return reply.statusCode
}

const seconds = (at: Date) => String(Math.floor(at.getTime() / 1_000))
const writes = (body: string, at = world.now, id = `wamid.${++counter}`) =>
  fromMeta({ messages: [{ from: ada.slice(1), id, timestamp: seconds(at), type: 'text', text: { body } }] })

const hash = () => world.deps.secrets.addressHash(ada)
const suppressed = async (channel: 'sms' | 'whatsapp') =>
  (
    await world.db
      .selectFrom('suppressions')
      .selectAll()
      .where('channel', '=', channel)
      .where('address_hash', '=', hash())
      .execute()
  ).length > 0
const ledger = async (channel: 'sms' | 'whatsapp') =>
  (
    await world.db
      .selectFrom('consents')
      .select(['status', 'source'])
      .where('store_id', '=', store.storeId)
      .where('channel', '=', channel)
      .orderBy('at')
      .orderBy('id')
      .execute()
  ).map(({ status }) => status)

function consents(channel: 'sms' | 'whatsapp') {
  const at = new Date(world.now.getTime() - 86_400_000)
  const row = { store_id: store.storeId, id: newId(), address_hash: hash(), channel, status: 'granted' as const }
  return world.db
    .insertInto('consents')
    .values({ ...row, source: 'checkout', wording: 'Yes', at })
    .execute()
}

describe('who calls', () => {
  test('an unknown key is no address, another account’s neither, and a forged signature is refused', async () => {
    expect((await fromTwilio('/api/webhooks/twilio/nobody/inbound', {})).status).toBe(404)
    expect((await fromTwilio(`/api/webhooks/twilio/${keys.strangerSms}/inbound`, {})).status).toBe(404)
    expect((await fromTwilio(inboundPath(), { Body: 'STOP' }, { body: { Body: 'START' } })).status).toBe(403)
    expect((await fromTwilio(inboundPath(), {}, { signed: `http://localhost:3000${inboundPath()}` })).status).toBe(403)
    expect(
      (await fromTwilio(`${inboundPath()}?x=1`, {}, { signed: `https://recoup.example.com${inboundPath()}` })).status,
    ).toBe(403)
    expect(await fromMeta({}, { body: '{"entry":[]}' })).toBe(403)
    expect(
      (await world.request('POST', `/api/webhooks/whatsapp/${keys.whatsapp}`, { body: { entry: [] } })).status,
    ).toBe(403)
    expect(await world.db.selectFrom('inbound_texts').selectAll().execute()).toEqual([])
  })

  test('Meta’s handshake is answered with its own word, to the right token only', async () => {
    const row = await world.db
      .selectFrom('channel_credentials')
      .selectAll()
      .where('hook_key', '=', keys.whatsapp)
      .executeTakeFirstOrThrow()
    const { verifyToken } = openSecrets(world.deps.secrets, row)
    const shake = (token: string) =>
      world.request(
        'GET',
        `/api/webhooks/whatsapp/${keys.whatsapp}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`,
      )
    expect(await shake(verifyToken)).toMatchObject({ status: 200, body: '1158201444' })
    expect((await shake('guess')).status).toBe(403)
    expect((await shake('')).status).toBe(403)
  })
})

describe('STOP, START and HELP by SMS (C4)', () => {
  test('STOP in any case suppresses and is confirmed once', async () => {
    await consents('sms')
    expect(messageOf((await says('  stop. ')).body)).toMatch(/^Tea &amp; Co: you will get no more messages/)
    expect([await suppressed('sms'), await ledger('sms')]).toEqual([true, ['granted', 'withdrawn']])
    expect(await suppressed('whatsapp')).toBe(false)
    for (const word of ['STOP', 'Unsubscribe', 'opt out', 'CANCEL', 'quit', 'End', 'revoke']) {
      expect([word, messageOf((await says(word)).body)]).toEqual([word, null])
    }
    expect(await ledger('sms')).toEqual(['granted', 'withdrawn'])
  })

  test('START reverses it, once, and brings back the consent that was there', async () => {
    world.advance(1_000)
    expect(messageOf((await says('Start')).body)).toContain('you get our messages again')
    expect([await suppressed('sms'), await ledger('sms')]).toEqual([false, ['granted', 'withdrawn', 'granted']])
    expect(messageOf((await says('START')).body)).toBeNull()
  })

  test('an old START, sent again after a later STOP, changes nothing', async () => {
    const start = { MessageSid: `SM${'e'.repeat(32)}` }
    world.advance(1_000)
    await says('START', start)
    world.advance(1_000)
    await says('STOP')
    expect((await says('START', start)).status).toBe(200)
    expect(await suppressed('sms')).toBe(true)
  })

  test('HELP is answered, other words are not, and neither when Twilio has answered itself', async () => {
    expect(messageOf((await says('help')).body)).toContain('support@recoup.example.com')
    expect(messageOf((await says('I cannot stop thinking of it')).body)).toBeNull()
    expect(messageOf((await says('HELP', { OptOutType: 'HELP' })).body)).toBeNull()
    expect(
      await world.db.selectFrom('inbound_texts').select('reply_to').where('reply_to', 'is not', null).execute(),
    ).toEqual([])
  })
})

describe('WhatsApp', () => {
  const confirmations = () => meta.network.texts.thread(ada, 'whatsapp', '+12025550100').map(({ body }) => body)

  test('a message opens 24 hours; an older one delivered late does not shorten them', async () => {
    const window = () =>
      world.db.selectFrom('text_windows').select('inbound_at').where('channel', '=', 'whatsapp').execute()
    const now = new Date(Math.floor(world.now.getTime() / 1_000) * 1_000)
    await writes('Where is my tea?', now)
    await writes('Hello?', new Date(now.getTime() - 3_600_000))
    expect(await window()).toEqual([{ inbound_at: now }])
  })

  test('the same message sent once more opens nothing anew', async () => {
    const window = () =>
      world.db.selectFrom('text_windows').select('inbound_at').where('channel', '=', 'sms').executeTakeFirst()
    const again = { MessageSid: `SM${'7'.repeat(32)}` }
    await says('Hello', again)
    const before = await window()
    world.advance(3_600_000)
    await says('Hello', again)
    expect(await window()).toEqual(before)
  })

  test('STOP is confirmed once by a message of its own, however often it is delivered', async () => {
    await consents('whatsapp')
    const at = world.advance(60_000)
    for (let times = 0; times < 3; times += 1) expect(await writes('Stop', at, 'wamid.stop')).toBe(200)
    await world.runJobs()
    expect(await suppressed('whatsapp')).toBe(true)
    expect(confirmations()).toEqual([expect.stringContaining('Tea & Co: you will get no more messages')])
    await world.runJobs()
    expect(confirmations()).toHaveLength(1)
  })

  test('said in one order and delivered in the other, the later word stands', async () => {
    const [first, second] = [world.advance(60_000), world.advance(60_000)]
    world.advance(60_000)
    expect(await writes('START', second)).toBe(200)
    expect(await suppressed('whatsapp')).toBe(false)
    await writes('STOP', first)
    expect(await suppressed('whatsapp')).toBe(false)
    await world.runJobs()
  })

  test('STOP holds for the number one is called at, where WhatsApp knows the phone by another', async () => {
    const from = {
      from: '5215512345678',
      id: 'wamid.mx',
      timestamp: seconds(world.now),
      type: 'text',
      text: { body: 'STOP' },
    }
    await fromMeta({ messages: [from] })
    const rows = await world.db
      .selectFrom('suppressions')
      .select('address')
      .where('address', 'like', '+52%')
      .orderBy('address')
      .execute()
    expect(rows).toEqual([{ address: '+5215512345678' }, { address: '+525512345678' }])
    await world.runJobs()
  })

  test('news of another number of the same app, and of kinds nobody knows, are left aside', async () => {
    const foreign = {
      metadata: { phone_number_id: '1' },
      messages: [{ from: ada.slice(1), id: 'wamid.x', timestamp: '1' }],
    }
    expect(await fromMeta(foreign)).toBe(200)
    expect(
      await fromMeta({ statuses: [{ id: 'wamid.y', status: 'warning', timestamp: '1' }], messages: [{ odd: true }] }),
    ).toBe(200)
    const kept = await world.db
      .selectFrom('inbound_texts')
      .select('event_key')
      .where('event_key', '=', 'wamid.x')
      .execute()
    expect(kept).toEqual([])
  })
})

/** A message of the store to Ada, as it stands on its way or after a hand-over. */
async function aMessage(state: 'scheduled' | 'sent', channel: 'sms' | 'whatsapp', providerId: string | null = null) {
  await recordOrders(world.deps, store.storeId, [anOrder(world, { phone: ada, country: 'DE' })], 'sync')
  const cart = await world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', store.storeId)
    .where('phone', '=', ada)
    .executeTakeFirstOrThrow()
  const [id, at] = [newId(), world.now]
  const dates = { due_at: at, expires_at: at, wake_at: at, created_at: at, updated_at: at }
  await world.db
    .insertInto('messages')
    .values({
      ...{
        store_id: store.storeId,
        id,
        cart_id: cart.id,
        shopper_id: cart.shopper_id,
        origin: `manual:${newId()}`,
        step: 1,
      },
      ...{
        channel,
        state,
        provider_id: providerId,
        to_address: ada,
        ...dates,
        ...(state === 'sent' && { handed_over_at: at }),
      },
    })
    .execute()
  return id
}

const stateOf = async (id: string) =>
  (await world.db
    .selectFrom('messages')
    .select(['state', 'reason'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()) as {
    state: string
    reason: string | null
  }

describe('messages', () => {
  test('not yet handed over are closed by STOP in the same commit, on that channel alone (C2)', async () => {
    const open = { sms: await aMessage('scheduled', 'sms'), whatsapp: await aMessage('scheduled', 'whatsapp') }
    world.advance(1_000)
    await writes('STOP')
    expect(await stateOf(open.whatsapp)).toEqual({ state: 'skipped', reason: 'suppressed_unsubscribed' })
    expect((await stateOf(open.sms)).state).toBe('scheduled')
  })

  test('follow the reports in whatever order these come, and those of another account’s provider never', async () => {
    const MessageSid = `SM${'d'.repeat(32)}`
    const id = await aMessage('sent', 'sms', MessageSid)
    const path = (key: string) => `/api/webhooks/twilio/${key}/status/${id}`
    const foreign = { AccountSid: `AC${'c'.repeat(32)}`, MessageSid, MessageStatus: 'undelivered', ErrorCode: '30003' }
    expect((await fromTwilio(path(keys.strangerSms), foreign)).status).toBe(204)
    expect((await stateOf(id)).state).toBe('sent')
    await fromTwilio(path(keys.sms), { MessageSid, MessageStatus: 'delivered' })
    await fromTwilio(path(keys.sms), { MessageSid, MessageStatus: 'sent' })
    expect((await stateOf(id)).state).toBe('delivered')
  })
})

describe('delivery reports', () => {
  const reports = () =>
    world.db
      .selectFrom('delivery_reports')
      .select(['account_id', 'provider_id', 'status', 'code'])
      .where('provider_id', 'in', [`SM${'f'.repeat(32)}`, 'wamid.r'])
      .orderBy('status')
      .execute()
  const statusPath = (messageId: string) =>
    new URL(hookUrl.twilioStatus(world.deps.config, keys.sms, messageId)).pathname

  test('are kept once each, whichever provider says them', async () => {
    const MessageSid = `SM${'f'.repeat(32)}`
    const path = statusPath(newId())
    for (const MessageStatus of ['delivered', 'queued', 'sent', 'delivered', 'sent']) {
      expect((await fromTwilio(path, { MessageSid, MessageStatus })).status).toBe(204)
    }
    await fromTwilio(path, { MessageSid, MessageStatus: 'undelivered', ErrorCode: '30005' })
    const status = {
      id: 'wamid.r',
      status: 'read',
      timestamp: seconds(world.now),
      biz_opaque_callback_data: 'no-id-of-ours',
    }
    expect(await fromMeta({ statuses: [status, status] })).toBe(200)
    expect(await reports()).toEqual([
      { account_id: store.accountId, provider_id: MessageSid, status: 'delivered', code: null },
      { account_id: store.accountId, provider_id: MessageSid, status: 'failed', code: '30005' },
      { account_id: store.accountId, provider_id: 'wamid.r', status: 'read', code: null },
      { account_id: store.accountId, provider_id: MessageSid, status: 'sent', code: null },
    ])
  })

  test('a number the provider calls dead is marked so with the report', async () => {
    const rows = await world.db
      .selectFrom('delivery_reports')
      .select(['code', 'suppress'])
      .where('code', '=', '30005')
      .execute()
    expect(rows).toEqual([{ code: '30005', suppress: 'invalid' }])
  })

  test('are answered well within a second', async () => {
    const start = performance.now()
    await fromTwilio(statusPath(newId()), { MessageSid: `SM${'9'.repeat(32)}`, MessageStatus: 'sent' })
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})
