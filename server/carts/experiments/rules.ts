// Values fixed at the start of an experiment. Pure.

const SHORTEST_DAYS = 7
const LONGEST_DAYS = 30

/**
 * Days for which a shopper's orders count: the last automatic message's delay plus the attribution window, 7 to 30
 * (decision 58).
 */
export function computeWindowDays(lastDelayMinutes: number, attributionDays: number): number {
  return Math.min(LONGEST_DAYS, Math.max(SHORTEST_DAYS, Math.ceil(lastDelayMinutes / 1_440) + attributionDays))
}
