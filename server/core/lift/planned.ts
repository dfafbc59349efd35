import { getNormalQuantile, getStudentQuantile } from './distributions.ts'
import {
  type Arms,
  computeDifference,
  computeMean,
  computeStandardError,
  computeVarianceOfMean,
  type Interval,
} from './sums.ts'

// Intervals for one analysis on a day fixed beforehand (decision 59b). They are narrower than the sequence, and invalid
// when read more than once.

/**
 * Difference of two shares by Newcombe's hybrid of Wilson intervals, without continuity correction.
 * Source: Newcombe, "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998), method 10.
 */
export function compareShares({ treated, control }: Arms, alpha = 0.05): Interval {
  if (treated.people === 0 || control.people === 0) return { low: -1, high: 1 }
  const [share, share0] = [computeMean(treated), computeMean(control)]
  const wilson = computeWilson(share, treated.people, alpha)
  const wilson0 = computeWilson(share0, control.people, alpha)
  return {
    low: share - share0 - Math.hypot(share - wilson.low, wilson0.high - share0),
    high: share - share0 + Math.hypot(wilson.high - share, share0 - wilson0.low),
  }
}

/**
 * Interval of one share. Source: Wilson, "Probable inference, the law of succession, and statistical inference", JASA
 * 22 (1927).
 */
export function computeWilson(share: number, people: number, alpha: number): Interval {
  const z = getNormalQuantile(1 - alpha / 2)
  // Multiplied in this order, a share of 0 has a bound of exactly 0.
  const half = z / (2 * people)
  const spread = z * Math.sqrt((share * (1 - share)) / people + half * half)
  const scale = 1 + 2 * z * half
  const middle = share + z * half
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) }
}

/**
 * Interval of the difference of two means with unequal variances: Welch, Biometrika 34 (1947). Infinite below two
 * people in an arm.
 */
export function compareMeans(arms: Arms, alpha = 0.05): Interval {
  const difference = computeDifference(arms)
  const error = computeStandardError(arms)
  if (!Number.isFinite(error)) return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }
  if (error === 0) return { low: difference, high: difference }
  const half = getStudentQuantile(1 - alpha / 2, welchDegrees(arms)) * error
  return { low: difference - half, high: difference + half }
}

function welchDegrees({ treated, control }: Arms): number {
  const [one, other] = [computeVarianceOfMean(treated), computeVarianceOfMean(control)]
  return (one + other) ** 2 / (one ** 2 / (treated.people - 1) + other ** 2 / (control.people - 1))
}
