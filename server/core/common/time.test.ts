import { expect, test } from 'vitest'
import { findQuietEnd, toInstant } from './time.ts'

const ZONES = Intl.supportedValuesOf('timeZone')
const FROM = Temporal.Instant.from('2024-01-01T00:00:00Z')
const TO = Temporal.Instant.from('2031-01-01T00:00:00Z')

interface Change {
  zone: string
  at: Temporal.Instant
  /** Wall clock just before and at the change. */
  before: Temporal.PlainDateTime
  after: Temporal.PlainDateTime
}

function getChanges(zone: string): Change[] {
  const changes: Change[] = []
  let at = FROM.toZonedDateTimeISO(zone).getTimeZoneTransition('next')
  while (at && Temporal.Instant.compare(at.toInstant(), TO) < 0) {
    const before = at.toInstant().subtract({ nanoseconds: 1 }).toZonedDateTimeISO(zone)
    const plainBefore = before.toPlainDateTime().add({ nanoseconds: 1 })
    changes.push({ zone, at: at.toInstant(), before: plainBefore, after: at.toPlainDateTime() })
    at = at.getTimeZoneTransition('next')
  }
  return changes
}

const all = ZONES.flatMap(getChanges)
/** One zone for each set of zones with the same changes. */
const distinct = [...new Map(all.map((change) => [`${change.at} ${change.before} ${change.after}`, change])).values()]
const isGap = (change: Change) => Temporal.PlainDateTime.compare(change.after, change.before) > 0

test('moves a time that a clock change skips to the first valid minute after it, in every zone 2024–2030 (T3)', () => {
  const gaps = all.filter(isGap)
  expect(gaps.length).toBeGreaterThan(500)
  for (const { zone, at, before, after } of gaps) {
    const middle = before.add({ seconds: Math.floor(before.until(after).total('seconds') / 2) })
    expect([zone, toInstant(before, zone).toString()]).toEqual([zone, at.toString()])
    expect([zone, toInstant(middle, zone).toString()]).toEqual([zone, at.toString()])
  }
})

test('takes the first occurrence of a time that occurs twice, in every zone 2024–2030 (T3)', () => {
  const overlaps = all.filter((change) => Temporal.PlainDateTime.compare(change.after, change.before) < 0)
  expect(overlaps.length).toBeGreaterThan(500)
  for (const { zone, at, before, after } of overlaps) {
    const seconds = Math.floor(after.until(before).total('seconds') / 2)
    const twice = after.add({ seconds })
    const first = at.subtract({ seconds: Math.round(after.until(before).total('seconds')) - seconds })
    expect([zone, toInstant(twice, zone).toString()]).toEqual([zone, first.toString()])
  }
})

test('reads an ordinary time from the wall clock, in every zone (T3)', () => {
  const noon = Temporal.PlainDateTime.from('2026-05-12T12:34:00')
  for (const zone of ZONES) {
    expect([zone, toInstant(noon, zone).toZonedDateTimeISO(zone).toPlainDateTime().toString()]).toEqual([
      zone,
      noon.toString(),
    ])
  }
})

test('quiet hours last from 21:00 to 08:00 of the next morning, on every day of every clock change (T2, T3)', () => {
  const hours = { from: '21:00', to: '08:00' }
  for (const { zone, at } of distinct) {
    const day = at.toZonedDateTimeISO(zone).toPlainDate()
    for (const offset of [-1, 0, 1]) {
      const date = day.add({ days: offset })
      const evening = toInstant(date.toPlainDateTime('21:00'), zone)
      const morning = toInstant(date.add({ days: 1 }).toPlainDateTime('08:00'), zone)
      const until = (instant: Temporal.Instant) => findQuietEnd(instant, zone, hours)?.toString() ?? null
      expect([zone, until(evening)]).toEqual([zone, morning.toString()])
      expect([zone, until(morning.subtract({ seconds: 1 }))]).toEqual([zone, morning.toString()])
      expect([zone, until(morning)]).toEqual([zone, null])
    }
  }
})

test('quiet hours can lie within a day or be off (T2)', () => {
  const noon = Temporal.Instant.from('2026-03-02T12:00:00Z')
  expect(findQuietEnd(noon, 'UTC', { from: '11:00', to: '13:00' })?.toString()).toBe('2026-03-02T13:00:00Z')
  expect(findQuietEnd(noon, 'UTC', { from: '13:00', to: '14:00' })).toBeNull()
  expect(findQuietEnd(noon, 'UTC', { from: '08:00', to: '08:00' })).toBeNull()
  expect(findQuietEnd(noon, '+02:00', { from: '13:30', to: '14:30' })?.toString()).toBe('2026-03-02T12:30:00Z')
})
