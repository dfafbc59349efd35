import { formatMinutes } from '../../core/ui/format.ts'

// Formats when the messages of a flow are sent. Pure.

/** On the timeline: "1 hour after abandonment". */
export const formatSinceAbandonment = (minutes: number): string =>
  Number.isNaN(minutes) ? 'No time yet' : `${formatSpan(minutes)} after abandonment`

/** "23 hours after message 1": since the message at this place. null if a time is missing or they do not increase. */
export function formatSincePrevious(minutes: number, before: number, place: number): string | null {
  const gap = minutes - before
  return gap > 0 ? `${formatSpan(gap)} after message ${place}` : null
}

const [HOUR, DAY] = [60, 1_440]

/** Rounded for reading: 26 hours are "1 day 2 hours". */
export function formatSpan(minutes: number): string {
  const [days, hours, rest] = [Math.floor(minutes / DAY), Math.floor((minutes % DAY) / HOUR), minutes % HOUR]
  if (minutes <= DAY || (hours === 0 && rest === 0)) return formatShort(minutes)
  return [`${formatMinutes(days * DAY).replace('24 hours', '1 day')}`, formatShort(minutes % DAY)].join(' ')
}

function formatShort(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / HOUR), minutes % HOUR]
  if (minutes % DAY === 0 || hours === 0 || rest === 0) return formatMinutes(minutes)
  return `${formatMinutes(hours * HOUR)} ${formatMinutes(rest)}`
}
