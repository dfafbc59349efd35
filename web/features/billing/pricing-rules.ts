import type { z } from 'zod'
import {
  type BillingCycle,
  MAX_EXTRA_STORES,
  type PlanKey,
  planAmountMinor,
  plans,
  type subscriptionStatus,
  TRIAL_DAYS,
} from '../../../shared/billing/billing.ts'
import { formatCounted } from '../../core/ui/format.ts'
import type { Choice } from './change-copy.ts'
import { cycleNames, formatPeriodPrice } from './detail-copy.ts'
import { formatDate, isOnTrial } from './plan-copy.ts'

// Which plans Pricing offers an account, and what a choice costs. Pure.

type Subscription = z.output<typeof subscriptionStatus.reply>

/**
 * A subscription that continues at Stripe, trials included: choosing another plan changes it instead of buying a
 * second.
 */
export const isAtStripe = ({ sells, source, plan, planInForce }: Subscription): boolean =>
  sells === 'stripe' && source === 'stripe' && plan !== 'free' && planInForce !== 'free'

/** A subscription that ended for good may be bought again. */
export const isCurrent = ({ plan, planInForce }: Subscription, key: PlanKey): boolean =>
  plan === key && (key === 'free' || planInForce !== 'free')

/** The button of a plan's card. */
export type Offer =
  /** `changeTo`: link to where period and stores are changed. */
  | { kind: 'current'; changeTo: string | null }
  /** Bought through the checkout step. */
  | { kind: 'buy' }
  | { kind: 'change'; to: string }
  /** Needs a confirmation because a paid plan would end. */
  | { kind: 'free' }
  /** The change to this plan is scheduled. */
  | { kind: 'waits'; text: string }
  /** The subscription is ending and must be reactivated before it can change. */
  | { kind: 'ends'; text: string }

export function findOffer(subscription: Subscription, key: PlanKey, cycle: BillingCycle): Offer {
  const { change, cancelAtPeriodEnd } = subscription
  const isLive = isAtStripe(subscription)
  if (isLive && cancelAtPeriodEnd && key !== 'free') return { kind: 'ends', text: describeEnd(subscription, key) }
  if (isCurrent(subscription, key))
    return { kind: 'current', changeTo: isLive && key !== 'free' ? buildChangePath(key, cycle) : null }
  const next = cancelAtPeriodEnd ? 'free' : change?.plan
  if (isLive && next === key)
    return {
      kind: 'waits',
      text: `Your account changes to ${plans[key].name}${formatOnDay(findPaidEnd(subscription))}.`,
    }
  if (key === 'free') return { kind: 'free' }
  return isLive ? { kind: 'change', to: buildChangePath(key, cycle) } : { kind: 'buy' }
}

function describeEnd(subscription: Subscription, key: PlanKey): string {
  if (!isCurrent(subscription, key))
    return 'Your subscription ends after the billing period. Reactivate it first to change it.'
  return `This is your current plan. It ends${formatOnDay(findPaidEnd(subscription))}.`
}

/** Link to Billing's change dialog, for accounts with a subscription. */
export const buildChangePath = (plan: PlanKey, cycle: BillingCycle) => `/billing?change=${plan}&cycle=${cycle}`

/** End of the paid time; during a trial, the end of the trial. */
export const findPaidEnd = (subscription: Subscription) => {
  const { cancelAtPeriodEnd, change, trialEndsAt, currentPeriodEnd } = subscription
  if (change && !cancelAtPeriodEnd) return change.at
  return isOnTrial(subscription) ? trialEndsAt : currentPeriodEnd
}

export const formatOnDay = (instant: string | null) => (instant ? ` on ${formatDate(instant)}` : '')

/** The paid plan that would end if the free one were chosen. */
export function findPaidPlan({ planInForce }: Subscription): PlanKey | null {
  return planInForce === 'free' ? null : planInForce
}

export const readCycle = (search: URLSearchParams): BillingCycle => (search.get('cycle') === 'year' ? 'year' : 'month')

/** The checkout choice in the address; null shows the list of plans. */
export function readChoice(search: URLSearchParams): Choice | null {
  const plan = search.get('plan')
  if (plan !== 'starter' && plan !== 'growth') return null
  const stores = Number(search.get('stores') ?? 0)
  const isPossible = Number.isInteger(stores) && stores >= 0 && stores <= MAX_EXTRA_STORES
  return { plan, cycle: readCycle(search), extraStores: isPossible ? stores : 0 }
}

export function buildChoiceAddress({ plan, cycle, extraStores }: Choice): string {
  return `/pricing?plan=${plan}&cycle=${cycle}${extraStores > 0 ? `&stores=${extraStores}` : ''}`
}

/** Cost of a period, one line each; `amount` in cents. */
export function buildOrder({ plan, cycle, extraStores }: Choice): {
  lines: { label: string; amount: number }[]
  total: number
} {
  const total = planAmountMinor(plan, cycle, extraStores)
  const ofPlan = planAmountMinor(plan, cycle)
  const lines = [{ label: `${plans[plan].name}, ${cycleNames[cycle].toLowerCase()}`, amount: ofPlan }]
  if (extraStores > 0) lines.push({ label: formatCounted(extraStores, 'extra store'), amount: total - ofPlan })
  return { lines, total }
}

/** What is paid at confirmation, and what follows. */
export function describeToday(
  total: number,
  cycle: BillingCycle,
  kind: 'trial' | 'paid' | 'test',
): { dueNow: number; notes: string[] } {
  const price = formatPeriodPrice(total, 'USD', cycle)
  if (kind === 'test') return { dueNow: 0, notes: ['This server is in billing test mode: nothing is charged.'] }
  const atStripe = 'You confirm at Stripe, which takes the payment. Tax, where it applies, is added there.'
  if (kind === 'paid') {
    return {
      dueNow: total,
      notes: ['Your free trial has been used.', `It renews at ${price} until you cancel.`, atStripe],
    }
  }
  return {
    dueNow: 0,
    notes: [
      `${TRIAL_DAYS} days free, then ${price} until you cancel. No credit card required: add one before the trial ends, or the account moves to ${plans.free.name}.`,
      'One trial per account, person and card. Adding a card from another account’s trial ends this trial, and the plan is charged.',
      atStripe,
    ],
  }
}
