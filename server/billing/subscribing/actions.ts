import { z } from 'zod'
import { plans } from '../../../shared/billing/billing.ts'
import type { AccountDb, Db } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseFreePlan, findSeller, refuseDemo } from '../billing/public.ts'
import {
  askStripe,
  ensurePortal,
  findEntry,
  parseAnswer,
  parsePageUrl,
  readPurchase,
  readStripeCode,
} from '../payments/public.ts'
import { assertCanPay, countRequest } from './guard.ts'
import {
  copyAfterAction,
  createNoSubscriptionError,
  findOwnSubscription,
  type OwnSubscription,
  requireOwnSubscription,
} from './own-subscription.ts'
import { releaseSchedule } from './schedules.ts'
import * as sql from './sql.ts'
import { clearWaitingPlan } from './waiting-plan.ts'

// The owner's actions on a subscription besides changing the plan: portal, cancellation and reactivation.

/** Opens Stripe's portal for card, address and invoices. */
export async function openPortal(
  deps: Pick<Deps, 'config' | 'log' | 'pool' | 'secrets' | 'stripe'>,
  account: AccountDb,
): Promise<{ url: string }> {
  await assertCanPay(deps, account)
  const customer = (await sql.readCustomer(account))?.id
  if (!customer) throw createNoSubscriptionError()
  const { config } = deps
  const configuration = await askStripe(deps, (stripe) => ensurePortal(stripe, config))
  const session = await askStripe(deps, (stripe) =>
    stripe.billingPortal.sessions.create({ customer, configuration, return_url: `${config.publicUrl}/billing` }),
  ).catch((error: unknown) => {
    throw readStripeCode(error) === 'resource_missing' ? createNoSubscriptionError() : error
  })
  return { url: parsePageUrl(config, parseAnswer(PageUrl, session).url) }
}

/** Cancels at the end of the period. Idempotent. */
export async function cancelSubscription(deps: Deps, account: AccountDb): Promise<string> {
  await assertCanPay(deps, account)
  return cancelAtPeriodEnd(deps, account, await requireOwnSubscription(deps, account))
}

async function cancelAtPeriodEnd(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  account: AccountDb,
  { subscription }: OwnSubscription,
): Promise<string> {
  const { id, schedule, cancel_at_period_end: isEnding } = subscription
  await clearWaitingPlan(deps, subscription)
  // Stripe refuses to end a subscription while it has a schedule.
  if (schedule) await releaseSchedule(deps, schedule)
  if (!isEnding) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: true }))
  await copyAfterAction(deps, account)
  return `${describePlan(subscription)} ends after the billing period. Then you are on the ${plans.free.name} plan.`
}

/** Withdraws a scheduled cancellation or change of plan. */
export async function reactivateSubscription(deps: Deps, account: AccountDb): Promise<string> {
  await assertCanPay(deps, account)
  const { subscription } = await requireOwnSubscription(deps, account)
  const { id, schedule, cancel_at: endsAt, cancel_at_period_end: isEnding } = subscription
  await clearWaitingPlan(deps, subscription)
  if (schedule) await releaseSchedule(deps, schedule)
  if (isEnding) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: false }))
  else if (endsAt !== null) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { cancel_at: '' }))
  await copyAfterAction(deps, account)
  return `${describePlan(subscription)} continues.`
}

function describePlan({ items }: OwnSubscription['subscription']): string {
  const bought = readPurchase(items, findEntry)
  return bought ? `Your ${plans[bought.plan].name} plan` : 'Your subscription'
}

/** A paid subscription never ends at once (decision 122). */
export async function chooseFree(deps: Deps, account: AccountDb<Db>): Promise<string> {
  await refuseDemo(account)
  const own = findSeller(deps.config) === 'stripe' ? await fetchOwn(deps, account) : null
  if (own) {
    await assertCanPay(deps, account)
    return cancelAtPeriodEnd(deps, account, own)
  }
  await chooseFreePlan(deps, account)
  // A purchase made meanwhile wins.
  if (deps.stripe) await copyAfterAction(deps, account)
  return `You are on the ${plans.free.name} plan.`
}

async function fetchOwn(
  deps: Pick<Deps, 'log' | 'pool' | 'secrets' | 'stripe'>,
  account: AccountDb,
): Promise<OwnSubscription | null> {
  await countRequest(deps, account)
  return findOwnSubscription(deps, account)
}

const PageUrl = z.object({ url: z.string().nullable() })
