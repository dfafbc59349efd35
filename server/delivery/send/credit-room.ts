import { creditPrice } from '../../../shared/credits.ts'
import type { Use } from '../../billing/credits/credits.ts'
import { isText } from '../decide/composing.ts'
import type { Ready } from '../decide/evaluate.ts'

// What the plan includes and what credits pay for, of messages that may be sent (decision 85). Pure.

interface Paying {
  /** How many the plan still includes. */
  slots: number
  /** What credits are left. */
  credits: number
  /** null: credits do not pay here. */
  perMille: number | null
}

type Priced = Pick<Ready, 'row' | 'composed'>

/**
 * The first ones by the plan, those after them as far as credits go, in their order. When some of these are not sent after all, those behind
 * them move up into the plan: what credits then pay for is less than what was found here.
 */
export function payable<Row extends Priced>(ready: readonly Row[], { slots, credits, perMille }: Paying): Row[] {
  if (perMille === null) return ready.slice(0, slots)
  let left = credits
  const byCredits = ready.slice(slots).filter((each) => {
    const price = priceOf(each, perMille)
    if (price > left) return false
    left -= price
    return true
  })
  return [...ready.slice(0, slots), ...byCredits]
}

export const usesOf = (paid: readonly Priced[], perMille: number): Use[] =>
  paid.map((each) => ({ messageId: each.row.id, micros: priceOf(each, perMille) }))

/** Fixed at the send, by the price table: what the provider says later changes nothing of it. */
const priceOf = ({ composed }: Priced, perMille: number): number =>
  isText(composed) ? creditPrice(composed.cost.amountMicros, perMille) : 0
