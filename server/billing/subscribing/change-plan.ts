import { plans } from '../../../shared/billing/billing.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Db, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { listStoreRests, lockStores, saveRestingOrder } from '../billing/public.ts'
import {
  askStripe,
  describeDecline,
  findEntry,
  type PlanChoice,
  parseAnswer,
  parsePageUrl,
  readPurchase,
} from '../payments/public.ts'
import { classifyChange, countStores, digestState } from './change-rules.ts'
import { CHANGED, type PreviewedChange, readChangeToken } from './change-token.ts'
import { assertCanPay } from './guard.ts'
import { copyAfterAction, findLiveSubscription, requireOwnSubscription } from './own-subscription.ts'
import { assertCard, fetchAmountDue, type PlannedChange, planChange } from './preview.ts'
import { readScheduledPlan, releaseSchedule, schedulePlan } from './schedules.ts'
import { ChangedSubscription, OpenInvoice, PaymentAttempt } from './stripe-schemas.ts'
import { clearWaitingPlan, readWaitingPlan, restoreWaitingPlan, saveWaitingPlan } from './waiting-plan.ts'

// Changes the plan as previewed: to a larger one at once with a payment, to a smaller one at the end of the period
// (decision 85).

export interface ChangeOutcome {
  state: 'done' | 'scheduled' | 'confirm'
  url: string | null
  message: string
}

export async function changePlan(
  deps: Deps,
  account: AccountDb<Db>,
  { token, restingStoreIds }: { token: string; restingStoreIds: readonly string[] },
): Promise<ChangeOutcome> {
  await assertCanPay(deps, account)
  const previewed = readChangeToken(deps, account.accountId, token)
  const planned = await verifyPreview(deps, account, previewed)
  await assertResting(account, planned.to, restingStoreIds)
  const action = previewed.when === 'now' ? changeNow(deps, planned, previewed) : scheduleChange(deps, planned)
  const outcome = await action.catch(async (error: unknown) => {
    // The history shows failed attempts too.
    await copyAfterAction(deps, account)
    throw error
  })
  if (restingStoreIds.length > 0) await restStores(deps, account, restingStoreIds)
  await copyAfterAction(deps, account)
  return outcome
}

/** The change is already made, so a store that was disconnected meanwhile must not make it fail. */
function restStores(deps: Pick<Deps, 'now'>, account: AccountDb<Db>, chosen: readonly string[]): Promise<void> {
  return transactAccount(account, async (tx) => {
    await lockStores(tx)
    const connected = new Set((await listStoreRests(tx)).map(({ id }) => id))
    const still = chosen.filter((id) => connected.has(id))
    await saveRestingOrder(tx, still, deps.now())
  })
}

/** Computes the change again. It must match the preview: the same subscription and amount. */
async function verifyPreview(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'stripe'>,
  account: AccountDb,
  previewed: PreviewedChange,
): Promise<PlannedChange> {
  const { subscription } = await requireOwnSubscription(deps, account)
  if (digestState(subscription) !== previewed.state) throw new AppError('conflict', CHANGED)
  const { plan, cycle, extraStores } = previewed
  const planned = await planChange(deps, account, { plan, cycle, extraStores })
  if (digestState(planned.own.subscription) !== previewed.state || planned.when !== previewed.when) {
    throw new AppError('conflict', CHANGED)
  }
  const { dueNow } = await fetchAmountDue(deps, planned, previewed.prorationDate ?? undefined)
  if (dueNow !== previewed.dueNow) throw new AppError('conflict', CHANGED)
  if (dueNow > 0) assertCard(planned.own)
  return planned
}

async function assertResting(account: AccountDb, to: PlanChoice, chosen: readonly string[]): Promise<void> {
  const stores = await listStoreRests(account)
  if (!chosen.every((id) => stores.some((store) => store.id === id))) throw new AppError('not_found', 'Store not found')
  const needed = Math.max(0, stores.length - countStores(to))
  if (new Set(chosen).size < needed) {
    throw new AppError('unprocessable', `Choose ${needed} ${needed === 1 ? 'store' : 'stores'} to make inactive.`)
  }
}

