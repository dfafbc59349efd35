import type { z } from 'zod'
import {
  type Meter,
  planAmountMinor,
  plans,
  type readUsage,
  type subscriptionStatus,
} from '../shared/billing/billing.ts'
import type { CreditEntry, Credits, listCreditEntries } from '../shared/billing/credits.ts'
import {
  type ChangePreview,
  type Payment,
  type paymentHistory,
  paymentStatuses,
  type SubscriptionDetail,
} from '../shared/billing/payments.ts'
import type { Call } from './api.ts'
import demo from './fixtures/demo.json' with { type: 'json' }

// Replies about plan, usage, payments and credits, at the time of the fixtures.

export type Status = z.output<typeof subscriptionStatus.reply>
export type Usage = z.output<typeof readUsage.reply>

export const DAY_MS = 86_400_000
export const addDays = (days: number) => new Date(Date.parse(demo.now) + days * DAY_MS).toISOString()
/** As the screens format it. */
export const formatDateIn = (days: number) =>
  new Date(addDays(days)).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** Growth, sold by Stripe, without problems. */
export function buildStatus(changes: Partial<Status> = {}): Status {
  const plan = changes.plan === undefined ? 'growth' : changes.plan
  const isPaid = plan !== null && plan !== 'free'
  return {
    plan,
    status: plan && 'active',
    nextBillingDate: isPaid ? addDays(12) : null,
    currentPeriodEnd: isPaid ? addDays(12) : null,
    hasActiveSubscription: plan !== null,
    planInForce: plan,
    graceUntil: null,
    isTestMode: false,
    sells: 'stripe',
    source: plan && (plan === 'free' ? 'free' : 'stripe'),
    isUnlimited: false,
    cancelAtPeriodEnd: false,
    trialEndsAt: null,
    hasCard: true,
    hasUsedTrial: false,
    change: null,
    suspension: null,
    ...changes,
  }
}

const buildMeter = (channel: Meter['channel'], limit: number, changes: Partial<Meter> = {}): Meter => ({
  channel,
  limit,
  used: 0,
  held: 0,
  expiring: 0,
  level: 'ok',
  ...changes,
})

/** Starter's limits, each channel in another state. */
export function buildUsage(): Usage {
  const { limits } = plans.starter
  return {
    month: '2026-11-01',
    renewsAt: '2026-12-01T00:00:00.000Z',
    stores: { used: 1, limit: limits.maxStores, problem: null, canAdd: false },
    meters: [
      buildMeter('email', limits.maxEmailsPerMonth, { used: 1_234 }),
      buildMeter('sms', limits.maxSmsPerMonth, { used: 84, level: 'near' }),
      buildMeter('whatsapp', limits.maxWhatsappPerMonth, { used: 100, level: 'full', held: 14, expiring: 3 }),
    ],
  }
}

/** Growth's and Lite's limits: unlimited channels, and channels outside the plan. */
export const buildOtherUsage = (): Usage => ({
  month: '2026-11-01',
  renewsAt: '2026-12-01T00:00:00.000Z',
  stores: { used: 1, limit: -1, problem: null, canAdd: false },
  meters: [
    buildMeter('email', -1, { used: 20_400 }),
    buildMeter('sms', 0),
    buildMeter('whatsapp', 0, { held: 2, expiring: 2 }),
  ],
})

export type Detail = SubscriptionDetail

/** Growth monthly, paid by card. */
export function buildDetail(changes: Partial<Detail> = {}): { subscription: Detail } {
  const plan = changes.plan ?? 'growth'
  const source = changes.source ?? (plan === 'free' ? 'free' : 'stripe')
  const isPaid = source === 'stripe'
  const { maxStores, ...limits } = plans[plan].limits
  return {
    subscription: {
      plan,
      source,
      planDetails: { name: plans[plan].name, features: plans[plan].features },
      amount: isPaid ? planAmountMinor(plan, 'month') : 0,
      currency: 'USD',
      billingCycle: isPaid ? 'month' : null,
      status: 'active',
      cancelAtPeriodEnd: false,
      extraStores: 0,
      trialEndsAt: null,
      currentPeriodEnd: isPaid ? addDays(12) : null,
      nextBillingDate: isPaid ? addDays(12) : null,
      lastPaymentDate: isPaid ? addDays(-18) : null,
      features: {
        ...limits,
        maxStores: maxStores + (changes.extraStores ?? 0),
        advancedAnalytics: plan !== 'free',
        prioritySupport: plan !== 'free',
        customBranding: true,
        apiAccess: false,
      },
      hasCard: isPaid,
      canManage: isPaid,
      asOf: isPaid ? addDays(0) : null,
      ...changes,
    },
  }
}

