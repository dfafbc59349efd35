import { logGamma } from './distributions.ts'

// Detects people lost from an arm: compares the arms' sizes with the planned shares, at every check (decision 61).
// Source: Lindon and Malek, "Anytime-valid inference for multinomial count data", NeurIPS 2022. The Bayes factor of a
// Dirichlet prior around the planned shares against the shares themselves is a martingale while these hold. By Ville's
// inequality it ever exceeds 1/α with probability at most α.

/**
 * Concentration of the prior around the planned shares. It finds the losses of decision 61 with the sample sizes given
 * there (docs/lift.md).
 */
const PRIOR_PEOPLE = 1_000

/** Probability of ever raising a false alarm. */
export const ALARM_ALPHA = 0.001

/**
 * Natural logarithm of the Bayes factor. `counts` and `shares` list the same arms in the same order; the shares add up
 * to 1.
 */
export function computeSharesFactor(counts: readonly number[], shares: readonly number[]): number {
  const people = counts.reduce((sum, count) => sum + count, 0)
  const ofArms = counts.reduce((sum, count, arm) => {
    const prior = PRIOR_PEOPLE * shares[arm]!
    return sum + logGamma(prior + count) - logGamma(prior) - count * Math.log(shares[arm]!)
  }, 0)
  return logGamma(PRIOR_PEOPLE) - logGamma(PRIOR_PEOPLE + people) + ofArms
}

/** Whether chance no longer explains the arms' sizes. The caller stores a raised alarm, which is never withdrawn. */
export const hasSampleRatioMismatch = (counts: readonly number[], shares: readonly number[]) =>
  computeSharesFactor(counts, shares) >= -Math.log(ALARM_ALPHA)
