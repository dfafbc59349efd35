import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ContractServer, openContractTwilio } from '../../../providers/contracts/twilio.ts'
import type { Line } from '../../../providers/phone/texts.ts'
import type { OutgoingText } from '../../messages/channels/channel.ts'
import { type Authorized, authorizeTest } from '../../messages/channels/send-authorization.ts'
import { createTwilioChannel, type TwilioOptions } from './text-channels.ts'

const line: Line = {
  provider: 'twilio',
  account: `AC${'a'.repeat(32)}`,
  token: 'the-auth-token',
  signingSecret: 'the-auth-token',
  sender: '+12025550100',
  inboundUrl: null,
}
const german = '+4915123456789'
const SERVICE = `MG${'5'.repeat(32)}`
let server: ContractServer

beforeAll(async () => {
  server = await openContractTwilio({
    lines: [line],
    senders: ['+12025550100', 'TEASHOP', 'whatsapp:+12025550100', SERVICE],
  })
})
afterAll(() => server.close())
beforeEach(() => {
  server.intercept = () => undefined
})

function buildChannel(changes: Partial<TwilioOptions> = {}) {
  return createTwilioChannel({
    channel: 'sms',
    accountSid: line.account,
    authToken: line.token,
    senders: [
      { country: null, sender: '+12025550100' },
      { country: 'DE', sender: 'TEASHOP' },
    ],
    // Reports are refused there at once: a name that does not exist is looked for a quarter of a minute.
    statusUrl: (messageId) => `${server.url}/hook/${messageId}`,
    baseUrl: server.url,
    connectMs: 500,
    answerMs: 400,
    ...changes,
  })
}

const buildText = (changes: Partial<OutgoingText> = {}): Authorized<OutgoingText> => ({
  messageId: 'm-1',
  channel: 'sms',
  to: '+12025550188',
  text: 'Your cart is waiting',
  template: null,
  sendAuthorization: authorizeTest(),
  ...changes,
})

const send = (text: Partial<OutgoingText> = {}, options: Partial<TwilioOptions> = {}) =>
  buildChannel(options).send(buildText(text))

describe('SMS by Twilio', () => {
  test('is accepted with id and segments, from the country’s sender, with a URL for reports', async () => {
    expect(await send()).toMatchObject({ kind: 'accepted', providerId: expect.stringMatching(/^SM/), segments: 1 })
    expect(server.seen.at(-1)!.form).toEqual({
      To: '+12025550188',
      From: '+12025550100',
      Body: 'Your cart is waiting',
      StatusCallback: `${server.url}/hook/m-1`,
    })
    await send({ to: german })
    expect(server.seen.at(-1)!.form.From).toBe('TEASHOP')
    expect(await send({ to: german }, { senders: [{ country: 'US', sender: '+12025550100' }] })).toMatchObject({
      kind: 'rejected',
      reason: '21603',
    })
  })

  test.each([
    ['+15005550001', '21211', 'invalid'],
    ['+15005550003', '21408', undefined],
    ['+15005550004', '21610', 'unsubscribed'],
    ['+15005550009', '21614', 'invalid'],
  ])('a number Twilio refuses is refused for good: %s', async (to, code, suppress) => {
    const outcome = await send({ to })
    expect(outcome).toMatchObject({ kind: 'rejected', reason: code, isRecipientFault: suppress !== undefined })
    expect((outcome as { suppress?: string }).suppress).toBe(suppress)
  })

  test('refuses an empty text, one too long, and a foreign sender', async () => {
    expect(await send({ text: '' })).toMatchObject({ reason: '21602' })
    expect(await send({ text: 'x'.repeat(1_601) })).toMatchObject({ reason: '21617' })
    expect(await send({}, { senders: [{ country: null, sender: '+12025550199' }] })).toMatchObject({ reason: '21659' })
  })

  test('retries after a wrong token or a rate limit, as nothing was accepted', async () => {
    expect(await send({}, { authToken: 'wrong' })).toMatchObject({ kind: 'retry', reason: '20003' })
    server.intercept = () => ({ status: 429, body: { code: 20429, message: 'slow' }, headers: { 'retry-after': '7' } })
    expect(await send()).toMatchObject({ kind: 'retry', reason: '20429', retryAfterMs: 7_000 })
  })

  test('is unknown after no response, a 5xx or an unreadable success', async () => {
    server.intercept = () => 'hang'
    expect(await send()).toMatchObject({ kind: 'unknown', reason: 'timeout_after_body' })
    server.intercept = () => 'cut'
    expect(await send()).toMatchObject({ kind: 'unknown', reason: 'connection_lost_after_body' })
    server.intercept = () => ({ status: 503, body: { code: 20503, message: 'busy' } })
    expect(await send()).toMatchObject({ kind: 'unknown', reason: 'http_503' })
    server.intercept = () => ({ status: 201, body: {} })
    expect(await send()).toMatchObject({ kind: 'unknown', reason: 'unclear_answer' })
  })

  test('is retried if the request never reached Twilio', async () => {
    expect(await send({}, { baseUrl: 'http://127.0.0.1:9' })).toMatchObject({ kind: 'retry', reason: 'refused' })
  })

  test('check reports the account, Twilio’s error, and a foreign sender', async () => {
    expect(await buildChannel().check()).toEqual({ isOk: true, detail: 'Account “Phone sandbox”, active' })
    expect(await buildChannel({ authToken: 'no' }).check()).toEqual({ isOk: false, response: '20003 Authenticate' })
  })

  test('check reports whether replies arrive here, elsewhere or nowhere', async () => {
    const inboundUrl = 'https://recoup.example/api/webhooks/twilio/key/inbound'
    const describeInbound = async (appUrl: string | null) => {
      server.network.texts.saveLine({ ...line, inboundUrl: appUrl })
      return ((await buildChannel({ inboundUrl }).check()) as { detail: string }).detail
    }
    expect(await describeInbound(inboundUrl)).toBe(
      'Account “Phone sandbox”, active. Messages to +12025550100 are received here.',
    )
    expect(await describeInbound('https://old.example/sms')).toContain(
      'go to https://old.example/sms, not here, so STOP is not received',
    )
    expect(await describeInbound(null)).toContain('Messages to +12025550100 go nowhere yet')
  })

  test('can use a messaging service, and refuses a foreign one, also in the check', async () => {
    const by = (sender: string) => ({ senders: [{ country: null, sender }] })
    expect(await send({}, by(SERVICE))).toMatchObject({ kind: 'accepted', providerId: expect.stringMatching(/^SM/) })
    const { form } = server.seen.at(-1)!
    expect([form.MessagingServiceSid, form.From]).toEqual([SERVICE, undefined])
    const foreign = by(`MG${'6'.repeat(32)}`)
    expect(await send({}, foreign)).toMatchObject({ kind: 'rejected', reason: '21705' })
    expect(await buildChannel(foreign).check()).toMatchObject({
      isOk: false,
      response: expect.stringContaining('MG666'),
    })
    const inboundUrl = 'https://recoup.example/api/webhooks/twilio/key/inbound'
    server.network.texts.saveLine({ ...line, inboundUrl })
    expect(await buildChannel({ ...by(SERVICE), inboundUrl }).check()).toMatchObject({
      detail: `Account “Phone sandbox”, active. Messages to ${SERVICE} are received here.`,
    })
    server.network.texts.saveLine(line)
  })

  test('gets its price later from Twilio', async () => {
    const channel = buildChannel()
    const sent = await channel.send(buildText())
    const { providerId } = sent as { providerId: string }
    expect(await channel.priceOf(providerId)).toBeNull()
    await server.network.settle()
    expect(await channel.priceOf(providerId)).toEqual({ amountMicros: 7_900, currency: 'USD' })
  })

  test('is estimated by segments and the country’s price', async () => {
    const channel = buildChannel()
    const [us, de] = ['+12025550188', german].map((to) => channel.estimate(buildText({ to, text: 'x'.repeat(200) })))
    expect([us!.segments, de!.segments]).toEqual([2, 2])
    expect(de!.cost.amountMicros).toBeGreaterThan(us!.cost.amountMicros)
  })
})

