import { plans } from '../../../shared/billing.ts'
import type { ChangePreview } from '../../../shared/payments.ts'
import { AppError } from '../../core/common/errors.ts'
import type { AccountDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { parsePlanKey } from '../billing/billing.ts'
import { listStoreRests } from '../billing/resting.ts'
import { catalogueOf } from '../payments/catalogue.ts'
import { type Choice, soldBy } from '../payments/catalogue-rules.ts'
import { boughtOf, isOverdue, isTrial } from '../payments/derive-rules.ts'
import { dateOf } from '../payments/seen.ts'
import { askStripe, readAnswer } from '../payments/stripe.ts'
import { SeenPreview } from './answers.ts'
import {
  type Amounts,
  amountsOf,
  changeKind,
  itemsOf,
  type Line,
  lostBy,
  nextDateOf,
  periodEndOf,
  prorationDateOf,
  stateOf,
  storesOf,
} from './change-rules.ts'
import { tokenOf } from './change-token.ts'
import type { Wanted } from './checkout.ts'
import { assertMayPay } from './guard.ts'
import { needOwn, type Own } from './own.ts'

// What a change of the plan costs, by Stripe's own preview, and what it means (decision 85).

export interface Planned {
  own: Own
  from: Choice
  to: Choice
  when: 'now' | 'period_end'
  lines: Line[]
  isTrial: boolean
}

const NOTHING: Amounts = { dueNow: 0, credit: 0, charge: 0, tax: 0 }

export async function previewChange(deps: Deps, account: AccountDb, wanted: Wanted): Promise<ChangePreview> {
  await assertMayPay(deps, account)
  const plan = parsePlanKey(wanted.planKey)
  if (plan === 'free') {
    throw new AppError('invalid', `Cancel the subscription instead: ${plans.free.name} begins when it ends.`)
  }
  const planned = await planChange(deps, account, {
    plan,
    cycle: wanted.cycle,
    extraStores: wanted.addOns.extraStores ?? 0,
  })
  const { own, from, to, when, isTrial } = planned
  const isNow = when === 'now'
  const [due, next, stores] = await Promise.all([
    dueOf(deps, planned),
    nextBill(deps, planned),
    listStoreRests(account),
  ])
  if (due.dueNow > 0) assertCard(own)
  const periodEnd = periodEndOf(own.subscription)
  const nextAt = nextDateOf({ isNow, isTrial, from: from.cycle, to: to.cycle }, { periodEnd, next })
  const { prorationDate, ...amounts } = due
  const shown = { ...to, when, prorationDate, dueNow: due.dueNow, state: stateOf(own.subscription) }
  return {
    when,
    at: (isNow ? deps.now() : dateOf(periodEnd)).toISOString(),
    ...amounts,
    nextAmount: next.total,
    nextDate: dateOf(nextAt).toISOString(),
    needsCard: isTrial && !own.hasCard,
    currency: next.currency,
    token: tokenOf(deps, { account: account.accountId, ...shown }),
    lost: lostBy(from, to),
    storesTooMany: Math.max(0, stores.length - storesOf(to)),
    stores: stores.map(({ id, name, url, isResting }) => ({ id, name, url, isResting })),
  }
}

/** What the change is, of the subscription as it is now; refused in words where it is none. */
export async function planChange(deps: Deps, account: AccountDb, to: Choice): Promise<Planned> {
  const own = await needOwn(deps, account)
  const { subscription } = own
  const from = boughtOf(subscription.items, soldBy)
  if (!from) {
    throw new AppError('conflict', 'This subscription has a price that is not sold here. Please write to support.')
  }
  if (subscription.cancel_at !== null || subscription.cancel_at_period_end) {
    throw new AppError('conflict', 'The subscription ends with its period. Reactivate it first, then change its plan.')
  }
  if (isOverdue(subscription)) {
    throw new AppError('conflict', 'A payment is overdue. Pay it first, then change the plan.')
  }
  const when = changeKind(from, to)
  if (when === 'none') throw new AppError('unprocessable', 'This is what you have now.')
  const { prices } = await catalogueOf(deps)
  const lines = itemsOf(prices, subscription.items, to)
  return { own, from, to, when, lines, isTrial: isTrial(subscription) }
}

/** Without a date Stripe takes this second, and says which it was. */
export async function dueOf(
  deps: Deps,
  { own, when, lines, isTrial }: Planned,
  prorationDate?: number,
): Promise<Amounts & { prorationDate: number | null }> {
  if (when === 'period_end' || isTrial) return { ...NOTHING, prorationDate: null }
  const preview = await previewOf(deps, own, {
    items: lines,
    proration_behavior: 'always_invoice',
    ...(prorationDate !== undefined && { proration_date: prorationDate }),
  })
  return { ...amountsOf(preview), prorationDate: prorationDateOf(preview) }
}

/** A period of the new plan, with tax and without what is settled of the old one. */
const nextBill = (deps: Deps, { own, lines }: Planned) =>
  previewOf(deps, own, { items: lines, proration_behavior: 'none' })

async function previewOf(
  deps: Deps,
  { customer, subscription }: Own,
  details: { items: Line[]; proration_behavior: 'always_invoice' | 'none'; proration_date?: number },
): Promise<SeenPreview> {
  const preview = await askStripe(deps, (stripe) =>
    stripe.invoices.createPreview({ customer, subscription: subscription.id, subscription_details: details }),
  )
  return readAnswer(SeenPreview, preview)
}

export function assertCard({ hasCard }: Own): void {
  if (!hasCard) throw new AppError('unprocessable', 'Add a card first, under Manage Billing. Then change the plan.')
}
