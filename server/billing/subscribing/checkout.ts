import type { BillingCycle, PlanKey, SubscriptionStatus } from '../../../shared/billing.ts'
import { AppError, found } from '../../core/common/errors.ts'
import { type AccountDb, type Db, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { parsePlanKey, planOf, sellerOf } from '../billing/billing.ts'
import { canStartTrial } from '../billing/trials.ts'
import { catalogueOf, linesOf } from '../payments/catalogue.ts'
import type { Choice } from '../payments/catalogue-rules.ts'
import { isLive } from '../payments/derive-rules.ts'
import { refreshAccount } from '../payments/refresh.ts'
import { askStripe, readAnswer, readPage, stripeCodeOf } from '../payments/stripe.ts'
import { SeenSession, SeenStates } from './answers.ts'
import { isUsable, sessionOf } from './checkout-rules.ts'
import { customerOf } from './customers.ts'
import { digestOf } from './digest.ts'
import { assertMayPay, takeCheck } from './guard.ts'
import * as sql from './sql.ts'

// Checkout (decisions 84 and 122): a plan is chosen here and paid at Stripe. At most one session of an account is open at a time, so that
// two tabs do not become two subscriptions.

export interface Wanted {
  planKey: string
  cycle: BillingCycle
  addOns: { extraStores?: number | undefined }
}

const HAS_ONE = 'You have a subscription already. Change its plan instead of buying a second one.'
const OVERTAKEN = 'Another checkout of this account was opened at the same moment. Try again.'

export async function openCheckout(
  deps: Deps,
  account: AccountDb<Db>,
  wanted: Wanted,
): Promise<{ isFreePlan: boolean; url: string }> {
  const seller = sellerOf(deps.config)
  if (seller === 'none') throw new AppError('not_found', 'Not found')
  const plan = parsePlanKey(wanted.planKey)
  if (plan === 'free') return { isFreePlan: true, url: '/store-setup' }
  if (seller === 'test') return { isFreePlan: false, url: '/test-subscription' }
  await assertMayPay(deps, account)
  const choice: Choice = { plan, cycle: wanted.cycle, extraStores: wanted.addOns.extraStores ?? 0 }
  return { isFreePlan: false, url: await sessionFor(deps, account, choice) }
}

async function sessionFor(deps: Deps, account: AccountDb<Db>, choice: Choice): Promise<string> {
  const catalogue = await catalogueOf(deps)
  const customer = await customerOf(deps, account)
  const open = await stillOpen(deps, account)
  const hasOne = await hasSubscription(deps, customer)
  const terms = { lines: linesOf(catalogue, choice), isTrial: await canStartTrial(deps, account) }
  const usable = hasOne ? undefined : open.find((session) => isUsable(session, terms, deps.now()))
  const rest = open.filter((session) => session !== usable)
  if ((await expire(deps, account, rest)) === 'paid' || hasOne) return refuseSecond(deps, account)
  if (usable) return usable.url
  return createSession(deps, account, { accountId: account.accountId, customer, choice, ...terms })
}

/** The key has the number of sessions that have ended, so that a second purchase later is not answered with the first one's session. */
async function createSession(
  deps: Deps,
  account: AccountDb<Db>,
  order: Parameters<typeof sessionOf>[0],
): Promise<string> {
  const params = sessionOf(order, deps.config)
  const idempotencyKey = `recoup:checkout:${account.accountId}:${await sql.countEnded(account)}:${digestOf(params)}`
  const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.create(params, { idempotencyKey }))
  const { id, url: page } = readAnswer(SeenSession, answer)
  const url = readPage(deps.config, page)
  const { plan, cycle, extraStores } = order.choice
  const [newest, ...others] = await transactAccount(account, async (tx) => {
    if (!(await sql.lockCustomer(tx))) return []
    await sql.insertSession(tx, { id, plan, cycle, extra_stores: extraStores, url, created_at: deps.now() })
    return sql.openSessions(tx)
  })
  // Of tabs that opened one at the same moment the newest stays, whoever comes last to this line.
  const isOvertaken = newest?.id !== id
  const isPaid = (await expire(deps, account, isOvertaken ? [{ id }] : others)) === 'paid'
  if (!isPaid && !isOvertaken) return url
  if (!isOvertaken) await expire(deps, account, [{ id }])
  if (isPaid) return refuseSecond(deps, account)
  if (!newest) throw new AppError('not_found', 'Account not found')
  throw new AppError('conflict', OVERTAKEN)
}

async function refuseSecond(deps: Deps, account: AccountDb): Promise<never> {
  await refreshAccount(deps, account.accountId)
  throw new AppError('conflict', HAS_ONE)
}

/** Asks Stripe for the account's sessions that are open as far as we know; those that are not are noted. */
async function stillOpen(deps: Deps, account: AccountDb) {
  const known = await sql.openSessions(account)
  const found = await Promise.all(
    known.map(async (session) => ({ ...session, ...(await settle(deps, account, session.id)) })),
  )
  return found.filter(({ state }) => state === 'open')
}

interface Found {
  state: 'open' | 'complete' | 'expired'
  terms: string | undefined
}

async function settle(deps: Deps, account: AccountDb, id: string): Promise<Found> {
  const found = await lookUp(deps, account, id)
  const { state } = found
  if (state !== 'open') await sql.endSession(account, { id, state, now: deps.now() })
  return found
}

/** One that Stripe does not know is of another key. */
async function lookUp(deps: Deps, { accountId }: AccountDb, id: string): Promise<Found> {
  try {
    const answer = await askStripe(deps, (stripe) => stripe.checkout.sessions.retrieve(id))
    const { status, client_reference_id: of, metadata } = readAnswer(SeenSession, answer)
    return of === accountId ? { state: status, terms: metadata.terms } : { state: 'expired', terms: undefined }
  } catch (error) {
    if (stripeCodeOf(error) === 'resource_missing') return { state: 'expired', terms: undefined }
    throw error
  }
}

/** `paid`: one of them was, a moment before. */
async function expire(deps: Deps, account: AccountDb, sessions: readonly { id: string }[]): Promise<'paid' | 'over'> {
  let outcome: 'paid' | 'over' = 'over'
  for (const { id } of sessions) {
    await askStripe(deps, (stripe) => stripe.checkout.sessions.expire(id)).catch(async (error: unknown) => {
      const { state } = await settle(deps, account, id)
      if (state === 'open') throw error
      if (state === 'complete') outcome = 'paid'
    })
    await sql.endSession(account, { id, state: 'expired', now: deps.now() })
  }
  return outcome
}

async function hasSubscription(deps: Deps, customer: string): Promise<boolean> {
  const list = await askStripe(deps, (stripe) => stripe.subscriptions.list({ customer, status: 'all', limit: 100 }))
  return readAnswer(SeenStates, list).data.some(isLive)
}

/** What became of a session; of another account's it says what it says of one that never was. */
export async function checkSession(
  deps: Deps,
  account: AccountDb,
  id: string,
): Promise<{ success: boolean; plan: PlanKey | null; status: SubscriptionStatus | null }> {
  await takeCheck(deps, account)
  found(await sql.readSession(account, id), 'Checkout session')
  if ((await settle(deps, account, id)).state !== 'complete') return { success: false, plan: null, status: null }
  await refreshAccount(deps, account.accountId)
  const { subscription } = await planOf(account, deps.now())
  return { success: true, plan: subscription?.plan ?? null, status: subscription?.status ?? null }
}
