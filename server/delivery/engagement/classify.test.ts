import { expect, test } from 'vitest'
import { engagementReasons } from '../../../shared/delivery/engagement.ts'
import { classifyRequest, type EngagementRequest } from './classify.ts'

const BROWSER = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_3 like Mac OS X) AppleWebKit/605.1.15 Version/19.3 Safari/604.1'
const visit = (changed: Partial<EngagementRequest> = {}): EngagementRequest => ({
  kind: 'click',
  method: 'GET',
  userAgent: BROWSER,
  purpose: '',
  network: 'other',
  sinceSendingMs: 60_000,
  ...changed,
})

test('a browser a minute after the send is a person (A1)', () => {
  expect(classifyRequest(visit())).toEqual({ class: 'human', reason: 'browser' })
})

const GMAIL = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'

test.each<[string, Partial<EngagementRequest>, string]>([
  ['a HEAD request', { method: 'HEAD' }, 'head_request'],
  ['a prefetch', { purpose: 'prefetch' }, 'prefetch'],
  ['a prefetch by another name', { purpose: 'prefetch;prerender' }, 'prefetch'],
  ['Safari’s preview', { purpose: 'preview' }, 'prefetch'],
  ['no name at all', { userAgent: '' }, 'no_agent'],
  [
    'a search engine',
    { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    'robot',
  ],
  ['a mail scanner', { userAgent: 'Mozilla/5.0 Proofpoint URL Defense' }, 'link_scanner'],
  ['a messenger’s card', { userAgent: 'WhatsApp/2.23.20.0' }, 'link_preview'],
  [
    'a reader for an assistant',
    { userAgent: 'Mozilla/5.0; compatible; ChatGPT-User/1.0; +https://openai.com/bot' },
    'robot',
  ],
  ['a crawler without "bot"', { userAgent: 'Apache-Nutch/1.19' }, 'robot'],
  ['a script', { userAgent: 'python-requests/2.32' }, 'robot'],
  ['a fetcher of pictures at a link', { userAgent: GMAIL }, 'robot'],
  ['the invisible link', { kind: 'honeypot' }, 'honeypot'],
  ['Apple Mail’s fetch of all pictures', { kind: 'open', userAgent: 'Mozilla/5.0' }, 'apple_mail_privacy'],
  ['an instant click', { sinceSendingMs: 999 }, 'too_soon'],
  ['Gmail’s fetch before anybody can have read', { kind: 'open', userAgent: GMAIL, sinceSendingMs: 400 }, 'too_soon'],
  ['a click before the send was recorded', { sinceSendingMs: -5 }, 'too_soon'],
])('%s is no person (A1)', (_, changed, reason) => {
  expect(classifyRequest(visit(changed))).toEqual({ class: 'machine', reason })
})

test.each<[string, Partial<EngagementRequest>, string]>([
  ['a browser in a data centre', { network: 'data_centre' }, 'data_centre'],
  ['a browser of 2015', { userAgent: BROWSER.replace('Safari/', 'Chrome/42.0 Safari/') }, 'outdated_browser'],
])('%s may be either, and does not count (A1)', (_, changed, reason) => {
  expect(classifyRequest(visit(changed))).toEqual({ class: 'unknown', reason })
})

test('an image fetched by Gmail’s proxy on opening counts as opened by the reader', () => {
  const open = visit({ kind: 'open', userAgent: GMAIL, network: 'data_centre' })
  expect(classifyRequest(open)).toEqual({ class: 'human', reason: 'gmail_proxy' })
})

test('a phone whose name has "bot" inside a word is still a person (A1)', () => {
  expect(classifyRequest(visit({ userAgent: `${BROWSER} Cubot_X50` })).class).toBe('human')
})

test('a second after the send a person may have clicked (A1)', () => {
  expect(classifyRequest(visit({ sinceSendingMs: 1_000 })).class).toBe('human')
  expect(classifyRequest(visit({ sinceSendingMs: null })).class).toBe('human')
})

test('every reason has an explanation for the owner', () => {
  const clients = [
    BROWSER,
    '',
    'Mozilla/5.0',
    GMAIL,
    'curl/8',
    'Proofpoint',
    'WhatsApp/2',
    'Thunderbird',
    'YahooMailProxy',
  ]
  const reasons = (['open', 'click', 'honeypot'] as const).flatMap((kind) =>
    clients.map((userAgent) => classifyRequest(visit({ kind, userAgent })).reason),
  )
  expect([...reasons, 'honeypot_burst', 'many_links'].filter((reason) => !engagementReasons[reason])).toEqual([])
})
