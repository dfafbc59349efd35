import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import type { ChangePlan } from './changes.ts'
import type { Item, Period } from './lines.ts'
import { findCurrentPeriod } from './periods.ts'
import type { StripeState } from './state.ts'

// Changes of a subscription taking effect, at once or when their invoice is paid.

export function applyPlan(world: StripeState, subscription: Stripe.Subscription, plan: ChangePlan): void {
  const own = new Map(subscription.items.data.map((one) => [one.id, one]))
  subscription.items.data = plan.items.map((item) => {
    item.id ??= world.id('si')
    return buildItem(world, item, subscription.id, plan.period, own.get(item.id))
  })
  subscription.status = plan.status
  subscription.billing_cycle_anchor = plan.anchor
  if (plan.trialEnd !== subscription.trial_end) {
    subscription.trial_start ??= world.now
    subscription.trial_end = plan.trialEnd
  }
}

export function buildItem(
  world: StripeState,
  item: Item,
  subscription: string,
  period: Period,
  before?: Stripe.SubscriptionItem,
): Stripe.SubscriptionItem {
  return buildObject<Stripe.SubscriptionItem>('SubscriptionItems', 'SubscriptionItem', {
    id: item.id,
    created: before?.created ?? world.now,
    current_period_end: period.end,
    current_period_start: period.start,
    metadata: before?.metadata ?? {},
    plan: planObject(item.price),
    price: item.price,
    quantity: item.quantity,
    subscription,
    tax_rates: [],
  })
}

/** The legacy `plan` form of a price, which items still have. */
const planObject = ({ recurring, ...price }: Stripe.Price) =>
  buildObject<Stripe.Plan>('Plans', 'Plan', {
    id: price.id,
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: String(price.unit_amount),
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: recurring!.interval,
    interval_count: recurring!.interval_count,
    metadata: {},
    nickname: price.nickname,
    product: price.product,
    usage_type: 'licensed',
  })

/** Stores a change until its invoice is paid; meanwhile the subscription shows it and stays unchanged. */
export function savePendingUpdate(world: StripeState, subscription: Stripe.Subscription, plan: ChangePlan): void {
  for (const item of plan.items) item.id ??= world.id('si')
  world.notes.set(`${subscription.id}/pending`, { plan })
  subscription.pending_update = buildObject<Stripe.Subscription.PendingUpdate>(
    'Subscriptions',
    'Subscription.PendingUpdate',
    {
      billing_cycle_anchor: plan.anchor === subscription.billing_cycle_anchor ? null : plan.anchor,
      expires_at: Math.min(world.now + 23 * 3_600, findCurrentPeriod(subscription).end),
      subscription_items: plan.items.map((item) => buildItem(world, item, subscription.id, plan.period)),
      trial_end: plan.trialEnd === subscription.trial_end ? null : plan.trialEnd,
    },
  )
}

export function applyPendingUpdate(world: StripeState, subscription: Stripe.Subscription): void {
  const plan = world.notes.get(`${subscription.id}/pending`)!.plan as ChangePlan
  world.update('customer.subscription.updated', subscription, () => {
    applyPlan(world, subscription, plan)
    subscription.pending_update = null
  })
  world.emit('customer.subscription.pending_update_applied', subscription)
}
