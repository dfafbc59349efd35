import {
  type CartReach,
  REACHABLE,
  type Reach,
  readReachFilter,
  reasonLabels,
  writeReachFilter,
} from '../../shared/reach.ts'
import { formatCount } from '../ui/format.ts'

// Why a cart of the list would get no email now, in a word or two; and the list's filter by it. Pure.

export interface ReasonBadge {
  label: string
  explanation: string
}

type Reasons = CartReach['reasons']

/** By cart id. A recovered cart says already that it was bought, and is in none of the reasons. */
export function reasonBadgesOf(reasons: Reasons): ReadonlyMap<string, ReasonBadge> {
  return new Map(
    reasons.flatMap((each) =>
      (each.cartIds ?? []).map((id): [string, ReasonBadge] => [
        id,
        { label: labelOf(each), explanation: each.explanation },
      ]),
    ),
  )
}

/** Of these the cart would get a message after a while. */
const passing = ['cart_active', 'purchase_in_progress', 'frequency_cap']

/** It is of this cart and its shopper, and stays. */
export const isAboutCart = (reason: string): boolean => reason in reasonLabels && !passing.includes(reason)

function labelOf({ reason, country }: Reach): string {
  if (reason === null) return 'Can be reached'
  return country ? `${reasonLabels[reason]} (${country})` : reasonLabels[reason]
}

interface Option {
  value: string
  label: string
}

/** All, those that can be reached, and each reason that occurs; the chosen one stays, also where it has become none. */
export function reachOptions(answer: CartReach | undefined, chosen: string): Option[] {
  const counts = new Map<string, number>(answer ? [[REACHABLE, answer.reachable], ...reasonCounts(answer.reasons)] : [])
  if (!counts.has(REACHABLE)) counts.set(REACHABLE, -1)
  const known = chosen ? readReachFilter(chosen) : null
  if (known && !counts.has(chosen)) counts.set(chosen, answer ? 0 : -1)
  const options = [...counts].map(([value, count]) => ({
    value,
    label: `${labelOf(readReachFilter(value)!)}${count < 0 ? '' : `: ${formatCount(count)}`}`,
  }))
  return [{ value: '', label: 'Reachable or not' }, ...options]
}

/** A reason of several countries is offered as a whole as well, before them. */
function reasonCounts(reasons: Reasons): [string, number][] {
  return [...Map.groupBy(reasons, ({ reason }) => reason)].flatMap(([reason, each]): [string, number][] => {
    const parts = each.map((one): [string, number] => [writeReachFilter(one), one.count])
    return each.length === 1 ? parts : [[reason, sum(each)], ...parts.filter(([value]) => value !== reason)]
  })
}

const sum = (reasons: Reasons) => reasons.reduce((total, { count }) => total + count, 0)
