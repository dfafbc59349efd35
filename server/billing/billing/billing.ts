import { type BillingCycle, PlanKey } from '../../../shared/billing/billing.ts'
import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { AppError } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import { type AccountDb, type AccountTx, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import { listStoreRests, lockStores, type StoreRest, saveRestingOrder, updateResting } from './resting.ts'
import { computeEntitlements, type Entitlements } from './rules.ts'
import * as sql from './sql.ts'

// An account's plan, and plans that are not paid by card. Entitlements are in `entitlements.ts`.

export interface AccountPlan {
  /** As chosen; null before a plan was chosen. */
  subscription: sql.SubscriptionRow | null
  entitlements: Entitlements
  suspension: { reason: string; since: Date } | null
}

export async function loadPlan(account: AccountDb, now: Date): Promise<AccountPlan> {
  const [row, suspension] = await Promise.all([sql.readSubscription(account), readSuspension(account)])
  const subscription = row ?? null
  return {
    subscription,
    entitlements: computeEntitlements(subscription, now),
    suspension: suspension ? { reason: suspension.reason ?? '', since: suspension.since! } : null,
  }
}

export async function chooseFreePlan(deps: Pick<Deps, 'config' | 'now'>, account: AccountDb): Promise<void> {
  if (findSeller(deps.config) === 'none') throw new AppError('not_found', billingTexts.noBilling)
  await refuseDemo(account)
  await transactAccount(account, (tx) => setPlan(tx, { plan: 'free', source: 'free' }, deps.now()))
}

/** Decision 3: sets any sold plan without payment, if the operator allows it. */
export async function setPlanManually(
  deps: Pick<Deps, 'config' | 'now'>,
  account: AccountDb,
  { planKey, cycle = null }: { planKey: string; cycle?: BillingCycle | null | undefined },
): Promise<PlanKey> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  const plan = parsePlanKey(planKey)
  await refuseDemo(account)
  const chosen = { plan, source: 'test' as const, cycle: plan === 'free' ? null : cycle }
  await transactAccount(account, (tx) => setPlan(tx, chosen, deps.now()))
  return plan
}

/** Parses a plan key. Throws `invalid` with a sentence if there is no such plan. */
export function parsePlanKey(planKey: string): PlanKey {
  const plan = PlanKey.safeParse(planKey.trim().toLowerCase())
  if (!plan.success) throw new AppError('invalid', describeUnknownPlan(planKey))
  return plan.data
}

/**
 * Set by an operator, in the transaction that logs it (decision 90). Returns false if the account pays by card, which
 * would still be charged. After the end of a subscription the cycle is null.
 */
export async function setPlanByOperator(
  tx: AccountTx,
  { plan, isUnlimited, now }: { plan: PlanKey; isUnlimited: boolean; now: Date },
): Promise<boolean> {
  await lockStores(tx)
  const before = await sql.readSubscription(tx)
  if (before?.source === 'stripe' && before.cycle !== null) return false
  await setPlan(tx, { plan, source: 'operator', isUnlimited }, now)
  return true
}

/** Who sells plans here (decision 82). Test billing precedes Stripe: its plans are free. */
export const findSeller = ({ isBillingTestMode, stripe }: Pick<Config, 'isBillingTestMode' | 'stripe'>) =>
  isBillingTestMode ? ('test' as const) : stripe ? ('stripe' as const) : ('none' as const)

/** Sets which stores rest first (decision 85). Returns which of them rest now. */
export async function setResting(
  deps: Pick<Deps, 'now'>,
  account: AccountDb,
  storeIds: readonly string[],
): Promise<StoreRest[]> {
  await refuseDemo(account)
  await transactAccount(account, (tx) => saveRestingOrder(tx, storeIds, deps.now()))
  return listStoreRests(account)
}

/** Sets a plan that is not paid by card, and wakes messages that waited for a larger plan (decision 6). */
export async function setPlan(tx: AccountTx, chosen: sql.PlanInput, now: Date): Promise<void> {
  await lockStores(tx)
  await sql.savePlan(tx, chosen, now)
  await updateResting(tx, now)
  await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit', 'plan_required'], now)
}

/** The specification's test page names two plans that the price list does not have. */
function describeUnknownPlan(planKey: string): string {
  const isKnown = ['professional', 'enterprise'].includes(planKey.trim().toLowerCase())
  const reason = isKnown ? `The plan "${planKey.trim()}" is not available yet.` : 'There is no such plan.'
  return `${reason} Choose ${new Intl.ListFormat('en', { type: 'disjunction' }).format(PlanKey.options)}.`
}

export async function refuseDemo(account: AccountDb): Promise<void> {
  if (await isDemoAccount(account)) throw new AppError('forbidden', billingTexts.demo)
}

function readSuspension({ db, accountId }: AccountDb) {
  return db
    .selectFrom('accounts')
    .select(['suspended_at as since', 'suspended_reason as reason'])
    .where('id', '=', accountId)
    .where('suspended_at', 'is not', null)
    .executeTakeFirst()
}

function isDemoAccount({ db, accountId }: AccountDb) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('id', '=', accountId)
    .where('is_demo', '=', true)
    .executeTakeFirst()
}
