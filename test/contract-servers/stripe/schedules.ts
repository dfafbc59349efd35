import type Stripe from 'stripe'
import { build } from './build.ts'
import { recurringPrice } from './changes.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergedMetadata } from './lists.ts'
import { currentPeriod } from './periods.ts'
import { phaseObject } from './phase-items.ts'
import { followPhase } from './phases.ts'
import { assertPlayed } from './played.ts'
import { invalid } from './refusal.ts'
import { assertFromSubscription, phasesOf } from './schedule-rules.ts'
import { endSubscription } from './standing.ts'
import type { World } from './world.ts'

// Schedules of changes to a subscription that is running.

export const schedules: Handlers = {
  'SubscriptionSchedules.create': ({ world, params }: Call<Stripe.SubscriptionScheduleCreateParams>) => {
    if (!params.from_subscription) throw new Error('The contract server makes schedules of running subscriptions only')
    return migrate(world, assertFromSubscription(world, params))
  },
  'SubscriptionSchedules.retrieve': ({ world, id }: Call<unknown>) => world.need('subscription_schedule', id),
  'SubscriptionSchedules.list': ({ world, params }: Call<Stripe.SubscriptionScheduleListParams>) =>
    listKind(world, 'subscription_schedule', params as ListParams & Record<string, unknown>, ['customer']),
  'SubscriptionSchedules.update': ({ world, id, params }: Call<Stripe.SubscriptionScheduleUpdateParams>) => {
    const schedule = world.need('subscription_schedule', id)
    assertActive(schedule, 'update')
    assertPlayed(params, ['end_behavior', 'expand', 'metadata', 'phases', 'proration_behavior'])
    const phases = params.phases ? phasesOf(world, schedule, params.phases) : schedule.phases
    if (params.end_behavior === 'none' || params.end_behavior === 'renew') {
      throw new Error(`The contract server does not play end_behavior=${params.end_behavior}`)
    }
    world.update('subscription_schedule.updated', schedule, () => {
      schedule.phases = phases
      schedule.current_phase = { start_date: phases[0]!.start_date, end_date: phases[0]!.end_date }
      schedule.end_behavior = params.end_behavior ?? schedule.end_behavior
      schedule.metadata = mergedMetadata(schedule.metadata, params.metadata)
    })
    followPhase(world, schedule, phases[0]!, params.proration_behavior ?? 'create_prorations')
    return schedule
  },
  'SubscriptionSchedules.release': ({ world, id }: Call<unknown>) => {
    const schedule = world.need('subscription_schedule', id)
    assertActive(schedule, 'release')
    releaseSchedule(world, schedule)
    return schedule
  },
  'SubscriptionSchedules.cancel': ({ world, id }: Call<unknown>) => {
    const schedule = world.need('subscription_schedule', id)
    assertActive(schedule, 'cancel')
    endSubscription(world, world.find('subscription', schedule.subscription as string)!, 'cancellation_requested')
    return schedule
  },
}

function assertActive({ status }: Stripe.SubscriptionSchedule, verb: string): void {
  if (status === 'active') return
  throw invalid(
    `You cannot ${verb} a subscription schedule that is currently in the \`${status}\` status. It must be in one of the statuses: not_started, active.`,
  )
}

function migrate(world: World, subscription: Stripe.Subscription): Stripe.SubscriptionSchedule {
  const { start, end } = currentPeriod(subscription)
  const items = subscription.items.data.map(({ price, quantity }) => ({
    price: recurringPrice(world, price.id, 'from_subscription'),
    quantity: quantity ?? 1,
  }))
  const trialEnd = subscription.status === 'trialing' ? subscription.trial_end : null
  const schedule = build<Stripe.SubscriptionSchedule>('SubscriptionSchedules', 'SubscriptionSchedule', {
    id: world.id('sub_sched'),
    billing_mode: structuredClone(subscription.billing_mode),
    created: world.now,
    current_phase: { start_date: start, end_date: end },
    customer: subscription.customer,
    default_settings: {
      billing_cycle_anchor: 'automatic',
      collection_method: 'charge_automatically',
      invoice_settings: { issuer: { type: 'self' } },
    },
    end_behavior: 'release',
    metadata: {},
    phases: [phaseObject(subscription, { start, end, items, trialEnd })],
    status: 'active',
    subscription: subscription.id,
  })
  world.put('subscription_schedule', schedule)
  world.emit('subscription_schedule.created', schedule)
  world.update('customer.subscription.updated', subscription, () => {
    subscription.schedule = schedule.id
  })
  return schedule
}

/** The subscription goes on as it is. */
export function releaseSchedule(world: World, schedule: Stripe.SubscriptionSchedule): void {
  const subscription = world.find('subscription', schedule.subscription as string)!
  world.update('customer.subscription.updated', subscription, () => {
    subscription.schedule = null
  })
  Object.assign(schedule, {
    status: 'released',
    released_at: world.now,
    released_subscription: subscription.id,
    subscription: null,
    current_phase: null,
  })
  world.emit('subscription_schedule.released', schedule)
}