describe('WhatsApp by Twilio', () => {
  const template = {
    name: `HX${'a1'.repeat(16)}`,
    language: 'en',
    body: ['Ada', 'Tea & Co', '2 teas', '$42'],
    buttonUrlSuffix: 'tok',
  }
  const whatsapp = { channel: 'whatsapp', senders: [{ country: null, sender: '+12025550100' }] } as const

  test('uses a content template with its variables as one JSON object', async () => {
    expect(await send({ template, channel: 'whatsapp' }, whatsapp)).toMatchObject({ kind: 'accepted' })
    const { form } = server.seen.at(-1)!
    expect(form).toMatchObject({
      To: 'whatsapp:+12025550188',
      From: 'whatsapp:+12025550100',
      ContentSid: template.name,
    })
    expect(JSON.parse(form.ContentVariables!)).toEqual({ 1: 'Ada', 2: 'Tea & Co', 3: '2 teas', 4: '$42', 5: 'tok' })
    expect(form.Body).toBeUndefined()
    expect(server.network.texts.thread('+12025550188', 'whatsapp', '+12025550100').at(-1)).toMatchObject({
      body: expect.stringContaining('Hi Ada, you left something'),
      url: 'https://recoup.example/c/tok',
    })
  })

  test('refuses a template that is unknown, misspelt or has a missing variable', async () => {
    const tried = (changes: object) => send({ template: { ...template, ...changes }, channel: 'whatsapp' }, whatsapp)
    expect(await tried({ name: `HX${'0'.repeat(32)}` })).toMatchObject({ kind: 'rejected', reason: '21655' })
    expect(await tried({ name: 'HXnope' })).toMatchObject({ kind: 'rejected', reason: '20001' })
    expect(await tried({ buttonUrlSuffix: null })).toMatchObject({ kind: 'rejected', reason: '21656' })
    expect(await tried({ body: ['Ada', '', '2 teas', '$42'] })).toMatchObject({ kind: 'rejected', reason: '21656' })
  })

  test('lists templates with their approval, and unusable ones with the reason', async () => {
    const [first, second] = await buildChannel(whatsapp).listTemplates()
    expect(first).toMatchObject({
      title: 'cart_reminder',
      status: 'approved',
      category: 'marketing',
      buttonUrlPrefix: 'https://recoup.example/c/',
      problem: null,
    })
    expect(second).toMatchObject({ status: 'pending', problem: 'WhatsApp has not approved it (pending).' })
  })
})
