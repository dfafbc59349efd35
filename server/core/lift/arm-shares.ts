import { logGamma } from './distributions.ts'

// Whether people are lost from an arm: the arms' sizes against the shares they were drawn with, at every look (decision 61).
// Source: Lindon and Malek, "Anytime-valid inference for multinomial count data", NeurIPS 2022: the Bayes factor of a Dirichlet prior around the
// planned shares against the shares themselves is a martingale while these hold; by Ville's inequality it exceeds 1/α at any time with probability α at most.

/** How closely the prior lies around the planned shares. With it the losses of decision 61 are found by the people it names (docs/lift.md). */
const PRIOR_PEOPLE = 1_000

/** False alarms, ever. */
export const ALARM_ALPHA = 0.001

/** Natural logarithm of the Bayes factor. `counts` and `shares` are of the same arms in the same order; the shares add up to 1. */
export function armSharesFactor(counts: readonly number[], shares: readonly number[]): number {
  const people = counts.reduce((sum, count) => sum + count, 0)
  const ofArms = counts.reduce((sum, count, arm) => {
    const prior = PRIOR_PEOPLE * shares[arm]!
    return sum + logGamma(prior + count) - logGamma(prior) - count * Math.log(shares[arm]!)
  }, 0)
  return logGamma(PRIOR_PEOPLE) - logGamma(PRIOR_PEOPLE + people) + ofArms
}

/** Whether the arms' sizes cannot be chance any more. An alarm once raised stands: whoever asks keeps it. */
export const areArmsOff = (counts: readonly number[], shares: readonly number[]) =>
  armSharesFactor(counts, shares) >= -Math.log(ALARM_ALPHA)
