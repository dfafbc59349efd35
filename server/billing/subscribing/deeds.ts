import { plans } from '../../../shared/billing.ts'
import { chooseFreePlan, refuseDemo, sellerOf } from '../billing/billing.ts'
import type { AccountDb, Db } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { soldBy } from '../payments/catalogue-rules.ts'
import { boughtOf } from '../payments/derive-rules.ts'
import { portalIdOf } from '../payments/setup.ts'
import { askStripe, readAnswer, readPage, stripeCodeOf } from '../payments/stripe.ts'
import { SeenPage } from './answers.ts'
import { assertMayPay, takeAsking } from './guard.ts'
import { copyAfter, needOwn, noSubscription, type Own, ownOf } from './own.ts'
import { release } from './schedules.ts'
import * as sql from './sql.ts'
import { forgetWaiting } from './waiting.ts'

// What an owner does with the subscription besides changing its plan: the portal, its end, and taking that back.

/** Where card, address and invoices are kept at Stripe. */
export async function openPortal(deps: Deps, account: AccountDb): Promise<{ url: string }> {
  await assertMayPay(deps, account)
  const customer = (await sql.readCustomer(account))?.id
  if (!customer) throw noSubscription()
  const { config } = deps
  const configuration = await askStripe(deps, (stripe) => portalIdOf(stripe, config))
  const session = await askStripe(deps, (stripe) =>
    stripe.billingPortal.sessions.create({ customer, configuration, return_url: `${config.publicUrl}/billing` }),
  ).catch((error: unknown) => {
    throw stripeCodeOf(error) === 'resource_missing' ? noSubscription() : error
  })
  return { url: readPage(config, readAnswer(SeenPage, session).url) }
}

/** Ends it with its period. Done again it changes nothing. */
export async function cancelSubscription(deps: Deps, account: AccountDb): Promise<string> {
  await assertMayPay(deps, account)
  return end(deps, account, await needOwn(deps, account))
}

async function end(deps: Deps, account: AccountDb, { subscription }: Own): Promise<string> {
  const { id, schedule, cancel_at_period_end: isEnding } = subscription
  await forgetWaiting(deps, subscription)
  // While a schedule is there, Stripe lets nothing else end the subscription.
  if (schedule) await release(deps, schedule)
  if (!isEnding) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: true }))
  await copyAfter(deps, account)
  return `${nameOf(subscription)} ends with its period. Then you are on the ${plans.free.name} plan.`
}

/** Takes back what waits for the period's end: the end of the subscription, or another plan. */
export async function reactivateSubscription(deps: Deps, account: AccountDb): Promise<string> {
  await assertMayPay(deps, account)
  const { subscription } = await needOwn(deps, account)
  const { id, schedule, cancel_at: endsAt, cancel_at_period_end: isEnding } = subscription
  await forgetWaiting(deps, subscription)
  if (schedule) await release(deps, schedule)
  if (isEnding) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: false }))
  else if (endsAt !== null) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { cancel_at: '' }))
  await copyAfter(deps, account)
  return `${nameOf(subscription)} goes on.`
}

function nameOf({ items }: Own['subscription']): string {
  const bought = boughtOf(items, soldBy)
  return bought ? `Your ${plans[bought.plan].name} plan` : 'Your subscription'
}

/** What is paid is never ended at once (decision 122). */
export async function chooseFree(deps: Deps, account: AccountDb<Db>): Promise<string> {
  await refuseDemo(account)
  const own = sellerOf(deps.config) === 'stripe' ? await asked(deps, account) : null
  if (own) {
    await assertMayPay(deps, account)
    return end(deps, account, own)
  }
  await chooseFreePlan(deps, account)
  // What was bought after Stripe was asked counts.
  if (deps.stripe) await copyAfter(deps, account)
  return `You are on the ${plans.free.name} plan.`
}

async function asked(deps: Deps, account: AccountDb): Promise<Own | null> {
  await takeAsking(deps, account)
  return ownOf(deps, account)
}
