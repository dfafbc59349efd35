import type { BillingCycle } from '../../../shared/billing/billing.ts'
import { AppError } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import { askStripe, findEntry, type PlanChoice, parseAnswer, readPurchase, StripeSchedule } from '../payments/public.ts'
import { buildPhases, type Line } from './change-rules.ts'
import { CHANGED } from './change-token.ts'
import { type LiveSubscription, RunningSchedule } from './stripe-schemas.ts'

// Changes at the end of the period, as schedules at Stripe: the current plan, then the next one.

/** Schedules the plan of `lines` for the end of the period. Replaces an earlier schedule. */
export async function schedulePlan(
  deps: Pick<Deps, 'log' | 'stripe'>,
  subscription: LiveSubscription,
  next: { lines: readonly Line[]; cycle: BillingCycle },
): Promise<void> {
  const { id, ...period } = await findOrCreateSchedule(deps, subscription)
  const phases = buildPhases(subscription, period, next)
  await askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.update(id, { phases, end_behavior: 'release', proration_behavior: 'none' }),
  )
}

async function findOrCreateSchedule(
  deps: Pick<Deps, 'log' | 'stripe'>,
  subscription: LiveSubscription,
): Promise<{ id: string; start: number; end: number }> {
  const answer = subscription.schedule
    ? await askStripe(deps, (stripe) => stripe.subscriptionSchedules.retrieve(subscription.schedule!))
    : await createSchedule(deps, subscription.id)
  const { id, current_phase: phase } = parseAnswer(RunningSchedule, answer)
  if (!phase) throw new AppError('conflict', CHANGED)
  return { id, start: phase.start_date, end: phase.end_date }
}

/** Refused if a concurrent request has just created one. */
function createSchedule(deps: Pick<Deps, 'log' | 'stripe'>, subscription: string) {
  return askStripe(deps, (stripe) => stripe.subscriptionSchedules.create({ from_subscription: subscription })).catch(
    async (error: unknown) => {
      const now = await askStripe(deps, (stripe) => stripe.subscriptions.retrieve(subscription))
      throw now.schedule ? new AppError('conflict', CHANGED) : error
    },
  )
}

/** Keeps the subscription as it is. A schedule that is already over is ignored. */
export async function releaseSchedule(deps: Pick<Deps, 'log' | 'stripe'>, schedule: string): Promise<void> {
  await askStripe(deps, (stripe) => stripe.subscriptionSchedules.release(schedule)).catch(async (error: unknown) => {
    const { status } = await askStripe(deps, (stripe) => stripe.subscriptionSchedules.retrieve(schedule))
    if (status === 'active' || status === 'not_started') throw error
  })
}

/** The scheduled plan. */
export async function readScheduledPlan(
  deps: Pick<Deps, 'log' | 'stripe'>,
  schedule: string,
): Promise<PlanChoice | null> {
  const answer = await askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.retrieve(schedule, { expand: ['phases.items.price'] }),
  )
  const { phases, current_phase: current } = parseAnswer(StripeSchedule, answer)
  const next = current && phases.find(({ start_date: start }) => start >= current.end_date)
  return next ? readPurchase(next.items, findEntry) : null
}
