// Experiments: what is frozen when one begins. Pure.

const SHORTEST_DAYS = 7
const LONGEST_DAYS = 30

/** For how long a person's orders count: until the last automatic message has had the attribution window; 7 to 30 days (decision 58). */
export function windowDays(lastDelayMinutes: number, attributionDays: number): number {
  return Math.min(LONGEST_DAYS, Math.max(SHORTEST_DAYS, Math.ceil(lastDelayMinutes / 1_440) + attributionDays))
}