/** This many, cycling through the statuses, newest first. */
export const buildPayments = (count: number, from = 0): Payment[] =>
  Array.from({ length: count }, (_, index) => {
    const at = from + index
    const status = paymentStatuses[at % paymentStatuses.length]!
    return {
      _id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      createdAt: new Date(Date.UTC(2026, 9, 20 - at, 12)).toISOString(),
      description: at % 2 ? 'Growth, by the month' : 'Growth with 2 extra stores, by the year',
      failureReason: status === 'failed' ? 'Your card was declined.' : null,
      amount: 4_900 + at * 100,
      currency: 'usd',
      refundAmount: status === 'refunded' ? 1_250 : 0,
      status,
      stripeInvoiceId: `in_${at}`,
      number: at === 1 ? null : `RC-00${at}`,
      invoiceUrl: at === 1 ? null : `https://invoice.stripe.example/${at}`,
    }
  })

export const buildHistory =
  (total: number) =>
  ({ query: { page, limit } }: Call<typeof paymentHistory>) => ({
    payments: buildPayments(Math.max(0, Math.min(limit, total - (page - 1) * limit)), (page - 1) * limit),
    pagination: { page, limit, total, pages: Math.ceil(total / limit) },
  })

/** Starter to Growth, in the middle of the month. */
export const buildPreview = (changes: Partial<ChangePreview> = {}): ChangePreview => ({
  when: 'now',
  at: addDays(0),
  dueNow: 1_650,
  credit: 760,
  charge: 2_260,
  tax: 150,
  nextAmount: 4_900,
  nextDate: addDays(12),
  needsCard: false,
  currency: 'usd',
  token: 'shown-1',
  lost: [],
  storesTooMany: 0,
  stores: [],
  ...changes,
})

export const sampleStores = ['Kiln Road', 'Second Hand', 'Third Floor'].map((name, index) => ({
  ...{ id: `00000000-0000-4000-8000-00000000000${index}`, name, url: `https://shop${index}.example`, isResting: false },
}))

/** SMS through the server's own account, sold by Stripe. */
export const buildCredits = (changes: Partial<Credits> = {}): Credits => ({
  carrier: 'operator',
  offer: 'stripe',
  isUsable: true,
  balanceMicros: 12_345_678,
  weekMicros: 3_618_000,
  prices: [
    { country: 'US', micros: 18_000 },
    { country: 'DE', micros: 169_500 },
    { country: null, micros: 225_000 },
  ],
  ...changes,
})

/** An account with its own provider and no credits left. */
export const noCredits: Credits = buildCredits({ carrier: 'own', offer: null, balanceMicros: 0, weekMicros: 0 })

/** `total` entries, newest first, ten per page. */
export const buildLedger =
  (total: number) =>
  ({ query: { page } }: Call<typeof listCreditEntries>) => {
    const kinds = ['use', 'give_back', 'refund', 'purchase', 'test', 'adjustment'] as const
    const first = total - (page - 1) * 10
    const entries = Array.from({ length: Math.max(0, Math.min(10, first)) }, (_, at): CreditEntry => {
      const kind = kinds[at % kinds.length]!
      return {
        seq: first - at,
        at: new Date(Date.UTC(2026, 9, 20, 12) - at * DAY_MS).toISOString(),
        kind,
        micros: kind === 'use' ? -18_000 : kind === 'refund' ? -7_000_000 : 25_000_000,
        balanceMicros: 12_345_678,
        owedMicros: kind === 'refund' ? 18_000_000 : 0,
        note: kind === 'adjustment' ? 'Goodwill' : null,
      }
    })
    return { entries, pagination: { page, limit: 10, total, pages: Math.ceil(total / 10) } }
  }
