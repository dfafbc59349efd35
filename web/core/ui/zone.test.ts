import { expect, it } from 'vitest'
import { addDays, toInstant, toKnownZone, toLocal } from './zone.ts'

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  '+02:00',
]

it.each(zones)('converts every hour of a year in %s like Temporal', (zone) => {
  const first = Temporal.PlainDateTime.from('2026-01-01T00:30')
  for (let hour = 0; hour < 366 * 24; hour += 1) {
    const wall = first.add({ hours: hour })
    const expected = wall.toZonedDateTime(zone).toInstant()
    const local = wall.toString({ smallestUnit: 'minute' })
    const read = toInstant(local, zone)!
    if (Date.parse(read) !== expected.epochMilliseconds) expect([local, read]).toEqual([local, expected.toString()])
    const localTime = expected.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'minute' })
    if (toLocal(read, zone) !== localTime) expect([local, toLocal(read, zone)]).toEqual([local, localTime])
  }
})

it('takes the first of an ambiguous hour and moves forward over a skipped one', () => {
  expect(toInstant('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
  expect(toInstant('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
})

it('returns null for invalid dates and times', () => {
  for (const text of ['', '2026-02', 'soon', '2026-13-01T10:00', '2026-01-01'])
    expect(toInstant(text, 'UTC')).toBeNull()
})

it('adds local days across a clock change', () => {
  expect(addDays('2026-10-24T09:00', 7)).toBe('2026-10-31T09:00')
  const [start, end] = ['2026-10-24T09:00', '2026-10-31T09:00'].map((local) => toInstant(local, 'Europe/Berlin')!)
  expect(Date.parse(end!) - Date.parse(start!)).toBe((7 * 24 + 1) * 3_600_000)
})

it('uses UTC for an unknown zone', () => {
  expect([toKnownZone('Europe/Berlin'), toKnownZone('Mars/Olympus')]).toEqual(['Europe/Berlin', 'UTC'])
})
