import type Stripe from 'stripe'
import { findRecurringPrice } from './changes.ts'
import { buildItem } from './pending.ts'
import { findCurrentPeriod, readInterval } from './periods.ts'
import { listPhaseChanges } from './phase-items.ts'
import type { StripeState } from './state.ts'
import { updateSubscription } from './subscriptions.ts'

// A subscription follows the phases of its schedule.

type Phase = Stripe.SubscriptionSchedule.Phase

/** Applies a changed current phase to the subscription's items and trial. */
export function updatePhase(
  world: StripeState,
  schedule: Stripe.SubscriptionSchedule,
  phase: Phase,
  behavior: string,
): void {
  const subscription = world.find('subscription', schedule.subscription as string)!
  const changes = listPhaseChanges(subscription, phase)
  // A trial that the new phase does not name has ended.
  const endsTrial = subscription.status === 'trialing' && phase.trial_end !== subscription.trial_end
  if (changes.length === 0 && !endsTrial) return
  updateSubscription(world, subscription, {
    ...(changes.length > 0 && { items: changes as Stripe.SubscriptionUpdateParams.Item[] }),
    ...(endsTrial && { trial_end: 'now' }),
    proration_behavior: behavior as 'none',
  })
}

/** Starts the next phase. At a period's end, its items are those of the next period. */
export function enterPhase(world: StripeState, schedule: Stripe.SubscriptionSchedule, phase: Phase): void {
  const subscription = world.find('subscription', schedule.subscription as string)!
  world.update('subscription_schedule.updated', schedule, () => {
    schedule.current_phase = { start_date: phase.start_date, end_date: phase.end_date }
  })
  const period = findCurrentPeriod(subscription)
  if (period.end !== world.now) {
    updatePhase(world, schedule, phase, phase.proration_behavior)
    return
  }
  const before = readInterval(subscription.items.data[0]!)
  world.update('customer.subscription.updated', subscription, () => {
    subscription.items.data = phase.items.map(({ price, quantity }) => {
      const same = subscription.items.data.find((one) => one.price.id === price)
      const item = {
        id: same?.id ?? world.id('si'),
        price: findRecurringPrice(world, price as string, 'price'),
        quantity: quantity ?? 1,
      }
      return buildItem(world, item, subscription.id, period, same)
    })
    const after = readInterval(subscription.items.data[0]!)
    if (after.interval !== before.interval) subscription.billing_cycle_anchor = world.now
  })
}
