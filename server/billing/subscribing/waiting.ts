import { z } from 'zod'
import { BillingCycle } from '../../../shared/billing.ts'
import type { Deps } from '../../deps.ts'
import { catalogueOf } from '../payments/catalogue.ts'
import { type Choice, paidPlans, soldBy } from '../payments/catalogue-rules.ts'
import { boughtOf, WAITS } from '../payments/derive-rules.ts'
import type { waitAgainJob } from '../payments/jobs.ts'
import { isPaused } from '../payments/pause.ts'
import { askStripe } from '../payments/stripe.ts'
import type { SeenOwn } from './answers.ts'
import { changeKind, itemsOf } from './change-rules.ts'
import { copyAfter, ownOf } from './own.ts'
import { waitFor, waitingOf } from './schedules.ts'

// A smaller plan that waited when a larger one was asked for. It stands in the subscription's metadata at Stripe until the larger one is
// made, so that it waits again where the bank is never answered and Stripe drops the change.

/** A change that is being made now is neither waiting for its bank nor dropped yet. */
const UNDER_WAY_S = 10 * 60

const Plan = z.strictObject({ plan: z.enum(paidPlans), cycle: BillingCycle, extraStores: z.number().int() })
const Kept = z.strictObject({ from: Plan, to: Plan, at: z.number().int() })
type Kept = z.infer<typeof Kept>

type Held = Pick<SeenOwn, 'id' | 'metadata'>

/** Before the schedule is released: whatever happens after it, the choice is not lost. */
export async function keepWaiting(deps: Deps, { id }: Held, { from, to }: { from: Choice; to: Choice }): Promise<void> {
  const kept: Kept = { from: plainOf(from), to: plainOf(to), at: Math.floor(deps.now().getTime() / 1_000) }
  await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { metadata: { [WAITS]: JSON.stringify(kept) } }))
}

const plainOf = ({ plan, cycle, extraStores }: Choice) => ({ plan, cycle, extraStores })

/** The owner has decided otherwise, or what waited waits again. */
export async function forgetWaiting(deps: Deps, { id, metadata }: Held): Promise<void> {
  if (!metadata[WAITS]) return
  await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { metadata: { [WAITS]: '' } }))
}

/** null: nothing, or what belongs to a plan that is not this one any more. */
export function keptOf({ metadata, items }: SeenOwn): Kept | null {
  const { data: kept } = Kept.safeParse(parsed(metadata[WAITS]))
  const bought = boughtOf(items, soldBy)
  return kept && bought && changeKind(bought, kept.from) === 'none' ? kept : null
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}

/** By the job of a look that has seen such a choice. */
export async function waitAgainByJob(deps: Deps, { accountId }: z.infer<typeof waitAgainJob.payload>): Promise<void> {
  const account = { accountId, db: deps.db }
  if (await isPaused(deps.db)) return
  const subscription = (await ownOf(deps, account))?.subscription
  if (!subscription?.metadata[WAITS]) return
  const kept = keptOf(subscription)
  const isEnding = subscription.cancel_at !== null || subscription.cancel_at_period_end
  if (kept && !isEnding) {
    if (subscription.pending_update || deps.now().getTime() / 1_000 - kept.at < UNDER_WAY_S) return
    const waits = subscription.schedule && (await waitingOf(deps, subscription.schedule))
    if (!waits) await putBack(deps, subscription, kept.to)
  }
  await forgetWaiting(deps, subscription)
  await copyAfter(deps, account)
}

export async function putBack(deps: Deps, subscription: SeenOwn, to: Choice): Promise<void> {
  const { prices } = await catalogueOf(deps)
  await waitFor(deps, subscription, { lines: itemsOf(prices, subscription.items, to), cycle: to.cycle })
}
