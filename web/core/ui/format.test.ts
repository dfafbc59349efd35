import { expect, it } from 'vitest'
import {
  formatAge,
  formatClock,
  formatCountdown,
  formatDistance,
  formatMinutes,
  formatMoney,
  formatPrice,
  formatRound,
} from './format.ts'

const now = Date.parse('2026-03-05T12:00:00Z')

it('formats money in en-US with the currency’s own digits', { tags: ['B9'] }, () => {
  expect(formatMoney(1234.5, 'USD')).toBe('$1,234.50')
  expect(formatMoney(1200, 'JPY')).toBe('¥1,200')
  expect(formatMoney(3, 'nonsense')).toBe('3.00')
})

it('formats whole axis amounts without decimals', () => {
  expect(formatRound(180, 'USD')).toBe('$180')
  expect(formatRound(0.5, 'USD')).toBe('$0.50')
  expect(formatRound(1200, 'JPY')).toBe('¥1,200')
})

it('formats a message’s price to a hundredth of a cent', () => {
  expect(formatPrice(0.0079, 'USD')).toBe('$0.0079')
  expect(formatPrice(0.5, 'USD')).toBe('$0.50')
  expect(formatPrice(12.345, 'USD')).toBe('$12.35')
  expect(formatPrice(0, 'USD')).toBe('$0.00')
})

it('formats a local time like other times', () => {
  expect(formatClock('21:00')).toBe('9:00 PM')
  expect(formatClock('08:30')).toBe('8:30 AM')
  expect(formatClock('00:00')).toBe('12:00 AM')
})

it('formats relative times in the largest whole unit', () => {
  expect(formatDistance(now - 20_000, now)).toBe('just now')
  expect(formatDistance(now + 20_000, now)).toBe('in a moment')
  expect(formatDistance(now - 125_000, now)).toBe('2 min ago')
  expect(formatDistance(now + 3 * 3_600_000, now)).toBe('in 3 h')
  expect(formatDistance(now - 49 * 3_600_000, now)).toBe('2 days ago')
  expect(formatAge(130)).toBe('2 min ago')
  expect(formatAge(-0.4)).toBe('just now')
})

it('formats durations for reading', () => {
  expect(formatMinutes(1)).toBe('1 minute')
  expect(formatMinutes(90)).toBe('90 minutes')
  expect(formatMinutes(60)).toBe('1 hour')
  expect(formatMinutes(1_440)).toBe('24 hours')
  expect(formatMinutes(4_320)).toBe('3 days')
})

it('counts down', () => {
  expect(formatCountdown(41.2)).toBe('0:42')
  expect(formatCountdown(187)).toBe('3:07')
  expect(formatCountdown(3_729)).toBe('1:02:09')
  expect(formatCountdown(-5)).toBe('0:00')
})
