import { z } from 'zod'
import { endpoint } from '../core/endpoint.ts'

// Plans, their limits and prices, and the account's subscription (A 3, 7, 9).

export const PlanKey = z.enum(['free', 'starter', 'growth'])
export type PlanKey = z.infer<typeof PlanKey>

/** Days. */
export const TRIAL_DAYS = 14
export const GUARANTEE_DAYS = 30
/** Dollars a month. */
export const EXTRA_STORE_MONTHLY = 10
export const MAX_EXTRA_STORES = 20

export const billingCycles = ['month', 'year'] as const
export const BillingCycle = z.enum(billingCycles)
export type BillingCycle = (typeof billingCycles)[number]

export const SubscriptionSource = z.enum(['free', 'test', 'operator', 'default', 'stripe'])
export type SubscriptionSource = z.infer<typeof SubscriptionSource>

/** -1 = unlimited, as in the specification. */
export interface PlanLimits {
  maxStores: number
  maxEmailsPerMonth: number
  maxSmsPerMonth: number
  maxWhatsappPerMonth: number
}

export const plans: Record<PlanKey, { name: string; priceMonthly: number; limits: PlanLimits; features: string[] }> = {
  free: {
    name: 'Lite',
    priceMonthly: 0,
    limits: { maxStores: 1, maxEmailsPerMonth: 500, maxSmsPerMonth: 0, maxWhatsappPerMonth: 0 },
    features: ['Basic Analytics', 'Email Support'],
  },
  starter: {
    name: 'Starter',
    priceMonthly: 19,
    limits: { maxStores: 2, maxEmailsPerMonth: 5_000, maxSmsPerMonth: 100, maxWhatsappPerMonth: 100 },
    features: ['Advanced Analytics', 'Priority Support', 'Customer Segmentation', 'Scheduled Campaigns'],
  },
  growth: {
    name: 'Growth',
    priceMonthly: 49,
    limits: { maxStores: 3, maxEmailsPerMonth: -1, maxSmsPerMonth: 1_000, maxWhatsappPerMonth: 1_000 },
    features: [
      'Multi-store Dashboard',
      'ROI Tracking',
      'Automated SMS/WhatsApp',
      'Export Analytics',
      'Premium Support',
    ],
  },
}

/** Shown where the server returns no limit (A 9). */
export const fallbackLimits: PlanLimits = {
  maxStores: 1,
  maxEmailsPerMonth: 100,
  maxSmsPerMonth: 50,
  maxWhatsappPerMonth: 50,
}

/** Dollars a month: 20 percent off when paid by the year, rounded (A 9). */
export const monthlyPrice = (priceMonthly: number, cycle: BillingCycle): number =>
  cycle === 'year' ? Math.round(priceMonthly * 0.8) : priceMonthly

/** Cents per billing period. An extra store costs the same per month in both cycles. */
export const planAmountMinor = (plan: PlanKey, cycle: BillingCycle, extraStores = 0): number =>
  (monthlyPrice(plans[plan].priceMonthly, cycle) + extraStores * EXTRA_STORE_MONTHLY) *
  100 *
  (cycle === 'year' ? 12 : 1)

/** Features of larger plans (decision 6), with the plans that have them. */
export const featurePlans: Record<Feature, readonly PlanKey[]> = {
  /** Manual SMS and WhatsApp. */
  manual_texts: ['starter', 'growth'],
  /** SMS and WhatsApp in flows. */
  flow_texts: ['growth'],
  /** Several flows, conditions and variants (decision 52). */
  flow_rules: ['starter', 'growth'],
  /** Campaigns with a later start or a frequency. */
  scheduled_campaigns: ['starter', 'growth'],
  /** Audience filters other than a campaign's defaults. */
  audience_filters: ['starter', 'growth'],
  /** Scheduled or recurring SMS campaigns, and all WhatsApp campaigns. */
  campaign_texts: ['growth'],
  /** All analytics beyond the figures and the funnel of 7 and 30 days (decision 131). */
  advanced_analytics: ['starter', 'growth'],
  analytics_export: ['growth'],
  /** Dashboard and analytics over all stores of the account (decision 154). */
  multi_store_dashboard: ['growth'],
  roi_tracking: ['growth'],
}
export type Feature =
  | 'manual_texts'
  | 'flow_texts'
  | 'flow_rules'
  | 'scheduled_campaigns'
  | 'audience_filters'
  | 'campaign_texts'
  | 'advanced_analytics'
  | 'analytics_export'
  | 'multi_store_dashboard'
  | 'roi_tracking'

/** Days that a past-due account keeps its plan (decision 86). */
export const GRACE_DAYS = 7

export const SubscriptionStatus = z.enum(['active', 'trialing', 'past_due', 'canceled'])
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>

