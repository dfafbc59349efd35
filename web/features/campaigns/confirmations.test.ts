import { describe, expect, it, test } from 'vitest'
import type { CampaignView } from '../../../shared/marketing/campaigns.ts'
import { confirmSendToAll, findConfirmation, findNextRun, shouldAskNowOrTomorrow } from './confirmations.ts'

const ZONE = 'America/New_York'
/** 10:00 in New York, on a Monday. */
const NOW = Date.parse('2026-11-23T15:00:00Z')
const schedule = {
  startDate: '2026-11-20',
  timeOfDay: '09:00',
  frequency: 'once',
  delay: 0,
  spreadHours: null,
} as const
const buildCampaign = (change: object): Pick<CampaignView, 'name' | 'status' | 'schedule' | 'counts'> =>
  ({ name: 'Spring', status: 'completed', schedule, counts: { planned: 0 }, ...change }) as never

describe('confirmations before an action', () => {
  const ask = (action: Parameters<typeof findConfirmation>[0], change = {}) =>
    findConfirmation(action, buildCampaign(change), ZONE, NOW)

  it('asks whether to send an ended campaign again, or to run it at which time', () => {
    for (const status of ['completed', 'sent', 'cancelled']) {
      expect(ask('play', { status })).toMatchObject({ title: 'Send Spring again now?', label: 'Send again' })
    }
    expect(ask('play', { schedule: { ...schedule, frequency: 'daily' } })?.text).toBe(
      'Its next run is on Tuesday, November 24, 2026 at 9:00 AM, for shoppers who did not get it.',
    )
    expect(ask('play', { schedule: { ...schedule, startDate: '2026-12-01' } })?.text).toMatch(/December 1, 2026/)
  })

  it('asks before cancelling, deleting and sending', () => {
    expect(ask('cancel', { status: 'scheduled' })).toMatchObject({ title: 'Cancel Spring?', isDangerous: true })
    expect(ask('delete')?.text).toBe('Are you sure you want to delete this campaign?')
    expect(ask('send')).toMatchObject({ title: 'Send Spring now?', text: null })
  })

  it('asks nothing before Pause, or before Play of a paused campaign', () => {
    expect([ask('pause', { status: 'active' }), ask('play', { status: 'paused' })]).toEqual([null, null])
  })
})

test.each([
  ['daily', '2026-11-20', '2026-11-24T14:00:00.000Z'],
  ['weekly', '2026-11-20', '2026-11-27T14:00:00.000Z'],
  ['monthly', '2026-10-31', '2026-11-30T14:00:00.000Z'],
  ['daily', '2000-01-01', '2026-11-24T14:00:00.000Z'],
] as const)('finds the next run of a campaign that is %s from %s on', (frequency, startDate, next) => {
  expect(new Date(findNextRun({ ...schedule, frequency, startDate }, ZONE, NOW)!).toISOString()).toBe(next)
})

describe('confirmations before "Send to All"', () => {
  it('state the current number and how many more match', () => {
    expect(confirmSendToAll({ total: 15, eligible: 10, judged: null })).toEqual({
      title: 'Send to 10 people now?',
      label: 'Send to 10 people',
      others: '5 more match but cannot get it now:',
    })
    expect(confirmSendToAll({ total: 2, eligible: 1, judged: null })).toMatchObject({
      label: 'Send to 1 person',
      others: '1 more matches but cannot get it now:',
    })
    expect(confirmSendToAll({ total: 2, eligible: 2, judged: null }).others).toBe(null)
    expect(confirmSendToAll({ total: 5_000, eligible: 900, judged: 1_000 }).label).toBe('Send to up to 5,000 people')
  })
})

describe('the question "now or tomorrow"', () => {
  const today = { ...schedule, startDate: '2026-11-23' }
  const listQuestions = (next: object, stored: Parameters<typeof buildCampaign>[0] | null) =>
    shouldAskNowOrTomorrow(
      { ...today, ...next },
      { zone: ZONE, now: NOW, stored: stored && buildCampaign({ status: 'scheduled', ...stored }) },
    )

  it('appears for a new campaign whose time today has passed, single or recurring', () => {
    expect([
      listQuestions({}, null),
      listQuestions({ frequency: 'daily' }, null),
      listQuestions({ timeOfDay: '10:01' }, null),
    ]).toEqual([true, true, false])
  })

  it('appears when an unstarted campaign is moved to a past time', () => {
    const later = { schedule: { ...schedule, startDate: '2026-11-25' } }
    expect(listQuestions({}, later)).toBe(true)
    expect(listQuestions({}, { schedule: today })).toBe(false)
    expect(listQuestions({}, { ...later, status: 'paused' })).toBe(false)
    expect(listQuestions({}, { ...later, counts: { planned: 3 } })).toBe(false)
  })
})
