import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import webPush from 'web-push'
import { openPushService, type PushService, type Registration } from '../../../providers/contracts/push/server.ts'
import type { PushPayload } from '../../../shared/delivery/push.ts'
import { createTestBrowser } from '../../../test/push-scene.ts'
import type { OutgoingPush, PushChannel } from '../../messages/channels/channel.ts'
import { authorizeTest } from '../../messages/channels/send-authorization.ts'
import { findService } from './services.ts'
import { openPushChannel, smallerPayloads } from './web-push.ts'

// The channel against a strict push service: what is sent is read there as the browser reads it.

const config = {
  isLocal: true,
  supportEmail: 'help@recoup.example',
  pushServices: ['updates.push.services.mozilla.com', '*.push.apple.com'],
}
const vapid = webPush.generateVAPIDKeys()
let service: PushService
let channel: PushChannel
let browser: Registration

beforeAll(async () => {
  service = await openPushService()
})
afterAll(() => service.close())
beforeEach(() => {
  channel = openPushChannel({ config, answerMs: 150 })
  service.seen.length = 0
  service.fault = () => undefined
  browser = service.register(createTestBrowser(), vapid.publicKey)
})
afterEach(() => channel.close())

const payload: PushPayload = {
  ...{ title: 'Café ☕', body: 'Your cart waits', url: 'https://recoup.example/c/x', cartId: 'c1', tag: 'c1' },
  ...{ icon: 'https://shop.example/i.png', image: 'https://shop.example/p.png', origin: 'https://recoup.example' },
  actions: [{ action: 'open', title: 'View cart' }],
}

function outgoing(change: Partial<OutgoingPush> = {}) {
  const keys = { p256dh: browser.keys.getPublicKey('base64url'), auth: browser.auth.toString('base64url') }
  return {
    messageId: 'm1',
    subscription: { endpoint: browser.endpoint, keys },
    vapid,
    payload,
    topic: 'abc',
    mayGoOn: () => true,
    ...change,
    sendAuthorization: authorizeTest(),
  }
}

describe('a notification', () => {
  test('arrives unchanged: TTL of a day, Topic, urgency normal, signed and encrypted (RFC 8030, 8291, 8292)', async () => {
    const outcome = await channel.send(outgoing())
    expect(outcome).toMatchObject({ kind: 'accepted', providerId: expect.stringContaining('/message/') })
    const [request] = service.seen
    expect(request!.payload).toEqual(payload)
    expect(request!.headers).toMatchObject({
      ttl: '86400',
      topic: 'abc',
      urgency: 'normal',
      'content-encoding': 'aes128gcm',
    })
  })

  test('is refused by the service without TTL, with another key or with a longer Topic, as in the RFCs', async () => {
    const { subscription } = outgoing()
    const details = (options: object) =>
      webPush.generateRequestDetails(subscription, '{}', {
        TTL: 60,
        vapidDetails: { subject: 'mailto:a@b.example', ...vapid },
        ...options,
      })
    const put = async ({ headers, body }: { headers: object; body: unknown }, change: object = {}) => {
      const sent = Object.fromEntries(
        Object.entries({ ...headers, ...change }).filter(([, value]) => value !== undefined),
      )
      const init = { method: 'POST', headers: sent as Record<string, string>, body: new Uint8Array(body as Buffer) }
      return (await fetch(subscription.endpoint, init)).status
    }
    expect(await put(details({}))).toBe(201)
    expect(await put(details({}), { TTL: undefined })).toBe(400)
    expect(await put(details({}), { Topic: 'x'.repeat(33) })).toBe(400)
    expect(await put(details({}), { Authorization: undefined })).toBe(401)
    const other = webPush.generateVAPIDKeys()
    expect(await put(details({ vapidDetails: { subject: 'mailto:a@b.example', ...other } }))).toBe(403)
    const forged = details({}).headers as Record<string, string>
    expect(
      await put(details({}), { Authorization: forged.Authorization!.replace(vapid.publicKey, other.publicKey) }),
    ).toBe(401)
  })
})

