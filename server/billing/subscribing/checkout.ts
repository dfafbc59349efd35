import type Stripe from 'stripe'
import type { BillingCycle, PlanKey, SubscriptionStatus } from '../../../shared/billing/billing.ts'
import { TRIAL_DAYS } from '../../../shared/billing/billing.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import { type AccountDb, type AccountTx, type Db, transactAccount } from '../../core/db/public.ts'
import type { CheckoutSessionsTable } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { canStartTrial, findSeller, loadPlan, parsePlanKey } from '../billing/public.ts'
import {
  askStripe,
  buildLines,
  isLive,
  loadCatalogue,
  type PlanChoice,
  parseAnswer,
  parsePageUrl,
  readStripeCode,
  refreshAccount,
} from '../payments/public.ts'
import { ensureCustomer } from './customers.ts'
import { computeDigest } from './digest.ts'
import { assertCanPay, countCheck } from './guard.ts'
import { CheckoutSession, SubscriptionStates } from './stripe-schemas.ts'

// Checkout (decisions 84 and 122): the plan is chosen here and paid at Stripe. An account has at most one open session,
// so that two tabs do not create two subscriptions.

export interface CheckoutInput {
  planKey: string
  cycle: BillingCycle
  addOns: { extraStores?: number | undefined }
}

const HAS_ONE = 'You have a subscription already. Change its plan instead of buying a second one.'
const OVERTAKEN = 'Another checkout was opened for this account at the same time. Try again.'

export async function openCheckout(
  deps: Deps,
  account: AccountDb<Db>,
  input: CheckoutInput,
): Promise<{ isFreePlan: boolean; url: string }> {
  const seller = findSeller(deps.config)
  if (seller === 'none') throw new AppError('not_found', 'Not found')
  const plan = parsePlanKey(input.planKey)
  if (plan === 'free') return { isFreePlan: true, url: '/store-setup' }
  if (seller === 'test') return { isFreePlan: false, url: '/test-subscription' }
  await assertCanPay(deps, account)
  const choice: PlanChoice = { plan, cycle: input.cycle, extraStores: input.addOns.extraStores ?? 0 }
  return { isFreePlan: false, url: await findOrCreateSession(deps, account, choice) }
}

async function findOrCreateSession(deps: Deps, account: AccountDb<Db>, choice: PlanChoice): Promise<string> {
  const catalogue = await loadCatalogue(deps)
  const customer = await ensureCustomer(deps, account)
  const open = await findOpenSessions(deps, account)
  const hasOne = await hasSubscription(deps, customer)
  const terms = { lines: buildLines(catalogue, choice), isTrial: await canStartTrial(deps, account) }
  const usable = hasOne ? undefined : open.find((session) => isUsable(session, terms, deps.now()))
  const rest = open.filter((session) => session !== usable)
  if ((await expireSessions(deps, account, rest)) === 'paid' || hasOne) return refuseSecond(deps, account)
  if (usable) return usable.url
  return createSession(deps, account, { accountId: account.accountId, customer, choice, ...terms })
}

/** The idempotency key contains the number of ended sessions, so that a later purchase gets a new session. */
async function createSession(
  deps: Deps,
  account: AccountDb<Db>,
  order: Parameters<typeof buildSession>[0],
): Promise<string> {
  const params = buildSession(order, deps.config)
  const idempotencyKey = `recoup:checkout:${account.accountId}:${await countEndedSessions(account)}:${computeDigest(params)}`
  const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.create(params, { idempotencyKey }))
  const { id, url: page } = parseAnswer(CheckoutSession, answer)
  const url = parsePageUrl(deps.config, page)
  const { plan, cycle, extraStores } = order.choice
  const [newest, ...others] = await transactAccount(account, async (tx) => {
    if (!(await lockCustomer(tx))) return []
    await insertSession(tx, { id, plan, cycle, extra_stores: extraStores, url, created_at: deps.now() })
    return selectOpenSessions(tx)
  })
  // If several tabs opened one at the same moment, the newest stays.
  const isOvertaken = newest?.id !== id
  const isPaid = (await expireSessions(deps, account, isOvertaken ? [{ id }] : others)) === 'paid'
  if (!isPaid && !isOvertaken) return url
  if (!isOvertaken) await expireSessions(deps, account, [{ id }])
  if (isPaid) return refuseSecond(deps, account)
  if (!newest) throw new AppError('not_found', 'Account not found')
  throw new AppError('conflict', OVERTAKEN)
}

