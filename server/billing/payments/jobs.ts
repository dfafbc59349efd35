import { z } from 'zod'
import { job } from '../../core/jobs/jobs.ts'

/** However much happens at once, one look sees it. */
export const refreshJob = job('payments.refresh', z.object({ accountId: z.uuid() }), 'one')
/** The same, where Stripe has said that the trial is about to end. */
export const trialEndingJob = job('payments.trial-ending', z.object({ accountId: z.uuid() }), 'one')
/** A smaller plan that waited stands in the subscription's metadata: it waits again, or is forgotten. */
export const waitAgainJob = job('payments.wait-again', z.object({ accountId: z.uuid() }), 'one')
/** An event names a charge and no customer. */
export const chargeJob = job('payments.charge', z.object({ chargeId: z.string() }), 'one')
/** Of an account that is gone: nothing but what Stripe knows it by. */
export const endCustomerJob = job(
  'payments.end-customer',
  z.object({ customer: z.string(), tries: z.number().int().default(0) }),
  'one',
)
