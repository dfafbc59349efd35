import { z } from 'zod'
import { raiseProblem } from '../../access/problems/problems.ts'
import type { AccountDb, AccountTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { isPaused } from './copy-sql.ts'
import { END_REASON } from './derive-rules.ts'
import * as sql from './events-sql.ts'
import { type chargeJob, endCustomerJob, refreshJob } from './jobs.ts'
import { askStripe, readStripeCode } from './stripe.ts'
import { TAKES_NO_MONEY } from './stripe-schemas.ts'

// Ends subscriptions at Stripe after an event here or a chargeback.

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const ChargeCustomer = z.object({ customer: z.string().max(255).nullable() })

/** Call in the transaction that deletes an account, so that it is never charged again. */
export async function endPayments(deps: Pick<Deps, 'jobs'>, tx: AccountTx): Promise<void> {
  const its = await sql.readCustomer(tx)
  if (its) await deps.jobs.enqueue(tx.db, endCustomerJob, { customer: its.customer, tries: 0 }, its.customer)
}

/** Run by the job until it succeeds. A copy of an installation waits until it is live (D7). */
export async function endCustomer(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'stripe'>,
  { customer, tries }: z.infer<typeof endCustomerJob.payload>,
): Promise<void> {
  const again = (delayMs: number) =>
    deps.jobs.enqueue(
      deps.db,
      endCustomerJob,
      { customer, tries: tries + 1 },
      customer,
      new Date(deps.now().getTime() + delayMs),
    )
  if (await isPaused(deps.db)) return again(DAY_MS)
  try {
    await expireSessions(deps, customer)
    await cancelAll(deps, customer)
  } catch (error) {
    if (readStripeCode(error) === 'resource_missing') return
    deps.log.error({ err: error, tries }, 'payments.not_ended')
    await again(Math.min(DAY_MS, 2 ** tries * MINUTE_MS))
  }
}

/** An open session could still be paid. */
async function expireSessions(deps: Pick<Deps, 'log' | 'stripe'>, customer: string): Promise<void> {
  const open = await askStripe(deps, (stripe) =>
    stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 }),
  )
  for (const { id } of open.data) await askStripe(deps, (stripe) => stripe.checkout.sessions.expire(id))
}

async function cancelAll(deps: Pick<Deps, 'log' | 'stripe'>, customer: string, why?: 'chargeback'): Promise<void> {
  const found = await askStripe(deps, (stripe) =>
    stripe.subscriptions.list({ customer, limit: 100 }).autoPagingToArray({ limit: 300 }),
  )
  for (const { id, status } of found) {
    if (['canceled', 'incomplete_expired'].includes(status)) continue
    if (why) await askStripe(deps, (stripe) => stripe.subscriptions.update(id, { metadata: { [END_REASON]: why } }))
    await askStripe(deps, (stripe) => stripe.subscriptions.cancel(id)).catch(ignoreMissing)
  }
}

/** Ignores objects that are already gone. */
function ignoreMissing(error: unknown): void {
  if (readStripeCode(error) !== 'resource_missing') throw error
}

/** Run by the job: finds the customer of a charge. */
export async function handleCharge(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'stripe'>,
  { chargeId }: z.infer<typeof chargeJob.payload>,
): Promise<void> {
  const { customer } = await askStripe(deps, (stripe) =>
    stripe.charges.retrieve(chargeId).then((one) => ChargeCustomer.parse(one)),
  )
  const accountId = customer && (await sql.selectAccountOfCustomer(deps.db, customer))
  if (accountId) await deps.jobs.enqueue(deps.db, refreshJob, { accountId }, accountId)
}

/** A chargeback on a payment of the subscription ends it (decision 121). */
export async function endAfterChargeback(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'stripe'>,
  account: AccountDb,
  { customer, disputed }: { customer: string; disputed: readonly string[] },
): Promise<'kept' | 'ended'> {
  for (const chargeId of disputed) {
    const disputes = await askStripe(deps, (stripe) => stripe.disputes.list({ charge: chargeId, limit: 100 }))
    const open = disputes.data.find(({ status }) => !TAKES_NO_MONEY.test(status))
    if (!open || (await isPaused(deps.db))) continue
    const detail = `The bank reversed the charge ${chargeId} (${open.id}). The subscription was canceled.`
    await raiseProblem(account, { kind: 'chargeback', detail, now: deps.now() })
    await cancelAll(deps, customer, 'chargeback')
    return 'ended'
  }
  return 'kept'
}
