import { expect, it } from 'vitest'
import type { CartView } from '../../shared/carts.ts'
import { readColumns } from './columns.ts'
import { defaultSchedule, delayOf, delays, textStateOf, waitText, windowLeft, windowText } from './sending.ts'

const NOW = new Date('2026-03-02T12:00:00Z').getTime()
const HOUR = 3_600_000
const at = (ms: number) => new Date(NOW + ms).toISOString()

it('offers 1h, 2h, 6h, 12h, 24h, 3d, 7d and custom; 1 hour is the default (B 9)', () => {
  expect(delays.map(({ value }) => value)).toEqual(['1', '2', '6', '12', '24', '72', '168', 'custom'])
  expect(delayOf(defaultSchedule, NOW)).toEqual({ delayHours: 1 })
  expect(delayOf({ delay: '72', date: '' }, NOW)).toEqual({ delayHours: 72 })
})

it('takes a date as hours, rounded, at least 1, and as the instant itself (B 5)', () => {
  expect(delayOf({ delay: 'custom', date: at(5 * HOUR + 20 * 60_000) }, NOW)).toEqual({
    delayHours: 5,
    sendAt: at(5 * HOUR + 20 * 60_000),
  })
  expect(delayOf({ delay: 'custom', date: at(60_000) }, NOW)?.delayHours).toBe(1)
  for (const date of ['', 'tomorrow', at(0), at(-HOUR)])
    expect(delayOf({ delay: 'custom', date }, NOW), date).toBeNull()
})

it('counts the recovery window down from 24 hours, then reads Expired (decision 10)', () => {
  expect(windowText(windowLeft(at(0), NOW))).toBe('24:00:00')
  expect(windowText(windowLeft(at(-23 * HOUR - 59 * 60_000), NOW))).toBe('1:00')
  expect(windowText(windowLeft(at(-24 * HOUR), NOW))).toBe('Expired')
})

it('waits out the cooldown, and while something is being sent (B 4)', () => {
  const cart = (more: Partial<CartView>) => more as CartView
  const state = (more: Partial<CartView>) => textStateOf(cart(more), 'sms', 24, NOW)
  expect(state({ sms_status: null, sms_sent_at: null })).toEqual({ isSending: false, waitSeconds: null })
  expect(state({ sms_status: 'sending', sms_sent_at: null })).toEqual({ isSending: true, waitSeconds: null })
  const sent = state({ sms_status: 'sent', sms_sent_at: at(-23 * HOUR) })
  expect(waitText(sent.waitSeconds!)).toBe('Wait 1:00:00 before sending again')
  expect(state({ sms_status: 'delivered', sms_sent_at: at(-24 * HOUR) }).waitSeconds).toBeNull()
  expect(state({ sms_status: 'failed', sms_sent_at: at(-HOUR) }).waitSeconds).toBeNull()
  const other = cart({ whatsapp_status: 'sent', whatsapp_sent_at: at(-HOUR), sms_status: null, sms_sent_at: null })
  expect(textStateOf(other, 'whatsapp', 24, NOW).waitSeconds).toBe(23 * 3_600)
  expect(textStateOf(other, 'sms', 24, NOW).waitSeconds).toBeNull()
})

it('keeps chosen columns; the customer stays, and nonsense is nothing', () => {
  expect(readColumns(null)).toContain('window')
  expect(readColumns('value,password,email')).toEqual(['customer', 'email', 'value'])
  expect(readColumns('')).toEqual(['customer'])
})
