import { createHmac, createSign, generateKeyPairSync, sign } from 'node:crypto'
import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  advanceToAbandoned,
  createMessageScene,
  HOUR,
  readMessages,
  sendDueMessages,
} from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import type { Config } from '../../core/config/config.ts'
import { buildReturnPath } from '../email/return-path.ts'

// Each provider's own format and signature. Calls with another signature or to another URL change nothing.

const BOUNCES = 'bounces@back.mugs.com'
const KEY = 'a-secret-part-of-the-address'
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail'
const world = createWorld({ BOUNCE_ADDRESS: BOUNCES })

type Provider = NonNullable<Config['mailEvents']>['provider']
function use(provider: Provider, secret: string) {
  world.deps.config = Object.freeze({ ...world.deps.config, mailEvents: { provider, key: KEY, secret } })
}

let storeId: string
let accountId: string
let id: string
beforeEach(async () => {
  const scene = await createMessageScene(world, 1)
  await advanceToAbandoned(world, scene.storeId, HOUR)
  await sendDueMessages(world, scene.storeId)
  storeId = scene.storeId
  accountId = scene.accountId
  id = (await readMessages(world, storeId))[0]!.id
})
afterEach(() => vi.unstubAllGlobals())

const post = (provider: string, body: string, headers: Record<string, string> = {}, key = KEY) =>
  world.app.inject({
    method: 'POST',
    url: `/api/webhooks/mail/${provider}/${key}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  })

async function ends() {
  const [message] = await readMessages(world, storeId)
  const rows = await world.db.selectFrom('suppressions').select('reason').where('account_id', '=', accountId).execute()
  return [message!.state, message!.reason, ...rows.map(({ reason }) => reason)]
}
const UNTOUCHED = ['sent', null]
const HARD = ['failed', 'bounced', 'hard_bounce']
const COMPLAINT = ['delivered', null, 'complaint']
const OPT_OUT = ['delivered', null, 'unsubscribed']
const DROPPED_OPT_OUT = ['failed', 'bounced:refused', 'unsubscribed']

describe('Postmark', () => {
  const secret = 'recoup:a-long-password'
  const authorization = `Basic ${Buffer.from(secret).toString('base64')}`
  beforeEach(() => use('postmark', secret))
  const body = (more: object) => JSON.stringify({ MessageID: 'theirs', Metadata: { recoup: id }, ...more })

  test.each([
    [{ RecordType: 'Bounce', Type: 'HardBounce', TypeCode: 1, Details: 'smtp;550 5.1.1 unknown' }, HARD],
    [{ RecordType: 'Bounce', Type: 'Blocked', Details: '554 blocked' }, ['failed', 'bounced:refused']],
    [{ RecordType: 'Bounce', Type: 'SoftBounce' }, UNTOUCHED],
    [{ RecordType: 'Bounce', Type: 'AutoResponder' }, UNTOUCHED],
    [{ RecordType: 'SpamComplaint', Type: 'SpamComplaint' }, COMPLAINT],
    [{ RecordType: 'Delivery', DeliveredAt: '2026-03-02T15:00:00Z' }, ['delivered', null]],
    [
      {
        RecordType: 'SubscriptionChange',
        SuppressSending: true,
        SuppressionReason: 'ManualSuppression',
        Origin: 'Recipient',
      },
      OPT_OUT,
    ],
    [{ RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason: 'SpamComplaint' }, COMPLAINT],
    [{ RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason: 'HardBounce' }, HARD],
    [{ RecordType: 'SubscriptionChange', SuppressSending: false, SuppressionReason: null }, UNTOUCHED],
    [{ RecordType: 'Bounce', Type: 'Unsubscribe' }, OPT_OUT],
    [{ RecordType: 'Open' }, UNTOUCHED],
  ])('%o', async (event, end) => {
    expect((await post('postmark', body(event), { authorization })).statusCode).toBe(200)
    expect(await ends()).toEqual(end)
  })

  test('a call without password, at another URL or for another provider is refused', async () => {
    const event = body({ RecordType: 'SpamComplaint' })
    expect((await post('postmark', event)).statusCode).toBe(403)
    expect((await post('postmark', event, { authorization: 'Basic x' })).statusCode).toBe(403)
    expect((await post('postmark', event, { authorization }, `${KEY}x`)).statusCode).toBe(404)
    expect((await post('mailgun', event, { authorization })).statusCode).toBe(404)
    expect((await post('postmark', 'nonsense', { authorization })).statusCode).toBe(400)
    expect(await ends()).toEqual(UNTOUCHED)
  })
})

describe('SendGrid', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  beforeEach(() => use('sendgrid', publicKey.export({ type: 'spki', format: 'der' }).toString('base64')))
  const time = '1772463600'
  const signed = (body: string) => ({
    'x-twilio-email-event-webhook-timestamp': time,
    'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(time + body), privateKey).toString('base64'),
  })
  const body = (...events: object[]) =>
    JSON.stringify(
      events.map((event) => ({ 'smtp-id': `<${id}@mugs.com>`, sg_event_id: 'e', timestamp: Number(time), ...event })),
    )

  test.each([
    [{ event: 'bounce', type: 'bounce', status: '5.0.0', reason: '550 5.1.1 no such user' }, HARD],
    [
      {
        event: 'bounce',
        type: 'blocked',
        status: '5.1.0',
        reason: '550 5.1.0 rejected: sending IP has a poor reputation',
      },
      ['failed', 'bounced:refused'],
    ],
    [
      { event: 'bounce', type: 'blocked', status: '5.1.1', reason: '550 5.1.1 no such user' },
      ['failed', 'bounced:refused'],
    ],
    [{ event: 'bounce', type: 'blocked', status: '5.7.1', reason: '554 5.7.1 spam' }, ['failed', 'bounced:refused']],
    [{ event: 'dropped', reason: 'Bounced Address' }, HARD],
    [{ event: 'deferred', response: '451 later' }, UNTOUCHED],
    [{ event: 'spamreport' }, COMPLAINT],
    [{ event: 'delivered', response: '250 ok' }, ['delivered', null]],
    [{ event: 'unsubscribe' }, OPT_OUT],
    [{ event: 'group_unsubscribe', asm_group_id: 7 }, OPT_OUT],
    [{ event: 'group_resubscribe', asm_group_id: 7 }, UNTOUCHED],
    [{ event: 'dropped', reason: 'Unsubscribed Address' }, DROPPED_OPT_OUT],
    [{ event: 'click' }, UNTOUCHED],
  ])('%o', async (event, end) => {
    const raw = body(event)
    expect((await post('sendgrid', raw, signed(raw))).statusCode).toBe(200)
    expect(await ends()).toEqual(end)
  })

  test('all events of a call count in any order and any number of times', async () => {
    const raw = body({ event: 'spamreport' }, { event: 'processed' }, { event: 'delivered' })
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect((await post('sendgrid', raw, signed(raw))).statusCode).toBe(200)
    expect(await ends()).toEqual(COMPLAINT)
  })

  test('a changed byte, another time or another key is refused', async () => {
    const raw = body({ event: 'spamreport' })
    expect((await post('sendgrid', `${raw} `, signed(raw))).statusCode).toBe(403)
    expect(
      (await post('sendgrid', raw, { ...signed(raw), 'x-twilio-email-event-webhook-timestamp': '1' })).statusCode,
    ).toBe(403)
    expect((await post('sendgrid', raw)).statusCode).toBe(403)
    expect(await ends()).toEqual(UNTOUCHED)
  })
})

describe('Mailgun', () => {
  const secret = 'key-of-the-webhooks'
  beforeEach(() => use('mailgun', secret))
  const seconds = (ageMs = 0) => String(Math.floor((world.now.getTime() - ageMs) / 1_000))
  const body = (event: object, { by = secret, timestamp = seconds() } = {}) =>
    JSON.stringify({
      signature: {
        timestamp,
        token: 'tok',
        signature: createHmac('sha256', by).update(`${timestamp}tok`).digest('hex'),
      },
      'event-data': { message: { headers: { 'message-id': `${id}@mugs.com` } }, ...event },
    })

  test.each([
    [{ event: 'failed', severity: 'permanent', 'delivery-status': { code: 550, message: '5.1.1 no such user' } }, HARD],
    [{ event: 'failed', severity: 'permanent', reason: 'suppress-bounce', 'delivery-status': { code: 605 } }, HARD],
    [
      { event: 'failed', severity: 'permanent', 'delivery-status': { code: 554, message: '5.7.1 spam' } },
      ['failed', 'bounced:refused'],
    ],
    [{ event: 'failed', severity: 'temporary', 'delivery-status': { code: 451, message: 'later' } }, UNTOUCHED],
    [{ event: 'unsubscribed' }, OPT_OUT],
    [{ event: 'failed', severity: 'permanent', reason: 'suppress-unsubscribe' }, DROPPED_OPT_OUT],
    [{ event: 'complained' }, COMPLAINT],
    [{ event: 'delivered' }, ['delivered', null]],
  ])('%o', async (event, end) => {
    expect((await post('mailgun', body(event))).statusCode).toBe(200)
    expect(await ends()).toEqual(end)
  })

  test('a call signed by another key, long ago or not at all is refused', async () => {
    const event = { event: 'complained' }
    for (const raw of [body(event, { by: 'x' }), body(event, { timestamp: seconds(25 * HOUR) }), '{}']) {
      expect((await post('mailgun', raw)).statusCode).toBe(403)
    }
    expect(await ends()).toEqual(UNTOUCHED)
  })
})

test('an opt-out at the provider is a withdrawal and stops open messages; after the shopper undid it, the same report changes nothing', async () => {
  const secret = 'recoup:a-long-password'
  use('postmark', secret)
  const headers = { authorization: `Basic ${Buffer.from(secret).toString('base64')}` }
  const body = JSON.stringify({
    RecordType: 'SubscriptionChange',
    SuppressSending: true,
    SuppressionReason: 'ManualSuppression',
    Metadata: { recoup: id },
  })
  await post('postmark', body, headers)
  const ledger = () =>
    world.db.selectFrom('consents').select(['status', 'source']).where('store_id', '=', storeId).execute()
  expect(await ledger()).toEqual([{ status: 'withdrawn', source: 'postmark' }])
  const [first, ...others] = await readMessages(world, storeId)
  expect(first!.unsubscribed_at).not.toBeNull()
  expect(new Set(others.map(({ reason }) => reason))).toEqual(new Set(['suppressed_unsubscribed']))
  await world.db.deleteFrom('suppressions').where('account_id', '=', accountId).execute()
  await post('postmark', body, headers)
  expect(await ledger()).toHaveLength(1)
  expect((await ends()).slice(2)).toEqual([])
})

describe('Amazon SES by SNS', () => {
  const file = (name: string) =>
    fs.readFileSync(new URL(`../../../providers/contracts/${name}`, import.meta.url), 'utf8')
  const CERTIFICATE = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem'
  let called: string[]
  beforeEach(() => {
    use('ses', TOPIC)
    called = []
    vi.stubGlobal('fetch', async (url: string) => {
      called.push(url)
      return new Response(url === CERTIFICATE ? file('localhost.crt.pem') : '<ok/>')
    })
  })

  function notice(more: Record<string, string>) {
    const fields: Record<string, string> = {
      Type: 'Notification',
      MessageId: 'm-1',
      TopicArn: TOPIC,
      Message: '{}',
      Timestamp: '2026-03-02T16:00:00.000Z',
      SignatureVersion: '2',
      SigningCertURL: CERTIFICATE,
      ...more,
    }
    const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
    const text = names.flatMap((name) => (fields[name] === undefined ? [] : [`${name}\n${fields[name]}\n`])).join('')
    const algorithm = fields.SignatureVersion === '2' ? 'RSA-SHA256' : 'RSA-SHA1'
    const Signature = createSign(algorithm).update(text).sign(file('localhost.key.pem'), 'base64')
    return JSON.stringify({ ...fields, Signature })
  }
  const event = (more: object, mail: object = { tags: { recoup: [id] } }) =>
    notice({ Message: JSON.stringify({ mail: { source: 'hello@mugs.com', ...mail }, ...more }) })
  const bounce = (bounceType: string, status: string, diagnosticCode: string) => ({
    eventType: 'Bounce',
    bounce: { bounceType, bounceSubType: 'General', bouncedRecipients: [{ status, diagnosticCode }] },
  })

  test.each([
    [bounce('Permanent', '5.1.1', 'smtp; 550 5.1.1 user unknown'), HARD],
    [bounce('Permanent', '5.7.1', 'smtp; 554 5.7.1 blocked'), ['failed', 'bounced:refused']],
    [bounce('Transient', '5.2.2', 'smtp; 552 5.2.2 full'), UNTOUCHED],
    [{ eventType: 'Subscription', subscription: { newTopicPreferences: { unsubscribeAll: true } } }, OPT_OUT],
    [
      {
        eventType: 'Subscription',
        subscription: {
          newTopicPreferences: { topicSubscriptionStatus: [{ topicName: 'a', subscriptionStatus: 'OptOut' }] },
        },
      },
      OPT_OUT,
    ],
    [{ eventType: 'Subscription', subscription: { newTopicPreferences: { unsubscribeAll: false } } }, UNTOUCHED],
    [{ notificationType: 'Complaint', complaint: { complaintFeedbackType: 'abuse' } }, COMPLAINT],
    [{ notificationType: 'Delivery', delivery: { smtpResponse: '250 ok' } }, ['delivered', null]],
  ])('%o', async (more, end) => {
    // SNS says "text/plain".
    const reply = await post('ses', event(more), { 'content-type': 'text/plain; charset=UTF-8' })
    expect(reply.statusCode).toBe(200)
    expect(await ends()).toEqual(end)
  })

  test('a mail is identified by tag, Message-ID or return address', async () => {
    const complaint = { notificationType: 'Complaint' }
    for (const mail of [
      { headers: [{ name: 'Message-ID', value: `<${id}@mugs.com>` }] },
      { source: buildReturnPath(world.deps.secrets, BOUNCES, id) },
    ]) {
      await world.pool.query('delete from mail_reports')
      await post('ses', event(complaint, mail))
      const { rows } = await world.pool.query('select kind from mail_reports where message_id = $1', [id])
      expect(rows).toEqual([{ kind: 'complaint' }])
    }
  })

  test('a subscription of our topic is confirmed only at Amazon’s hosts', async () => {
    const confirm = (SubscribeURL: string) =>
      post('ses', notice({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL }))
    const right = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t'
    expect((await confirm(right)).statusCode).toBe(200)
    expect(called).toContain(right)
    for (const wrong of [
      'https://evil.example/',
      'https://sns.eu-west-1.amazonaws.com.evil.example/',
      'http://sns.eu-west-1.amazonaws.com/',
    ]) {
      expect((await confirm(wrong)).statusCode).toBe(403)
      expect(called).not.toContain(wrong)
    }
  })

  test.each([
    ['another topic', () => notice({ TopicArn: `${TOPIC}2` })],
    [
      'a certificate that is not Amazon’s',
      () => notice({ SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/x.pem' }),
    ],
    [
      'a certificate at another of Amazon’s customers',
      () => notice({ SigningCertURL: 'https://s3.amazonaws.com/x.pem' }),
    ],
    [
      'a certificate in a bucket that is named like Amazon’s own host',
      () => notice({ SigningCertURL: 'https://sns.s3-eu-west-1.amazonaws.com/x.pem' }),
    ],
    ['a changed message', () => notice({}).replace('"{}"', '"{} "')],
  ])('%s is not believed, nor fetched', async (_what, forge) => {
    expect((await post('ses', forge())).statusCode).toBe(403)
    expect(called.filter((url) => url !== CERTIFICATE)).toEqual([])
    expect(await ends()).toEqual(UNTOUCHED)
  })

  test('the older signature version is accepted', async () => {
    const raw = notice({
      SignatureVersion: '1',
      Message: JSON.stringify({ mail: { tags: { recoup: [id] } }, eventType: 'Complaint' }),
    })
    expect((await post('ses', raw)).statusCode).toBe(200)
    expect(await ends()).toEqual(COMPLAINT)
  })
})
