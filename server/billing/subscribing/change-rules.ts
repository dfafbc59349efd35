import crypto from 'node:crypto'
import type Stripe from 'stripe'
import {
  type BillingCycle,
  type Feature,
  featurePlans,
  MAX_EXTRA_STORES,
  type PlanLimits,
  plans,
} from '../../../shared/billing/billing.ts'
import { buildExtraStoreKey, buildPlanKey, findEntry, isTrial, type PlanChoice, paidPlans } from '../payments/public.ts'
import type { InvoicePreview, LiveSubscription } from './stripe-schemas.ts'

// Rules for a change of plan (decision 85). Pure.

const rankPlan = ({ plan }: PlanChoice) => paidPlans.indexOf(plan)

/** A larger plan applies and is paid at once; a smaller one starts with the next period. */
export function classifyChange(from: PlanChoice, to: PlanChoice): 'none' | 'now' | 'period_end' {
  const isSamePlan = from.plan === to.plan
  if (isSamePlan && from.cycle === to.cycle && from.extraStores === to.extraStores) return 'none'
  if (rankPlan(to) > rankPlan(from)) return 'now'
  const isLonger = isSamePlan && from.cycle === 'month' && to.cycle === 'year'
  return isLonger || (isSamePlan && to.extraStores > from.extraStores) ? 'now' : 'period_end'
}

export const countStores = ({ plan, extraStores }: PlanChoice): number => plans[plan].limits.maxStores + extraStores

/** Sentences: what the account loses with the change. */
export function describeLosses(from: PlanChoice, to: PlanChoice): string[] {
  const features = (Object.keys(featurePlans) as Feature[]).filter(
    (feature) => featurePlans[feature].includes(from.plan) && !featurePlans[feature].includes(to.plan),
  )
  const limits = (['maxEmailsPerMonth', 'maxSmsPerMonth', 'maxWhatsappPerMonth'] as const).flatMap((limit) => {
    const [before, after] = [plans[from.plan].limits[limit], plans[to.plan].limits[limit]]
    return isLess(after, before) ? [`More than ${after.toLocaleString('en-US')} ${LIMITS[limit]} a month.`] : []
  })
  const stores = countStores(to)
  const fewer = stores < countStores(from) ? [`More than ${stores} ${stores === 1 ? 'store' : 'stores'}.`] : []
  return [...features.map((feature) => FEATURES[feature]), ...limits, ...fewer]
}

const isLess = (after: number, before: number) => after !== -1 && (before === -1 || after < before)

const LIMITS: Record<Exclude<keyof PlanLimits, 'maxStores'>, string> = {
  maxEmailsPerMonth: 'emails',
  maxSmsPerMonth: 'SMS',
  maxWhatsappPerMonth: 'WhatsApp messages',
}

const FEATURES: Record<Feature, string> = {
  manual_texts: 'Manual SMS and WhatsApp.',
  flow_texts: 'SMS and WhatsApp in flows.',
  flow_rules: 'Multiple flows, conditions and A/B tests.',
  scheduled_campaigns: 'Scheduled and repeating campaigns.',
  audience_filters: 'All audience filters.',
  campaign_texts: 'Scheduled and repeating SMS campaigns, and WhatsApp campaigns.',
  advanced_analytics: 'Analytics beyond totals and funnel of 7 and 30 days.',
  analytics_export: 'Analytics export.',
  multi_store_dashboard: 'Dashboard and analytics for all stores together.',
  roi_tracking: 'ROI tracking.',
}

/** An item of the changed subscription; without an id it is added. */
export interface Line {
  id?: string
  price: string
  quantity: number
}

/**
 * The items of a choice. Existing items are reused, so that Stripe computes the difference. Their price stays if it
 * sells the same, because it may be an older one. An unwanted item gets the quantity 0: a change that may be pending
 * cannot
 * delete it.
 */
