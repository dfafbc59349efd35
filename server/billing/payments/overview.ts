import { planAmountMinor, plans } from '../../../shared/billing/billing.ts'
import type { Payment, SubscriptionDetail } from '../../../shared/billing/payments.ts'
import { type AccountDb, describePage, findPageWindow } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type AccountPlan, computePlanLimits, findSeller, hasFeature, loadPlan } from '../billing/public.ts'
import { readCustomer } from './events-sql.ts'

import { refreshIfStale } from './reconcile.ts'

// The Billing page: the subscription in full and the payments (A 2.7, decision 88).

const CURRENCY = 'USD'

/** null before a plan was chosen. */
export async function viewSubscription(
  deps: Deps,
  account: AccountDb,
  patienceMs?: number,
): Promise<SubscriptionDetail | null> {
  await refreshIfStale(deps, account.accountId, patienceMs)
  const [plan, its] = await Promise.all([loadPlan(account, deps.now()), readCustomer(account)])
  const { subscription } = plan
  if (!subscription) return null
  const isStripes = subscription.source === 'stripe'
  return {
    ...readPriceColumns(subscription),
    ...presentDates(subscription),
    plan: subscription.plan,
    planDetails: { name: plans[subscription.plan].name, features: plans[subscription.plan].features },
    status: subscription.status,
    cancelAtPeriodEnd: subscription.cancelAtPeriodEnd,
    features: presentFeatures(plan),
    extraStores: subscription.extraStores,
    source: subscription.source,
    hasCard: subscription.hasCard,
    canManage: its !== undefined && findSeller(deps.config) === 'stripe',
    asOf: (isStripes && its?.refreshedAt?.toISOString()) || null,
  }
}

type Subscription = NonNullable<AccountPlan['subscription']>

/** A plan not paid by card costs the list price in test billing, and otherwise nothing. */
function readPriceColumns({ amountMinor, currency, cycle, plan, source }: Subscription) {
  const own = source === 'test' ? planAmountMinor(plan, cycle ?? 'month') : 0
  return { amount: amountMinor ?? own, currency: currency ?? CURRENCY, billingCycle: cycle }
}

const instant = (date: Date | null) => date?.toISOString() ?? null

const presentDates = (its: Subscription) => ({
  currentPeriodEnd: instant(its.currentPeriodEnd),
  nextBillingDate: instant(its.nextBillingAt),
  lastPaymentDate: instant(its.lastPaymentAt),
  trialEndsAt: instant(its.trialEndsAt),
})

/** Features of the plan, even while a payment is overdue and nothing is sent. */
function presentFeatures({ entitlements }: AccountPlan): SubscriptionDetail['features'] {
  const isPaid = hasFeature(entitlements, 'advanced_analytics')
  return {
    ...computePlanLimits(entitlements),
    advancedAnalytics: isPaid,
    prioritySupport: isPaid,
    // Logo, colors and a domain for links are part of every plan.
    customBranding: true,
    apiAccess: false,
  }
}

export async function listHistory(account: AccountDb, page: { page: number; limit: number }) {
  const total = await countPayments(account)
  const window = findPageWindow(page, total, false)
  const rows = window ? await listPayments(account, window) : []
  return { payments: rows.map(presentPayment), pagination: describePage(page, total) }
}

const presentPayment = (row: Awaited<ReturnType<typeof listPayments>>[number]): Payment => ({
  _id: row.id,
  createdAt: row.created_at.toISOString(),
  description: row.description,
  failureReason: row.failure_reason,
  amount: row.amount_minor,
  currency: row.currency,
  refundAmount: row.refund_minor,
  status: row.status,
  stripeInvoiceId: row.stripe_invoice_id,
  number: row.number,
  invoiceUrl: row.invoice_url,
})

// SQL for the payment history.

async function countPayments({ db, accountId }: AccountDb): Promise<number> {
  const { count } = await db
    .selectFrom('payments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Newest first. */
function listPayments({ db, accountId }: AccountDb, { offset, limit }: { offset: number; limit: number }) {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}
