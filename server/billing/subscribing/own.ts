import { billingTexts } from '../../../shared/billing-texts.ts'
import type { AccountDb } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import type { Deps } from '../../deps.ts'
import { countedOf, isLive } from '../payments/derive-rules.ts'
import { refreshJob } from '../payments/jobs.ts'
import { refreshAccount } from '../payments/refresh.ts'
import { SeenCustomer } from '../payments/seen.ts'
import { askStripe, readAnswer, stripeCodeOf } from '../payments/stripe.ts'
import { type SeenOwn, SeenOwns } from './answers.ts'
import * as sql from './sql.ts'

// The subscription of an account as it is at Stripe now. What is done to it is decided by this, never by the copy.

export interface Own {
  customer: string
  subscription: SeenOwn
  hasCard: boolean
}

/** null: none lives. */
export async function ownOf(deps: Deps, account: AccountDb): Promise<Own | null> {
  const customer = (await sql.readCustomer(account))?.id
  if (!customer) return null
  const [subscription, card] = await Promise.all([liveOf(deps, customer), cardOf(deps, customer)])
  if (!subscription) return null
  return { customer, subscription, hasCard: card || subscription.default_payment_method !== null }
}

export async function needOwn(deps: Deps, account: AccountDb): Promise<Own> {
  const own = await ownOf(deps, account)
  if (!own) throw noSubscription()
  return own
}

export const noSubscription = () => new AppError('not_found', billingTexts.none.subscription)

export async function liveOf(deps: Deps, customer: string): Promise<SeenOwn | null> {
  const list = await orNone(
    askStripe(deps, (stripe) => stripe.subscriptions.list({ customer, status: 'all', limit: 100 })),
  )
  const { data } = list ? readAnswer(SeenOwns, list) : { data: [] }
  const counted = countedOf(data)
  return (counted && isLive(counted) && data.find(({ id }) => id === counted.id)) || null
}

async function cardOf(deps: Deps, customer: string): Promise<boolean> {
  const answer = await orNone(askStripe(deps, (stripe) => stripe.customers.retrieve(customer)))
  const found = answer && readAnswer(SeenCustomer, answer)
  if (!found || found.deleted) return false
  return found.invoice_settings.default_payment_method !== null || Boolean(found.default_source)
}

/** A customer that is gone there has nothing. */
function orNone<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (stripeCodeOf(error) === 'resource_missing') return null
    throw error
  })
}

/** After a deed: it is done, so what fails here is no failure of it, and is tried again by the job. */
export async function copyAfter(deps: Deps, { accountId, db }: AccountDb): Promise<void> {
  try {
    await refreshAccount(deps, accountId)
  } catch (error) {
    deps.log.warn({ err: error, accountId }, 'subscribing.not-copied')
    await deps.jobs.enqueue(db, refreshJob, { accountId }, accountId)
  }
}
