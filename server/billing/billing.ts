import { billingTexts, PlanKey, type SubscriptionStatus } from '../../shared/billing.ts'
import { type AccountDb, transactAccount } from '../core/db.ts'
import { AppError } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { wakeMessagesOf } from '../messages/messages.ts'
import { type Entitlements, entitlementsAt } from './rules.ts'
import * as sql from './sql.ts'

// Billing: which plan an account is on. What it allows is in `entitlements.ts`. Card payments come with their own issue.

export interface AccountPlan {
  /** As it was chosen; null before. */
  key: PlanKey | null
  status: SubscriptionStatus | null
  nextBillingAt: Date | null
  entitlements: Entitlements
}

export async function planOf(account: AccountDb, now: Date): Promise<AccountPlan> {
  const subscription = (await sql.readSubscription(account)) ?? null
  return {
    key: subscription?.plan ?? null,
    status: subscription?.status ?? null,
    nextBillingAt: subscription?.nextBillingAt ?? null,
    entitlements: entitlementsAt(subscription, now),
  }
}

export async function chooseFreePlan(deps: Deps, account: AccountDb): Promise<void> {
  await refuseDemo(account)
  await choosePlan(deps, account, 'free')
}

/** Decision 3: sets any plan that is sold, without paying, where the operator allows it. */
export async function setPlanManually(deps: Deps, account: AccountDb, planKey: string): Promise<PlanKey> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  const plan = PlanKey.safeParse(planKey.trim().toLowerCase())
  if (!plan.success) throw new AppError('invalid', notSold(planKey))
  await refuseDemo(account)
  await choosePlan(deps, account, plan.data)
  return plan.data
}

/** What waited for a larger plan is looked at again in the same commit (decision 6). */
async function choosePlan(deps: Deps, account: AccountDb, plan: PlanKey): Promise<void> {
  const now = deps.now()
  await transactAccount(account, async (tx) => {
    await sql.savePlan(tx, plan, now)
    await wakeMessagesOf(tx.db, tx.accountId, ['plan_limit', 'plan_required'], now)
  })
}

/** The test page of the specification lists two plans that no price list has. */
function notSold(planKey: string): string {
  const isKnown = ['professional', 'enterprise'].includes(planKey.trim().toLowerCase())
  const reason = isKnown ? `The plan "${planKey.trim()}" is not available yet.` : 'There is no such plan.'
  return `${reason} Choose ${new Intl.ListFormat('en', { type: 'disjunction' }).format(PlanKey.options)}.`
}

async function refuseDemo(account: AccountDb): Promise<void> {
  if (await sql.isDemoAccount(account)) throw new AppError('forbidden', billingTexts.demo)
}