export const subscriptionStatus = endpoint({
  method: 'GET',
  path: '/api/subscribe/status',
  permission: 'session',
  scope: 'account',
  summary: 'Plan and status of the account; both null before a plan was chosen',
  reply: z.object({
    plan: PlanKey.nullable(),
    status: SubscriptionStatus.nullable(),
    nextBillingDate: z.string().nullable(),
    /** Not in the specification: whether the account counts as a subscriber (A 4.1, decision 121). */
    hasActiveSubscription: z.boolean(),
    /**
     * Not in the specification: the plan whose features and limits apply now; `free` after a cancellation (decision
     * 86).
     */
    planInForce: PlanKey.nullable(),
    /** Not in the specification: when the grace period of a past-due account ends (decision 121). */
    graceUntil: z.string().nullable(),
    /** Not in the specification: whether `/test-subscription` and the test checkout exist here (decision 3). */
    isTestMode: z.boolean(),
    /** Not in the specification: the payment provider for plans here; `none`: plans are not sold (decision 82). */
    sells: z.enum(['stripe', 'test', 'none']),
    /** Not in the specification: what set the plan. */
    source: SubscriptionSource.nullable(),
    isUnlimited: z.boolean(),
    cancelAtPeriodEnd: z.boolean(),
    /** End of the paid period or of the trial. */
    currentPeriodEnd: z.string().nullable(),
    trialEndsAt: z.string().nullable(),
    /** Without a card, a trial ends on the free plan. */
    hasCard: z.boolean(),
    hasUsedTrial: z.boolean(),
    /** Not in the specification: a downgrade at the end of the period (decision 85). */
    change: z.object({ plan: PlanKey, cycle: BillingCycle.nullable(), at: z.string() }).nullable(),
    /** Not in the specification: all sending of the account is suspended, and why (decision 90). */
    suspension: z.object({ reason: z.string(), since: z.string() }).nullable(),
  }),
})

/** From this percentage of a limit, a meter warns (decision 87). */
export const NEAR_PERCENT = 80

export const MeteredChannel = z.enum(['email', 'sms', 'whatsapp'])
export type MeteredChannel = z.infer<typeof MeteredChannel>

export const Meter = z.object({
  channel: MeteredChannel,
  /** Sent in the month. */
  used: z.number(),
  /** -1 = unlimited; 0 = not in the plan. */
  limit: z.number(),
  /** Messages held because of the plan's limit. */
  held: z.number(),
  /** Those of them that expire before the month renews. */
  expiring: z.number(),
  level: z.enum(['ok', 'near', 'full']),
})
export type Meter = z.infer<typeof Meter>

export const readUsage = endpoint({
  method: 'GET',
  path: '/api/subscribe/usage',
  permission: 'session',
  scope: 'account',
  summary: 'What the month has used of the plan, what waits, and what of it will expire',
  reply: z.object({
    /** The first day of the month, in UTC. */
    month: z.string(),
    renewsAt: z.string(),
    meters: z.array(Meter),
    stores: z.object({
      used: z.number(),
      limit: z.number(),
      /** Why no further store can be connected, as a sentence; null: there is room. */
      problem: z.string().nullable(),
      /** Whether the plan allows buying an extra store now. */
      canAdd: z.boolean(),
    }),
  }),
})

export const listResting = endpoint({
  method: 'GET',
  path: '/api/subscribe/resting-stores',
  permission: 'session',
  scope: 'account',
  summary: 'The connected stores, the oldest first, and which of them rest because the plan has no room for them',
  reply: z.object({
    stores: z.array(
      z.object({
        id: z.uuid(),
        name: z.string(),
        url: z.string(),
        isResting: z.boolean(),
        /** Chosen to rest before other stores when the plan has room for fewer. */
        restsFirst: z.boolean(),
      }),
    ),
  }),
})

export const restStores = endpoint({
  method: 'PUT',
  path: '/api/subscribe/resting-stores',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Which stores rest before all others when the plan has room for fewer: all of them, each time',
  body: z.strictObject({ storeIds: z.array(z.uuid()).max(100) }),
  reply: z.object({
    success: z.literal(true),
    /** The stores that rest now. */
    resting: z.array(z.uuid()),
  }),
})

export const listPlans = endpoint({
  method: 'GET',
  path: '/api/subscribe/plans',
  permission: 'public',
  summary: 'The plans by key',
  reply: z.object({
    plans: z.record(PlanKey, z.object({ name: z.string(), price: z.number(), features: z.array(z.string()) })),
  }),
})

export const createFreeSubscription = endpoint({
  method: 'POST',
  path: '/api/subscribe/create-free-subscription',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Choose the free plan; one that is paid by card stays until its period ends',
  reply: z.object({
    success: z.boolean(),
    message: z.string(),
    /** Not in the specification: where the browser continues (decision 122). */
    url: z.string(),
  }),
})

export const manualUpdate = endpoint({
  method: 'POST',
  path: '/api/subscribe/manual-update',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Set a plan without paying; exists only in billing test mode',
  /** Not in the specification: the cycle, which is displayed only. */
  body: z.object({ planKey: z.string().max(40), cycle: BillingCycle.optional() }),
  reply: z.object({ success: z.boolean(), message: z.string(), plan: PlanKey, status: SubscriptionStatus }),
})
