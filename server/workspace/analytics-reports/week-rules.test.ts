import { expect, test } from 'vitest'
import { findMonday, findNextReportTime, isInTime, reportAt } from './weekly.ts'

// Monday at eight in the store's time zone, across clock changes (decision 100).

const at = (text: string) => new Date(text)

test("the report is due at eight in the store's zone before and after a clock change", () => {
  // The clocks change on March 8 and November 1, 2026 in New York, on March 29 and October 25 in Berlin.
  expect(reportAt('2026-03-02', 'America/New_York')).toEqual(at('2026-03-02T13:00:00Z'))
  expect(reportAt('2026-03-09', 'America/New_York')).toEqual(at('2026-03-09T12:00:00Z'))
  expect(reportAt('2026-11-02', 'America/New_York')).toEqual(at('2026-11-02T13:00:00Z'))
  expect(reportAt('2026-03-23', 'Europe/Berlin')).toEqual(at('2026-03-23T07:00:00Z'))
  expect(reportAt('2026-03-30', 'Europe/Berlin')).toEqual(at('2026-03-30T06:00:00Z'))
  expect(reportAt('2026-10-26', 'Europe/Berlin')).toEqual(at('2026-10-26T07:00:00Z'))
  expect(reportAt('2026-03-09', 'Nowhere/AtAll')).toEqual(at('2026-03-09T08:00:00Z'))
})

test("the next report is this Monday's until it was due, then next week's", () => {
  const next = (now: string, zone: string) => findNextReportTime(at(now), zone).toISOString()
  expect(next('2026-03-02T12:59:59Z', 'America/New_York')).toBe('2026-03-02T13:00:00.000Z')
  expect(next('2026-03-02T13:00:00Z', 'America/New_York')).toBe('2026-03-09T12:00:00.000Z')
  expect(next('2026-03-08T23:00:00Z', 'America/New_York')).toBe('2026-03-09T12:00:00.000Z')
  // Already Monday in Auckland.
  expect(next('2026-03-08T18:00:00Z', 'Pacific/Auckland')).toBe('2026-03-08T19:00:00.000Z')
})

test("the week is that of the store's calendar", () => {
  expect(findMonday(at('2026-03-09T03:59:00Z'), 'America/New_York')).toBe('2026-03-02')
  expect(findMonday(at('2026-03-09T04:00:00Z'), 'America/New_York')).toBe('2026-03-09')
})

test('the report is skipped when two days late', () => {
  const due = at('2026-03-09T12:00:00Z')
  expect(isInTime(at('2026-03-09T11:59:59Z'), due)).toBe(false)
  expect(isInTime(due, due)).toBe(true)
  expect(isInTime(at('2026-03-11T11:59:59Z'), due)).toBe(true)
  expect(isInTime(at('2026-03-11T12:00:00Z'), due)).toBe(false)
})
