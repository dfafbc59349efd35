import { formatCount } from '../ui/format.ts'

// Formats the figures of a report. Pure.

/** "3 (43%)"; without the rate if the base is zero. */
export function formatWithRate(count: number, of: number): string {
  if (of === 0) return formatCount(count)
  const percent = (count / of) * 100
  const rate = percent > 0 && percent < 1 ? '<1' : String(Math.round(percent))
  return `${formatCount(count)} (${rate}%)`
}

/** Many mail servers report no deliveries, so zero reports do not mean zero deliveries. */
export const describeDelivered = (delivered: number, sent: number): string =>
  delivered === 0 && sent > 0 ? 'Not reported' : formatWithRate(delivered, sent)
