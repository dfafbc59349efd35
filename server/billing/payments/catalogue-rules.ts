import type Stripe from 'stripe'
import { amountMinorOf, type BillingCycle, billingCycles, type PlanKey, plans } from '../../../shared/billing.ts'

// What is sold, and the prices at Stripe that stand for it, found by lookup key (decision 82). Pure.

export type PaidPlan = Exclude<PlanKey, 'free'>
export const paidPlans: readonly PaidPlan[] = ['starter', 'growth']

/** What an account wants of Stripe. */
export interface Choice {
  plan: PaidPlan
  cycle: BillingCycle
  extraStores: number
}

/** What one price stands for. */
export interface Sold {
  lookupKey: string
  /** Null: an extra store. */
  plan: PaidPlan | null
  cycle: BillingCycle
  amountMinor: number
}

const CURRENCY = 'usd'

export const planKeyOf = (plan: PaidPlan, cycle: BillingCycle): string => `recoup_${plan}_${cycle}`
export const extraStoreKeyOf = (cycle: BillingCycle): string => `recoup_extra_store_${cycle}`

export const sold: readonly Sold[] = billingCycles.flatMap((cycle): Sold[] => [
  ...paidPlans.map((plan) => ({
    lookupKey: planKeyOf(plan, cycle),
    plan,
    cycle,
    amountMinor: amountMinorOf(plan, cycle),
  })),
  {
    lookupKey: extraStoreKeyOf(cycle),
    plan: null,
    cycle,
    amountMinor: amountMinorOf('free', cycle, 1),
  },
])

/** What a price stands for; null: it is none of ours. One whose lookup key has gone to a newer price is known by its metadata. */
export function soldBy({ lookup_key, metadata }: Pick<Stripe.Price, 'lookup_key' | 'metadata'>): Sold | null {
  const key = lookup_key ?? metadata.recoup
  return sold.find(({ lookupKey }) => lookupKey === key) ?? null
}

/** Products have ids of ours, so that they are made once. */
export const products: readonly { id: string; name: string; plan: PaidPlan | null }[] = [
  ...paidPlans.map((plan) => ({ id: `recoup_${plan}`, name: `Recoup ${plans[plan].name}`, plan })),
  { id: 'recoup_extra_store', name: 'Recoup extra store', plan: null },
]

export const newPrice = ({ lookupKey, plan, cycle, amountMinor }: Sold): Stripe.PriceCreateParams => ({
  product: products.find((product) => product.plan === plan)!.id,
  lookup_key: lookupKey,
  metadata: { recoup: lookupKey },
  currency: CURRENCY,
  unit_amount: amountMinor,
  recurring: { interval: cycle },
  tax_behavior: 'exclusive',
})

/** What is wrong with a price at Stripe, as the end of a sentence that begins with its lookup key; null: nothing. */
export function priceFault(price: Stripe.Price, wanted: Sold): string | null {
  if (!price.active) return 'is archived'
  const { recurring, currency, unit_amount: amount } = price
  const isRight = recurring?.interval === wanted.cycle && recurring.interval_count === 1
  if (!isRight || recurring.usage_type !== 'licensed') return `is not charged once a ${wanted.cycle}`
  if (currency === CURRENCY && amount === wanted.amountMinor) return null
  const costs = amount === null ? 'no fixed amount' : inWords(amount, currency)
  return `costs ${costs} a ${wanted.cycle}, and Recoup shows ${inWords(wanted.amountMinor, CURRENCY)}`
}

const inWords = (amountMinor: number, currency: string) => `${(amountMinor / 100).toFixed(2)} ${currency.toUpperCase()}`

/** Of which Stripe tells us. Everything else that happens there is found by the nightly look. */
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

export const hookUrlOf = (publicUrl: string): string => `${publicUrl}/api/webhooks/stripe`
