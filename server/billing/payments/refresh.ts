import { parseCurrency } from '../../../shared/money.ts'
import { fitStores, lockStores } from '../billing/resting.ts'
import { claimTrial } from '../billing/trials.ts'
import { type AccountDb, type AccountTx, transactAccount } from '../../core/db/db.ts'
import { settleCredits } from '../credits/credits.ts'
import type { Deps } from '../../deps.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { notifyAccountOnce, notifyAccountsOnce } from '../../access/notifications/notifications.ts'
import { raiseProblem, resolveProblem } from '../../access/problems/problems.ts'
import { soldBy } from './catalogue-rules.ts'
import * as sql from './copy-sql.ts'
import {
  countedOf,
  type Derived,
  type DerivedRow,
  endedWithCustomer,
  isLive,
  openInvoicesOf,
  type Problem,
  replaces,
  subscriptionFrom,
  WAITS,
} from './derive-rules.ts'
import { endIfTakenBack } from './ending.ts'
import { waitAgainJob } from './jobs.ts'
import { type Look, lookAt } from './look.ts'
import { noticesOf, type Overdue, refusedTrial } from './notice-rules.ts'
import { reasonOf } from './payment-rules.ts'
import { dateOf } from './seen.ts'
import { endTrial } from './trials.ts'

// The account's copy of what Stripe has, made anew of Stripe's current objects (decision 83). Events, the nightly look and opening
// the page of billing all end here; none of them says anything itself. A look takes a number before it asks, and is written down only
// where no later one was: the last look that began has seen everything, so the order of all others does not matter.

interface Told {
  /** Stripe has said that the trial is about to end. */
  isTrialEnding?: boolean
}

/** Does nothing where nothing was ever bought. Throws what Stripe failed with, and notes it. */
export async function refreshAccount(deps: Deps, accountId: string, told: Told = {}): Promise<void> {
  const account = { accountId, db: deps.db }
  const copied = await copy(deps, account, told)
  if (!copied) return
  const { customer, look } = copied
  const ends = [
    await endIfTakenBack(deps, account, { customer, disputed: look.disputed }),
    await holdTrial(deps, account, look),
  ]
  if (ends.includes('ended')) await copy(deps, account, told)
  const counted = countedOf(look.seen.subscriptions)
  if (counted && isLive(counted) && counted.metadata[WAITS]) {
    await deps.jobs.enqueue(deps.db, waitAgainJob, { accountId }, accountId)
  }
}

async function copy(deps: Deps, account: AccountDb, told: Told): Promise<{ customer: string; look: Look } | null> {
  const begun = await sql.beginLook(account)
  if (!begun) return null
  try {
    const look = await lookAt(deps, begun.customer, account.accountId)
    await writeDown(deps, account, { ...told, begun: begun.begun, look })
    return { customer: begun.customer, look }
  } catch (error) {
    await sql.noteFailure(account, error instanceof Error ? error.message.slice(0, 500) : 'unknown', deps.now())
    throw error
  }
}

/** A trial that another account has had, by the same card or address, ends here (decision 84). */
async function holdTrial(deps: Deps, account: AccountDb, { seen, fingerprints }: Look): Promise<'kept' | 'ended'> {
  const counted = countedOf(seen.subscriptions)
  if (counted?.status !== 'trialing') return 'kept'
  const claimed = await claimTrial(deps, account, fingerprints)
  if (claimed === 'own' || (await sql.isPaused(deps.db))) return 'kept'
  const { row } = subscriptionFrom(seen, soldBy)
  // Told first: what is told later could be lost, and ending is tried again.
  if (row) await notifyAccountOnce(account, { ...refusedTrial(row, claimed), at: deps.now() })
  await endTrial(deps, { ...counted, hasCard: fingerprints.length > 0 })
  return 'ended'
}

interface Seeing extends Told {
  begun: number
  look: Look
}

