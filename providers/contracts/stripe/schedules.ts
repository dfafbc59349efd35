import type Stripe from 'stripe'
import { buildObject } from './build.ts'
import { findRecurringPrice } from './changes.ts'
import { createInvalidError } from './errors.ts'
import type { Call, Handlers } from './handlers.ts'
import { type ListParams, listKind, mergeMetadata } from './lists.ts'
import { findCurrentPeriod } from './periods.ts'
import { buildPhase } from './phase-items.ts'
import { updatePhase } from './phases.ts'
import { assertFromSubscription, buildPhases } from './schedule-rules.ts'
import type { StripeState } from './state.ts'
import { endSubscription } from './subscription-status.ts'
import { assertSupported } from './supported.ts'

// Schedules of changes to a running subscription.

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
    assertSupported(params, ['end_behavior', 'expand', 'metadata', 'phases', 'proration_behavior'])
    const phases = params.phases ? buildPhases(world, schedule, params.phases) : schedule.phases
    if (params.end_behavior === 'none' || params.end_behavior === 'renew') {
      throw new Error(`The contract server does not play end_behavior=${params.end_behavior}`)
    }
    world.update('subscription_schedule.updated', schedule, () => {
      schedule.phases = phases
      schedule.current_phase = { start_date: phases[0]!.start_date, end_date: phases[0]!.end_date }
      schedule.end_behavior = params.end_behavior ?? schedule.end_behavior
      schedule.metadata = mergeMetadata(schedule.metadata, params.metadata)
    })
    updatePhase(world, schedule, phases[0]!, params.proration_behavior ?? 'create_prorations')
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
  throw createInvalidError(
    `You cannot ${verb} a subscription schedule that is currently in the \`${status}\` status. It must be in one of the statuses: not_started, active.`,
  )
}

function migrate(world: StripeState, subscription: Stripe.Subscription): Stripe.SubscriptionSchedule {
  const { start, end } = findCurrentPeriod(subscription)
  const items = subscription.items.data.map(({ price, quantity }) => ({
    price: findRecurringPrice(world, price.id, 'from_subscription'),
    quantity: quantity ?? 1,
  }))
  const trialEnd = subscription.status === 'trialing' ? subscription.trial_end : null
  const schedule = buildObject<Stripe.SubscriptionSchedule>('SubscriptionSchedules', 'SubscriptionSchedule', {
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
    phases: [buildPhase(subscription, { start, end, items, trialEnd })],
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

/** The subscription continues unchanged. */
export function releaseSchedule(world: StripeState, schedule: Stripe.SubscriptionSchedule): void {
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
