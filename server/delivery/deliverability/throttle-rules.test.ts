import { expect, test } from 'vitest'
import type { Outcome } from '../../messages/channels/channel.ts'
import {
  classifyReply,
  classifyReport,
  type DomainAnswer,
  type DomainThrottleState,
  pauseMs,
  updateAfterRefusal,
} from './throttle-rules.ts'

const later = (reason: string, response: string): Outcome => ({ kind: 'retry', reason, response, isOfMessage: true })
const refused = (response: string, isRecipientFault = false): Outcome => ({
  kind: 'rejected',
  reason: `smtp_${response.slice(0, 3)}`,
  response,
  isRecipientFault,
})

test.each<[string, Outcome, DomainAnswer | null]>([
  ['a yes', { kind: 'accepted', providerId: 'x', response: '250 ok' }, 'open'],
  ['no such user', refused('550 5.1.1 no such user', true), 'open'],
  [
    'Gmail’s rate limit',
    later('smtp_421', '421 4.7.28 Our system has detected an unusual rate of unsolicited mail'),
    'throttled',
  ],
  [
    'Outlook’s',
    later('smtp_451', '451 4.7.650 The mail server has been temporarily rate limited due to IP reputation'),
    'throttled',
  ],
  [
    'Yahoo’s',
    later('smtp_421', '421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume'),
    'throttled',
  ],
  ['trouble of its own', later('smtp_451', '451 4.3.0 Internal error, try later'), 'deferred'],
  ['a block', refused('550 5.7.1 Service unavailable; client host blocked using Spamhaus'), 'blocked'],
  ['a policy in words', refused('554 Message rejected due to sender reputation'), 'blocked'],
  ['greylisting: this one alone', later('smtp_451', '451 4.7.1 Greylisted, come back in 5 minutes'), null],
  ['a full mailbox: this one alone', later('smtp_452', '452 4.2.2 The mailbox is full'), null],
  ['a message too big', refused('552 5.3.4 Message size exceeds fixed limit'), null],
  ['our own server, about relaying', refused('554 5.7.1 Relay access denied'), null],
  [
    'our own server, before any message',
    { kind: 'retry', reason: 'smtp_421', response: '421 too many connections' },
    null,
  ],
  ['silence', { kind: 'unknown', reason: 'timeout_after_data', response: 'No answer' }, null],
])('%s', (_, outcome, answer) => {
  expect(classifyReply(outcome)).toBe(answer)
})

test('a later report is classified like a reply', () => {
  expect(classifyReport('delivered', null, '')).toBe('open')
  expect(classifyReport('soft', '4.7.0', 'rate limited')).toBe('throttled')
  expect(classifyReport('soft', '4.2.2', 'mailbox full')).toBeNull()
  expect(classifyReport('refused', '5.7.1', 'blocked')).toBe('blocked')
  expect(classifyReport('complaint', null, '')).toBeNull()
})

const now = new Date('2026-03-02T15:00:00.000Z')
const MINUTE = 60_000
const at = (minutes: number) => new Date(now.getTime() + minutes * MINUTE)
const say = (state: DomainThrottleState | null, answer: Exclude<DomainAnswer, 'open'>, minutes = 0, isProbe = false) =>
  updateAfterRefusal(state, answer, { now: at(minutes), isProbe, jitter: 0.5 })

test('one throttling, two blocks or three deferrals in a row pause a domain', () => {
  expect(say(null, 'throttled')).toMatchObject({ pauses: 1, pausedUntil: at(5), kind: 'deferred' })
  const block = say(null, 'blocked')
  expect(block.pausedUntil).toBeNull()
  expect(say(block, 'blocked')).toMatchObject({ pauses: 1, pausedUntil: at(5), kind: 'blocked' })
  const two = say(say(null, 'deferred'), 'deferred', 1)
  expect(two.pausedUntil).toBeNull()
  expect(say(two, 'deferred', 2)).toMatchObject({ pauses: 1, pausedUntil: at(7) })
})

test('deferrals an hour apart do not add up', () => {
  const two = say(say(null, 'deferred'), 'deferred', 1)
  expect(say(two, 'deferred', 62)).toMatchObject({ weight: 1, pausedUntil: null, since: at(62) })
})

test('replies to mails sent before the pause do not extend it, the probe’s reply does', () => {
  const paused = say(null, 'throttled')
  expect(say(paused, 'throttled', 1)).toMatchObject({ pauses: 1, pausedUntil: at(5) })
  expect(say(paused, 'deferred', 6, true)).toMatchObject({ pauses: 2, pausedUntil: at(16), since: now })
})

test('pauses double up to four hours with ±20% jitter', () => {
  expect([1, 2, 3, 6, 7, 50].map((pauses) => pauseMs(pauses, 0.5) / MINUTE)).toEqual([5, 10, 20, 160, 240, 240])
  expect([0, 1].map((jitter) => pauseMs(1, jitter) / MINUTE)).toEqual([4, 6])
})
