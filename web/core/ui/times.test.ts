import { afterEach, describe, expect, it } from 'vitest'
import {
  formatDateTime,
  formatIsoDay,
  formatLongDateTime,
  formatLongStoreTime,
  formatStoreTime,
  getBrowserZone,
  setStoreZone,
} from './times.ts'

const NOW = Date.parse('2026-11-23T20:00:00Z')
const store = 'America/New_York'

describe('a time of a campaign', () => {
  it('is in the store’s zone, named if the browser’s clock differs', () => {
    expect(formatStoreTime('2026-11-30T15:00:00Z', { zone: store, ownZone: 'UTC' }, NOW)).toBe('Nov 30, 10:00 AM EST')
    expect(formatStoreTime('2026-11-30T15:00:00Z', { zone: store, ownZone: 'America/Toronto' }, NOW)).toBe(
      'Nov 30, 10:00 AM',
    )
    expect(formatStoreTime('2027-01-04T15:00:00Z', { zone: store, ownZone: store }, NOW)).toBe('Jan 4, 2027, 10:00 AM')
  })

  it('is written out in the same way', () => {
    const long = 'Monday, November 30, 2026 at 10:00 AM'
    expect(formatLongStoreTime('2026-11-30T15:00:00Z', { zone: store, ownZone: 'UTC' })).toBe(`${long} (${store})`)
    expect(formatLongStoreTime('2026-11-30T15:00:00Z', { zone: store, ownZone: store })).toBe(long)
  })
})

describe('every other time', () => {
  afterEach(() => setStoreZone(null))
  const at = '2026-11-24T03:30:00Z'
  const other = getBrowserZone() === 'Asia/Tokyo' ? 'America/New_York' : 'Asia/Tokyo'

  it('is also in the store’s zone with its name, and so is its day', () => {
    const label = other === 'Asia/Tokyo' ? 'Nov 24, 12:30 PM GMT+9' : 'Nov 23, 10:30 PM EST'
    setStoreZone(other)
    expect(formatDateTime(at, NOW)).toBe(label)
    expect(formatLongDateTime(at)).toContain(other === 'Asia/Tokyo' ? 'GMT+9' : 'EST')
    setStoreZone('America/New_York')
    expect(formatIsoDay(at)).toBe('2026-11-23')
  })

  it('is in the browser’s zone without a store, with the year only if it is another one', () => {
    expect(formatDateTime(at, NOW)).toBe(
      formatStoreTime(at, { zone: getBrowserZone(), ownZone: getBrowserZone() }, NOW),
    )
    expect(formatDateTime('2026-01-15T12:00:00Z', NOW)).not.toContain('2026')
    expect(formatDateTime('2024-01-15T12:00:00Z', NOW)).toContain('2024')
  })
})
