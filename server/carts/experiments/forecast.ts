import { choicesOf } from '../../../shared/visible-effect.ts'

// Forecasts before an experiment starts (decision 60). Pure.

export interface Pace {
  /** Shoppers with a contact who abandoned a cart in the last 30 days. */
  people: number
  /** Number of these who bought. */
  bought: number
}

/** Fewer purchases give no reliable rate. */
const MIN_PURCHASES = 10
const ASSUMED_RATE = 0.05

/** Fraction of 1; null: too few purchases. */
export const computeRate = ({ people, bought }: Pace): number | null =>
  bought < MIN_PURCHASES ? null : bought / people

export const ASSUMED_PERCENT = ASSUMED_RATE * 100

/** Fraction of 1: the store's own rate, else the assumed one. */
export const estimateRate = (pace: Pace): number => computeRate(pace) ?? ASSUMED_RATE

/**
 * Fewer shoppers need a larger control group: 50 % below 2,000 a month, 20 % up to 10,000, 10 % above, or the next
 * larger share that can detect an effect. null: no share can, so nothing is proposed.
 */
export function proposePercent(pace: Pace): number | null {
  const { people } = pace
  const least = people < 2_000 ? 50 : people <= 10_000 ? 20 : 10
  const seen = choicesOf({ people, rate: estimateRate(pace) }).find(
    ({ sharePercent, smallestPercent }) => sharePercent >= least && smallestPercent !== null,
  )
  return seen?.sharePercent ?? null
}