async function refuseSecond(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  account: AccountDb,
): Promise<never> {
  await refreshAccount(deps, account.accountId)
  throw new AppError('conflict', HAS_ONE)
}

/** Checks the account's sessions that we know as open, and records those that are not. */
async function findOpenSessions(deps: Pick<Deps, 'log' | 'now' | 'stripe'>, account: AccountDb) {
  const known = await selectOpenSessions(account)
  const sessions = await Promise.all(
    known.map(async (session) => ({ ...session, ...(await recordState(deps, account, session.id)) })),
  )
  return sessions.filter(({ state }) => state === 'open')
}

interface FoundSession {
  state: 'open' | 'complete' | 'expired'
  terms: string | undefined
}

async function recordState(
  deps: Pick<Deps, 'log' | 'now' | 'stripe'>,
  account: AccountDb,
  id: string,
): Promise<FoundSession> {
  const session = await fetchSession(deps, account, id)
  const { state } = session
  if (state !== 'open') await endSession(account, { id, state, now: deps.now() })
  return session
}

/** A session unknown to Stripe was created with another key. */
async function fetchSession(
  deps: Pick<Deps, 'log' | 'stripe'>,
  { accountId }: AccountDb,
  id: string,
): Promise<FoundSession> {
  try {
    const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.retrieve(id))
    const { status, client_reference_id: of, metadata } = parseAnswer(CheckoutSession, answer)
    return of === accountId ? { state: status, terms: metadata.terms } : { state: 'expired', terms: undefined }
  } catch (error) {
    if (readStripeCode(error) === 'resource_missing') return { state: 'expired', terms: undefined }
    throw error
  }
}

/** `paid`: one of them was paid meanwhile. */
async function expireSessions(
  deps: Pick<Deps, 'log' | 'now' | 'stripe'>,
  account: AccountDb,
  sessions: readonly { id: string }[],
): Promise<'paid' | 'over'> {
  let outcome: 'paid' | 'over' = 'over'
  for (const { id } of sessions) {
    await askStripe(deps, (stripe) => stripe.checkout.sessions.expire(id)).catch(async (error: unknown) => {
      const { state } = await recordState(deps, account, id)
      if (state === 'open') throw error
      if (state === 'complete') outcome = 'paid'
    })
    await endSession(account, { id, state: 'expired', now: deps.now() })
  }
  return outcome
}

async function hasSubscription(deps: Pick<Deps, 'log' | 'stripe'>, customer: string): Promise<boolean> {
  const list = await askStripe(deps, (stripe) => stripe.subscriptions.list({ customer, status: 'all', limit: 100 }))
  return parseAnswer(SubscriptionStates, list).data.some(isLive)
}

/** State of a session. Another account's session is treated as unknown. */
export async function checkSession(
  deps: Deps,
  account: AccountDb,
  id: string,
): Promise<{ success: boolean; plan: PlanKey | null; status: SubscriptionStatus | null }> {
  await countCheck(deps, account)
  requireFound(await readSession(account, id), 'Checkout session')
  if ((await recordState(deps, account, id)).state !== 'complete') return { success: false, plan: null, status: null }
  await refreshAccount(deps, account.accountId)
  const { subscription } = await loadPlan(account, deps.now())
  return { success: true, plan: subscription?.plan ?? null, status: subscription?.status ?? null }
}

// Builds the checkout session for Stripe (decision 84). Pure.

interface CheckoutTerms {
  lines: { price: string; quantity: number }[]
  isTrial: boolean
}

interface CheckoutOrder extends CheckoutTerms {
  accountId: string
  customer: string
  choice: PlanChoice
}

/** Digest of what is bought, stored with the session. Stripe prices are immutable: a new amount is a new price. */
const digestTerms = ({ lines, isTrial }: CheckoutTerms): string => computeDigest([lines, isTrial])