describe('responses of the push service (P1)', () => {
  const answered = async (fault: object) => {
    service.fault = () => fault
    return channel.send(outgoing())
  }

  test('404, 410 and invalid keys end the subscription', async () => {
    service.end(browser.endpoint)
    expect((await channel.send(outgoing())).kind).toBe('gone')
    expect((await answered({ status: 404 })).kind).toBe('gone')
    const keys = { p256dh: 'BAAA', auth: 'AAAA' }
    expect((await channel.send(outgoing({ subscription: { endpoint: browser.endpoint, keys } }))).kind).toBe('gone')
  })

  test('401 and 403 are unauthorized', async () => {
    expect((await channel.send(outgoing({ vapid: webPush.generateVAPIDKeys() }))).kind).toBe('unauthorized')
    expect((await answered({ status: 401 })).kind).toBe('unauthorized')
  })

  test('429 waits for Retry-After, in seconds or until a date', async () => {
    expect(await answered({ status: 429, headers: { 'retry-after': '120' } })).toMatchObject({
      kind: 'retry',
      reason: 'push_429',
      retryAfterMs: 120_000,
    })
    const date = new Date(Date.now() + 60_000).toUTCString()
    const dated = await answered({ status: 429, headers: { 'retry-after': date } })
    expect(dated.kind === 'retry' && dated.retryAfterMs! > 50_000 && dated.retryAfterMs! <= 60_000).toBe(true)
    expect(await answered({ status: 429 })).not.toHaveProperty('retryAfterMs')
  })

  test('413 sends a smaller payload within the same attempt', async () => {
    service.fault = () => ({ status: 413, above: 500 })
    const body = 'word '.repeat(90)
    expect((await channel.send(outgoing({ payload: { ...payload, body } }))).kind).toBe('rejected')
    expect(service.seen.length).toBeGreaterThan(2)
    service.seen.length = 0
    service.fault = () => ({ status: 413, above: 340 })
    expect((await channel.send(outgoing())).kind).toBe('accepted')
    expect(service.seen.at(-1)!.payload).not.toHaveProperty('image')
  })

  test('a 5xx and no response after the body are unknown and never resent', async () => {
    expect(await answered({ status: 503 })).toMatchObject({ kind: 'unknown', reason: 'push_503' })
    expect(await answered({ silence: 'hang' })).toMatchObject({ kind: 'unknown', reason: 'timeout_after_body' })
    expect(await answered({ silence: 'cut' })).toMatchObject({ kind: 'unknown' })
  })

  test.each([
    'endless',
    'late',
  ] as const)('an answer with %s text has the same outcome, and its stored text is limited', async (text) => {
    const answer = await answered({ status: 410, words: text })
    expect(answer).toMatchObject({ kind: 'gone', response: expect.stringMatching(/^410 as the test wants/) })
    expect((answer as { response: string }).response.length).toBeLessThan(1_000)
  })

  test('a late 413 sends no smaller payload on the old decision, but decides again (C2)', async () => {
    service.fault = () => ({ status: 413 })
    const answer = await channel.send(outgoing({ mayGoOn: () => false }))
    expect(answer).toMatchObject({ kind: 'retry', reason: 'push_413' })
    expect(service.seen).toHaveLength(1)
  })

  test('a failed connection proves non-acceptance', async () => {
    const away = await openPushService()
    const there = away.register(createTestBrowser(), vapid.publicKey)
    await away.close()
    const { keys } = outgoing().subscription
    const outcome = await channel.send(outgoing({ subscription: { endpoint: there.endpoint, keys } }))
    expect(outcome).toMatchObject({ kind: 'retry', reason: 'refused' })
  })

  test('redirects are not followed, wherever they lead (X4)', async () => {
    const headers = { location: 'http://169.254.169.254/latest/meta-data' }
    for (const status of [301, 302, 307, 308]) {
      expect(await answered({ status, headers })).toMatchObject({ kind: 'rejected', reason: `push_${status}` })
    }
  })

  test('a known service that resolves to a private address is not connected to (X4)', async () => {
    const lookup = (_host: string, _options: object, done: (...found: unknown[]) => void) =>
      done(null, [{ address: '10.0.0.7', family: 4 }])
    const guarded = openPushChannel({ config, lookup: lookup as never })
    const { keys } = outgoing().subscription
    const endpoint = 'https://updates.push.services.mozilla.com/wpush/v2/x'
    expect(await guarded.send(outgoing({ subscription: { endpoint, keys } }))).toMatchObject({
      kind: 'rejected',
      reason: 'push_private_address',
    })
    await guarded.close()
  })

  test('an endpoint outside the allowed push services counts as gone', async () => {
    const { keys } = outgoing().subscription
    const outcome = await channel.send(outgoing({ subscription: { endpoint: 'https://evil.example/x', keys } }))
    expect(outcome.kind).toBe('gone')
  })
})

describe('allowed push services', () => {
  test.each([
    ['https://updates.push.services.mozilla.com/wpush/v2/x', true],
    ['https://web.push.apple.com/x', true],
    ['https://push.apple.com/x', false],
    ['https://evilpush.apple.com.example/x', false],
    ['https://updates.push.services.mozilla.com.evil.example/x', false],
    ['http://updates.push.services.mozilla.com/x', false],
    ['https://updates.push.services.mozilla.com:444/x', false],
    ['https://user@updates.push.services.mozilla.com/x', false],
    ['https://10.0.0.1/x', false],
    ['https://[fd00::1]/x', false],
    ['not an address', false],
  ])('%s: %s', (endpoint, isKnown) => {
    expect(findService(endpoint, { ...config, isLocal: false }) !== null).toBe(isKnown)
  })

  test('include this machine’s own only in local mode', () => {
    for (const endpoint of ['http://127.0.0.1:9/x', 'https://localhost/x'])
      expect([true, false].map((isLocal) => findService(endpoint, { ...config, isLocal }) !== null)).toEqual([
        true,
        false,
      ])
  })
})

test('a payload is smaller than 3 KB for any text: image and icon are dropped first, then the end of the text', () => {
  const body = '🛒'.repeat(2_000)
  const tries = smallerPayloads({ ...payload, body })
  expect(tries.every((each) => Buffer.byteLength(JSON.stringify(each)) < 3_000)).toBe(true)
  expect(tries.at(0)!.body.endsWith('🛒…')).toBe(true)
  expect(smallerPayloads(payload)[0]).toEqual(payload)
})
