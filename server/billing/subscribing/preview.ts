import { plans } from '../../../shared/billing/billing.ts'
import type { ChangePreview } from '../../../shared/billing/payments.ts'
import { AppError } from '../../core/common/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { listStoreRests, parsePlanKey } from '../billing/public.ts'
import {
  askStripe,
  findEntry,
  isOverdue,
  isTrial,
  loadCatalogue,
  type PlanChoice,
  parseAnswer,
  readPurchase,
  toDate,
} from '../payments/public.ts'
import {
  type Amounts,
  buildItems,
  classifyChange,
  computeNextDate,
  countStores,
  describeLosses,
  digestState,
  findPeriodEnd,
  type Line,
  readAmounts,
  readProrationDate,
} from './change-rules.ts'
import { createChangeToken } from './change-token.ts'
import type { CheckoutInput } from './checkout.ts'
import { assertCanPay } from './guard.ts'
import { type OwnSubscription, requireOwnSubscription } from './own-subscription.ts'
import { InvoicePreview } from './stripe-schemas.ts'

// Cost and effect of a change of plan, by Stripe's own preview (decision 85).

export interface PlannedChange {
  own: OwnSubscription
  from: PlanChoice
  to: PlanChoice
  when: 'now' | 'period_end'
  lines: Line[]
  isTrial: boolean
}

const NOTHING: Amounts = { dueNow: 0, credit: 0, charge: 0, tax: 0 }

export async function previewChange(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'pool' | 'secrets' | 'stripe'>,
  account: AccountDb,
  input: CheckoutInput,
): Promise<ChangePreview> {
  await assertCanPay(deps, account)
  const plan = parsePlanKey(input.planKey)
  if (plan === 'free') {
    throw new AppError('invalid', `Cancel the subscription instead: ${plans.free.name} begins when it ends.`)
  }
  const planned = await planChange(deps, account, {
    plan,
    cycle: input.cycle,
    extraStores: input.addOns.extraStores ?? 0,
  })
  const { own, from, to, when, isTrial } = planned
  const isNow = when === 'now'
  const [due, next, stores] = await Promise.all([
    fetchAmountDue(deps, planned),
    fetchNextBill(deps, planned),
    listStoreRests(account),
  ])
  if (due.dueNow > 0) assertCard(own)
  const periodEnd = findPeriodEnd(own.subscription)
  const nextAt = computeNextDate({ isNow, isTrial, from: from.cycle, to: to.cycle }, { periodEnd, next })
  const { prorationDate, ...amounts } = due
  const previewed = { ...to, when, prorationDate, dueNow: due.dueNow, state: digestState(own.subscription) }
  return {
    when,
    at: (isNow ? deps.now() : toDate(periodEnd)).toISOString(),
    ...amounts,
    nextAmount: next.total,
    nextDate: toDate(nextAt).toISOString(),
    needsCard: isTrial && !own.hasCard,
    currency: next.currency,
    token: createChangeToken(deps, { account: account.accountId, ...previewed }),
    lost: describeLosses(from, to),
    storesTooMany: Math.max(0, stores.length - countStores(to)),
    stores: stores.map(({ id, name, url, isResting }) => ({ id, name, url, isResting })),
  }
}

/** The change, based on the current subscription. Throws a sentence if there is none. */
export async function planChange(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'stripe'>,
  account: AccountDb,
  to: PlanChoice,
): Promise<PlannedChange> {
  const own = await requireOwnSubscription(deps, account)
  const { subscription } = own
  const from = readPurchase(subscription.items, findEntry)
  if (!from) {
    throw new AppError('conflict', 'This subscription has a price that is not sold here. Please contact support.')
  }
  if (subscription.cancel_at !== null || subscription.cancel_at_period_end) {
    throw new AppError(
      'conflict',
      'The subscription ends after the billing period. Reactivate it first, then change the plan.',
    )
  }
  if (isOverdue(subscription)) {
    throw new AppError('conflict', 'A payment is overdue. Pay it first, then change the plan.')
  }
  const when = classifyChange(from, to)
  if (when === 'none') throw new AppError('unprocessable', 'This is your current plan.')
  const { prices } = await loadCatalogue(deps)
  const lines = buildItems(prices, subscription.items, to)
  return { own, from, to, when, lines, isTrial: isTrial(subscription) }
}

/** Without a date Stripe uses the current second and returns it. */
export async function fetchAmountDue(
  deps: Pick<Deps, 'log' | 'stripe'>,
  { own, when, lines, isTrial }: PlannedChange,
  prorationDate?: number,
): Promise<Amounts & { prorationDate: number | null }> {
  if (when === 'period_end' || isTrial) return { ...NOTHING, prorationDate: null }
  const preview = await fetchPreview(deps, own, {
    items: lines,
    proration_behavior: 'always_invoice',
    ...(prorationDate !== undefined && { proration_date: prorationDate }),
  })
  return { ...readAmounts(preview), prorationDate: readProrationDate(preview) }
}

/** A period of the new plan, with tax and without proration. */
const fetchNextBill = (deps: Pick<Deps, 'log' | 'stripe'>, { own, lines }: PlannedChange) =>
  fetchPreview(deps, own, { items: lines, proration_behavior: 'none' })

async function fetchPreview(
  deps: Pick<Deps, 'log' | 'stripe'>,
  { customer, subscription }: OwnSubscription,
  details: { items: Line[]; proration_behavior: 'always_invoice' | 'none'; proration_date?: number },
): Promise<InvoicePreview> {
  const preview = await askStripe(deps, (stripe) =>
    stripe.invoices.createPreview({ customer, subscription: subscription.id, subscription_details: details }),
  )
  return parseAnswer(InvoicePreview, preview)
}

export function assertCard({ hasCard }: OwnSubscription): void {
  if (!hasCard) throw new AppError('unprocessable', 'Add a card first, under Manage Billing. Then change the plan.')
}
