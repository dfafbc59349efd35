import { expect, test } from 'vitest'
import { CampaignStatus } from '../../../shared/marketing/campaigns.ts'
import { findNextRun, getStatusAfter, type Step } from './rules.ts'

const stepNames: Step[] = ['edit', 'play', 'pause', 'send_now', 'send', 'cancel', 'delete']

test('every status allows the steps of B 4', () => {
  const table = Object.fromEntries(
    CampaignStatus.options.map((status) => [status, stepNames.map((step) => getStatusAfter(status, step))]),
  )
  expect(table).toEqual({
    //          edit         play         pause     send now  send      cancel       delete
    scheduled: ['scheduled', 'scheduled', 'paused', 'active', 'active', 'cancelled', null],
    paused: ['paused', 'scheduled', 'paused', 'active', 'active', 'cancelled', null],
    active: ['active', 'active', 'paused', 'active', 'active', 'cancelled', 'active'],
    completed: ['completed', 'scheduled', null, null, 'active', null, 'completed'],
    sent: ['sent', 'scheduled', null, 'sent', 'active', null, 'sent'],
    cancelled: ['cancelled', 'scheduled', null, null, 'active', 'cancelled', 'cancelled'],
  })
})

function getRuns(schedule: Parameters<typeof findNextRun>[0], zone: string, count: number): string[] {
  const runs: string[] = []
  for (let after: Date | null = null; runs.length < count; ) {
    after = findNextRun(schedule, zone, after)
    if (!after) break
    runs.push(after.toISOString())
  }
  return runs
}

test.each([
  // The clocks go forward on 2026-03-29 at 02:00 and back on 2026-10-25 at 03:00.
  ['Europe/Berlin', '2026-03-28', '02:30', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
  ['Europe/Berlin', '2026-10-24', '02:30', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
  // The clocks change on 2026-03-08 and 2026-11-01 at 02:00.
  ['America/New_York', '2026-03-07', '02:15', ['2026-03-07T07:15', '2026-03-08T07:00', '2026-03-09T06:15']],
  ['America/New_York', '2026-10-31', '01:30', ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30']],
  // The clocks change by half an hour: forward on 2026-10-04, back on 2026-04-05, both at 02:00.
  ['Australia/Lord_Howe', '2026-10-03', '02:10', ['2026-10-02T15:40', '2026-10-03T15:30', '2026-10-04T15:10']],
  ['Australia/Lord_Howe', '2026-04-04', '01:45', ['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15']],
])('a daily run in %s on %s at %s keeps its wall-clock time, once a day, across clock changes (T3)', (zone, startDate, timeOfDay, expected) => {
  const runs = getRuns({ startDate, timeOfDay, frequency: 'daily' }, zone, 3)
  expect(runs).toEqual(expected.map((at) => `${at}:00.000Z`))
})

test('a monthly run on the 31st uses the last day of a short month and returns to the 31st afterwards', () => {
  const monthly = { startDate: '2026-12-31', timeOfDay: '10:00', frequency: 'monthly' } as const
  expect(getRuns(monthly, 'UTC', 4).map((at) => at.slice(0, 10))).toEqual([
    '2026-12-31',
    '2027-01-31',
    '2027-02-28',
    '2027-03-31',
  ])
})

test('"once" has one run, weekly runs are seven calendar days apart, and missed runs are merged into one', () => {
  const once = { startDate: '2026-06-01', timeOfDay: '10:00', frequency: 'once' } as const
  expect(getRuns(once, 'UTC', 3)).toEqual(['2026-06-01T10:00:00.000Z'])
  expect(getRuns({ ...once, frequency: 'weekly' }, 'UTC', 2)[1]).toBe('2026-06-08T10:00:00.000Z')
  const late = new Date('2026-06-20T11:00:00Z')
  expect(findNextRun({ ...once, frequency: 'daily' }, 'UTC', late)?.toISOString()).toBe('2026-06-21T10:00:00.000Z')
})
