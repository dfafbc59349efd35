import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractServer, openContractTwilio } from '../../../providers/contracts/twilio.ts'
import { openContractWhatsApp } from '../../../providers/contracts/whatsapp.ts'
import { createStore, type TestStore } from '../../../test/factories.ts'
import { insertMessageTo } from '../../../test/provider-messages.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { createToken, hashToken } from '../../core/common/secrets.ts'
import { authorizeTest } from '../../messages/channels/send-authorization.ts'
import { parseKeyword } from '../inbound/keywords.ts'
import { fetchPrices } from '../inbound/prices.ts'
import { openTextChannels } from './text-channels.ts'

const accountSid = `AC${'b'.repeat(32)}`
const phoneNumberId = '106540352242922'
const world = createWorld({ PUBLIC_URL: 'https://recoup.example.com' })
let twilio: ContractServer
let meta: ContractServer
let store: TestStore

beforeAll(async () => {
  const line = { inboundUrl: null, sender: '+12025550100' }
  twilio = await openContractTwilio({
    lines: [{ ...line, provider: 'twilio', account: accountSid, token: 'tok-secret', signingSecret: 'tok-secret' }],
  })
  meta = await openContractWhatsApp({
    lines: [{ ...line, provider: 'meta', account: phoneNumberId, token: 'EAA-secret', signingSecret: 'app-secret' }],
    publicUrl: 'https://recoup.example.com',
  })
  world.deps.config = { ...world.deps.config, twilioApiUrl: twilio.url, whatsappApiUrl: meta.url }
  world.deps.channels.text = openTextChannels(world.deps).text
  store = await createStore(world)
})
afterAll(async () => {
  await twilio.close()
  await meta.close()
})

const senders = [{ country: null, sender: '+12025550100' }]
const sms = { accountSid, authToken: 'tok-secret', senders, version: 0 }
const whatsapp = {
  provider: 'meta',
  phoneNumberId,
  businessAccountId: `9${phoneNumberId}`,
  version: 0,
  accessToken: 'EAA-secret',
  appSecret: 'app-secret',
}
const put = (path: string, body: object, token = store.token) =>
  world.request('PUT', `/api/channels/${path}`, { token, body })
const read = async (token = store.token) => (await world.request('GET', '/api/channels', { token })).body

describe('credentials', () => {
  test('leave the account without a channel when missing outside local mode', async () => {
    expect(await read()).toMatchObject({ sms: { state: 'missing' }, whatsapp: { state: 'missing', phoneUrl: null } })
    expect(await world.deps.channels.text(store.accountId, 'sms')).toBeNull()
  })

  test('are not saved when the provider rejects them, and its message is returned', async () => {
    expect(await put('sms', { ...sms, authToken: 'wrong' })).toMatchObject({
      status: 422,
      body: { code: 'unprocessable', error: '20003 Authenticate' },
    })
    expect(await put('whatsapp', { ...whatsapp, accessToken: 'old' })).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining('Error validating access token') },
    })
    expect(await put('sms', { ...sms, authToken: '' })).toMatchObject({
      status: 400,
      body: { fields: { authToken: 'This field is required' } },
    })
    expect(await world.db.selectFrom('channel_credentials').selectAll().execute()).toEqual([])
  })

  test('are encrypted, bound to account and channel, and in no reply (Y5)', async () => {
    const saved = [await put('sms', sms), await put('whatsapp', whatsapp)]
    expect(saved.map(({ status, body }) => [status, body.state])).toEqual([
      [200, 'ready'],
      [200, 'ready'],
    ])
    expect(JSON.stringify([saved.map(({ body }) => body), await read()])).not.toMatch(
      /tok-secret|EAA-secret|app-secret/,
    )
    const rows = await world.db.selectFrom('channel_credentials').selectAll().execute()
    for (const row of rows) expect(row.encrypted.toString('latin1')).not.toMatch(/secret/)
    const other = await createStore(world)
    await world.db
      .insertInto('channel_credentials')
      .values({
        ...rows.find((row) => row.channel === 'sms')!,
        account_id: other.accountId,
        hook_key: 'moved',
        identity: '{}',
        senders: '[]',
        templates: '[]',
        template: null,
      })
      .execute()
    await expect(world.deps.channels.text(other.accountId, 'sms')).rejects.toThrow()
  })

  test('with an empty secret keep the stored one, and an outdated version is refused', async () => {
    expect((await put('sms', { ...sms, authToken: '', version: 1 })).body.version).toBe(2)
    expect((await put('sms', { ...sms, version: 1 })).status).toBe(409)
    expect((await (await world.deps.channels.text(store.accountId, 'sms'))!.check()).isOk).toBe(true)
  })

  test('keep one channel object, which counts send slots, until they change (D10)', async () => {
    const text = () => world.deps.channels.text(store.accountId, 'sms')
    const before = await text()
    expect(await text()).toBe(before)
    await put('sms', { ...sms, version: 2 })
    expect(await text()).not.toBe(before)
  })

  test('show viewers the status without URLs, and cannot be changed in the demo account', async () => {
    const { hooks } = (await read()).sms
    expect(hooks[0].value).toMatch(/^https:\/\/recoup\.example\.com\/api\/webhooks\/twilio\/[\w-]{43}\/inbound$/)
    expect(hooks[0].value).not.toContain(store.accountId)
    expect((await read(await createMember('viewer'))).sms).toMatchObject({
      state: 'ready',
      hooks: [],
      isReachable: true,
    })
    await world.db.updateTable('accounts').set({ is_demo: true }).where('id', '=', store.accountId).execute()
    expect((await put('sms', { ...sms, version: 3 })).status).toBe(403)
    expect((await world.request('DELETE', '/api/channels/sms', { token: store.token })).status).toBe(403)
    expect((await read()).sms.isFixed).toBe(true)
    await world.db.updateTable('accounts').set({ is_demo: false }).where('id', '=', store.accountId).execute()
  })
})

