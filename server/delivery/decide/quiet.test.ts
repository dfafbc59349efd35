import { expect, test } from 'vitest'
import { listUsZones } from '../../core/common/zones.ts'
import { computeSpread, findQuietHours } from './quiet.ts'

// Quiet hours (T2).

const night = { fromMinute: 21 * 60, untilMinute: 8 * 60, timeZone: 'America/New_York' }
const until = (at: string, country: string | null, store = night) =>
  findQuietHours(new Date(at), { country }, store).until?.toISOString() ?? null

test('quiet hours end at 08:00 in the recipient’s time zone', () => {
  expect(until('2026-03-02T19:59:00Z', 'DE')).toBeNull()
  expect(until('2026-03-02T20:00:00Z', 'DE')).toBe('2026-03-03T07:00:00.000Z')
  expect(until('2026-03-03T07:00:00Z', 'DE')).toBeNull()
  // Summer time begins in the night.
  expect(until('2026-03-28T21:00:00Z', 'DE')).toBe('2026-03-29T06:00:00.000Z')
})

test('the store’s time zone applies without a country', () => {
  expect(findQuietHours(new Date('2026-03-02T20:00:00Z'), { country: null }, night)).toEqual({
    until: null,
    zones: 'store',
  })
  expect(until('2026-03-03T02:30:00Z', null)).toBe('2026-03-03T13:00:00.000Z')
  expect(until('2026-03-03T02:30:00Z', 'ZZ')).toBe('2026-03-03T13:00:00.000Z')
})

test('in a country with several zones quiet hours last until they have ended in all of them', () => {
  // 09:00 in New York, 04:00 in Honolulu.
  expect(until('2026-01-15T14:00:00Z', 'US')).toBe('2026-01-15T18:00:00.000Z')
  expect(until('2026-01-15T18:00:00Z', 'US')).toBeNull()
  expect(until('2026-01-16T01:59:00Z', 'US')).toBeNull()
  expect(until('2026-01-16T02:00:00Z', 'US')).toBe('2026-01-16T18:00:00.000Z')
})

test('in the United States state and area code select the zones, or both if they differ', () => {
  const evening = '2026-01-16T02:30:00Z' // 21:30 in New York, 18:30 in Los Angeles
  const of = (state: string | null, phone: string | null) =>
    findQuietHours(new Date(evening), { country: 'US', state, phone }, night).until?.toISOString() ?? null
  expect(of('CA', null)).toBeNull()
  expect(of(' ca', '+14155550134')).toBeNull()
  expect(of('NY', null)).toBe('2026-01-16T13:00:00.000Z')
  expect(of(null, '+12125550134')).toBe('2026-01-16T13:00:00.000Z')
  // Moved to California with the number of New York: until it is morning in both.
  expect(of('CA', '+12125550134')).toBe('2026-01-16T16:00:00.000Z')
  // A state of two zones; forces abroad, toll-free numbers and new codes name no zone, so the shopper may be anywhere.
  expect(of('TN', null)).toBe('2026-01-16T14:00:00.000Z')
  for (const [state, phone] of [
    ['AE', null],
    [null, '+18005550134'],
    [null, null],
  ] as const) {
    expect(of(state, phone)).toBe('2026-01-16T18:00:00.000Z')
  }
  // Elsewhere letters like a state's mean something else.
  expect(findQuietHours(new Date(evening), { country: 'DE', state: 'CA' }, night).until).not.toBeNull()
})

test('every state has its zones, and every zone of a state is one of the country’s', () => {
  const states =
    `AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD
    TN TX UT VT VA WA WV WI WY PR VI GU MP AS`.split(/\s+/)
  for (const state of states) {
    const zones = listUsZones(state, null)!
    expect([state, zones.every((zone) => Temporal.Now.zonedDateTimeISO(zone).timeZoneId === zone)]).toEqual([
      state,
      true,
    ])
  }
  expect(states).toHaveLength(56)
})

test('quiet hours may lie within one day or be disabled', () => {
  const noon = { ...night, fromMinute: 12 * 60, untilMinute: 14 * 60 }
  expect(until('2026-03-02T11:30:00Z', 'DE', noon)).toBe('2026-03-02T13:00:00.000Z')
  expect(until('2026-03-02T13:00:00Z', 'DE', noon)).toBeNull()
})

test('messages held until the same morning are spread over 20 minutes, each at a stable offset', () => {
  const ids = Array.from({ length: 200 }, () => crypto.randomUUID())
  const spreads = ids.map(computeSpread)
  expect(Math.min(...spreads)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...spreads)).toBeLessThanOrEqual(20 * 60_000)
  expect(new Set(spreads.map((ms) => Math.floor(ms / 60_000))).size).toBeGreaterThan(15)
  expect(ids.map(computeSpread)).toEqual(spreads)
})
