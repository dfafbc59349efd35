import type Stripe from 'stripe'
import type { z } from 'zod'
import { GRACE_DAYS, planAmountMinor } from '../../../shared/billing/billing.ts'
import type { BillingNotices, Price } from '../../../shared/billing/billing-notices.ts'
import { parseCurrency } from '../../../shared/core/money.ts'
import { notifyAccountOnce, notifyAccountsOnce } from '../../access/notifications/public.ts'
import { raiseProblem, resolveProblem } from '../../access/problems/problems.ts'
import { type AccountDb, type AccountTx, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import { claimTrial, lockStores, updateResting } from '../billing/public.ts'
import { type CreditPayment, settleCredits } from '../credits/public.ts'
import type { PaidPlan } from './catalogue-rules.ts'
import { findEntry } from './catalogue-rules.ts'
import type { StoredSubscription } from './copy-sql.ts'
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
  type StripeObjects,
  WAITING_PLAN,
} from './derive-rules.ts'
import { endAfterChargeback } from './ending.ts'
import { waitAgainJob } from './jobs.ts'
import { buildCreditPayment, buildPayment, findFirstPayments, findReason, type Payment } from './payment-rules.ts'
import { askStripe } from './stripe.ts'
import {
  StripeCard,
  StripeCustomer,
  StripeDisputes,
  StripeIntent,
  StripeInvoice,
  StripeSchedule,
  StripeSubscription,
  TAKES_NO_MONEY,
  toDate,
} from './stripe-schemas.ts'

// Rebuilds an account's copy from Stripe's current objects (decision 83). Events, the nightly job and the Billing page
// all end here and contribute no data of their own. A snapshot takes a version number before the fetch, and is saved
// only if no later one was. The last fetch to start has seen everything, so the order of the others is irrelevant.

interface RefreshHints {
  /** Stripe announced the end of the trial. */
  isTrialEnding?: boolean
}

/** Does nothing if the account never bought anything. Records and rethrows Stripe's failure. */
export async function refreshAccount(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  accountId: string,
  hints: RefreshHints = {},
): Promise<void> {
  const account = { accountId, db: deps.db }
  const copied = await copySnapshot(deps, account, hints)
  if (!copied) return
  const { customer, snapshot } = copied
  const ends = [
    await endAfterChargeback(deps, account, { customer, disputed: snapshot.disputed }),
    await checkTrial(deps, account, snapshot),
  ]
  if (ends.includes('ended')) await copySnapshot(deps, account, hints)
  const counted = findCounted(snapshot.seen.subscriptions)
  if (counted && isLive(counted) && counted.metadata[WAITING_PLAN]) {
    await deps.jobs.enqueue(deps.db, waitAgainJob, { accountId }, accountId)
  }
}

async function copySnapshot(
  deps: Pick<Deps, 'log' | 'now' | 'stripe'>,
  account: AccountDb,
  hints: RefreshHints,
): Promise<{ customer: string; snapshot: StripeSnapshot } | null> {
  const begun = await sql.takeNextVersion(account)
  if (!begun) return null
  try {
    const snapshot = await fetchSnapshot(deps, begun.customer, account.accountId)
    await saveSnapshot(deps, account, { ...hints, begun: begun.begun, snapshot })
    return { customer: begun.customer, snapshot }
  } catch (error) {
    await sql.recordFailure(account, error instanceof Error ? error.message.slice(0, 500) : 'unknown', deps.now())
    throw error
  }
}

/** Ends a trial if another account has had one with the same card or address (decision 84). */
async function checkTrial(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets' | 'stripe'>,
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
  snapshot: StripeSnapshot
}