export function buildItems(
  prices: ReadonlyMap<string, string>,
  items: LiveSubscription['items'],
  to: PlanChoice,
): Line[] {
  const own = items.flatMap((item) => {
    const sold = findEntry(item.price)
    return sold ? [{ ...item, sold }] : []
  })
  const buildLines = (plan: PlanChoice['plan'] | null, quantity: number): Line[] => {
    const key = plan ? buildPlanKey(plan, to.cycle) : buildExtraStoreKey(to.cycle)
    const [first, ...others] = own.filter(({ sold }) => (sold.plan === null) === (plan === null))
    if (!first && quantity === 0) return []
    const findPriceId = (item: (typeof own)[number]) => (item.sold.lookupKey === key ? item.price.id : prices.get(key)!)
    return [
      { ...(first && { id: first.id }), price: first ? findPriceId(first) : prices.get(key)!, quantity },
      ...others.map((item) => ({ id: item.id, price: findPriceId(item), quantity: 0 })),
    ]
  }
  return [...buildLines(to.plan, 1), ...buildLines(null, Math.min(to.extraStores, MAX_EXTRA_STORES))]
}

/**
 * Phases of a schedule: the current plan until the end of the period, then the next one. The checkout's discount
 * continues.
 */
export function buildPhases(
  { items, status, trial_end, discounts: own }: LiveSubscription,
  period: { start: number; end: number },
  next: { lines: readonly Line[]; cycle: BillingCycle },
): Stripe.SubscriptionScheduleUpdateParams.Phase[] {
  const discounts = own.length > 0 && { discounts: own.map((discount) => ({ discount })) }
  const now = items.filter(({ quantity }) => quantity > 0).map(({ price, quantity }) => ({ price: price.id, quantity }))
  // A trial that is missing in the phase would end now.
  const trial = isTrial({ status }) && trial_end !== null && { trial_end }
  const later = next.lines.filter(({ quantity }) => quantity > 0).map(({ price, quantity }) => ({ price, quantity }))
  return [
    { items: now, start_date: period.start, end_date: period.end, ...trial, ...discounts },
    { items: later, duration: { interval: next.cycle, interval_count: 1 }, ...discounts },
  ]
}

export const findPeriodEnd = ({ items }: Pick<LiveSubscription, 'items'>): number =>
  Math.max(...items.map(({ current_period_end: end }) => end))

/** Digest of everything that a change is based on: a different value means a different amount. */
export function digestState(one: LiveSubscription): string {
  const items = one.items.map(({ id, price, quantity }) => [id, price.id, quantity])
  const { id, status, trial_end, cancel_at, cancel_at_period_end, schedule, latest_invoice } = one
  const state = [id, status, items, findPeriodEnd(one), trial_end, cancel_at, cancel_at_period_end, schedule]
  return crypto.hash('sha256', JSON.stringify([...state, latest_invoice])).slice(0, 32)
}

export interface Amounts {
  dueNow: number
  credit: number
  charge: number
  tax: number
}

/** Amounts of a preview. The customer's balance at Stripe is part of the credit. */
export function readAmounts(preview: InvoicePreview): Amounts {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const nets = preview.lines.map(
    ({ amount, discount_amounts: discounts }) => amount - sum((discounts ?? []).map((one) => one.amount)),
  )
  const charge = sum(nets.filter((net) => net > 0))
  const tax = sum((preview.total_taxes ?? []).map((one) => one.amount))
  const { amount_due: dueNow } = preview
  return { dueNow, charge, tax, credit: Math.max(-sum(nets.filter((net) => net < 0)), charge + tax - dueNow) }
}

/** The second for which the preview was computed; null: no proration. */
export const readProrationDate = ({ parent }: InvoicePreview): number | null =>
  parent?.subscription_details?.subscription_proration_date ?? null

/** Date of the next bill: if the cycle changes at once, the end of the period that starts now. */
export function computeNextDate(
  { isNow, isTrial, from, to }: { isNow: boolean; isTrial: boolean; from: BillingCycle; to: BillingCycle },
  { periodEnd, next }: { periodEnd: number; next: InvoicePreview },
): number {
  if (!isNow || isTrial || from === to) return periodEnd
  return Math.max(...next.lines.map(({ period }) => period.end))
}
