import { expect, it } from 'vitest'
import type { CartView } from '../../../shared/carts/carts.ts'
import { readColumns } from '../../features/carts/columns.ts'
import {
  computeRemainingSeconds,
  defaultSchedule,
  delays,
  describeRecipient,
  describeWait,
  explainEnded,
  findErrorField,
  findTextState,
  formatWindow,
  hasWindow,
  parseDelay,
} from './sending.ts'

const NOW = new Date('2026-03-02T12:00:00Z').getTime()
const HOUR = 3_600_000
const formatOffset = (ms: number) => new Date(NOW + ms).toISOString()

it('describes a message’s recipient and cart', () => {
  const cart = (names: string[]) =>
    ({
      customer_name: 'Penelope',
      total: 28,
      currency: 'USD',
      items: names.map((product_name) => ({ product_name })),
    }) as CartView
  expect(describeRecipient(cart(['Sunday Stoneware Mug']))).toBe('To Penelope · Sunday Stoneware Mug · $28.00')
  expect(describeRecipient(cart(['Mug', 'Lamp', 'Rug']))).toBe('To Penelope · Mug and 2 more · $28.00')
  expect(describeRecipient(cart([]))).toBe('To Penelope · $28.00')
})

it('offers 1h, 2h, 6h, 12h, 24h, 3d, 7d and custom, with 1 hour as default (B 9)', { tags: ['B9'] }, () => {
  expect(delays.map(({ value }) => value)).toEqual(['1', '2', '6', '12', '24', '72', '168', 'custom'])
  expect(parseDelay(defaultSchedule, NOW)).toEqual({ delayHours: 1 })
  expect(parseDelay({ delay: '72', date: '' }, NOW)).toEqual({ delayHours: 72 })
})

it('sends a date as hours, rounded, at least 1, and as the instant itself (B 5)', { tags: ['B5'] }, () => {
  expect(parseDelay({ delay: 'custom', date: formatOffset(5 * HOUR + 20 * 60_000) }, NOW)).toEqual({
    delayHours: 5,
    sendAt: formatOffset(5 * HOUR + 20 * 60_000),
  })
  const buildHours = (minutes: number) =>
    parseDelay({ delay: 'custom', date: formatOffset(minutes * 60_000) }, NOW)?.delayHours
  expect([1, 5 * 60 + 29, 5 * 60 + 31].map(buildHours)).toEqual([1, 5, 6])
  for (const date of ['', 'tomorrow', formatOffset(0), formatOffset(-HOUR)])
    expect(parseDelay({ delay: 'custom', date }, NOW), date).toBeNull()
})

it('counts the recovery window down from 24 hours, then shows Expired (decision 10)', { tags: ['B2'] }, () => {
  expect(formatWindow(computeRemainingSeconds(formatOffset(0), NOW))).toBe('24:00:00')
  expect(formatWindow(computeRemainingSeconds(formatOffset(-23 * HOUR - 59 * 60_000), NOW))).toBe('1:00')
  expect(formatWindow(computeRemainingSeconds(formatOffset(-24 * HOUR), NOW))).toBe('Expired')
})

it('disables the button during the cooldown and while a message is being sent (B 4)', () => {
  const cart = (more: Partial<CartView>) => more as CartView
  const state = (more: Partial<CartView>) => findTextState(cart(more), 'sms', 24, NOW)
  expect(state({ sms_status: null, sms_sent_at: null })).toEqual({ isSending: false, waitSeconds: null })
  expect(state({ sms_status: 'sending', sms_sent_at: null })).toEqual({ isSending: true, waitSeconds: null })
  const sent = state({ sms_status: 'sent', sms_sent_at: formatOffset(-23 * HOUR) })
  expect(describeWait(sent.waitSeconds!)).toBe('Wait 1:00:00 before sending again')
  expect(state({ sms_status: 'delivered', sms_sent_at: formatOffset(-24 * HOUR) }).waitSeconds).toBeNull()
  expect(state({ sms_status: 'failed', sms_sent_at: formatOffset(-HOUR) }).waitSeconds).toBeNull()
  const other = cart({
    whatsapp_status: 'sent',
    whatsapp_sent_at: formatOffset(-HOUR),
    sms_status: null,
    sms_sent_at: null,
  })
  expect(findTextState(other, 'whatsapp', 24, NOW).waitSeconds).toBe(23 * 3_600)
  expect(findTextState(other, 'sms', 24, NOW).waitSeconds).toBeNull()
})

it('keeps the chosen columns and the customer, and ignores invalid ones', () => {
  expect(readColumns(null)).toContain('window')
  expect(readColumns('value,password,email')).toEqual(['customer', 'email', 'value'])
  expect(readColumns('')).toEqual(['customer'])
})

it('has no recovery window and sends nothing after a purchase or an emptied cart', () => {
  for (const state of ['recovered', 'purchased', 'emptied', 'merged'] as const) {
    expect([state, hasWindow(state), typeof explainEnded(state)]).toEqual([state, false, 'string'])
  }
  for (const state of ['active', 'abandoned', 'lost'] as const) {
    expect([state, hasWindow(state), explainEnded(state)]).toEqual([state, true, null])
  }
})

it('shows a content error at its field', () => {
  expect(findErrorField('The subject uses "name", which does not exist.')).toBe('subject')
  expect(findErrorField('The message uses "name", which does not exist.')).toBe('body')
})
