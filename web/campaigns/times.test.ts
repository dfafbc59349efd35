import { describe, expect, it } from 'vitest'
import { longStoreTime, storeTime } from './times.ts'

const NOW = Date.parse('2026-11-23T20:00:00Z')
const store = 'America/New_York'

describe('a time of a campaign', () => {
  it('is the store’s, and its zone is named where the browser’s clocks show another time', () => {
    expect(storeTime('2026-11-30T15:00:00Z', { zone: store, ownZone: 'UTC' }, NOW)).toBe('Nov 30, 10:00 AM EST')
    expect(storeTime('2026-11-30T15:00:00Z', { zone: store, ownZone: 'America/Toronto' }, NOW)).toBe('Nov 30, 10:00 AM')
    expect(storeTime('2027-01-04T15:00:00Z', { zone: store, ownZone: store }, NOW)).toBe('Jan 4, 2027, 10:00 AM')
  })

  it('is written out in the same way', () => {
    const long = 'Monday, November 30, 2026 at 10:00 AM'
    expect(longStoreTime('2026-11-30T15:00:00Z', { zone: store, ownZone: 'UTC' })).toBe(`${long} (${store})`)
    expect(longStoreTime('2026-11-30T15:00:00Z', { zone: store, ownZone: store })).toBe(long)
  })
})