async function scheduleChange(
  deps: Pick<Deps, 'log' | 'stripe'>,
  { own, from, to, lines }: PlannedChange,
): Promise<ChangeOutcome> {
  await schedulePlan(deps, own.subscription, { lines, cycle: to.cycle })
  await clearWaitingPlan(deps, own.subscription)
  const what = from.plan === to.plan ? 'changes' : `changes to ${plans[to.plan].name}`
  return { state: 'scheduled', url: null, message: `Your plan ${what} after the current billing period.` }
}

async function changeNow(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'stripe'>,
  planned: PlannedChange,
  previewed: PreviewedChange,
): Promise<ChangeOutcome> {
  const { own, from, to } = planned
  const { schedule } = own.subscription
  // The scheduled change would otherwise return at the end of the period.
  const waiting = schedule ? await readScheduledPlan(deps, schedule) : (readWaitingPlan(own.subscription)?.to ?? null)
  if (schedule && waiting) await saveWaitingPlan(deps, own.subscription, { from, to: waiting })
  if (schedule) await releaseSchedule(deps, schedule)
  const changed = await updateSubscription(deps, planned, previewed).catch(async (error: unknown) => {
    // On a conflict, a concurrent request has started its own change.
    if (!(error instanceof AppError && error.code === 'conflict')) await restoreSchedule(deps, planned, waiting)
    throw error
  })
  if (!changed.pending_update) {
    const message = from.plan === to.plan ? 'Your plan has changed.' : `You are on the ${plans[to.plan].name} plan.`
    return { state: 'done', url: null, message }
  }
  const { url, refusal } = await readAttempt(deps, changed.latest_invoice)
  if (refusal === null) {
    const message = 'Your bank asks you to confirm the payment. The plan changes after that.'
    return { state: 'confirm', url, message }
  }
  await restoreSchedule(deps, planned, waiting)
  throw new AppError('unprocessable', `${refusal} Your plan has not changed.`)
}

/** Two concurrent changes of a subscription have the same key, so that Stripe executes one. */
async function updateSubscription(
  deps: Pick<Deps, 'log' | 'stripe'>,
  { own, lines }: PlannedChange,
  { account, prorationDate, state }: PreviewedChange,
) {
  const { id } = own.subscription
  const changed = await askStripe(deps, (stripe) =>
    stripe.subscriptions.update(
      id,
      {
        items: lines,
        proration_behavior: 'always_invoice',
        payment_behavior: 'pending_if_incomplete',
        ...(prorationDate !== null && { proration_date: prorationDate }),
      },
      { idempotencyKey: `recoup:change:${account}:${state}` },
    ),
  )
  return parseAnswer(ChangedSubscription, changed)
}

/** A change that the card declines is cancelled at once, so that it is not paid by accident later. */
async function readAttempt(
  deps: Pick<Deps, 'config' | 'log' | 'stripe'>,
  invoiceId: string | null,
): Promise<{ url: string | null; refusal: string | null }> {
  if (!invoiceId)
    throw new AppError('unavailable', 'Stripe did not report the result of the payment. Please contact support.')
  const answer = await askStripe(deps, (stripe) => stripe.invoices.retrieve(invoiceId, { expand: ['payments'] }))
  const invoice = parseAnswer(OpenInvoice, answer)
  const intentId = invoice.payments.at(-1)?.payment.payment_intent
  const intent = intentId ? await askStripe(deps, (stripe) => stripe.paymentIntents.retrieve(intentId)) : null
  const attempt = intent && parseAnswer(PaymentAttempt, intent)
  if (attempt && NEEDS_ACTION.includes(attempt.status)) {
    return { url: parsePageUrl(deps.config, invoice.hosted_invoice_url), refusal: null }
  }
  await askStripe(deps, (stripe) => stripe.invoices.voidInvoice(invoice.id))
  return { url: null, refusal: describeDecline(attempt?.last_payment_error ?? {}) }
}

const NEEDS_ACTION = ['requires_action', 'requires_confirmation', 'processing']

/** Only while the plan is unchanged: after a lost answer the change may be made and paid. */
async function restoreSchedule(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'stripe'>,
  { own, from }: PlannedChange,
  waiting: PlanChoice | null,
): Promise<void> {
  if (!waiting) return
  const now = await findLiveSubscription(deps, own.customer)
  if (!now || now.id !== own.subscription.id || now.schedule) return
  const bought = readPurchase(now.items, findEntry)
  if (!bought || classifyChange(bought, from) !== 'none') return
  await restoreWaitingPlan(deps, now, waiting)
  await clearWaitingPlan(deps, now)
}
