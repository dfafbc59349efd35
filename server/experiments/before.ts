import { shownShares } from '../../shared/experiments.ts'
import { normalQuantile } from '../lift/distributions.ts'
import { CONVERSION_FROM } from '../lift/shown.ts'

// What can be said before an experiment begins (decision 60). Pure.

export interface Pace {
  /** People with a contact who left a cart in the last 30 days. */
  people: number
  /** Of them, who bought. */
  bought: number
}

const DAYS = 90
/** A rate of fewer purchases is no rate. */
const LEAST_BOUGHT = 10
const ASSUMED_RATE = 0.05
/** An effect counts as visible that four of five experiments would show on their planned day. */
const POWER = 0.8
const ALPHA = 0.05
/** More than eleven times as many is nothing to hope for. */
const LARGEST_EFFECT = 10

/** Of 1; null: too few bought to tell. */
export const rateOf = ({ people, bought }: Pace): number | null => (bought < LEAST_BOUGHT ? null : bought / people)

export const ASSUMED_PERCENT = ASSUMED_RATE * 100

/** Fewer people need the larger group: 50 % below 2,000 a month, 20 % to 10,000, 10 % above. */
export function proposedPercent({ people }: Pace): number {
  if (people < 2_000) return 50
  return people <= 10_000 ? 20 : 10
}

export function choicesOf(pace: Pace) {
  const rate = rateOf(pace) ?? ASSUMED_RATE
  const all = (pace.people * DAYS) / 30
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
  const needed = normalQuantile(1 - ALPHA / 2) + normalQuantile(POWER)
  const isSeen = (effect: number) => {
    const raised = Math.min(1, rate * (1 + effect))
    const error = Math.sqrt((rate * (1 - rate)) / control + (raised * (1 - raised)) / treated)
    return raised - rate >= needed * error
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
