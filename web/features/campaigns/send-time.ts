import { campaignDefaults } from '../../../shared/marketing/campaigns.ts'
import { formatClock, formatCounted } from '../../core/ui/format.ts'
import { toKnownZone, toLocal } from '../../core/ui/zone.ts'
import { type Draft, isTimePast, moveToTomorrow } from './rules.ts'

// When a new campaign is sent: now or by its schedule. Pure.

/** "Send now" sends once; "Schedule" starts at the next scheduled time. */
export function applySendTime(isNow: boolean, draft: Draft, zone: string, now: number): Partial<Draft> {
  const { schedule } = draft
  if (isNow) return { isNow, schedule: { ...schedule, frequency: 'once' } }
  return { isNow, schedule: isTimePast(schedule, zone, now) ? moveToTomorrow(schedule, zone, now) : schedule }
}

/** Schedule saved by "Send now": a future time becomes the current minute. */
export function scheduleNow(draft: Draft, zone: string, now: number): Draft {
  const { schedule } = draft
  if (isTimePast(schedule, zone, now)) return draft
  const [startDate = '', timeOfDay = ''] = toLocal(now, toKnownZone(zone)).split('T')
  return { ...draft, schedule: { ...schedule, startDate, timeOfDay } }
}

/** Proposed alternative to "now". */
export const tomorrowText = `Tomorrow, ${formatClock(campaignDefaults.timeOfDay)}`

/** The count in the confirmation: customers who would get it now. */
export function describeRecipients(
  count: { total: number; eligible: number; judged: number | null } | undefined,
): string | null {
  if (!count || count.total === 0) return null
  // In a large audience only the newest were checked.
  const [people, most] = count.judged === null ? [count.eligible, ''] : [count.total, 'up to ']
  return `${most}${formatCounted(people, 'person', 'people')}`
}
