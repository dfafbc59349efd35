import {
  type CartReach,
  REACHABLE,
  type Reach,
  readReachFilter,
  reasonLabels,
  writeReachFilter,
} from '../../../shared/carts/reach.ts'
import { formatCount } from '../../core/ui/format.ts'

// Short labels for why a cart would get no email now, and the list's filter by reason. Pure.

export interface ReasonBadge {
  label: string
  explanation: string
}

type Reasons = CartReach['reasons']

/** By cart id. Recovered carts have their own state and no reason. */
export function buildReasonBadges(reasons: Reasons): ReadonlyMap<string, ReasonBadge> {
  return new Map(
    reasons.flatMap((each) =>
      (each.cartIds ?? []).map((id): [string, ReasonBadge] => [
        id,
        { label: getLabel(each), explanation: each.explanation },
      ]),
    ),
  )
}

/** Temporary reasons: the cart would get a message later. */
const temporaryReasons = ['cart_active', 'purchase_in_progress', 'frequency_cap']

/** Permanent reasons of this cart and its shopper. */
export const isAboutCart = (reason: string): boolean => reason in reasonLabels && !temporaryReasons.includes(reason)

function getLabel({ reason, country }: Reach): string {
  if (reason === null) return 'Can be reached'
  return country ? `${reasonLabels[reason]} (${country})` : reasonLabels[reason]
}

interface Option {
  value: string
  label: string
}

/** All, reachable, and every reason that occurs. The selected reason stays listed even at zero. */
export function listReachOptions(answer: CartReach | undefined, chosen: string): Option[] {
  const counts = new Map<string, number>(
    answer ? [[REACHABLE, answer.reachable], ...countByReason(answer.reasons)] : [],
  )
  if (!counts.has(REACHABLE)) counts.set(REACHABLE, -1)
  const known = chosen ? readReachFilter(chosen) : null
  if (known && !counts.has(chosen)) counts.set(chosen, answer ? 0 : -1)
  const options = [...counts].map(([value, count]) => ({
    value,
    label: `${getLabel(readReachFilter(value)!)}${count < 0 ? '' : `: ${formatCount(count)}`}`,
  }))
  return [{ value: '', label: 'Reachable or not' }, ...options]
}

/** Reasons that cover several countries are also offered as a whole, listed first. */
function countByReason(reasons: Reasons): [string, number][] {
  return [...Map.groupBy(reasons, ({ reason }) => reason)].flatMap(([reason, each]): [string, number][] => {
    const parts = each.map((one): [string, number] => [writeReachFilter(one), one.count])
    return each.length === 1 ? parts : [[reason, sum(each)], ...parts.filter(([value]) => value !== reason)]
  })
}

const sum = (reasons: Reasons) => reasons.reduce((total, { count }) => total + count, 0)
