import { z } from 'zod'
import { buildListSchema, StripePrice, StripeSubscription } from '../payments/public.ts'

// Schemas of Stripe's objects with the fields that checkout and changes read.

const id = z
  .string()
  .max(255)
  .regex(/^[\w-]+$/)
const metadata = z
  .record(z.string().max(100), z.string().max(1_000))
  .nullable()
  .transform((value) => value ?? {})
const reference = z.union([id, z.looseObject({ id }).transform((object) => object.id)])

export const CheckoutSession = z.object({
  id,
  status: z.enum(['open', 'complete', 'expired']),
  url: z.string().nullable(),
  client_reference_id: z.string().max(200).nullable(),
  metadata,
})

export const CreditSession = z.object({
  client_reference_id: z.string().max(200).nullable(),
  payment_status: z.string().max(100),
  metadata,
})

export const CustomerState = z.object({ id, deleted: z.boolean().optional() })

export const SubscriptionStates = z.object({
  data: z.array(z.object({ id, status: z.string().max(100), schedule: reference.nullable() })).max(100),
})

const seconds = z.number().int().min(0).max(9_999_999_999)
const amount = z.number().int().min(-2_147_483_647).max(2_147_483_647)
const word = z.string().max(100)

/** With the fields needed to change it. */
export const LiveSubscription = StripeSubscription.extend({
  items: buildListSchema(
    z.object({
      id,
      price: StripePrice,
      quantity: z.number().int().min(0).max(1_000_000).default(1),
      current_period_start: seconds,
      current_period_end: seconds,
    }),
  ),
  latest_invoice: reference.nullable(),
  discounts: z.array(reference).max(100).default([]),
  pending_update: z.looseObject({}).nullable(),
})
export type LiveSubscription = z.infer<typeof LiveSubscription>

export const LiveSubscriptions = z.object({ data: z.array(LiveSubscription).max(100) })

/** A subscription after a change request. An unpaid change is pending. */
export const ChangedSubscription = z.object({
  pending_update: z.looseObject({}).nullable(),
  latest_invoice: reference.nullable(),
})

export const InvoicePreview = z.object({
  amount_due: amount,
  total: amount,
  currency: word,
  lines: buildListSchema(
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
export type InvoicePreview = z.infer<typeof InvoicePreview>

/** Fetched with expanded payments. */
export const OpenInvoice = z.object({
  id,
  status: word.nullable(),
  hosted_invoice_url: z.string().nullish(),
  payments: buildListSchema(z.object({ payment: z.object({ payment_intent: reference.nullish() }) })),
})

export const PaymentAttempt = z.object({
  status: word,
  last_payment_error: z.object({ code: word.optional(), decline_code: word.optional() }).nullable(),
})

export const RunningSchedule = z.object({
  id,
  current_phase: z.object({ start_date: seconds, end_date: seconds }).nullable(),
})
