import { type Arms, computeDifference, computeStandardError, type Interval } from './sums.ts'

// An interval that stays valid at every look (decision 59a): an asymptotic confidence sequence of the difference of
// means. Source: Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas, "Time-uniform central limit theory and asymptotic
// confidence sequences", Annals of Statistics 52 (2024), theorem 2.2 for the boundary and for the tuning.

/** The sequence is narrowest at about this number of people. */
const NARROWEST_AT = 2_000

/** The tuning ρ² that makes the sequence at level 1 − α narrowest at `NARROWEST_AT` people: 0.0043909 for α = 0.05. */
export function computeTuning(alpha: number): number {
  const twice = -2 * Math.log(alpha)
  return (twice + Math.log(twice) + 1) / NARROWEST_AT
}

/**
 * Half the sequence's width after `people` people, in standard errors of the difference. A fixed-time interval has 1.96
 * at α = 0.05.
 */
export function computeHalfWidth(people: number, alpha = 0.05): number {
  if (people === 0) return Number.POSITIVE_INFINITY
  const scaled = people * computeTuning(alpha)
  return Math.sqrt(((2 * (scaled + 1)) / scaled) * Math.log(Math.sqrt(scaled + 1) / alpha))
}

/**
 * Interval for treated − control: with probability 1 − α it contains the true value at every look. Infinite below two
 * people in an arm.
 */
export function computeSequence(arms: Arms, alpha = 0.05): Interval {
  const half = computeHalfWidth(arms.treated.people + arms.control.people, alpha) * computeStandardError(arms)
  const difference = computeDifference(arms)
  return { low: difference - half, high: difference + half }
}
