import type { Deps } from '../../deps.ts'
import { askStripe } from './stripe.ts'

/** Ends a trial now: the plan is charged, or the subscription ends if there is no card. */
export async function endTrial(
  deps: Pick<Deps, 'stripe' | 'log'>,
  { id, schedule, hasCard }: { id: string; schedule: string | null; hasCard: boolean },
): Promise<void> {
  if (!hasCard) {
    await askStripe(deps, (stripe) => stripe.subscriptions.cancel(id))
    return
  }
  // A scheduled smaller plan would keep the trial running.
  if (schedule) await askStripe(deps, (stripe) => stripe.subscriptionSchedules.release(schedule))
  await askStripe(deps, (stripe) =>
    stripe.subscriptions.update(id, { trial_end: 'now' }, { idempotencyKey: `recoup:end-trial:${id}` }),
  )
}
