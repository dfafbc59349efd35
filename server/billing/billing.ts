import type { z } from 'zod'
import { billingTexts, PlanKey, type PlanLimits, plans, type SubscriptionStatus } from '../../shared/billing.ts'
import { type AccountDb, transactAccount } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { wakeMessagesOf } from '../messages/messages.ts'
import * as sql from './sql.ts'

// Billing: which plan an account is on and what it allows (decision 6). Card payments come with their own issue.

export interface AccountPlan {
  /** null before a plan was chosen. */
  key: PlanKey | null
  /** As the price list calls it. */
  name: string
  status: z.infer<typeof SubscriptionStatus> | null
  nextBillingAt: Date | null
  /** -1 = unlimited. Nothing at all without an active plan. */
  limits: PlanLimits
}

const NOTHING: PlanLimits = { maxStores: 0, maxEmailsPerMonth: 0, maxSmsPerMonth: 0, maxWhatsappPerMonth: 0 }

export async function planOf(account: AccountDb): Promise<AccountPlan> {
  const row = await sql.readSubscription(account)
  if (!row) return { key: null, name: 'No plan', status: null, nextBillingAt: null, limits: NOTHING }
  // An unpaid invoice is being collected: what was bought goes on until the subscription ends.
  const isRunning = row.status !== 'canceled'
  const { name, limits } = plans[row.plan]
  return {
    key: row.plan,
    name,
    status: row.status,
    nextBillingAt: row.next_billing_at,
    limits: isRunning ? limits : NOTHING,
  }
}

export function hasActiveSubscription(plan: AccountPlan): boolean {
  return plan.status === 'active' || plan.status === 'trialing'
}

export async function chooseFreePlan(deps: Deps, account: AccountDb): Promise<void> {
  await refuseDemo(account)
  await choosePlan(deps, account, 'free')
}

/** Decision 3: sets any plan that is sold, without paying, where the operator allows it. */
export async function setPlanByHand(deps: Deps, account: AccountDb, planKey: string): Promise<AccountPlan> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  const plan = PlanKey.safeParse(planKey.trim().toLowerCase())
  if (!plan.success) throw new AppError('invalid', notSold(planKey))
  await refuseDemo(account)
  await choosePlan(deps, account, plan.data)
  return planOf(account)
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
  const reason = isKnown ? `The plan "${planKey.trim()}" is not sold yet.` : 'There is no such plan.'
  return `${reason} Choose ${new Intl.ListFormat('en', { type: 'disjunction' }).format(PlanKey.options)}.`
}

async function refuseDemo(account: AccountDb): Promise<void> {
  if (await sql.isDemoAccount(account)) throw new AppError('forbidden', billingTexts.demo)
}
