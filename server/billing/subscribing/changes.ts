import { plans } from '../../../shared/billing.ts'
import { AppError } from '../../core/common/errors.ts'
import { type AccountDb, type Db, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { chooseResting, listStoreRests, lockStores } from '../billing/resting.ts'
import { type Choice, soldBy } from '../payments/catalogue-rules.ts'
import { boughtOf } from '../payments/derive-rules.ts'
import { askStripe, declineWords, readAnswer, readPage } from '../payments/stripe.ts'
import { SeenAttempt, SeenChanged, SeenOpenInvoice } from './answers.ts'
import { changeKind, stateOf, storesOf } from './change-rules.ts'
import { CHANGED, readToken, type Shown } from './change-token.ts'
import { assertMayPay } from './guard.ts'
import { copyAfter, liveOf, needOwn } from './own.ts'
import { assertCard, dueOf, type Planned, planChange } from './preview.ts'
import { release, waitFor, waitingOf } from './schedules.ts'
import { forgetWaiting, keepWaiting, keptOf, putBack } from './waiting.ts'

// A change of the plan as it was shown: what is larger at once, by a payment; what is smaller at the end of the period (decision 85).

export interface Outcome {
  state: 'done' | 'scheduled' | 'confirm'
  url: string | null
  message: string
}

export async function changePlan(
  deps: Deps,
  account: AccountDb<Db>,
  { token, restingStoreIds }: { token: string; restingStoreIds: readonly string[] },
): Promise<Outcome> {
  await assertMayPay(deps, account)
  const shown = readToken(deps, account.accountId, token)
  const planned = await planAgain(deps, account, shown)
  await assertResting(account, planned.to, restingStoreIds)
  const deed = shown.when === 'now' ? changeNow(deps, planned, shown) : changeLater(deps, planned)
  const outcome = await deed.catch(async (error: unknown) => {
    // What was tried is in the history as well.
    await copyAfter(deps, account)
    throw error
  })
  if (restingStoreIds.length > 0) await letRest(deps, account, restingStoreIds)
  await copyAfter(deps, account)
  return outcome
}

/** The change is made already: a store that was disconnected while Stripe was asked does not make it fail. */
function letRest(deps: Deps, account: AccountDb<Db>, chosen: readonly string[]): Promise<void> {
  return transactAccount(account, async (tx) => {
    await lockStores(tx)
    const connected = new Set((await listStoreRests(tx)).map(({ id }) => id))
    const still = chosen.filter((id) => connected.has(id))
    await chooseResting(tx, still, deps.now())
  })
}

/** What was shown has to be what is done: the same subscription, the same amount. */
async function planAgain(deps: Deps, account: AccountDb, shown: Shown): Promise<Planned> {
  const { subscription } = await needOwn(deps, account)
  if (stateOf(subscription) !== shown.state) throw new AppError('conflict', CHANGED)
  const { plan, cycle, extraStores } = shown
  const planned = await planChange(deps, account, { plan, cycle, extraStores })
  if (stateOf(planned.own.subscription) !== shown.state || planned.when !== shown.when) {
    throw new AppError('conflict', CHANGED)
  }
  const { dueNow } = await dueOf(deps, planned, shown.prorationDate ?? undefined)
  if (dueNow !== shown.dueNow) throw new AppError('conflict', CHANGED)
  if (dueNow > 0) assertCard(planned.own)
  return planned
}

async function assertResting(account: AccountDb, to: Choice, chosen: readonly string[]): Promise<void> {
  const stores = await listStoreRests(account)
  if (!chosen.every((id) => stores.some((store) => store.id === id))) throw new AppError('not_found', 'Store not found')
  const needed = Math.max(0, stores.length - storesOf(to))
  if (new Set(chosen).size < needed) {
    throw new AppError('unprocessable', `Choose ${needed} ${needed === 1 ? 'store' : 'stores'} to rest.`)
  }
}

async function changeLater(deps: Deps, { own, from, to, lines }: Planned): Promise<Outcome> {
  await waitFor(deps, own.subscription, { lines, cycle: to.cycle })
  await forgetWaiting(deps, own.subscription)
  const what = from.plan === to.plan ? 'changes' : `changes to ${plans[to.plan].name}`
  return { state: 'scheduled', url: null, message: `Your plan ${what} when its period ends.` }
}

async function changeNow(deps: Deps, planned: Planned, shown: Shown): Promise<Outcome> {
  const { own, from, to } = planned
  const { schedule } = own.subscription
  // What waits would be there again at the end of the period.
  const waiting = schedule ? await waitingOf(deps, schedule) : (keptOf(own.subscription)?.to ?? null)
  if (schedule && waiting) await keepWaiting(deps, own.subscription, { from, to: waiting })
  if (schedule) await release(deps, schedule)
  const changed = await update(deps, planned, shown).catch(async (error: unknown) => {
    // A conflict: another request has begun a change of its own a moment before.
    if (!(error instanceof AppError && error.code === 'conflict')) await waitAgain(deps, planned, waiting)
    throw error
  })
  if (!changed.pending_update) {
    const message = from.plan === to.plan ? 'Your plan has changed.' : `You are on the ${plans[to.plan].name} plan.`
    return { state: 'done', url: null, message }
  }
  const { url, refusal } = await attemptOf(deps, changed.latest_invoice)
  if (refusal === null) {
    const message = 'Your bank asks you to confirm the payment. The plan changes once that is done.'
    return { state: 'confirm', url, message }
  }
  await waitAgain(deps, planned, waiting)
  throw new AppError('unprocessable', `${refusal} Your plan has not changed.`)
}

/** Two changes of the same subscription at the same moment have the same key, so that Stripe does one of them. */
async function update(deps: Deps, { own, lines }: Planned, { account, prorationDate, state }: Shown) {
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
  return readAnswer(SeenChanged, changed)
}

/** A change that the card does not pay is given up at once, so that nobody pays it by accident later. */
async function attemptOf(
  deps: Deps,
  invoiceId: string | null,
): Promise<{ url: string | null; refusal: string | null }> {
  if (!invoiceId)
    throw new AppError('unavailable', 'Stripe did not say what became of the payment. Please write to support.')
  const answer = await askStripe(deps, (stripe) => stripe.invoices.retrieve(invoiceId, { expand: ['payments'] }))
  const invoice = readAnswer(SeenOpenInvoice, answer)
  const intentId = invoice.payments.at(-1)?.payment.payment_intent
  const intent = intentId ? await askStripe(deps, (stripe) => stripe.paymentIntents.retrieve(intentId)) : null
  const attempt = intent && readAnswer(SeenAttempt, intent)
  if (attempt && ASKED.includes(attempt.status)) {
    return { url: readPage(deps.config, invoice.hosted_invoice_url), refusal: null }
  }
  await askStripe(deps, (stripe) => stripe.invoices.voidInvoice(invoice.id))
  return { url: null, refusal: declineWords(attempt?.last_payment_error ?? {}) }
}

const ASKED = ['requires_action', 'requires_confirmation', 'processing']

/** Only while the plan is what it was: an answer that was lost may be that of a change that is made and paid. */
async function waitAgain(deps: Deps, { own, from }: Planned, waiting: Choice | null): Promise<void> {
  if (!waiting) return
  const now = await liveOf(deps, own.customer)
  if (!now || now.id !== own.subscription.id || now.schedule) return
  const bought = boughtOf(now.items, soldBy)
  if (!bought || changeKind(bought, from) !== 'none') return
  await putBack(deps, now, waiting)
  await forgetWaiting(deps, now)
}
