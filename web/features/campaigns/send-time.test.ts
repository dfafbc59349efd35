import { expect, it } from 'vitest'
import { createDraft } from './rules.ts'
import { applySendTime, describeRecipients, scheduleNow, tomorrowText } from './send-time.ts'

const ZONE = 'America/New_York'
const EARLY = Date.parse('2026-11-28T13:00:00Z')
const LATE = Date.parse('2026-11-28T20:32:00Z')

it('proposes no past time: after 10:00 a new campaign is sent now, before it at 10:00', {
  tags: ['B9'],
}, () => {
  expect(createDraft(ZONE, EARLY)).toMatchObject({
    isNow: false,
    schedule: { startDate: '2026-11-28', timeOfDay: '10:00' },
  })
  expect(createDraft(ZONE, LATE)).toMatchObject({
    isNow: true,
    schedule: { startDate: '2026-11-28', timeOfDay: '10:00' },
  })
})

it('starts a schedule at the next future time', () => {
  const later = applySendTime(false, createDraft(ZONE, LATE), ZONE, LATE)
  expect(later).toMatchObject({ isNow: false, schedule: { startDate: '2026-11-29', timeOfDay: '10:00' } })
  const early = applySendTime(false, createDraft(ZONE, EARLY), ZONE, EARLY)
  expect(early.schedule).toMatchObject({ startDate: '2026-11-28', timeOfDay: '10:00' })
})

it('sends once now, at the current minute in store time, and ignores the typed time', () => {
  const draft = createDraft(ZONE, EARLY)
  const daily = { ...draft, schedule: { ...draft.schedule, frequency: 'daily' as const } }
  const now = { ...daily, ...applySendTime(true, daily, ZONE, EARLY) }
  expect(scheduleNow(now, ZONE, EARLY).schedule).toMatchObject({
    startDate: '2026-11-28',
    timeOfDay: '08:00',
    frequency: 'once',
  })
  expect(scheduleNow(createDraft(ZONE, LATE), ZONE, LATE).schedule).toMatchObject({ timeOfDay: '10:00' })
})

it('confirms with the number of immediate recipients', () => {
  expect(describeRecipients({ total: 10, eligible: 9, judged: null })).toBe('9 people')
  expect(describeRecipients({ total: 1, eligible: 1, judged: null })).toBe('1 person')
  expect(describeRecipients({ total: 40_000, eligible: 900, judged: 1_000 })).toBe('up to 40,000 people')
  expect([describeRecipients(undefined), describeRecipients({ total: 0, eligible: 0, judged: null })]).toEqual([
    null,
    null,
  ])
  expect(tomorrowText).toBe('Tomorrow, 10:00 AM')
})
