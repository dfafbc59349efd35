import { exampleShares, PLANNED_DAYS } from './experiments.ts'

// Computes the smallest effect that a control group can detect (decision 60), for server and browser. Pure.

/** Minimum purchases in each group for a comparison of conversion (decision 59). */
export const CONVERSION_FROM = 10
/**
 * An effect is detectable if four of five experiments would show it on their planned day: the quantiles of 97.5 % and
 * 80 %.
 */
const NEEDED_ERRORS = 1.959963985 + 0.841621234
/** An effect above this factor is unrealistic. */
const LARGEST_EFFECT = 10

/**
 * `people`: per month. `rate`: conversion of the control group, as a fraction. Returns the detectable effect of each
 * share for this many days.
 */
export function listShareChoices({ people, rate }: { people: number; rate: number }, days = PLANNED_DAYS) {
  const all = (people * days) / 30
  return exampleShares.map((sharePercent) => {
    const control = Math.round((all * sharePercent) / 100)
    const treated = Math.round(all) - control
    const effect = computeSmallestEffect({ treated, control, rate })
    return { sharePercent, treated, control, smallestPercent: effect === null ? null : Math.round(effect * 100) }
  })
}

/**
 * The smallest detectable relative effect, as a fraction. `rate`: conversion of the control group. null: too few
 * purchases, or an effect above `LARGEST_EFFECT`.
 */
export function computeSmallestEffect({
  treated,
  control,
  rate,
}: {
  treated: number
  control: number
  rate: number
}): number | null {
  if (control * rate < CONVERSION_FROM || treated * rate < CONVERSION_FROM) return null
  const isDetectable = (effect: number) => {
    const raised = Math.min(1, rate * (1 + effect))
    const error = Math.sqrt((rate * (1 - rate)) / control + (raised * (1 - raised)) / treated)
    return raised - rate >= NEEDED_ERRORS * error
  }
  const max = Math.min(LARGEST_EFFECT, 1 / rate - 1)
  if (!isDetectable(max)) return null
  let [low, high] = [0, max]
  for (let halving = 0; halving < 40; halving++) {
    const middle = (low + high) / 2
    if (isDetectable(middle)) high = middle
    else low = middle
  }
  return high
}
