import { z } from 'zod'
import { listOf, SeenPrice, SeenSubscription } from '../payments/seen.ts'

// What is read of Stripe's objects here; everything else of them is left out.

const id = z
  .string()
  .max(255)
  .regex(/^[\w-]+$/)
const metadata = z
  .record(z.string().max(100), z.string().max(1_000))
  .nullable()
  .transform((said) => said ?? {})
const reference = z.union([id, z.looseObject({ id }).transform((object) => object.id)])

export const SeenSession = z.object({
  id,
  status: z.enum(['open', 'complete', 'expired']),
  url: z.string().nullable(),
  client_reference_id: z.string().max(200).nullable(),
  metadata,
})

export const SeenCreditSession = z.object({
  client_reference_id: z.string().max(200).nullable(),
  payment_status: z.string().max(100),
  metadata,
})

export const SeenCustomerState = z.object({ id, deleted: z.boolean().optional() })

export const SeenStates = z.object({
  data: z.array(z.object({ id, status: z.string().max(100), schedule: reference.nullable() })).max(100),
})

const seconds = z.number().int().min(0).max(9_999_999_999)
const amount = z.number().int().min(-2_147_483_647).max(2_147_483_647)
const word = z.string().max(100)

/** With what a change of it names. */
export const SeenOwn = SeenSubscription.extend({
  items: listOf(
    z.object({
      id,
      price: SeenPrice,
      quantity: z.number().int().min(0).max(1_000_000).default(1),
      current_period_start: seconds,
      current_period_end: seconds,
    }),
  ),
  latest_invoice: reference.nullable(),
  discounts: z.array(reference).max(100).default([]),
  pending_update: z.looseObject({}).nullable(),
})
export type SeenOwn = z.infer<typeof SeenOwn>

export const SeenOwns = z.object({ data: z.array(SeenOwn).max(100) })

/** A subscription after its change was asked for: what is not paid yet waits. */
export const SeenChanged = z.object({
  pending_update: z.looseObject({}).nullable(),
  latest_invoice: reference.nullable(),
})

export const SeenPreview = z.object({
  amount_due: amount,
  total: amount,
  currency: word,
  lines: listOf(
    z.object({
      amount,
      discount_amounts: z.array(z.object({ amount })).max(100).nullish(),
      period: z.object({ start: seconds, end: seconds }),
    }),
  ),
  total_taxes: z.array(z.object({ amount })).max(100).nullable(),
  parent: z
    .object({ subscription_details: z.object({ subscription_proration_date: seconds.nullish() }).nullish() })
    .nullable(),
})
export type SeenPreview = z.infer<typeof SeenPreview>

/** Asked for with its payments in place. */
export const SeenOpenInvoice = z.object({
  id,
  status: word.nullable(),
  hosted_invoice_url: z.string().nullish(),
  payments: listOf(z.object({ payment: z.object({ payment_intent: reference.nullish() }) })),
})

export const SeenAttempt = z.object({
  status: word,
  last_payment_error: z.object({ code: word.optional(), decline_code: word.optional() }).nullable(),
})

export const SeenRunning = z.object({
  id,
  current_phase: z.object({ start_date: seconds, end_date: seconds }).nullable(),
})

export const SeenPage = z.object({ url: z.string().nullable() })