async function saveSnapshot(deps: Pick<Deps, 'log' | 'now'>, account: AccountDb, seeing: SnapshotInput): Promise<void> {
  const { begun, snapshot } = seeing
  const now = deps.now()
  const problems = await transactAccount(account, async (tx) => {
    await lockStores(tx)
    if (!(await sql.claimVersion(tx, begun))) return []
    const before = (await sql.lockSubscription(tx)) ?? null
    const { row, problems } = derive(snapshot, before)
    await sql.savePayments(tx, snapshot.payments)
    await settleCredits(tx, snapshot.credits, now)
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
  const { snapshot, begun, isTrialEnding = false } = seeing
  const notices = buildNotices({ before, after: row, overdue: findOverdue(snapshot, row), isTrialEnding, begun, now })
  await notifyAccountsOnce(
    db,
    notices.map((notice) => ({ accountId, ...notice })),
    now,
  )
}

const computeAllowance = (row: Pick<DerivedRow, 'plan' | 'status' | 'pastDueSince' | 'extraStores'> | null) =>
  row && [row.plan, row.status, row.pastDueSince?.getTime(), row.extraStores].join(' ')

function findOverdue({ seen, intentsOf: listIntents }: StripeSnapshot, { stripeSubscriptionId }: DerivedRow): Overdue {
  const [invoice] = listOpenInvoices(seen.invoices, stripeSubscriptionId)
  if (!invoice) return { invoiceId: null, amount: null, currency: null, reason: null, nextTry: null }
  const { id, amount_due: amount, currency, next_payment_attempt: next } = invoice
  return {
    invoiceId: id,
    amount,
    currency: parseCurrency(currency),
    reason: findReason(listIntents(invoice)),
    nextTry: next === null ? null : toDate(next),
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

const PROBLEM_TEXTS: Record<DerivedProblem['kind'], string> = {
  two_subscriptions: 'Two subscriptions are active at Stripe; the newest counts',
  unknown_price: 'A subscription has a price that Recoup does not sell',
  unknown_status: 'A subscription has an unknown status',
  too_many_stores: 'A subscription has more extra stores than are sold',
}
const describeProblems = (problems: readonly DerivedProblem[]) =>
  problems.map(({ kind, ids }) => `${PROBLEM_TEXTS[kind]}: ${ids.join(', ')}.`).join(' ')

// Notifications for the owner, from the previous and the new copy (decisions 84 to 86). Pure. `key`: each is sent once.

const DAY_MS = 86_400_000
/** Notice period before a trial ends. */
const TRIAL_NOTICE_MS = 3 * DAY_MS

/** An overdue payment, by its invoice. */
interface Overdue {
  invoiceId: string | null
  amount: number | null
  currency: string | null
  reason: string | null
  nextTry: Date | null
}

interface Change {
  /** null: no row, or none from Stripe. */
  before: StoredSubscription | null
  after: DerivedRow
  overdue: Overdue
  /** Stripe announced the end of the trial. */
  isTrialEnding: boolean
  /** Version of the snapshot, so that each change is notified once in it. */
  begun: number
  now: Date
}

type Type = keyof BillingNotices
type BillingNotice = {
  [T in Type]: { type: T; key: string; data: BillingNotices[T]; unless?: Type }
}[Type]

function buildNotices(change: Change): BillingNotice[] {
  const before = change.before?.source === 'stripe' && change.before.cycle !== null ? change.before : null
  const { after } = change
  if (after.cycle === null) return before ? [buildEndNotice(before, after, change)] : []
  const notices = before ? buildChangeNotices(before, change) : [buildStartNotice(change)]
  return [...notices, ...buildTrialEndingNotice(change), ...buildFailedPaymentNotice(change)]
}

/** Replaces the notice that the trial ended by itself. */
const buildRefusedTrial = (row: DerivedRow, by: 'card' | 'email') => ({
  type: 'trial_refused' as const,
  key: row.stripeSubscriptionId,
  data: { ...readPrice(row), plan: toPaidPlan(row), by },
})

const buildKey = ({ after, begun }: Change) => `${after.stripeSubscriptionId} ${begun}`

/** A live subscription always has a paid plan. */
const toPaidPlan = (row: { plan: string }) => row.plan as PaidPlan

const readPrice = ({
  amountMinor,
  currency,
  cycle,
}: Pick<DerivedRow, 'amountMinor' | 'currency' | 'cycle'>): Price => ({
  amount: amountMinor,
  currency,
  cycle: cycle ?? 'month',
})

function buildEndNotice(before: StoredSubscription, after: DerivedRow, change: Change): BillingNotice {
  const plan = toPaidPlan(before)
  if (after.status === 'canceled')
    return { type: 'plan_changed', key: buildKey(change), data: { change: 'withdrawn', plan } }
  if (before.status === 'trialing' && before.stripeSubscriptionId === after.stripeSubscriptionId) {
    const data = { ...readPrice(before), plan, goesOn: false }
    return { type: 'trial_ended', key: after.stripeSubscriptionId, unless: 'trial_refused', data }
  }
  return { type: 'plan_changed', key: buildKey(change), data: { change: 'ended', plan } }
}

const readTerms = (after: DerivedRow) => ({
  plan: toPaidPlan(after),
  ...readPrice(after),
  extraStores: after.extraStores,
  needsCard: needsCard(after),
  trialEndsAt: after.trialEndsAt?.toISOString() ?? null,
  renewsAt: after.nextBillingAt?.toISOString() ?? null,
})

/** Without a card the trial ends on the free plan. */
const needsCard = ({ status, hasCard }: DerivedRow) => status === 'trialing' && !hasCard

const buildStartNotice = (change: Change): BillingNotice => ({
  type: 'plan_changed',
  key: buildKey(change),
  data: { change: 'started', ...readTerms(change.after) },
})

function buildChangeNotices(before: StoredSubscription, change: Change): BillingNotice[] {
  const { after } = change
  const notices: BillingNotice[] = []
  if (before.status === 'trialing' && after.status !== 'trialing') {
    const data = { ...readPrice(after), plan: toPaidPlan(after), goesOn: true }
    notices.push({ type: 'trial_ended', key: after.stripeSubscriptionId, unless: 'trial_refused', data })
  }
  if (before.status === 'past_due' && after.status !== 'past_due') {
    notices.push({ type: 'payment_recovered', key: buildKey(change), data: { plan: toPaidPlan(after) } })
  }
  const data = describeChange(before, after)
  if (data) notices.push({ type: 'plan_changed', key: buildKey(change), data })
  return notices
}

function describeChange(before: StoredSubscription, after: DerivedRow): BillingNotices['plan_changed'] | null {
  if (buildPurchaseKey(before) !== buildPurchaseKey(after)) return { change: 'changed', ...readTerms(after) }
  if (after.cancelAtPeriodEnd !== before.cancelAtPeriodEnd) {
    return after.cancelAtPeriodEnd
      ? { change: 'ending', plan: toPaidPlan(after), at: after.currentPeriodEnd?.toISOString() ?? null }
      : { change: 'kept', ...readTerms(after) }
  }
  const { next } = after
  if (buildNextKey(before) === (next ? scheduledKey(next, next.at) : null)) return null
  // An end of the subscription has its own notice.
  if (!next) return after.cancelAtPeriodEnd ? null : { change: 'kept', ...readTerms(after) }
  const { plan, cycle, extraStores, at } = next
  const amount = planAmountMinor(plan, cycle, extraStores)
  const planned = { plan, cycle, extraStores, needsCard: needsCard(after), amount, currency: 'USD' }
  return { change: 'planned', ...planned, at: at.toISOString() }
}

interface Bought {
  plan: string
  cycle: string | null
  extraStores: number | null
}
const buildPurchaseKey = ({ plan, cycle, extraStores }: Bought) => `${plan} ${cycle} ${extraStores}`
const scheduledKey = (bought: Bought, at: Date) => `${buildPurchaseKey(bought)} ${at.getTime()}`
const buildNextKey = ({
  nextPlan: plan,
  nextCycle: cycle,
  nextExtraStores: extraStores,
  changesAt,
}: StoredSubscription) => (plan && changesAt ? scheduledKey({ plan, cycle, extraStores }, changesAt) : null)

/** By Stripe's event, else by our clock, because the event may be lost. */
function buildTrialEndingNotice({ after, isTrialEnding, now }: Change): BillingNotice[] {
  const { status, trialEndsAt, cancelAtPeriodEnd } = after
  if (status !== 'trialing' || !trialEndsAt || cancelAtPeriodEnd) return []
  const remainingMs = trialEndsAt.getTime() - now.getTime()
  if (!isTrialEnding && (remainingMs <= 0 || remainingMs > TRIAL_NOTICE_MS)) return []
  const endsAt = trialEndsAt.toISOString()
  const data = { ...readPrice(after), plan: toPaidPlan(after), endsAt, hasCard: after.hasCard }
  return [{ type: 'trial_ending', key: `${after.stripeSubscriptionId} ${endsAt}`, data }]
}

function buildFailedPaymentNotice({ after, overdue }: Change): BillingNotice[] {
  if (!after.pastDueSince) return []
  const { invoiceId, amount, currency, reason, nextTry } = overdue
  const holdsAt = new Date(after.pastDueSince.getTime() + GRACE_DAYS * DAY_MS).toISOString()
  const data = { amount, currency, reason, holdsAt, nextTry: nextTry?.toISOString() ?? null }
  return [{ type: 'payment_failed', key: invoiceId ?? `${after.stripeSubscriptionId} ${holdsAt}`, data }]
}

// Fetches a snapshot of everything that Stripe has of a customer.

/** Limit per kind, newest first. Older payments were copied earlier. */
const MAX_PER_KIND = 300

interface StripeSnapshot {
  /** The customer was deleted at Stripe with all its objects. */
  isDeleted: boolean
  seen: StripeObjects
  payments: Payment[]
  /** Payment intents of an invoice. */
  intentsOf: (invoice: StripeInvoice) => StripeIntent[]
  /** Fingerprints of the customer's cards; fetched during a trial. */
  fingerprints: string[]
  /** Disputed charges of the live subscription. */
  disputed: string[]
  /** Payments for credits. */
  credits: CreditPayment[]
}

type StripeDeps = Pick<Deps, 'stripe' | 'log'>

async function fetchSnapshot(deps: StripeDeps, customer: string, accountId: string): Promise<StripeSnapshot> {
  const found = await askStripe(deps, (stripe) => stripe.customers.retrieve(customer).then(StripeCustomer.parse))
  if (found.deleted) return NOTHING
  const [subscriptions, invoices, intents] = await Promise.all([
    askStripe(deps, (stripe) =>
      readAllPages(stripe.subscriptions.list({ customer, status: 'all', limit: 100 })).then((list) =>
        list.map(readSubscription),
      ),
    ),
    askStripe(deps, (stripe) =>
      readAllPages(stripe.invoices.list({ customer, limit: 100, expand: ['data.payments'] })),
    ),
    askStripe(deps, (stripe) =>
      readAllPages(stripe.paymentIntents.list({ customer, limit: 100, expand: ['data.latest_charge'] })),
    ),
  ])
  const counted = findCounted(subscriptions)
  const readIntents = parseReadable(deps, StripeIntent, intents)
  const [schedule, fingerprints, credits] = await Promise.all([
    counted?.schedule ? readSchedule(deps, counted.schedule) : null,
    counted?.status === 'trialing' ? readFingerprints(deps, customer) : [],
    readCredits(deps, readIntents, accountId),
  ])
  const readable = parseReadable(deps, StripeInvoice, invoices)
  const byId = new Map(readIntents.map((intent) => [intent.id, intent]))
  const listIntents = ({ payments = [] }: StripeInvoice) =>
    payments.flatMap(({ payment }) => byId.get(payment.payment_intent ?? '') ?? [])
  const live = counted && isLive(counted) ? counted.id : null
  // At the limit the oldest invoices are missing.
  const first = invoices.length < MAX_PER_KIND ? findFirstPayments(readable) : new Set<string>()
  const ofLive = readable.filter(({ parent }) => live && parent?.subscription_details?.subscription === live)
  return {
    isDeleted: false,
    seen: { subscriptions, invoices: readable, schedule, hasCard: hasCard(found) },
    payments: readable.flatMap((invoice) => buildPayment(invoice, listIntents(invoice), first.has(invoice.id)) ?? []),
    intentsOf: listIntents,
    fingerprints,
    credits,
    disputed: ofLive.flatMap(listIntents).flatMap(({ latest_charge: one }) => (one?.disputed ? [one.id] : [])),
  }
}

const NOTHING: StripeSnapshot = {
  isDeleted: true,
  seen: { subscriptions: [], invoices: [], schedule: null, hasCard: false },
  payments: [],
  intentsOf: () => [],
  fingerprints: [],
  disputed: [],
  credits: [],
}

const readAllPages = <T extends { id: string }>(list: Stripe.ApiListPromise<T>) =>
  list.autoPagingToArray({ limit: MAX_PER_KIND })

const readSubscription = (one: unknown) => StripeSubscription.parse(one)

const readSchedule = (deps: StripeDeps, id: string) =>
  askStripe(deps, (stripe) =>
    stripe.subscriptionSchedules.retrieve(id, { expand: ['phases.items.price'] }).then(StripeSchedule.parse),
  )

/** Chargebacks are fetched only for disputed charges. */
function readCredits(deps: StripeDeps, intents: readonly StripeIntent[], accountId: string): Promise<CreditPayment[]> {
  const ofCredits = intents.filter((intent) => buildCreditPayment(intent, accountId, 0))
  return Promise.all(
    ofCredits.map(async (intent) => {
      const { latest_charge: charge } = intent
      const disputed = charge?.disputed ? await sumChargebacks(deps, charge.id) : 0
      return buildCreditPayment(intent, accountId, disputed)!
    }),
  )
}

async function sumChargebacks(deps: StripeDeps, charge: string): Promise<number> {
  const found = await askStripe(deps, (stripe) =>
    stripe.disputes.list({ charge, limit: 100 }).then(StripeDisputes.parse),
  )
  return found.filter(({ status }) => !TAKES_NO_MONEY.test(status)).reduce((sum, { amount }) => sum + amount, 0)
}

async function readFingerprints(deps: StripeDeps, customer: string): Promise<string[]> {
  const methods = await askStripe(deps, (stripe) =>
    readAllPages(stripe.customers.listPaymentMethods(customer, { limit: 100 })),
  )
  return parseReadable(deps, StripeCard, methods).flatMap(({ card }) => card?.fingerprint ?? [])
}

/** Skips unreadable objects: the plan does not depend on them. */
function parseReadable<T extends z.ZodType>(
  { log }: StripeDeps,
  schema: T,
  objects: readonly { id: string }[],
): z.infer<T>[] {
  return objects.flatMap((object) => {
    const { data, error } = schema.safeParse(object)
    if (error) log.warn({ id: object.id, fields: error.issues.map(({ path }) => path.join('.')) }, 'stripe.unreadable')
    return error ? [] : [data as z.infer<T>]
  })
}

const hasCard = ({ invoice_settings: settings, default_source: source }: Exclude<StripeCustomer, { deleted: true }>) =>
  settings.default_payment_method !== null || Boolean(source)

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
