import {
  type CartReach,
  type CartReason,
  consentReasons,
  type Reach,
  reasonLabels,
} from '../../../shared/carts/reach.ts'
import { explain } from '../../../shared/delivery/reasons.ts'

// Counts the carts an email could be sent about. Pure; the reasons come from `findCartProblem` (decide.ts).

export interface ReachDecision {
  cartId: string
  isRecovered: boolean
  /** Why it cannot be reached; null: it can. */
  reason: string | null
  country: string | null
}

/** A recovered cart counts neither as reachable nor as unreachable. */
export function matchesReach({ isRecovered, reason, country }: ReachDecision, filter: Reach): boolean {
  return !isRecovered && reason === filter.reason && (filter.country === null || country === filter.country)
}

interface CartAmount {
  currency: string
  amount: number
}

/** `amounts`: the value of each cart, for requests by filter; otherwise the ids are listed. */
export function countReach(
  evaluated: readonly ReachDecision[],
  amounts: ReadonlyMap<string, CartAmount> | null,
): Pick<CartReach, 'reachable' | 'reasons'> {
  const remaining = evaluated.filter(({ isRecovered }) => !isRecovered)
  const groups = Map.groupBy(
    remaining.filter(({ reason }) => reason !== null && Object.hasOwn(reasonLabels, reason)),
    ({ reason, country }) => `${reason}:${consentReasons.includes(reason!) ? (country ?? '') : ''}`,
  )
  const reasons = [...groups].map(([key, carts]) => {
    const [reason, country] = key.split(':') as [CartReason, string]
    return {
      reason,
      country: country || null,
      explanation: explain(reason, 'email'),
      count: carts.length,
      ...(amounts
        ? { amounts: addAmounts(carts.flatMap(({ cartId }) => amounts.get(cartId) ?? [])) }
        : { cartIds: carts.map(({ cartId }) => cartId) }),
    }
  })
  const reachable = remaining.filter(({ reason }) => reason === null).length
  return { reachable, reasons: reasons.sort((a, b) => b.count - a.count) }
}

/** Currencies are never added to each other (decision 21). */
const addAmounts = (amounts: readonly CartAmount[]): CartAmount[] =>
  [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    amount: Math.round(own.reduce((sum, { amount }) => sum + amount, 0) * 1_000) / 1_000,
  }))
