import { parseCurrency } from '../../../shared/money.ts'
import { notifyAccountOnce, notifyAccountsOnce } from '../../access/notifications/notifications.ts'
import { raiseProblem, resolveProblem } from '../../access/problems/problems.ts'
import { type AccountDb, type AccountTx, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { lockStores, updateResting } from '../billing/resting.ts'
import { claimTrial } from '../billing/trials.ts'
import { settleCredits } from '../credits/credits.ts'
import { findEntry } from './catalogue-rules.ts'
import * as sql from './copy-sql.ts'
import {
  buildRowOfDeletedCustomer,
  type DerivedProblem,
  type DerivedRow,
  type DerivedSubscription,
  deriveSubscription,
  findCounted,
  isLive,
  listOpenInvoices,
  replacesSource,
  WAITING_PLAN,
} from './derive-rules.ts'
import { endAfterChargeback } from './ending.ts'
import { waitAgainJob } from './jobs.ts'
import { buildNotices, buildRefusedTrial, type Overdue } from './notice-rules.ts'
import { findReason } from './payment-rules.ts'
import { fetchSnapshot, type StripeSnapshot } from './snapshot.ts'
import { toDate } from './stripe-schemas.ts'
import { endTrial } from './trials.ts'

// Rebuilds an account's copy from Stripe's current objects (decision 83). Events, the nightly job and the Billing page
// all end here and contribute no data of their own. A snapshot takes a version number before the fetch, and is saved
// only if no later one was. The last fetch to start has seen everything, so the order of the others is irrelevant.

interface RefreshHints {
  /** Stripe announced the end of the trial. */
  isTrialEnding?: boolean
}

/** Does nothing if the account never bought anything. Records and rethrows Stripe's failure. */
export async function refreshAccount(deps: Deps, accountId: string, hints: RefreshHints = {}): Promise<void> {
  const account = { accountId, db: deps.db }
  const copied = await copySnapshot(deps, account, hints)
  if (!copied) return
  const { customer, look } = copied
  const ends = [
    await endAfterChargeback(deps, account, { customer, disputed: look.disputed }),
    await checkTrial(deps, account, look),
  ]
  if (ends.includes('ended')) await copySnapshot(deps, account, hints)
  const counted = findCounted(look.seen.subscriptions)
  if (counted && isLive(counted) && counted.metadata[WAITING_PLAN]) {
    await deps.jobs.enqueue(deps.db, waitAgainJob, { accountId }, accountId)
  }
}

async function copySnapshot(
  deps: Deps,
  account: AccountDb,
  hints: RefreshHints,
): Promise<{ customer: string; look: StripeSnapshot } | null> {
  const begun = await sql.nextVersion(account)
  if (!begun) return null
  try {
    const look = await fetchSnapshot(deps, begun.customer, account.accountId)
    await saveSnapshot(deps, account, { ...hints, begun: begun.begun, look })
    return { customer: begun.customer, look }
  } catch (error) {
    await sql.recordFailure(account, error instanceof Error ? error.message.slice(0, 500) : 'unknown', deps.now())
    throw error
  }
}

/** Ends a trial if another account has had one with the same card or address (decision 84). */
async function checkTrial(
  deps: Deps,
  account: AccountDb,
  { seen, fingerprints }: StripeSnapshot,
): Promise<'kept' | 'ended'> {
  const counted = findCounted(seen.subscriptions)
  if (counted?.status !== 'trialing') return 'kept'
  const claimed = await claimTrial(deps, account, fingerprints)
  if (claimed === 'own' || (await sql.isPaused(deps.db))) return 'kept'
  const { row } = deriveSubscription(seen, findEntry)
  // Notify first: a later notice could be lost, while ending the trial is retried.
  if (row) await notifyAccountOnce(account, { ...buildRefusedTrial(row, claimed), at: deps.now() })
  await endTrial(deps, { ...counted, hasCard: fingerprints.length > 0 })
  return 'ended'
}

interface SnapshotInput extends RefreshHints {
  begun: number
  look: StripeSnapshot
}

async function saveSnapshot(deps: Deps, account: AccountDb, seeing: SnapshotInput): Promise<void> {
  const { begun, look } = seeing
  const now = deps.now()
  const problems = await transactAccount(account, async (tx) => {
    await lockStores(tx)
    if (!(await sql.claimVersion(tx, begun))) return []
    const before = (await sql.lockSubscription(tx)) ?? null
    const { row, problems } = derive(look, before)
    await sql.savePayments(tx, look.payments)
    await settleCredits(tx, look.credits, now)
    await sql.finishVersion(tx, begun, now, problems.length > 0 ? describeProblems(problems) : null)
    if (row && replacesSource(before?.source ?? null, row)) await saveRow(tx, { before, row, seeing, now })
    await reportProblems(tx, problems, now)
    return problems
  })
  if (problems.length > 0) deps.log.error({ accountId: account.accountId, problems }, 'payments.problem')
}

function derive({ isDeleted, seen }: StripeSnapshot, before: sql.StoredSubscription | null): DerivedSubscription {
  if (!isDeleted) return deriveSubscription(seen, findEntry)
  const id = before?.stripeSubscriptionId
  return { row: id ? buildRowOfDeletedCustomer(id) : null, problems: [] }
}

interface RowInput {
  before: sql.StoredSubscription | null
  row: DerivedRow
  seeing: SnapshotInput
  now: Date
}

/** Saves the row, wakes messages that waited for a plan or a payment, and notifies owners, all in one transaction. */
async function saveRow(tx: AccountTx, { before, row, seeing, now }: RowInput): Promise<void> {
  const { accountId, db } = tx
  await sql.saveRow(tx, row, now)
  await updateResting(tx, now)
  if (computeAllowance(before) !== computeAllowance(row))
    await wakeMessagesOf(db, accountId, ['plan_limit', 'plan_required'], now)
  const { look, begun, isTrialEnding = false } = seeing
  const notices = buildNotices({ before, after: row, overdue: findOverdue(look, row), isTrialEnding, begun, now })
  await notifyAccountsOnce(
    db,
    notices.map((notice) => ({ accountId, ...notice })),
    now,
  )
}

const computeAllowance = (row: Pick<DerivedRow, 'plan' | 'status' | 'pastDueSince' | 'extraStores'> | null) =>
  row && [row.plan, row.status, row.pastDueSince?.getTime(), row.extraStores].join(' ')

function findOverdue({ seen, intentsOf }: StripeSnapshot, { stripeSubscriptionId }: DerivedRow): Overdue {
  const [invoice] = listOpenInvoices(seen.invoices, stripeSubscriptionId)
  if (!invoice) return { invoiceId: null, amount: null, currency: null, reason: null, nextTry: null }
  const { id, amount_due: amount, currency, next_payment_attempt: next } = invoice
  return {
    ...{ invoiceId: id, amount, currency: parseCurrency(currency) },
    ...{ reason: findReason(intentsOf(invoice)), nextTry: next === null ? null : toDate(next) },
  }
}

/** Problems that only operators can fix at Stripe. Those not found again are closed. */
async function reportProblems(tx: AccountTx, problems: readonly DerivedProblem[], now: Date): Promise<void> {
  for (const kind of ['two_subscriptions', 'unknown_price'] as const) {
    const found = problems.filter((one) => (one.kind === 'two_subscriptions') === (kind === 'two_subscriptions'))
    if (found.length > 0) await raiseProblem(tx, { kind, detail: describeProblems(found), now })
    else await resolveProblem(tx, kind, now)
  }
}

const WORDS: Record<DerivedProblem['kind'], string> = {
  two_subscriptions: 'Two subscriptions run at Stripe; the newest counts',
  unknown_price: 'A subscription has a price that Recoup does not sell',
  unknown_status: 'A subscription has a state that Recoup does not know',
  too_many_stores: 'A subscription has more extra stores than are sold',
}
const describeProblems = (problems: readonly DerivedProblem[]) =>
  problems.map(({ kind, ids }) => `${WORDS[kind]}: ${ids.join(', ')}.`).join(' ')