async function createMember(role: 'viewer'): Promise<string> {
  const { db, now } = world
  const user = { id: createId(), email: `${role}@team.example`, name: role, password_hash: '-', created_at: now }
  const token = createToken()
  const at = { created_at: now, last_seen_at: now, expires_at: new Date(now.getTime() + 86_400_000) }
  await db.insertInto('users').values(user).execute()
  await db
    .insertInto('members')
    .values({ account_id: store.accountId, user_id: user.id, role, created_at: now })
    .execute()
  await db
    .insertInto('sessions')
    .values({ account_id: store.accountId, id: createId(), user_id: user.id, token_hash: hashToken(token), ...at })
    .execute()
  return token
}

describe('the template', () => {
  const variables = ['customer_name', 'store_name', 'cart_items', 'cart_total']
  const choose = (choice: object) =>
    put('whatsapp/template', { name: 'cart_reminder', language: 'en_US', variables, ...choice })

  test('must be approved, with all variables filled and a link to the cart', async () => {
    const problems = [
      await choose({ name: 'cart_last_call', variables: ['customer_name', 'store_name'] }),
      await choose({ name: 'nothing' }),
      await choose({ variables: ['customer_name'] }),
      await choose({ name: 'cart_question', variables: ['customer_name', 'store_name', 'cart_items'] }),
    ].map(({ status, body }) => [status, body.error])
    expect(problems).toEqual([
      [422, 'WhatsApp has not approved it (pending).'],
      [422, 'The provider does not have this template.'],
      [422, 'Choose a value for each variable of the template.'],
      [422, 'The template needs the checkout link, as a variable in its text or in a button.'],
    ])
    expect((await choose({})).body.template).toEqual({ name: 'cart_reminder', language: 'en_US', variables })
    expect((await world.deps.channels.text(store.accountId, 'whatsapp'))!.template).toMatchObject({
      variables,
      buttonUrlPrefix: 'https://recoup.example.com/c/',
    })
  })

  test('is refused if its button links elsewhere, with the required URL', async () => {
    world.deps.config = { ...world.deps.config, publicUrl: 'https://elsewhere.example.com' }
    expect((await choose({})).body.error).toContain('it must begin with https://elsewhere.example.com/c/')
    world.deps.config = { ...world.deps.config, publicUrl: 'https://recoup.example.com' }
  })

  test('is reloaded with its approval status', async () => {
    const reply = await world.request('POST', '/api/channels/whatsapp/templates', { token: store.token })
    expect(reply.body.templates).toHaveLength(5)
    expect(reply.body.template.name).toBe('cart_reminder')
  })
})

describe('the final price of a message', () => {
  const month = '2026-03-01'
  const spent = async () =>
    (await world.db.selectFrom('sending_spend').select('micros').where('account_id', '=', store.accountId).execute())[0]
      ?.micros

  test('replaces the estimate once Twilio reports it, and is booked once', async () => {
    const channel = (await world.deps.channels.text(store.accountId, 'sms'))!
    const outcome = await channel.send({
      messageId: createId(),
      channel: 'sms',
      to: '+12025550177',
      text: 'Hi',
      template: null,
      sendAuthorization: authorizeTest(),
    })
    const { providerId } = outcome as { providerId: string }
    const messageId = await insertMessageTo(
      '+12025550177',
      { world, store },
      { state: 'sent', channel: 'sms', providerId, costMicros: 12_000 },
    )
    await world.db
      .insertInto('sending_spend')
      .values({ account_id: store.accountId, month, currency: 'USD', micros: 12_000 })
      .execute()
    await world.db
      .insertInto('price_lookups')
      .values({
        account_id: store.accountId,
        provider_id: providerId,
        channel: 'sms',
        tries: 0,
        next_at: world.now,
        store_id: store.storeId,
        message_id: messageId,
      })
      .execute()
    await fetchPrices(world.deps)
    expect(await spent()).toBe(12_000)
    await twilio.network.settle()
    world.advance(10 * 60_000)
    await fetchPrices(world.deps)
    await fetchPrices(world.deps)
    expect(await spent()).toBe(7_900)
    const row = await world.db
      .selectFrom('messages')
      .select('cost_micros')
      .where('id', '=', messageId)
      .executeTakeFirst()
    expect(row?.cost_micros).toBe(7_900)
    expect(await world.db.selectFrom('price_lookups').selectAll().execute()).toEqual([])
  })
})

describe('keywords (C4)', () => {
  const keywords = {
    stop: ['STOP', 'QUIT', 'END', 'REVOKE', 'OPT OUT', 'CANCEL', 'UNSUBSCRIBE', 'STOPP', 'ENDE', 'ABMELDEN'],
    start: ['START'],
    help: ['HELP', 'HILFE'],
  }

  test('are recognized in any case, with surrounding spaces and punctuation', () => {
    const around = fc.constantFrom('', ' ', '.', '!', '"', '\n', ' 👍 ', '…')
    for (const [keyword, all] of Object.entries(keywords)) {
      const spelled = fc.constantFrom(...all).chain((word) => fc.mixedCase(fc.constant(word)))
      fc.assert(
        fc.property(around, spelled, around, (before, word, after) => {
          expect(parseKeyword(before + word + after)).toBe(keyword)
        }),
      )
    }
  })
})
