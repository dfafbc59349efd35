import { expect, test } from 'vitest'
import type { CartPath } from '../../../shared/carts/carts.ts'
import { buildCartPath } from './path.ts'

const AT = '2026-03-02T15:00:00.000Z'
const formatTime = (at: string) => at.slice(11, 16)
const path = (more: Partial<CartPath>): CartPath => ({
  reminders: { sent: 0, planned: 3 },
  message: 'waiting',
  sentAt: null,
  nextAt: AT,
  explanation: '',
  clickedAt: null,
  ...more,
})

type Cart = Parameters<typeof buildCartPath>[0]
const draw = (more: Partial<Cart>, revenue?: string) =>
  buildCartPath(
    { items: [{ quantity: 2 }] as Cart['items'], state: 'abandoned', status: 'No Action', abandoned_at: AT, ...more },
    { formatTime, ...(revenue && { revenue }) },
  ).map(({ label, outcome, detail }) => [label, outcome, detail].filter(Boolean).join(' · '))

test('a cart that waits for its reminder shows when it is due', () => {
  expect(draw({ path: path({}) })).toEqual([
    'Cart · done · 2 items',
    'Abandoned · done · 15:00',
    'Message · waiting · Due 15:00',
    'Click · ahead',
    'Bought · ahead',
  ])
})

test('a recovered cart shows the number of reminders, the click and the revenue', () => {
  const sent = path({ message: 'sent', reminders: { sent: 2, planned: 3 }, sentAt: AT, clickedAt: AT })
  expect(draw({ state: 'recovered', path: sent }, '$37.68').slice(2)).toEqual([
    'Message · done · Reminder 2 of 3 sent, 15:00',
    'Click · done · 15:00',
    'Bought · won · $37.68 recovered',
  ])
})

test.each([
  [{ message: 'on_hold', explanation: 'Limit reached' }, 'Message · held · Limit reached'],
  [{ message: 'failed' }, 'Message · failed · Failed'],
  [{ message: 'stopped', explanation: 'No consent.' }, 'Message · stopped · No consent.'],
  [{ message: 'none' }, 'Message · ahead'],
  [{ message: 'sent', sentAt: AT }, 'Message · done · Sent, 15:00'],
] as const)('the message %o reads “%s”', (more, text) => {
  expect(draw({ path: path(more) })[2]).toBe(text)
})

test.each([
  ['purchased', 'Bought · done · Bought, not through a message'],
  ['lost', 'Bought · stopped · Not bought'],
  ['emptied', 'Bought · stopped · Cart emptied'],
] as const)('a cart that is %s ends with “%s”, and its missed stations are stopped', (state, text) => {
  expect(draw({ state, path: path({ message: 'none' }) })).toEqual([
    'Cart · done · 2 items',
    'Abandoned · done · 15:00',
    'Message · stopped · None sent',
    'Click · stopped',
    text,
  ])
})

test('an order that does not count recovers nothing', () => {
  expect(draw({ state: 'recovered', is_void: true }).at(-1)).toBe('Bought · stopped · The order doesn’t count')
})
