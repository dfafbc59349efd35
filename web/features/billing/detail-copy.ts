import type { z } from 'zod'
import {
  type BillingCycle,
  fallbackLimits,
  type PlanLimits,
  plans,
  type subscriptionStatus,
} from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import type { SubscriptionDetail } from '../../../shared/billing/payments.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { formatDateTime } from '../../core/ui/times.ts'
import { formatDate, isOnTrial, isOverdue } from './plan-copy.ts'

// Texts and actions of /billing (A 2.7, decision 88). Pure.

/** An amount as in the API (A 9). */
export const formatAmount = (minor: number, currency: string) => formatMoney(minor / 100, currency.toUpperCase())

export const cycleNames: Record<BillingCycle, string> = { month: 'Monthly', year: 'Yearly' }

/** Price as on the invoice: $49.00 a month. */
export const formatPeriodPrice = (minor: number, currency: string, cycle: BillingCycle) =>
  `${formatAmount(minor, currency)} a ${cycle}`

export function listFacts(detail: SubscriptionDetail, subscription: Subscription): [string, string][] {
  const { billingCycle, nextBillingDate, lastPaymentDate, currentPeriodEnd, extraStores } = detail
  const onTrial = isOnTrial(subscription)
  const isPaid = detail.source === 'stripe' && detail.plan !== 'free'
  const isOver = subscription.planInForce === 'free' && detail.plan !== 'free'
  const isBilled = !detail.cancelAtPeriodEnd && (detail.hasCard || !onTrial)
  const facts: [string, string | null][] = [
    ['Price', isOver ? null : describeCost(detail)],
    ['Billing cycle', billingCycle && cycleNames[billingCycle]],
    ['Extra stores', extraStores > 0 ? String(extraStores) : null],
    ['Trial ends', onTrial && detail.trialEndsAt ? formatDate(detail.trialEndsAt) : null],
    ['Paid until', detail.cancelAtPeriodEnd && !onTrial && currentPeriodEnd ? formatDate(currentPeriodEnd) : null],
    ['Next billing date', nextBillingDate && isBilled ? formatDate(nextBillingDate) : null],
    ['Last payment', lastPaymentDate && formatDate(lastPaymentDate)],
    ['Card', isPaid ? describeCard(detail.hasCard, onTrial) : null],
    // Fallback to a stored invoice if the provider could not be reached.
    ['As of', detail.asOf && formatDateTime(detail.asOf)],
  ]
  return facts.flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
}

function describeCard(hasCard: boolean, onTrial: boolean) {
  if (hasCard) return 'On file'
  return onTrial ? `None added; after the trial the plan becomes ${plans.free.name}` : 'None added'
}

function describeCost({ plan, amount, currency, billingCycle, source }: SubscriptionDetail): string {
  if (plan === 'free') return 'Free'
  if (source === 'test')
    return `List price ${formatAmount(amount, currency)}/${billingCycle ?? 'month'}, not charged in test mode`
  if (source !== 'stripe') return 'Nothing is charged'
  return formatPeriodPrice(amount, currency, billingCycle ?? 'month')
}

type Subscription = Pick<
  z.output<typeof subscriptionStatus.reply>,
  'status' | 'sells' | 'planInForce' | 'change' | 'trialEndsAt'
>

/** What this member may do here; `because` explains missing actions. */
export interface SubscriptionActions {
  /** Through Billing's dialog, or by choosing a plan on Pricing. */
  change: 'here' | 'pricing' | null
  canManage: boolean
  canCancel: boolean
  canReactivate: boolean
  /** Cancels a scheduled change. */
  canKeep: boolean
  /** Action for the card; null means none. */
  advice: string | null
  because: string | null
}

interface Input {
  detail: SubscriptionDetail
  subscription: Subscription
  /** The role allows it, and this is not the demo. */
  mayPay: boolean
}

export function findActions({ detail, subscription, mayPay }: Input): SubscriptionActions {
  const { sells, planInForce, change } = subscription
  const isPaid = sells === 'stripe' && detail.source === 'stripe' && planInForce !== 'free' && detail.plan !== 'free'
  const canManage = mayPay && sells === 'stripe' && detail.canManage
  return {
    change: mayPay ? findChangePath(isPaid, detail, subscription) : null,
    canManage,
    canCancel: mayPay && isPaid && !detail.cancelAtPeriodEnd,
    canReactivate: mayPay && isPaid && detail.cancelAtPeriodEnd,
    canKeep: mayPay && isPaid && !detail.cancelAtPeriodEnd && change !== null,
    advice: canManage && isPaid ? findCardAction(detail, subscription) : null,
    because: explainMissingActions(detail, sells),
  }
}

function findCardAction({ plan, hasCard, cancelAtPeriodEnd }: SubscriptionDetail, subscription: Subscription) {
  if (isOverdue(subscription)) {
    return `Add another card under ${billingTexts.manage}, or pay the open invoice in the payment history. Then you can change the plan again.`
  }
  if (!isOnTrial(subscription) || hasCard || cancelAtPeriodEnd) return null
  return `Add a card under ${billingTexts.manage} to keep ${plans[plan].name} after the trial.`
}

/** A subscription that is ending must be reactivated first; an overdue one must be paid. */
function findChangePath(isPaid: boolean, { cancelAtPeriodEnd }: SubscriptionDetail, subscription: Subscription) {
  if (subscription.sells === 'none') return null
  if (!isPaid) return 'pricing'
  return cancelAtPeriodEnd || isOverdue(subscription) ? null : 'here'
}

function explainMissingActions({ plan, source }: SubscriptionDetail, sells: Subscription['sells']): string | null {
  if (sells === 'none') return `${billingTexts.noBilling}. The server’s administrator sets the plan.`
  if (sells === 'test') {
    return 'Test billing: plans are free here. No card, no invoices.'
  }
  if (plan === 'free' || source === 'stripe') return null
  return 'The server’s administrator set this plan. Nothing is charged for it.'
}

/** Limits the server does not return are shown as in A 9. */
export function fillLimits(features: Partial<PlanLimits> | undefined): PlanLimits {
  const { maxStores, maxEmailsPerMonth, maxSmsPerMonth, maxWhatsappPerMonth } = features ?? {}
  return {
    maxStores: maxStores ?? fallbackLimits.maxStores,
    maxEmailsPerMonth: maxEmailsPerMonth ?? fallbackLimits.maxEmailsPerMonth,
    maxSmsPerMonth: maxSmsPerMonth ?? fallbackLimits.maxSmsPerMonth,
    maxWhatsappPerMonth: maxWhatsappPerMonth ?? fallbackLimits.maxWhatsappPerMonth,
  }
}

const MAX_BUTTONS = 5

/** Page numbers around the current page, at most five (A 9). */
export function listPageNumbers(page: number, pages: number): number[] {
  const first = Math.max(1, Math.min(page - 2, pages - MAX_BUTTONS + 1))
  return Array.from({ length: Math.min(MAX_BUTTONS, pages) }, (_, at) => first + at)
}
