import { billingTexts } from '../../../shared/billing/billing-texts.ts'
import { AppError } from '../../core/common/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  askStripe,
  findCounted,
  isLive,
  parseAnswer,
  readStripeCode,
  refreshAccount,
  refreshJob,
  StripeCustomer,
} from '../payments/public.ts'
import * as sql from './sql.ts'
import { type LiveSubscription, LiveSubscriptions } from './stripe-schemas.ts'

// The account's subscription as it is at Stripe now. Actions are based on this, never on our copy.

export interface OwnSubscription {
  customer: string
  subscription: LiveSubscription
  hasCard: boolean
}

/** null: no live subscription. */
export async function findOwnSubscription(
  deps: Pick<Deps, 'log' | 'stripe'>,
  account: AccountDb,
): Promise<OwnSubscription | null> {
  const customer = (await sql.readCustomer(account))?.id
  if (!customer) return null
  const [subscription, card] = await Promise.all([
    findLiveSubscription(deps, customer),
    hasCustomerCard(deps, customer),
  ])
  if (!subscription) return null
  return { customer, subscription, hasCard: card || subscription.default_payment_method !== null }
}

export async function requireOwnSubscription(
  deps: Pick<Deps, 'log' | 'stripe'>,
  account: AccountDb,
): Promise<OwnSubscription> {
  const own = await findOwnSubscription(deps, account)
  if (!own) throw createNoSubscriptionError()
  return own
}

export const createNoSubscriptionError = () => new AppError('not_found', billingTexts.none.subscription)

export async function findLiveSubscription(
  deps: Pick<Deps, 'log' | 'stripe'>,
  customer: string,
): Promise<LiveSubscription | null> {
  const list = await ignoreMissing(
    askStripe(deps, (stripe) => stripe.subscriptions.list({ customer, status: 'all', limit: 100 })),
  )
  const { data } = list ? parseAnswer(LiveSubscriptions, list) : { data: [] }
  const counted = findCounted(data)
  return (counted && isLive(counted) && data.find(({ id }) => id === counted.id)) || null
}

async function hasCustomerCard(deps: Pick<Deps, 'log' | 'stripe'>, customer: string): Promise<boolean> {
  const answer = await ignoreMissing(askStripe(deps, (stripe) => stripe.customers.retrieve(customer)))
  const found = answer && parseAnswer(StripeCustomer, answer)
  if (!found || found.deleted) return false
  return found.invoice_settings.default_payment_method !== null || Boolean(found.default_source)
}

/** Returns null for a customer that no longer exists. */
function ignoreMissing<T>(request: Promise<T>): Promise<T | null> {
  return request.catch((error: unknown) => {
    if (readStripeCode(error) === 'resource_missing') return null
    throw error
  })
}

/** After an action, which is done: a failure here must not fail it, and the job retries the copy. */
export async function copyAfterAction(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'stripe'>,
  { accountId, db }: AccountDb,
): Promise<void> {
  try {
    await refreshAccount(deps, accountId)
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'subscribing.not-copied')
    await deps.jobs.enqueue(db, refreshJob, { accountId }, accountId)
  }
}
