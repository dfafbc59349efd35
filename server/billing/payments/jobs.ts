import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** One snapshot covers any number of events. */
export const refreshJob = job('payments.refresh', z.object({ accountId: z.uuid() }), 'one')
/** The same after Stripe announced the end of the trial. */
export const trialEndingJob = job('payments.trial-ending', z.object({ accountId: z.uuid() }), 'one')
/** Handles a smaller plan in the subscription's metadata: schedules it again or drops it. */
export const waitAgainJob = job('payments.wait-again', z.object({ accountId: z.uuid() }), 'one')
/** For an event with a charge but no customer. */
export const chargeJob = job('payments.charge', z.object({ chargeId: z.string() }), 'one')
/** For a deleted account: only its Stripe customer is known. */
export const endCustomerJob = job(
  'payments.end-customer',
  z.object({ customer: z.string(), tries: z.number().int().default(0) }),
  'one',
)
