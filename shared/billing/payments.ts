import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'
import { BillingCycle, MAX_EXTRA_STORES, PlanKey, SubscriptionSource, SubscriptionStatus } from './billing.ts'

// Checkout, subscription details and payments (A 7, decisions 84 to 86 and 88).

const EXTRA_STORES = `Choose 0 to ${MAX_EXTRA_STORES} extra stores.`

export const AddOns = z.strictObject({
  extraStores: z
    .number(EXTRA_STORES)
    .int(EXTRA_STORES)
    .min(0, EXTRA_STORES)
    .max(MAX_EXTRA_STORES, EXTRA_STORES)
    .optional(),
})

const choice = { planKey: z.string().max(40), cycle: BillingCycle.default('month'), addOns: AddOns.default({}) }

export const createCheckoutSession = endpoint({
  method: 'POST',
  path: '/api/subscribe/create-checkout-session',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Where a plan is paid; a further field (a price, an account) is refused',
  body: z.strictObject(choice),
  reply: z.object({ isFreePlan: z.boolean(), url: z.string() }),
})

export const checkSession = endpoint({
  method: 'GET',
  path: '/api/subscribe/check-session',
  permission: 'session',
  scope: 'account',
  summary: 'What became of a checkout session of this account',
  query: z.object({
    session_id: z
      .string()
      .max(200)
      .regex(/^cs_\w+$/, 'This is not a checkout session.'),
  }),
  reply: z.object({ success: z.boolean(), plan: PlanKey.nullable(), status: SubscriptionStatus.nullable() }),
})

export const SubscriptionDetail = z.object({
  plan: PlanKey,
  planDetails: z.object({ name: z.string(), features: z.array(z.string()) }),
  /** In the smallest unit, per period of the cycle. */
  amount: z.number(),
  currency: z.string(),
  billingCycle: BillingCycle.nullable(),
  status: SubscriptionStatus,
  currentPeriodEnd: z.string().nullable(),
  nextBillingDate: z.string().nullable(),
  lastPaymentDate: z.string().nullable(),
  cancelAtPeriodEnd: z.boolean(),
  features: z.object({
    maxStores: z.number(),
    maxEmailsPerMonth: z.number(),
    maxSmsPerMonth: z.number(),
    maxWhatsappPerMonth: z.number(),
    advancedAnalytics: z.boolean(),
    customBranding: z.boolean(),
    apiAccess: z.boolean(),
    prioritySupport: z.boolean(),
  }),
  /** Not in the specification: all following fields. */
  extraStores: z.number(),
  source: SubscriptionSource,
  trialEndsAt: z.string().nullable(),
  hasCard: z.boolean(),
  /** Whether the provider's portal can be opened. */
  canManage: z.boolean(),
  /** When the data was fetched from Stripe; null: no Stripe subscription. */
  asOf: z.string().nullable(),
})
export type SubscriptionDetail = z.infer<typeof SubscriptionDetail>

export const readSubscription = endpoint({
  method: 'GET',
  path: '/api/payments/subscription',
  permission: 'session',
  scope: 'account',
  summary:
    'The subscription in full, asked of Stripe when the copy is older than a minute; null before a plan was chosen',
  reply: z.object({ subscription: SubscriptionDetail.nullable() }),
})

export const paymentStatuses = ['succeeded', 'pending', 'failed', 'canceled', 'refunded'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

export const Payment = z.object({
  _id: z.string(),
  createdAt: z.string(),
  description: z.string(),
  failureReason: z.string().nullable(),
  /** In the smallest unit. */
  amount: z.number(),
  currency: z.string(),
  refundAmount: z.number(),
  status: z.enum(paymentStatuses),
  stripeInvoiceId: z.string(),
  /** Not in the specification, like the next field. */
  number: z.string().nullable(),
  invoiceUrl: z.string().nullable(),
})
export type Payment = z.infer<typeof Payment>

export const paymentHistory = endpoint({
  method: 'GET',
  path: '/api/payments/payment-history',
  permission: 'billing:read',
  scope: 'account',
  summary: 'Payments, the newest first',
  query: z.object(buildPageFields({ limit: 10, max: 100 })),
  reply: z.object({ payments: z.array(Payment), pagination: Pagination }),
})

const Done = z.object({ success: z.literal(true), message: z.string() })

export const createPortalSession = endpoint({
  method: 'POST',
  path: '/api/payments/create-portal-session',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Where card, address and invoices are kept at Stripe',
  reply: z.object({ url: z.string() }),
})

export const cancelSubscription = endpoint({
  method: 'POST',
  path: '/api/payments/cancel-subscription',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Ends the subscription with its period',
  reply: Done,
})

export const reactivateSubscription = endpoint({
  method: 'POST',
  path: '/api/payments/reactivate-subscription',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Takes a cancellation or a waiting change back',
  reply: Done,
})

export const ChangePreview = z.object({
  when: z.enum(['now', 'period_end']),
  /** When it takes effect. */
  at: z.string(),
  /** Amounts in the smallest unit; `dueNow` is charged at once. */
  dueNow: z.number(),
  credit: z.number(),
  charge: z.number(),
  tax: z.number(),
  nextAmount: z.number(),
  nextDate: z.string().nullable(),
  /** A trial without a card: the next bill comes only if a card is added; otherwise the plan becomes free. */
  needsCard: z.boolean(),
  currency: z.string(),
  /** Contains the displayed terms; required to make the change. */
  token: z.string(),
  /** What the smaller plan lacks, as sentences. */
  lost: z.array(z.string()),
  /** How many of `stores` have to rest. */
  storesTooMany: z.number(),
  stores: z.array(z.object({ id: z.uuid(), name: z.string(), url: z.string(), isResting: z.boolean() })),
})
export type ChangePreview = z.infer<typeof ChangePreview>

export const previewChange = endpoint({
  method: 'POST',
  path: '/api/payments/preview-change',
  permission: 'billing:write',
  scope: 'account',
  summary: 'What a change costs, when it happens, and what stops to fit',
  body: z.strictObject(choice),
  reply: ChangePreview,
})

export const changePlan = endpoint({
  method: 'POST',
  path: '/api/payments/change',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Makes the change that was shown',
  body: z.strictObject({ token: z.string().max(2_000), restingStoreIds: z.array(z.uuid()).max(30).default([]) }),
  reply: z.object({
    /** `confirm`: the bank asks the owner for confirmation at `url`. */
    state: z.enum(['done', 'scheduled', 'confirm']),
    url: z.string().nullable(),
    message: z.string(),
  }),
})