export function buildSession(
  { accountId, customer, choice, lines, isTrial }: CheckoutOrder,
  { publicUrl, stripe }: Pick<Config, 'publicUrl' | 'stripe'>,
): Stripe.Checkout.SessionCreateParams {
  const { plan, cycle, extraStores } = choice
  const metadata = {
    account: accountId,
    plan,
    cycle,
    extra_stores: String(extraStores),
    terms: digestTerms({ lines, isTrial }),
  }
  return {
    mode: 'subscription',
    ui_mode: 'hosted_page',
    customer,
    client_reference_id: accountId,
    line_items: lines,
    success_url: `${publicUrl}/billing?session_id={CHECKOUT_SESSION_ID}`,
    // Returns to the step before, with its choice.
    cancel_url: `${publicUrl}/pricing?plan=${plan}&cycle=${cycle}&stores=${extraStores}`,
    payment_method_collection: 'if_required',
    allow_promotion_codes: true,
    tax_id_collection: { enabled: true },
    // Both are required: the name for a tax id, the address for the tax.
    customer_update: { name: 'auto', address: 'auto' },
    automatic_tax: { enabled: stripe?.computesTax ?? false },
    metadata,
    subscription_data: { metadata: { account: accountId }, ...(isTrial && TRIAL) },
  }
}

/** Without a card the subscription ends with the trial, and the account gets the free plan. */
const TRIAL = {
  trial_period_days: TRIAL_DAYS,
  trial_settings: { end_behavior: { missing_payment_method: 'cancel' as const } },
}

/** Stripe keeps a session for a day. One that expires within minutes is useless. */
const USABLE_MS = 23 * 3_600_000

/** A session with an outdated price or trial would differ from the Pricing page. */
const isUsable = (session: { at: Date; terms: string | undefined }, input: CheckoutTerms, now: Date): boolean =>
  session.terms === digestTerms(input) && now.getTime() - session.at.getTime() < USABLE_MS

/** Serializes saving a session of an account. Returns undefined if the account is deleted or being deleted. */
function lockCustomer({ db, accountId }: AccountTx) {
  return db
    .selectFrom('billing_customers')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('accounts').select('id').where('id', '=', accountId).where('deleted_at', 'is', null)),
    )
    .forUpdate()
    .executeTakeFirst()
}

const SESSION = ['stripe_session_id as id', 'plan', 'cycle', 'extra_stores as extraStores', 'created_at as at'] as const

/** Newest first; the order of sessions of the same moment is stable. */
function selectOpenSessions({ db, accountId }: AccountDb) {
  return db
    .selectFrom('checkout_sessions')
    .select([...SESSION, 'url'])
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .orderBy('created_at', 'desc')
    .orderBy('stripe_session_id', 'desc')
    .execute()
}

function readSession({ db, accountId }: AccountDb, id: string) {
  return db
    .selectFrom('checkout_sessions')
    .select([...SESSION, 'state'])
    .where('account_id', '=', accountId)
    .where('stripe_session_id', '=', id)
    .executeTakeFirst()
}

async function countEndedSessions({ db, accountId }: AccountDb): Promise<number> {
  const { ended } = await db
    .selectFrom('checkout_sessions')
    .select(({ fn }) => fn.countAll<number>().as('ended'))
    .where('account_id', '=', accountId)
    .where('state', '<>', 'open')
    .executeTakeFirstOrThrow()
  return ended
}

function insertSession(
  { db, accountId }: AccountTx,
  session: Pick<CheckoutSessionsTable, 'plan' | 'cycle' | 'extra_stores' | 'url' | 'created_at'> & { id: string },
) {
  const { id, ...rest } = session
  return db
    .insertInto('checkout_sessions')
    .values({ account_id: accountId, stripe_session_id: id, state: 'open', ...rest })
    .onConflict((conflict) => conflict.columns(['account_id', 'stripe_session_id']).doNothing())
    .execute()
}

function endSession(
  { db, accountId }: AccountDb,
  { id, state, now }: { id: string; state: 'complete' | 'expired'; now: Date },
) {
  return db
    .updateTable('checkout_sessions')
    .set({ state, ended_at: now })
    .where('account_id', '=', accountId)
    .where('stripe_session_id', '=', id)
    .where('state', '=', 'open')
    .execute()
}
