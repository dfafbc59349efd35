import { formatCount } from '../ui/format.ts'

// The figures of a report in words. Pure.

/** "3 (43%)": of how many; without the rate where there is nothing to take it of. */
export function withRate(count: number, of: number): string {
  if (of === 0) return formatCount(count)
  const percent = (count / of) * 100
  const rate = percent > 0 && percent < 1 ? '<1' : String(Math.round(percent))
  return `${formatCount(count)} (${rate}%)`
}

/** Many mail servers report no delivery: that of none is not that none arrived. */
export const deliveredText = (delivered: number, sent: number): string =>
  delivered === 0 && sent > 0 ? 'Not reported' : withRate(delivered, sent)
