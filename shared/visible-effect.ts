import { PLANNED_DAYS, shownShares } from './experiments.ts'

// What a control group would show before it begins (decision 60): the same reckoning on the server and on screen. Pure.

/** Purchases in each arm from which the difference in conversion is shown (decision 59). */
export const CONVERSION_FROM = 10
/** An effect counts as visible that four of five experiments would show on their planned day: the quantiles of 97.5 % and of 80 %. */
const NEEDED_ERRORS = 1.959963985 + 0.841621234
/** More than eleven times as many is nothing to hope for. */
const LARGEST_EFFECT = 10

/** `people`: a month. `rate`: of the control group, of 1. What each share shows of an experiment that is planned for so many days. */
export function choicesOf({ people, rate }: { people: number; rate: number }, days = PLANNED_DAYS) {
  const all = (people * days) / 30
  return shownShares.map((sharePercent) => {
    const control = Math.round((all * sharePercent) / 100)
    const treated = Math.round(all) - control
    const effect = smallestEffect({ treated, control, rate })
    return { sharePercent, treated, control, smallestPercent: effect === null ? null : Math.round(effect * 100) }
  })
}

/**
 * By how much more (of 1) the treated have to buy so that it is seen. `rate`: of the control group. null: nothing is seen, as too few of a
 * group would buy, or it would have to be more than ten times as much.
 */
export function smallestEffect({
  treated,
  control,
  rate,
}: {
  treated: number
  control: number
  rate: number
}): number | null {
  if (control * rate < CONVERSION_FROM || treated * rate < CONVERSION_FROM) return null
  const isSeen = (effect: number) => {
    const raised = Math.min(1, rate * (1 + effect))
    const error = Math.sqrt((rate * (1 - rate)) / control + (raised * (1 - raised)) / treated)
    return raised - rate >= NEEDED_ERRORS * error
  }
  const most = Math.min(LARGEST_EFFECT, 1 / rate - 1)
  if (!isSeen(most)) return null
  let [low, high] = [0, most]
  for (let halving = 0; halving < 40; halving++) {
    const middle = (low + high) / 2
    if (isSeen(middle)) high = middle
    else low = middle
  }
  return high
}
