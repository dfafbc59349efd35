import type { z } from 'zod'
import {
  type BillingCycle,
  billingCycles,
  EXTRA_STORE_MONTHLY,
  MAX_EXTRA_STORES,
  type PlanKey,
  planAmountMinor,
  plans,
  type subscriptionStatus,
} from '../../../shared/billing/billing.ts'
import type { ChangePreview, SubscriptionDetail } from '../../../shared/billing/payments.ts'
import { formatCounted } from '../../core/ui/format.ts'
import { cycleNames, formatAmount, formatPeriodPrice } from './detail-copy.ts'
import { formatDate } from './plan-copy.ts'

// Texts and choices of a plan change before it is made (decision 85). Pure.

export interface Choice {
  plan: Exclude<PlanKey, 'free'>
  cycle: BillingCycle
  extraStores: number
}

/** The chosen price, per period. */
export const describePrice = ({ plan, cycle, extraStores }: Choice) =>
  formatPeriodPrice(planAmountMinor(plan, cycle, extraStores), 'USD', cycle)

export const describeExtraStore = (cycle: BillingCycle) =>
  cycle === 'year'
    ? `$${EXTRA_STORE_MONTHLY * 12} a year each. The yearly discount applies to the plan only.`
    : `$${EXTRA_STORE_MONTHLY} a month each.`

/** "Growth yearly with 2 extra stores". */
export const formatChoice = ({ plan, cycle, extraStores }: Choice) =>
  `${plans[plan].name}, ${cycleNames[cycle].toLowerCase()}${extraStores > 0 ? `, with ${formatCounted(extraStores, 'extra store')}` : ''}`

/** How many more stores must be chosen; null if enough. */
export const describeMissing = (needed: number, chosen: number): string | null =>
  chosen >= needed
    ? null
    : `Choose ${formatCounted(needed - chosen, chosen > 0 ? 'more store' : 'store')} to make inactive.`

export const paidPlans = ['starter', 'growth'] as const satisfies readonly PlanKey[]

/**
 * Reads the requested change from the address (stores: number of extra stores, or `more` for one more). Missing or
 * invalid parts keep their current value.
 */
export function parseChoice(
  requested: { plan: string | null; cycle: string | null; stores: string | null },
  detail: SubscriptionDetail,
): Choice {
  const plan =
    paidPlans.find((key) => key === requested.plan) ?? paidPlans.find((key) => key === detail.plan) ?? 'growth'
  const cycle = billingCycles.find((each) => each === requested.cycle) ?? detail.billingCycle ?? 'month'
  const now = detail.extraStores
  const stores =
    requested.stores === 'more'
      ? now + 1
      : requested.stores !== null && /^\d{1,2}$/.test(requested.stores)
        ? Number(requested.stores)
        : now
  return { plan, cycle, extraStores: Math.min(stores, MAX_EXTRA_STORES) }
}

export const isSame = ({ plan, cycle, extraStores }: Choice, detail: SubscriptionDetail) =>
  plan === detail.plan && cycle === detail.billingCycle && extraStores === detail.extraStores

/** Line items paid at once. */
export function buildDueLines({ dueNow, charge, credit, tax, currency }: ChangePreview): [string, string][] {
  const formatMinor = (minor: number) => formatAmount(minor, currency)
  return [
    ['New plan, until the next bill', formatMinor(charge)],
    ...(credit === 0 ? [] : [['Credit for time already paid', formatMinor(-Math.abs(credit))] as [string, string]]),
    ...(tax === 0 ? [] : [['Tax', formatMinor(tax)] as [string, string]]),
    ['Due now', formatMinor(dueNow)],
  ]
}

export function describeNextBill({ nextAmount, nextDate, currency, needsCard }: ChangePreview): string {
  const bill = `the next bill is ${formatAmount(nextAmount, currency)}${nextDate ? `, on ${formatDate(nextDate)}` : ''}.`
  if (!needsCard) return `T${bill.slice(1)}`
  return `If you add a card, ${bill} Without one the account moves to ${plans.free.name} when the trial ends.`
}

/**
 * Names of the stores that rest on a plan with this limit: the owner's choice, then the newest. `stores`: oldest first.
 */
export function findRestingStores(stores: readonly { name: string; restsFirst: boolean }[], room: number): string[] {
  const [first, last] = [false, true].map((rests) => stores.filter(({ restsFirst }) => restsFirst === rests))
  return [...first!, ...last!].slice(room).map(({ name }) => name)
}

type Subscription = Pick<z.output<typeof subscriptionStatus.reply>, 'planInForce' | 'sells' | 'source'>

/** How this account can activate an inactive store. */
export function describeWakeOptions({ planInForce, sells, source }: Subscription): string {
  const larger = planInForce !== 'growth' && sells !== 'none' ? ['a larger plan'] : []
  const extra = planInForce !== 'free' && sells === 'stripe' && source === 'stripe' ? ['an extra store'] : []
  const options = [...larger, ...extra].join(' or ')
  const other = 'make another store inactive.'
  return options ? `To activate it, choose ${options}, or ${other}` : `To activate it, ${other}`
}

/** Default choice: stores that already rest, then the newest. */
export function proposeRestingStores({ stores, storesTooMany }: ChangePreview): string[] {
  const [resting, awake] = [true, false].map((rests) => stores.filter(({ isResting }) => isResting === rests))
  return [...resting!, ...awake!.reverse()].slice(0, storesTooMany).map(({ id }) => id)
}
