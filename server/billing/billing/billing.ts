import { type BillingCycle, PlanKey } from '../../../shared/billing.ts'
import { billingTexts } from '../../../shared/billing-texts.ts'
import type { Config } from '../../core/config/config.ts'
import { type AccountDb, type AccountTx, transactAccount } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import { wakeMessagesOf } from '../../messages/messages/messages.ts'
import { chooseResting, fitStores, lockStores, restsOf, type StoreRest } from './resting.ts'
import { type Entitlements, entitlementsAt } from './rules.ts'
import * as sql from './sql.ts'

// Billing: which plan an account is on, and plans that are not paid by card. What a plan allows is in `entitlements.ts`.

export interface AccountPlan {
  /** As it was chosen; null before a plan was. */
  subscription: sql.SubscriptionRow | null
  entitlements: Entitlements
  suspension: { reason: string; since: Date } | null
}

export async function planOf(account: AccountDb, now: Date): Promise<AccountPlan> {
  const [row, suspension] = await Promise.all([sql.readSubscription(account), sql.readSuspension(account)])
  const subscription = row ?? null
  return {
    subscription,
    entitlements: entitlementsAt(subscription, now),
    suspension: suspension ? { reason: suspension.reason ?? '', since: suspension.since! } : null,
  }
}

export async function chooseFreePlan(deps: Deps, account: AccountDb): Promise<void> {
  if (sellerOf(deps.config) === 'none') throw new AppError('not_found', billingTexts.noBilling)
  await refuseDemo(account)
  await transactAccount(account, (tx) => putOnPlan(tx, { plan: 'free', source: 'free' }, deps.now()))
}

/** Decision 3: sets any plan that is sold, without paying, where the operator allows it. */
export async function setPlanManually(
  deps: Deps,
  account: AccountDb,
  { planKey, cycle = null }: { planKey: string; cycle?: BillingCycle | null | undefined },
): Promise<PlanKey> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  const plan = readPlanKey(planKey)
  await refuseDemo(account)
  const chosen = { plan, source: 'test' as const, cycle: plan === 'free' ? null : cycle }
  await transactAccount(account, (tx) => putOnPlan(tx, chosen, deps.now()))
  return plan
}

/** The plan that somebody names; refused in words where none is called so. */
export function readPlanKey(planKey: string): PlanKey {
  const plan = PlanKey.safeParse(planKey.trim().toLowerCase())
  if (!plan.success) throw new AppError('invalid', notSold(planKey))
  return plan.data
}

/**
 * By an operator, in the transaction that writes it down (decision 90). False: the account pays by card, and its card would go on being
 * charged. One whose subscription has ended has no cycle any more.
 */
export async function setPlanByOperator(
  tx: AccountTx,
  { plan, isUnlimited, now }: { plan: PlanKey; isUnlimited: boolean; now: Date },
): Promise<boolean> {
  await lockStores(tx)
  const before = await sql.readSubscription(tx)
  if (before?.source === 'stripe' && before.cycle !== null) return false
  await putOnPlan(tx, { plan, source: 'operator', isUnlimited }, now)
  return true
}

/** Who takes the payment for a plan here (decision 82). Test billing goes before Stripe: its plans cost nothing. */
export const sellerOf = ({ isBillingTestMode, stripe }: Pick<Config, 'isBillingTestMode' | 'stripe'>) =>
  isBillingTestMode ? ('test' as const) : stripe ? ('stripe' as const) : ('none' as const)

/** Which stores rest before others (decision 85), and which of them rest now. */
export async function setResting(deps: Deps, account: AccountDb, storeIds: readonly string[]): Promise<StoreRest[]> {
  await refuseDemo(account)
  await transactAccount(account, (tx) => chooseResting(tx, storeIds, deps.now()))
  return restsOf(account)
}

/** A plan that nobody pays for by card. What waited for a larger one is looked at again in the same commit (decision 6). */
export async function putOnPlan(tx: AccountTx, chosen: sql.OwnPlan, now: Date): Promise<void> {
  await lockStores(tx)
  await sql.savePlan(tx, chosen, now)
  await fitStores(tx, now)
  await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit', 'plan_required'], now)
}

/** The test page of the specification lists two plans that no price list has. */
function notSold(planKey: string): string {
  const isKnown = ['professional', 'enterprise'].includes(planKey.trim().toLowerCase())
  const reason = isKnown ? `The plan "${planKey.trim()}" is not available yet.` : 'There is no such plan.'
  return `${reason} Choose ${new Intl.ListFormat('en', { type: 'disjunction' }).format(PlanKey.options)}.`
}

export async function refuseDemo(account: AccountDb): Promise<void> {
  if (await sql.isDemoAccount(account)) throw new AppError('forbidden', billingTexts.demo)
}
