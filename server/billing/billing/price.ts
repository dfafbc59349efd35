import { monthlyPrice as listPrice, type PlanKey, plans } from '../../../shared/billing.ts'
import type { AccountDb } from '../../core/db/db.ts'
import { inForceAt } from './rules.ts'
import * as sql from './sql.ts'

// What the plan in force costs.

/** The price list is in it. */
const CURRENCY = 'USD'

export interface MonthlyPrice {
  /** Minor units of `currency`, before discounts and tax. */
  amountMinor: number
  currency: string
}

/** null before a plan was chosen. */
export async function monthlyPriceOf(account: AccountDb, now: Date): Promise<MonthlyPrice | null> {
  const subscription = (await sql.readSubscription(account)) ?? null
  const { plan } = inForceAt(subscription, now)
  return subscription && plan ? monthlyPrice(subscription, plan) : null
}

type Paid = Pick<sql.SubscriptionRow, 'source' | 'plan' | 'amountMinor' | 'currency' | 'cycle'>

/**
 * By the year, a twelfth. Where Stripe charges, it is what it charges, extra stores included; what this installation gives everybody costs
 * nothing; of all other plans the price list is all that is known.
 */
export function monthlyPrice(its: Paid, inForce: PlanKey): MonthlyPrice {
  const { amountMinor, currency, cycle } = its
  if (its.source === 'default') return { amountMinor: 0, currency: CURRENCY }
  if (its.plan === inForce && amountMinor !== null && currency) {
    return { amountMinor: cycle === 'year' ? Math.round(amountMinor / 12) : amountMinor, currency }
  }
  return { amountMinor: listPrice(plans[inForce].priceMonthly, cycle ?? 'month') * 100, currency: CURRENCY }
}
