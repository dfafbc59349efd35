import { z } from 'zod'
import { BillingCycle } from '../../../shared/billing/billing.ts'
import type { Deps } from '../../deps.ts'
import {
  askStripe,
  findEntry,
  isPaused,
  loadCatalogue,
  type PlanChoice,
  paidPlans,
  readPurchase,
  WAITING_PLAN,
  type waitAgainJob,
} from '../payments/public.ts'
import { buildItems, classifyChange } from './change-rules.ts'
import { copyAfterAction, findOwnSubscription } from './own-subscription.ts'
import { readScheduledPlan, schedulePlan } from './schedules.ts'
import type { LiveSubscription } from './stripe-schemas.ts'

// A scheduled smaller plan when a larger one is requested. It is stored in the subscription's metadata at Stripe until
// the larger one is made. If the bank's question stays unanswered and Stripe drops the change, it is scheduled again.

/** A change made within this time may still be in progress. */
const IN_PROGRESS_S = 10 * 60

const Plan = z.strictObject({ plan: z.enum(paidPlans), cycle: BillingCycle, extraStores: z.number().int() })
const WaitingPlan = z.strictObject({ from: Plan, to: Plan, at: z.number().int() })
type WaitingPlan = z.infer<typeof WaitingPlan>

type MetadataHolder = Pick<LiveSubscription, 'id' | 'metadata'>

/** Call before the schedule is released, so that the choice cannot be lost. */
export async function saveWaitingPlan(
  deps: Pick<Deps, 'log' | 'now' | 'stripe'>,
  { id }: MetadataHolder,
  { from, to }: { from: PlanChoice; to: PlanChoice },
): Promise<void> {
  const waiting: WaitingPlan = {
    from: toPlainChoice(from),
    to: toPlainChoice(to),
    at: Math.floor(deps.now().getTime() / 1_000),
  }
  await askStripe(deps, (stripe) =>
    stripe.subscriptions.update(id, { metadata: { [WAITING_PLAN]: JSON.stringify(waiting) } }),
  )
}

const toPlainChoice = ({ plan, cycle, extraStores }: PlanChoice) => ({ plan, cycle, extraStores })

/** After another decision of the owner, or once the plan is scheduled again. */
export async function clearWaitingPlan(
  deps: Pick<Deps, 'log' | 'stripe'>,
  { id, metadata }: MetadataHolder,
): Promise<void> {
  if (!metadata[WAITING_PLAN]) return
  await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { metadata: { [WAITING_PLAN]: '' } }))
}

/** null: none, or one that belongs to a former plan. */
export function readWaitingPlan({ metadata, items }: LiveSubscription): WaitingPlan | null {
  const { data: waiting } = WaitingPlan.safeParse(parseJson(metadata[WAITING_PLAN]))
  const bought = readPurchase(items, findEntry)
  return waiting && bought && classifyChange(bought, waiting.from) === 'none' ? waiting : null
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}

/** Run by the job after a snapshot with such a choice. */
export async function restoreByJob(deps: Deps, { accountId }: z.infer<typeof waitAgainJob.payload>): Promise<void> {
  const account = { accountId, db: deps.db }
  if (await isPaused(deps.db)) return
  const subscription = (await findOwnSubscription(deps, account))?.subscription
  if (!subscription?.metadata[WAITING_PLAN]) return
  const waiting = readWaitingPlan(subscription)
  const isEnding = subscription.cancel_at !== null || subscription.cancel_at_period_end
  if (waiting && !isEnding) {
    if (subscription.pending_update || deps.now().getTime() / 1_000 - waiting.at < IN_PROGRESS_S) return
    const waits = subscription.schedule && (await readScheduledPlan(deps, subscription.schedule))
    if (!waits) await restoreWaitingPlan(deps, subscription, waiting.to)
  }
  await clearWaitingPlan(deps, subscription)
  await copyAfterAction(deps, account)
}

export async function restoreWaitingPlan(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'stripe'>,
  subscription: LiveSubscription,
  to: PlanChoice,
): Promise<void> {
  const { prices } = await loadCatalogue(deps)
  await schedulePlan(deps, subscription, { lines: buildItems(prices, subscription.items, to), cycle: to.cycle })
}
