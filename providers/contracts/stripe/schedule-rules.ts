import type Stripe from 'stripe'
import { applyItemChanges, findRecurringPrice } from './changes.ts'
import { createInvalidError } from './errors.ts'
import { addInterval } from './periods.ts'
import { buildPhase, type PhaseDraft } from './phase-items.ts'
import type { StripeState } from './state.ts'
import { assertSupported } from './supported.ts'

// Reasons to refuse a schedule, and its phases with defaults filled in.

type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase

/**
 * "When using this parameter, other parameters (such as phase values) cannot be set": the comment of
 * `from_subscription`.
 */
export function assertFromSubscription(
  world: StripeState,
  params: Stripe.SubscriptionScheduleCreateParams,
): Stripe.Subscription {
  const other = Object.keys(params).find((name) => !['from_subscription', 'expand'].includes(name))
  if (other) throw createInvalidError(`You cannot set \`${other}\` if \`from_subscription\` is set.`, other)
  const subscription = world.need('subscription', params.from_subscription!, 'from_subscription')
  if (subscription.ended_at) {
    throw createInvalidError(
      `You cannot migrate a subscription that is in the \`${subscription.status}\` status.`,
      'from_subscription',
    )
  }
  if (subscription.schedule) {
    throw createInvalidError(
      `You cannot migrate a subscription that is already attached to a schedule: ${subscription.schedule}`,
      'from_subscription',
    )
  }
  if (subscription.cancel_at !== null) {
    throw new Error('The contract server makes no schedule of a subscription that is about to end')
  }
  return subscription
}

export function buildPhases(
  world: StripeState,
  schedule: Stripe.SubscriptionSchedule,
  phases: Phase[],
): Stripe.SubscriptionSchedule.Phase[] {
  const subscription = world.find('subscription', schedule.subscription as string)!
  if (phases.length === 0) throw createInvalidError('A subscription schedule must have at least one phase.', 'phases')
  let start = schedule.current_phase!.start_date
  return phases.map((phase, at) => {
    const path = `phases[${at}]`
    assertSupported(phase, [
      'duration',
      'end_date',
      'items',
      'metadata',
      'proration_behavior',
      'start_date',
      'trial',
      'trial_end',
    ])
    assertStart(phase, at, start)
    const items = buildPhaseItems(world, phase, path, subscription.currency)
    const end = computePhaseEnd(phase, path, start)
    if (end <= start)
      throw createInvalidError('The end date of a phase must be after its start date.', `${path}[end_date]`)
    if (at === 0 && end <= world.now)
      throw createInvalidError('The current phase must end in the future.', `${path}[end_date]`)
    const trialEnd = phase.trial ? end : typeof phase.trial_end === 'number' ? phase.trial_end : null
    if (at > 0 && trialEnd !== null) throw new Error('The contract server plays trials in the current phase only')
    const draft: PhaseDraft = { start, end, items, trialEnd }
    start = end
    return buildPhase(subscription, { ...draft, prorationBehavior: phase.proration_behavior ?? 'create_prorations' })
  })
}

/** "Must be set on the first phase": the comment of `start_date`. A phase starts where the previous one ends. */
function assertStart(phase: Phase, at: number, start: number): void {
  const param = `phases[${at}][start_date]`
  if (at === 0 && phase.start_date === undefined) {
    throw createInvalidError(
      'The subscription schedule update is missing at least one phase with a `start_date` to anchor end dates to.',
      param,
    )
  }
  if (phase.start_date === undefined || phase.start_date === start) return
  throw createInvalidError(
    at === 0
      ? 'You can not modify the start date of the current phase.'
      : 'The start date of a phase must be the end date of the phase before it.',
    param,
  )
}

function computePhaseEnd(phase: Phase, path: string, start: number): number {
  if (phase.end_date !== undefined && phase.duration) {
    throw createInvalidError(
      `You may only specify one of these parameters: ${path}[duration], ${path}[end_date].`,
      path,
    )
  }
  if (typeof phase.end_date === 'number') return phase.end_date
  if (phase.duration) return addInterval(start, phase.duration.interval, phase.duration.interval_count ?? 1)
  throw createInvalidError(`Missing required param: ${path}[end_date].`, `${path}[end_date]`, 'parameter_missing')
}

function buildPhaseItems(world: StripeState, phase: Phase, path: string, currency: string) {
  const items = phase.items.map((item, at) => {
    if (!item.price)
      throw createInvalidError(
        `Missing required param: ${path}[items][${at}][price].`,
        `${path}[items][${at}][price]`,
        'parameter_missing',
      )
    return {
      price: findRecurringPrice(world, item.price, `${path}[items][${at}][price]`),
      quantity: item.quantity ?? 1,
    }
  })
  applyItemChanges(
    world,
    [],
    items.map(({ price, quantity }) => ({ price: price.id, quantity })),
    currency,
  )
  return items
}