async function writeDown(deps: Deps, account: AccountDb, seeing: Seeing): Promise<void> {
  const { begun, look } = seeing
  const now = deps.now()
  const problems = await transactAccount(account, async (tx) => {
    await lockStores(tx)
    if (!(await sql.takeTurn(tx, begun))) return []
    const before = (await sql.lockSubscription(tx)) ?? null
    const { row, problems } = derive(look, before)
    await sql.savePayments(tx, look.payments)
    await settleCredits(tx, look.credits, now)
    await sql.endLook(tx, begun, now, problems.length > 0 ? wordsOf(problems) : null)
    if (row && replaces(before?.source ?? null, row)) await saveRow(tx, { before, row, seeing, now })
    await tellOperators(tx, problems, now)
    return problems
  })
  if (problems.length > 0) deps.log.error({ accountId: account.accountId, problems }, 'payments.problem')
}

function derive({ isDeleted, seen }: Look, before: sql.CopiedRow | null): Derived {
  if (!isDeleted) return subscriptionFrom(seen, soldBy)
  const id = before?.stripeSubscriptionId
  return { row: id ? endedWithCustomer(id) : null, problems: [] }
}

interface Saving {
  before: sql.CopiedRow | null
  row: DerivedRow
  seeing: Seeing
  now: Date
}

/** What waited for a larger plan, or for a payment, is looked at again in the same commit, and owners are told of what has changed. */
async function saveRow(tx: AccountTx, { before, row, seeing, now }: Saving): Promise<void> {
  const { accountId, db } = tx
  await sql.saveRow(tx, row, now)
  await fitStores(tx, now)
  if (allows(before) !== allows(row)) await wakeMessagesOf(db, accountId, ['plan_limit', 'plan_required'], now)
  const { look, begun, isTrialEnding = false } = seeing
  const notices = noticesOf({ before, after: row, overdue: overdueOf(look, row), isTrialEnding, begun, now })
  await notifyAccountsOnce(
    db,
    notices.map((notice) => ({ accountId, ...notice })),
    now,
  )
}

const allows = (row: Pick<DerivedRow, 'plan' | 'status' | 'pastDueSince' | 'extraStores'> | null) =>
  row && [row.plan, row.status, row.pastDueSince?.getTime(), row.extraStores].join(' ')

function overdueOf({ seen, intentsOf }: Look, { stripeSubscriptionId }: DerivedRow): Overdue {
  const [invoice] = openInvoicesOf(seen.invoices, stripeSubscriptionId)
  if (!invoice) return { invoiceId: null, amount: null, currency: null, reason: null, nextTry: null }
  const { id, amount_due: amount, currency, next_payment_attempt: next } = invoice
  return {
    ...{ invoiceId: id, amount, currency: parseCurrency(currency) },
    ...{ reason: reasonOf(intentsOf(invoice)), nextTry: next === null ? null : dateOf(next) },
  }
}

/** Only they can mend these, at Stripe; what is not found any more is done. */
async function tellOperators(tx: AccountTx, problems: readonly Problem[], now: Date): Promise<void> {
  for (const kind of ['two_subscriptions', 'unknown_price'] as const) {
    const found = problems.filter((one) => (one.kind === 'two_subscriptions') === (kind === 'two_subscriptions'))
    if (found.length > 0) await raiseProblem(tx, { kind, detail: wordsOf(found), now })
    else await resolveProblem(tx, kind, now)
  }
}

const WORDS: Record<Problem['kind'], string> = {
  two_subscriptions: 'Two subscriptions run at Stripe; the newest counts',
  unknown_price: 'A subscription has a price that Recoup does not sell',
  unknown_status: 'A subscription has a state that Recoup does not know',
  too_many_stores: 'A subscription has more extra stores than are sold',
}
const wordsOf = (problems: readonly Problem[]) =>
  problems.map(({ kind, ids }) => `${WORDS[kind]}: ${ids.join(', ')}.`).join(' ')
