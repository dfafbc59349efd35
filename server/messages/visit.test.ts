import { expect, test } from 'vitest'
import { classifyVisit, type Visit } from './visit.ts'

const BROWSER = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_3 like Mac OS X) AppleWebKit/605.1.15 Version/19.3 Safari/604.1'
const visit = (changed: Partial<Visit> = {}): Visit => ({
  method: 'GET',
  userAgent: BROWSER,
  purpose: '',
  sinceHandOverMs: 60_000,
  ...changed,
})

test('a browser a minute after the hand-over is a person (A1)', () => {
  expect(classifyVisit(visit())).toEqual({ isHuman: true, reason: 'browser' })
})

test.each<[string, Partial<Visit>, string]>([
  ['a HEAD request', { method: 'HEAD' }, 'head_request'],
  ['a prefetch', { purpose: 'prefetch' }, 'prefetch'],
  ['a prefetch by another name', { purpose: 'prefetch;prerender' }, 'prefetch'],
  ['Safari’s preview', { purpose: 'preview' }, 'prefetch'],
  ['no name at all', { userAgent: '' }, 'robot'],
  [
    'a search engine',
    { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    'robot',
  ],
  ['a mail scanner', { userAgent: 'Mozilla/5.0 Proofpoint URL Defense' }, 'robot'],
  ['a script', { userAgent: 'python-requests/2.32' }, 'robot'],
  ['an instant click', { sinceHandOverMs: 999 }, 'too_soon'],
  ['a click before the hand-over was recorded', { sinceHandOverMs: -5 }, 'too_soon'],
])('%s is no person (A1)', (_, changed, reason) => {
  expect(classifyVisit(visit(changed))).toEqual({ isHuman: false, reason })
})

test('a phone whose name has "bot" inside a word is still a person (A1)', () => {
  expect(classifyVisit(visit({ userAgent: `${BROWSER} Cubot_X50` })).isHuman).toBe(true)
})

test('a second after the hand-over a person may have clicked (A1)', () => {
  expect(classifyVisit(visit({ sinceHandOverMs: 1_000 })).isHuman).toBe(true)
  expect(classifyVisit(visit({ sinceHandOverMs: null })).isHuman).toBe(true)
})
