import { type CartReach, type CartReason, consentReasons, type Reach, reasonLabels } from '../../../shared/reach.ts'
import { explain } from '../../../shared/reasons.ts'

// Which carts an email could be sent about. Pure; the reasons themselves are `cartProblem`'s (decide.ts).

export interface ReachDecision {
  cartId: string
  isRecovered: boolean
  /** null: nothing stands against it. */
  reason: string | null
  country: string | null
}

/** A recovered cart is neither to be reached nor kept from it. */
export function isOf({ isRecovered, reason, country }: ReachDecision, wanted: Reach): boolean {
  return !isRecovered && reason === wanted.reason && (wanted.country === null || country === wanted.country)
}

export function tallyOf(
  evaluated: readonly ReachDecision[],
  isById: boolean,
): Pick<CartReach, 'reachable' | 'reasons'> {
  const left = evaluated.filter(({ isRecovered }) => !isRecovered)
  const groups = Map.groupBy(
    left.filter(({ reason }) => reason !== null && Object.hasOwn(reasonLabels, reason)),
    ({ reason, country }) => `${reason}:${consentReasons.includes(reason!) ? (country ?? '') : ''}`,
  )
  const reasons = [...groups].map(([key, carts]) => {
    const [reason, country] = key.split(':') as [CartReason, string]
    return {
      reason,
      country: country || null,
      explanation: explain(reason, 'email'),
      count: carts.length,
      ...(isById && { cartIds: carts.map(({ cartId }) => cartId) }),
    }
  })
  const reachable = left.filter(({ reason }) => reason === null).length
  return { reachable, reasons: reasons.sort((a, b) => b.count - a.count) }
}
