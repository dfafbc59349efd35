import { monthlyPrice as listPrice, type PlanKey, plans } from '../../../shared/billing/billing.ts'
import type { AccountDb } from '../../core/db/public.ts'
import { computeInForce } from './rules.ts'
import * as sql from './sql.ts'

// Price of the plan in force.

/** Currency of the price list. */
const CURRENCY = 'USD'

export interface MonthlyPrice {
  /** Minor units of `currency`, before discounts and tax. */
  amountMinor: number
  currency: string
}

/** null before a plan was chosen. */
export async function loadMonthlyPrice(account: AccountDb, now: Date): Promise<MonthlyPrice | null> {
  const subscription = (await sql.readSubscription(account)) ?? null
  const { plan } = computeInForce(subscription, now)
  return subscription && plan ? computeMonthlyPrice(subscription, plan) : null
}

type PaidPlan = Pick<sql.SubscriptionRow, 'source' | 'plan' | 'amountMinor' | 'currency' | 'cycle'>

/**
 * A yearly price is divided by twelve. With Stripe it is the charged amount, including extra stores. A default plan is
 * free. For all other plans it is the list price.
 */
export function computeMonthlyPrice(its: PaidPlan, inForce: PlanKey): MonthlyPrice {
  const { amountMinor, currency, cycle } = its
  if (its.source === 'default') return { amountMinor: 0, currency: CURRENCY }
  if (its.plan === inForce && amountMinor !== null && currency) {
    return { amountMinor: cycle === 'year' ? Math.round(amountMinor / 12) : amountMinor, currency }
  }
  return { amountMinor: listPrice(plans[inForce].priceMonthly, cycle ?? 'month') * 100, currency: CURRENCY }
}
