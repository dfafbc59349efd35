import { formatMinutes } from '../ui/format.ts'

// When the messages of a flow go, in words. Pure.

/** On the time line: "1 hour after they leave". */
export const sinceLeaving = (minutes: number): string =>
  Number.isNaN(minutes) ? 'No time yet' : `${formatSpan(minutes)} after they leave`

/** Between two messages: "23 hours later". null: not both are known, or the times do not grow. */
export function sinceBefore(minutes: number, before: number): string | null {
  const gap = minutes - before
  return gap > 0 ? `${formatSpan(gap)} later` : null
}

const [HOUR, DAY] = [60, 1_440]

/** As people say it: 26 hours are "1 day 2 hours". */
export function formatSpan(minutes: number): string {
  const [days, hours, rest] = [Math.floor(minutes / DAY), Math.floor((minutes % DAY) / HOUR), minutes % HOUR]
  if (minutes <= DAY || (hours === 0 && rest === 0)) return shortOf(minutes)
  return [`${formatMinutes(days * DAY).replace('24 hours', '1 day')}`, shortOf(minutes % DAY)].join(' ')
}

function shortOf(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / HOUR), minutes % HOUR]
  if (minutes % DAY === 0 || hours === 0 || rest === 0) return formatMinutes(minutes)
  return `${formatMinutes(hours * HOUR)} ${formatMinutes(rest)}`
}
