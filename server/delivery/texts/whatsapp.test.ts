import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ContractServer } from '../../../providers/contracts/twilio.ts'
import { openContractWhatsApp } from '../../../providers/contracts/whatsapp.ts'
import type { Line } from '../../../providers/phone/texts.ts'
import type { OutgoingText } from '../../messages/channels/channel.ts'
import { authorizeTest } from '../../messages/channels/send-authorization.ts'
import { createWhatsAppChannel, type WhatsAppOptions } from './whatsapp.ts'

const line: Line = {
  provider: 'meta',
  account: '106540352242922',
  token: 'EAA-token',
  signingSecret: 'the-app-secret',
  sender: '+12025550100',
  inboundUrl: null,
}
let server: ContractServer

beforeAll(async () => {
  server = await openContractWhatsApp({ lines: [line] })
})
afterAll(() => server.close())
beforeEach(() => {
  server.intercept = () => undefined
})

const buildChannel = (changes: Partial<WhatsAppOptions> = {}) =>
  createWhatsAppChannel({
    phoneNumberId: line.account,
    businessAccountId: `9${line.account}`,
    accessToken: line.token,
    template: null,
    apiVersion: 'v23.0',
    baseUrl: server.url,
    connectMs: 500,
    answerMs: 400,
    ...changes,
  })

const template = {
  name: 'cart_reminder',
  language: 'en_US',
  body: ['Ada', 'Tea & Co', '2 teas', '$42'],
  buttonUrlSuffix: 'tok',
}
const send = (changes: Partial<OutgoingText> = {}, options: Partial<WhatsAppOptions> = {}) =>
  buildChannel(options).send({
    messageId: 'm-1',
    channel: 'whatsapp',
    to: '+4915123456789',
    text: 'Hi',
    template,
    sendAuthorization: authorizeTest(),
    ...changes,
  })
const sendTemplate = (changes: object) => send({ template: { ...template, ...changes } })

describe('WhatsApp by the Cloud API', () => {
  test('a template message is accepted with its id and carries our message id', async () => {
    expect(await send()).toMatchObject({ kind: 'accepted', providerId: expect.stringMatching(/^wamid\./) })
    expect(server.seen.at(-1)!.json).toMatchObject({ to: '4915123456789', biz_opaque_callback_data: 'm-1' })
    expect(server.network.texts.thread('+4915123456789', 'whatsapp', line.sender).at(-1)).toMatchObject({
      body: expect.stringContaining('Hi Ada, you left something in your cart at Tea & Co: 2 teas, $42 in all.'),
      url: 'https://recoup.example/c/tok',
    })
  })

  test.each([
    ['no such template', { name: 'cart_nothing' }, '132001'],
    ['not in this language', { language: 'fr' }, '132001'],
    ['not approved', { name: 'cart_last_call', body: ['Ada', 'Tea & Co'] }, '132001'],
    ['a variable too few', { body: ['Ada'] }, '132000'],
    ['no word for the button', { buttonUrlSuffix: null }, '131008'],
    ['a name no template can have', { name: 'Cart Reminder' }, '100'],
    ['an empty variable', { body: ['', 'b', 'c', 'd'] }, '100'],
    ['a line break in a variable', { body: ['a\nb', 'b', 'c', 'd'] }, '100'],
  ])('is refused for good: %s', async (_, changes, reason) => {
    expect(await sendTemplate(changes)).toMatchObject({ kind: 'rejected', reason, isRecipientFault: false })
  })

  test('an expired token, a retired version and a rate limit are retried', async () => {
    expect(await send({}, { accessToken: 'old' })).toEqual({
      kind: 'retry',
      reason: '190',
      response: '190 Error validating access token',
    })
    expect(await send({}, { apiVersion: 'v20.0' })).toMatchObject({ kind: 'retry', reason: '2635' })
    server.intercept = () => ({ status: 400, body: { error: { code: 130429, message: 'Rate limit hit' } } })
    expect(await send()).toMatchObject({ kind: 'retry', reason: '130429' })
    server.intercept = () => ({
      status: 429,
      body: { error: { code: 4, message: 'slow' } },
      headers: { 'retry-after': '3' },
    })
    expect(await send()).toMatchObject({ kind: 'retry', reason: '4', retryAfterMs: 3_000 })
  })

  test('no response and a 5xx are unknown; a request that never arrived is retried', async () => {
    server.intercept = () => 'hang'
    expect(await send()).toMatchObject({ kind: 'unknown', reason: 'timeout_after_body' })
    server.intercept = () => ({ status: 500, body: { error: { code: 131000, message: 'Something went wrong' } } })
    expect(await send()).toMatchObject({ kind: 'unknown', reason: 'http_500' })
    expect(await send({}, { baseUrl: 'http://127.0.0.1:9' })).toMatchObject({ kind: 'retry', reason: 'refused' })
  })

  test('text outside the 24-hour window is accepted and fails later; inside it arrives', async () => {
    await send({ template: null, to: '+4915123456001' })
    await server.network.settle()
    const getText = (phone: string) => server.network.texts.thread(phone, 'whatsapp', line.sender).at(-1)
    expect(getText('+4915123456001')).toMatchObject({ status: 'failed', errorCode: 131047 })
    await server.network.answer(line, { phone: '+4915123456002', channel: 'whatsapp', body: 'Where is my tea?' })
    await send({ template: null, to: '+4915123456002' })
    await server.network.settle()
    expect(getText('+4915123456002')).toMatchObject({ status: 'delivered', body: 'Hi' })
  })

  test('the check reports whether replies arrive here, elsewhere or nowhere', async () => {
    const inboundUrl = 'https://recoup.example/api/webhooks/whatsapp/key'
    const describeInbound = async (appUrl: string | null) => {
      server.network.texts.saveLine({ ...line, inboundUrl: appUrl })
      return ((await buildChannel({ inboundUrl }).check()) as { detail: string }).detail
    }
    expect(await describeInbound(inboundUrl)).toBe(
      '“Phone sandbox”, +12025550100. Messages to +12025550100 are received here.',
    )
    expect(await describeInbound('https://old.example/hook')).toContain('go to https://old.example/hook, not here')
    expect(await describeInbound(null)).toContain('go nowhere yet')
  })

  test('the check returns the number or Meta’s error', async () => {
    expect(await buildChannel().check()).toEqual({ isOk: true, detail: '“Phone sandbox”, +12025550100' })
    expect(await buildChannel({ accessToken: 'old' }).check()).toMatchObject({
      isOk: false,
      response: expect.stringContaining('Error validating access token'),
    })
  })

  test('templates are listed with language, category and approval', async () => {
    const templates = await buildChannel().listTemplates()
    expect(templates.map(({ name, language, status, category }) => [name, language, status, category])).toEqual([
      ['cart_reminder', 'en_US', 'approved', 'marketing'],
      ['cart_reminder', 'de', 'approved', 'marketing'],
      ['cart_last_call', 'en_US', 'pending', 'marketing'],
      ['cart_question', 'en_US', 'approved', 'utility'],
      ['flash_sale', 'en_US', 'rejected', 'marketing'],
    ])
    expect(templates[0]).toMatchObject({ buttonUrlPrefix: 'https://recoup.example/c/', problem: null })
    await expect(buildChannel({ accessToken: 'old' }).listTemplates()).rejects.toThrow('190')
  })
})
