import type Stripe from 'stripe'
import {
  type BillingCycle,
  billingCycles,
  type PlanKey,
  planAmountMinor,
  plans,
} from '../../../shared/billing/billing.ts'

// What is sold, and the Stripe prices for it, identified by lookup key (decision 82). Pure.

export type PaidPlan = Exclude<PlanKey, 'free'>
export const paidPlans: readonly PaidPlan[] = ['starter', 'growth']

/** Plan, cycle and extra stores that an account chooses. */
export interface PlanChoice {
  plan: PaidPlan
  cycle: BillingCycle
  extraStores: number
}

/** What one price sells. */
export interface CatalogueEntry {
  lookupKey: string
  /** Null: an extra store. */
  plan: PaidPlan | null
  cycle: BillingCycle
  amountMinor: number
}

const CURRENCY = 'usd'

export const buildPlanKey = (plan: PaidPlan, cycle: BillingCycle): string => `recoup_${plan}_${cycle}`
export const buildExtraStoreKey = (cycle: BillingCycle): string => `recoup_extra_store_${cycle}`

export const catalogueEntries: readonly CatalogueEntry[] = billingCycles.flatMap((cycle): CatalogueEntry[] => [
  ...paidPlans.map((plan) => ({
    lookupKey: buildPlanKey(plan, cycle),
    plan,
    cycle,
    amountMinor: planAmountMinor(plan, cycle),
  })),
  {
    lookupKey: buildExtraStoreKey(cycle),
    plan: null,
    cycle,
    amountMinor: planAmountMinor('free', cycle, 1),
  },
])

/**
 * What a price sells; null if it is not ours. A price whose lookup key moved to a newer one is identified by its
 * metadata.
 */
export function findEntry({
  lookup_key,
  metadata,
}: Pick<Stripe.Price, 'lookup_key' | 'metadata'>): CatalogueEntry | null {
  const key = lookup_key ?? metadata.recoup
  return catalogueEntries.find(({ lookupKey }) => lookupKey === key) ?? null
}

/** Product ids are ours, so that each product is created once. */
export const products: readonly { id: string; name: string; plan: PaidPlan | null }[] = [
  ...paidPlans.map((plan) => ({ id: `recoup_${plan}`, name: `Recoup ${plans[plan].name}`, plan })),
  { id: 'recoup_extra_store', name: 'Recoup extra store', plan: null },
]

export const buildPrice = ({ lookupKey, plan, cycle, amountMinor }: CatalogueEntry): Stripe.PriceCreateParams => ({
  product: products.find((product) => product.plan === plan)!.id,
  lookup_key: lookupKey,
  metadata: { recoup: lookupKey },
  currency: CURRENCY,
  unit_amount: amountMinor,
  recurring: { interval: cycle },
  tax_behavior: 'exclusive',
})

/** The fault of a Stripe price, as the end of a sentence that begins with its lookup key; null: none. */
export function findPriceFault(price: Stripe.Price, expected: CatalogueEntry): string | null {
  if (!price.active) return 'is archived'
  const { recurring, currency, unit_amount: amount } = price
  const isRight = recurring?.interval === expected.cycle && recurring.interval_count === 1
  if (!isRight || recurring.usage_type !== 'licensed') return `is not charged once a ${expected.cycle}`
  if (currency === CURRENCY && amount === expected.amountMinor) return null
  const costs = amount === null ? 'no fixed amount' : formatAmount(amount, currency)
  return `costs ${costs} a ${expected.cycle}, and Recoup shows ${formatAmount(expected.amountMinor, CURRENCY)}`
}

const formatAmount = (amountMinor: number, currency: string) =>
  `${(amountMinor / 100).toFixed(2)} ${currency.toUpperCase()}`

/** Events that Stripe sends us. The nightly snapshot finds everything else. */
export const eventTypes: readonly Stripe.WebhookEndpointCreateParams.EnabledEvent[] = [
  'charge.dispute.closed',
  'charge.dispute.created',
  'charge.refunded',
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.deleted',
  'customer.subscription.created',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.pending_update_applied',
  'customer.subscription.pending_update_expired',
  'customer.subscription.resumed',
  'customer.subscription.trial_will_end',
  'customer.subscription.updated',
  'customer.updated',
  'invoice.finalized',
  'invoice.marked_uncollectible',
  'invoice.paid',
  'invoice.payment_action_required',
  'invoice.payment_failed',
  'invoice.updated',
  'invoice.voided',
  'payment_method.attached',
  'payment_method.detached',
  'refund.created',
  'refund.failed',
  'refund.updated',
  'subscription_schedule.aborted',
  'subscription_schedule.canceled',
  'subscription_schedule.completed',
  'subscription_schedule.created',
  'subscription_schedule.released',
  'subscription_schedule.updated',
]

export const buildHookUrl = (publicUrl: string): string => `${publicUrl}/api/webhooks/stripe`
