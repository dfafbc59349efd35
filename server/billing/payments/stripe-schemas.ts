import { z } from 'zod'

// Schemas of Stripe's objects with the fields that we read. Invalid values are refused, other fields are dropped.

const id = z
  .string()
  .max(255)
  .regex(/^[\w-]+$/)
/** Stripe returns another object by id, or expanded. */
const reference = z.union([id, z.looseObject({ id }).transform((object) => object.id)])
const word = z.string().max(100)
const seconds = z.number().int().min(0).max(9_999_999_999)
/** Our columns have 32 bits. */
const amount = z.number().int().min(-2_147_483_647).max(2_147_483_647)
const metadata = z
  .record(z.string().max(100), z.string().max(1_000))
  .nullable()
  .transform((value) => value ?? {})
export const buildListSchema = <T extends z.ZodType>(of: T) =>
  z.object({ data: z.array(of).max(100) }).transform(({ data }) => data)

export const StripePrice = z.object({
  id,
  lookup_key: z.string().max(255).nullable(),
  metadata,
  unit_amount: amount.nullable(),
})
export type StripePrice = z.infer<typeof StripePrice>

const quantity = z.number().int().min(0).max(1_000_000).optional()

export const StripeSubscription = z.object({
  id,
  status: word,
  created: seconds,
  currency: word,
  items: buildListSchema(
    z.object({ price: StripePrice, quantity, current_period_start: seconds, current_period_end: seconds }),
  ),
  trial_end: seconds.nullable(),
  cancel_at: seconds.nullable(),
  cancel_at_period_end: z.boolean(),
  default_payment_method: reference.nullable(),
  schedule: reference.nullable(),
  metadata,
})
export type StripeSubscription = z.infer<typeof StripeSubscription>

/** Fetched with expanded prices. */
export const StripeSchedule = z.object({
  id,
  status: word,
  current_phase: z.object({ start_date: seconds, end_date: seconds }).nullable(),
  end_behavior: word,
  phases: z
    .array(
      z.object({
        start_date: seconds,
        end_date: seconds,
        items: z.array(z.object({ price: StripePrice, quantity })).max(100),
      }),
    )
    .max(100),
})
export type StripeSchedule = z.infer<typeof StripeSchedule>

export const StripeInvoice = z.object({
  id,
  status: word.nullable(),
  created: seconds,
  number: word.nullable(),
  currency: word,
  amount_due: amount,
  amount_paid: amount,
  billing_reason: word.nullable(),
  description: z.string().nullable(),
  hosted_invoice_url: z.string().nullish(),
  next_payment_attempt: seconds.nullable(),
  lines: buildListSchema(z.object({ description: z.string().nullable() })),
  parent: z.object({ subscription_details: z.object({ subscription: reference }).nullish() }).nullable(),
  payments: buildListSchema(z.object({ payment: z.object({ payment_intent: reference.nullish() }) })).optional(),
  status_transitions: z.object({ finalized_at: seconds.nullable(), paid_at: seconds.nullable() }),
})
export type StripeInvoice = z.infer<typeof StripeInvoice>

/** Fetched with its newest charge expanded. */
export const StripeIntent = z.object({
  id,
  status: word,
  currency: word,
  amount_received: amount,
  metadata,
  last_payment_error: z.object({ message: z.string().nullish() }).nullable(),
  latest_charge: z.object({ id, amount_refunded: amount, disputed: z.boolean() }).nullable(),
})
export type StripeIntent = z.infer<typeof StripeIntent>

export const StripeDisputes = buildListSchema(z.object({ status: word, amount }))
/** An inquiry or a won dispute takes no money. */
export const TAKES_NO_MONEY = /^(warning_|won|prevented)/

export const StripeCustomer = z.union([
  z.object({ id, deleted: z.literal(true) }),
  z.object({
    id,
    deleted: z.literal(false).default(false),
    default_source: reference.nullish(),
    invoice_settings: z.object({ default_payment_method: reference.nullable() }),
  }),
])
export type StripeCustomer = z.infer<typeof StripeCustomer>

export const StripeCard = z.object({ id, card: z.object({ fingerprint: word.nullish() }).nullish() })

export const toDate = (second: number): Date => new Date(second * 1000)
