import { computeCreditPrice } from '../../../shared/billing/credits.ts'
import type { CreditUse } from '../../billing/credits/public.ts'
import { isText, type Ready } from '../decide/public.ts'

// Splits sendable texts into those the plan includes and those credits pay for (decision 85). Pure.

interface Allowance {
  /** Messages that the plan still includes. */
  slots: number
  /** The credit balance in micros. */
  credits: number
  /** null: credits do not pay here. */
  perMille: number | null
}

type Priced = Pick<Ready, 'row' | 'composed'>

/**
 * Keeps order: first the messages that the plan includes, then those that credits cover. If some are not sent after
 * all, later ones move up into the plan, so credits pay for fewer messages than computed here.
 */
export function selectAffordable<Row extends Priced>(
  ready: readonly Row[],
  { slots, credits, perMille }: Allowance,
): Row[] {
  if (perMille === null) return ready.slice(0, slots)
  let balance = credits
  const byCredits = ready.slice(slots).filter((each) => {
    const price = getCreditPrice(each, perMille)
    if (price > balance) return false
    balance -= price
    return true
  })
  return [...ready.slice(0, slots), ...byCredits]
}

export const listCreditUses = (paid: readonly Priced[], perMille: number): CreditUse[] =>
  paid.map((each) => ({ messageId: each.row.id, micros: getCreditPrice(each, perMille) }))

/** The price table's price at the time of the send; the provider's final price does not change it. */
const getCreditPrice = ({ composed }: Priced, perMille: number): number =>
  isText(composed) ? computeCreditPrice(composed.cost.amountMicros, perMille) : 0
