import type { BillingCycle } from '../../../shared/billing.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import { type Choice, soldBy } from '../payments/catalogue-rules.ts'
import { boughtOf } from '../payments/derive-rules.ts'
import { SeenSchedule } from '../payments/seen.ts'
import { askStripe, readAnswer } from '../payments/stripe.ts'
import { type SeenOwn, SeenRunning } from './answers.ts'
import { type Line, phasesOf } from './change-rules.ts'
import { CHANGED } from './change-token.ts'

// What waits for the end of the period: a schedule at Stripe with the plan as it is, then the one to come.

/** The plan of `lines` from the end of the period on. Replaces what waits already. */
export async function waitFor(
  deps: Deps,
  subscription: SeenOwn,
  next: { lines: readonly Line[]; cycle: BillingCycle },
): Promise<void> {
  const { id, ...period } = await running(deps, subscription)
  const phases = phasesOf(subscription, period, next)
  await askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.update(id, { phases, end_behavior: 'release', proration_behavior: 'none' }),
  )
}

async function running(deps: Deps, subscription: SeenOwn): Promise<{ id: string; start: number; end: number }> {
  const answer = subscription.schedule
    ? await askStripe(deps, (stripe) => stripe.subscriptionSchedules.retrieve(subscription.schedule!))
    : await createFor(deps, subscription.id)
  const { id, current_phase: phase } = readAnswer(SeenRunning, answer)
  if (!phase) throw new AppError('conflict', CHANGED)
  return { id, start: phase.start_date, end: phase.end_date }
}

/** Refused where another request has made one a moment before. */
function createFor(deps: Deps, subscription: string) {
  return askStripe(deps, (stripe) => stripe.subscriptionSchedules.create({ from_subscription: subscription })).catch(
    async (error: unknown) => {
      const now = await askStripe(deps, (stripe) => stripe.subscriptions.retrieve(subscription))
      throw now.schedule ? new AppError('conflict', CHANGED) : error
    },
  )
}

/** The subscription goes on as it is. One that is over already needs nothing. */
export async function release(deps: Deps, schedule: string): Promise<void> {
  await askStripe(deps, (stripe) => stripe.subscriptionSchedules.release(schedule)).catch(async (error: unknown) => {
    const { status } = await askStripe(deps, (stripe) => stripe.subscriptionSchedules.retrieve(schedule))
    if (status === 'active' || status === 'not_started') throw error
  })
}

/** The plan that waits. */
export async function waitingOf(deps: Deps, schedule: string): Promise<Choice | null> {
  const answer = await askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.retrieve(schedule, { expand: ['phases.items.price'] }),
  )
  const { phases, current_phase: current } = readAnswer(SeenSchedule, answer)
  const next = current && phases.find(({ start_date: start }) => start >= current.end_date)
  return next ? boughtOf(next.items, soldBy) : null
}
