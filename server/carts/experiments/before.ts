import { choicesOf } from '../../../shared/visible-effect.ts'

// What can be said before an experiment begins (decision 60). Pure.

export interface Pace {
  /** People with a contact who left a cart in the last 30 days. */
  people: number
  /** Of them, who bought. */
  bought: number
}

/** A rate of fewer purchases is no rate. */
const LEAST_BOUGHT = 10
const ASSUMED_RATE = 0.05

/** Of 1; null: too few bought to tell. */
export const rateOf = ({ people, bought }: Pace): number | null => (bought < LEAST_BOUGHT ? null : bought / people)

export const ASSUMED_PERCENT = ASSUMED_RATE * 100

/** Of 1: the store's own, or what is assumed. */
export const reckonedRate = (pace: Pace): number => rateOf(pace) ?? ASSUMED_RATE

/**
 * Fewer people need the larger group: 50 % below 2,000 a month, 20 % to 10,000, 10 % above, or the next larger share that would show an
 * effect. null: none would, and nothing is proposed.
 */
export function proposedPercent(pace: Pace): number | null {
  const { people } = pace
  const least = people < 2_000 ? 50 : people <= 10_000 ? 20 : 10
  const seen = choicesOf({ people, rate: reckonedRate(pace) }).find(
    ({ sharePercent, smallestPercent }) => sharePercent >= least && smallestPercent !== null,
  )
  return seen?.sharePercent ?? null
}
