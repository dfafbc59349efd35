import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import type { ItemChange } from './changes.ts'
import type { StripeState } from './state.ts'

// Items of a schedule's phases and of the subscription.

export interface PhaseDraft {
  start: number
  end: number
  items: { price: Stripe.Price; quantity: number }[]
  trialEnd: number | null
  prorationBehavior?: string
  metadata?: Stripe.Metadata
}

export function buildPhase(subscription: Stripe.Subscription, draft: PhaseDraft): Stripe.SubscriptionSchedule.Phase {
  return buildObject<Stripe.SubscriptionSchedule.Phase>('SubscriptionSchedules', 'SubscriptionSchedule.Phase', {
    currency: subscription.currency,
    end_date: draft.end,
    items: draft.items.map(({ price, quantity }) =>
      buildObject<Stripe.SubscriptionSchedule.Phase.Item>('SubscriptionSchedules', 'SubscriptionSchedule.Phase.Item', {
        metadata: {},
        plan: price.id,
        price: price.id,
        quantity,
        tax_rates: [],
      }),
    ),
    metadata: draft.metadata ?? {},
    proration_behavior: draft.prorationBehavior ?? 'create_prorations',
    start_date: draft.start,
    trial_end: draft.trialEnd,
  })
}

export function listPhaseChanges(
  subscription: Stripe.Subscription,
  phase: Stripe.SubscriptionSchedule.Phase,
): ItemChange[] {
  const quantities = new Map(phase.items.map(({ price, quantity }) => [price as string, quantity ?? 1]))
  const changes: ItemChange[] = []
  for (const { id, price, quantity } of subscription.items.data) {
    const next = quantities.get(price.id)
    quantities.delete(price.id)
    if (next === undefined) changes.push({ id, deleted: true })
    else if (next !== quantity) changes.push({ id, quantity: next })
  }
  return [...changes, ...[...quantities].map(([price, quantity]) => ({ price, quantity }))]
}

/** Records a direct change of a subscription in the current phase of its schedule. */
export function recordInPhase(world: StripeState, subscription: Stripe.Subscription): void {
  const schedule = world.find('subscription_schedule', subscription.schedule as string | null)
  const phase = schedule?.phases.find(({ start_date }) => start_date === schedule.current_phase?.start_date)
  if (!schedule || !phase || listPhaseChanges(subscription, phase).length === 0) return
  world.update('subscription_schedule.updated', schedule, () => {
    const like = phase.items[0]!
    phase.items = subscription.items.data.map(({ price, quantity }) => ({
      ...structuredClone(like),
      plan: price.id,
      price: price.id,
      quantity: quantity ?? 1,
    }))
  })
}
