import { z } from 'zod'
import { storesQuery } from './dashboard.ts'
import { endpoint } from './endpoint.ts'
import { DownloadLink, Pagination, pageFields } from './paging.ts'

// Advanced Analytics (B 2, 3, 7, 8, 9). What each number means: decisions 91 to 99. Rates are fractions here (decision 131); amounts are
// in whole units of `currency`. Figures are counted by the days of the store's calendar.

export const analyticsRanges = ['7d', '30d', '90d', '1y'] as const
export type AnalyticsRange = (typeof analyticsRanges)[number]
export const DEFAULT_RANGE: AnalyticsRange = '30d'
/** How many days of the store's calendar, today included (decision 91). */
export const rangeDays: Record<AnalyticsRange, number> = { '7d': 7, '30d': 30, '90d': 90, '1y': 365 }

/** (this − before) / before of as many days before; null where before is 0 or there is nothing to compare. */
const Change = z.number().nullable()
/** A fraction; null where there is nothing to have a share of (A5). */
const Fraction = z.number().nullable()
const Amount = z.number()

const rangeQuery = storesQuery.extend({ range: z.enum(analyticsRanges).default(DEFAULT_RANGE) })

/** One stage never depends on another: a stage may exceed the one before it (decision 93). */
export const Funnel = z.object({
  cartsCreated: z.number(),
  emailsSent: z.number(),
  emailsOpened: z.number(),
  clicks: z.number(),
  conversions: z.number(),
})
export type Funnel = z.infer<typeof Funnel>

/** Messages sent in the range (decision 94). */
export const ChannelFigures = z.object({
  /** Accepted by the provider, whatever came of it. */
  accepted: z.number(),
  openRate: Fraction,
  clickRate: Fraction,
  conversionRate: Fraction,
  revenuePerEmail: z.number().nullable(),
  /** Added. */
  attributedRevenue: Amount,
  unsubscribed: z.number(),
  complaints: z.number(),
  bounced: z.number(),
})
export type ChannelFigures = z.infer<typeof ChannelFigures>

export const analyticsChannels = ['email', 'sms', 'whatsapp', 'push'] as const
export type AnalyticsChannel = (typeof analyticsChannels)[number]
export const funnelChannels = ['all', ...analyticsChannels] as const
export type FunnelChannel = (typeof funnelChannels)[number]

export const TopProduct = z.object({
  /** Added. */
  productId: z.string(),
  name: z.string(),
  sku: z.string().nullable(),
  image: z.string().nullable(),
  abandonedCount: z.number(),
  recoveryRate: Fraction,
  revenueLost: Amount,
})
export type TopProduct = z.infer<typeof TopProduct>

/** What every answer says of itself. */
const frame = {
  currency: z.string(),
  timeZone: z.string(),
  /** The first day and the last (today) of the range, by the store's calendar: `2026-03-01`. */
  firstDay: z.string(),
  lastDay: z.string(),
  /** Changes after this moment are not counted yet; null: all are, or `isBeingCounted`. */
  countedUntil: z.string().nullable(),
  /** Days or customers are still to be counted for the first time, all are counted anew, or products are still those of another day: figures are incomplete, whatever they say. */
  isBeingCounted: z.boolean(),
}

export const AnalyticsReply = z.object({
  revenueOpportunity: Amount,
  revenueOpportunityChange: Change,
  averageCartValue: Amount.nullable(),
  averageCartValueChange: Change,
  abandonmentRate: Fraction,
  abandonmentRateChange: Change,
  customerLifetimeValue: Amount.nullable(),
  customerLifetimeValueChange: Change,
  /** Of emails, as B names it. */
  funnel: Funnel,
  /** Added: the same of every channel, and of all of them together. */
  funnels: z.record(z.enum(funnelChannels), Funnel),
  /** null here and below: the plan does not include it (decision 131). */
  /** `refused`: when they were sent. These are neither accepted nor bounced. */
  email: ChannelFigures.extend({ refused: z.number() }).nullable(),
  customers: z
    .object({
      /** null here and in `countedAt`: they are counted for the first time. */
      new: z.number().nullable(),
      returning: z.number().nullable(),
      repeatPurchaseRate: Fraction,
      avgOrdersPerCustomer: z.number().nullable(),
      /** Added: distinct people are counted every 15 minutes. */
      countedAt: z.string().nullable(),
      /** Added: these are older than that, and newer ones are being counted. */
      isBeingCounted: z.boolean(),
    })
    .nullable(),
  /** Only the connected platform's (decision 96). */
  shopify: z
    .object({
      checkoutAbandonmentRate: Fraction,
      averageOrderValue: Amount.nullable(),
      customerLifetimeValue: Amount.nullable(),
    })
    .optional(),
  woocommerce: z
    .object({ cartAbandonmentRate: Fraction, averageCartValue: Amount.nullable(), conversionRate: Fraction })
    .optional(),
  topProducts: z.array(TopProduct).nullable(),
  ...frame,
  /** Revenue in other currencies: never added (decision 21). */
  otherCurrencies: z.array(z.object({ currency: z.string(), revenueOpportunity: Amount, netRevenue: Amount })),
  /** What is counted from: nothing to show while all are 0. */
  counts: z.object({ carts: z.number(), abandoned: z.number(), orders: z.number(), messages: z.number() }),
})
export type AnalyticsReply = z.infer<typeof AnalyticsReply>

export const readAnalytics = endpoint({
  method: 'GET',
  path: '/api/analytics',
  permission: 'carts:read',
  scope: 'store',
  query: rangeQuery,
  summary: 'Figures, funnel, email, customers, platform and top products of a range of days',
  reply: AnalyticsReply,
})

/** How an order is known to be ours, or not (A4). */
export const orderSources = ['attributed', 'assisted', 'organic'] as const
export type OrderSource = (typeof orderSources)[number]

/** Hours between leaving a cart and a message about it; the last is open. */
export const hourBounds = [0, 1, 3, 6, 12, 24, 48, 72, 168] as const

const CartShare = z.object({
  key: z.string(),
  abandoned: z.number(),
  recovered: z.number(),
  recoveryRate: Fraction,
  revenueOpportunity: Amount,
})

/** What we add (decision 99). */
export const AnalyticsDetails = z.object({
  /** Net revenue and orders of the range, each order in one of them; they add up to the store's. */
  sources: z.array(z.object({ source: z.enum(orderSources), orders: z.number(), netRevenue: Amount })),
  channels: z.array(ChannelFigures.extend({ channel: z.enum(analyticsChannels) })),
  /** From so many hours after leaving (see `hourBounds`). */
  hours: z.array(
    z.object({
      fromHour: z.number(),
      accepted: z.number(),
      conversionRate: Fraction,
      attributedRevenue: Amount,
      revenuePerMessage: z.number().nullable(),
    }),
  ),
  /** By alpha-2 code, the most carts first; '' : not known. */
  countries: z.array(CartShare),
  /** `phone`, `desktop`, or '' : not known, as of carts that only the store told of. */
  devices: z.array(CartShare),
  /** `new`: without an order before the cart began; `returning`. */
  shoppers: z.array(CartShare),
  /** Where messages came from: steps of flows, campaigns, messages sent by hand. The most revenue first. */
  origins: z.array(
    ChannelFigures.extend({
      kind: z.enum(['flow', 'campaign', 'manual', 'push']),
      /** Of the flow or campaign; null: by hand. */
      id: z.string().nullable(),
      /** Of the flow's step. */
      stepId: z.string().nullable(),
      name: z.string(),
      channel: z.enum(analyticsChannels),
    }),
  ),
  ...frame,
})
export type AnalyticsDetails = z.infer<typeof AnalyticsDetails>

export const readAnalyticsDetails = endpoint({
  method: 'GET',
  path: '/api/analytics/details',
  permission: 'carts:read',
  scope: 'store',
  query: rangeQuery,
  summary: 'Revenue by how it is known, and figures by channel, hour, country, device, and origin of the message',
  reply: AnalyticsDetails,
})

export const listAnalyticsProducts = endpoint({
  method: 'GET',
  path: '/api/analytics/products',
  permission: 'carts:read',
  scope: 'store',
  query: rangeQuery.extend({ ...pageFields({ limit: 20, most: 100 }), search: z.string().max(200).default('') }),
  summary: 'All products left in carts, the most lost first',
  reply: z.object({ products: z.array(TopProduct), pagination: Pagination, ...frame }),
})

const trendQuery = storesQuery.extend({ period: z.enum(analyticsRanges).default(DEFAULT_RANGE) })

/** Days up to 30d, weeks for 90d, months for 1y; the last one is still running (decision 98). */
const Trend = z.object({
  labels: z.array(z.string()),
  datasets: z.array(z.object({ label: z.string(), data: z.array(z.number().nullable()), borderColor: z.string() })),
  /** Added: the first day of each bucket, by the store's calendar. */
  starts: z.array(z.string()),
  unit: z.enum(['rate', 'money']),
  ...frame,
})
export type Trend = z.infer<typeof Trend>

export const readRecoveryRateTrend = endpoint({
  method: 'GET',
  path: '/api/analytics/recovery-rate-trend',
  permission: 'carts:read',
  scope: 'store',
  query: trendQuery,
  summary: 'Recovery rate and abandonment rate over time',
  reply: Trend,
})

export const readRevenueTrend = endpoint({
  method: 'GET',
  path: '/api/analytics/revenue-trend',
  permission: 'carts:read',
  scope: 'store',
  query: trendQuery,
  summary: 'Recovered revenue and revenue opportunity over time',
  reply: Trend,
})

/** What messages cost and brought in (decision 154). Everything counts on the day the message left. */
export const Roi = z.object({
  /** By month of the store's calendar, whatever the range: the last 12 at most, without gaps, from the first that has a message. */
  months: z.array(
    z.object({
      month: z.string(),
      attributedRevenue: Amount,
      /** As booked, in the store's currency; others in `otherCosts`. */
      messageCost: Amount,
      discounts: Amount,
      /** Of the plan in force now; null: it is paid in another currency. */
      planPrice: Amount.nullable(),
    }),
  ),
  /** Of the whole range. */
  channels: z.array(
    z.object({ channel: z.enum(analyticsChannels), attributedRevenue: Amount, messageCost: Amount, discounts: Amount }),
  ),
  origins: z.array(
    z.object({
      kind: z.enum(['flow', 'campaign', 'manual', 'push']),
      id: z.string().nullable(),
      name: z.string(),
      attributedRevenue: Amount,
      messageCost: Amount,
      discounts: Amount,
    }),
  ),
  /** Of the range, and of the months. */
  otherCosts: z.array(z.object({ currency: z.string(), messageCost: Amount })),
  otherCostsByMonth: z.array(z.object({ currency: z.string(), messageCost: Amount })),
  /** Plans are paid in it. */
  planCurrency: z.string(),
  ...frame,
})
export type Roi = z.infer<typeof Roi>

export const readRoi = endpoint({
  method: 'GET',
  path: '/api/analytics/roi',
  permission: 'carts:read',
  scope: 'store',
  query: rangeQuery,
  summary: 'What messages, discounts and the plan cost, against the revenue attributed to them, by month',
  reply: Roi,
})

/** All stores: those of one currency, in a file `analytics-all-stores-{range}.csv` (decision 154). */
const exportQuery = storesQuery.extend({ range: z.enum(analyticsRanges).default(DEFAULT_RANGE) })

/** Answers `analytics-{platform}-{range}.csv` itself. */
export const exportAnalytics = endpoint({
  method: 'GET',
  path: '/api/analytics/export',
  permission: 'account:export',
  scope: 'store',
  query: exportQuery,
  summary: 'All figures of a range of days as a CSV file, each with its definition',
  fileType: 'text/csv',
  reply: z.string(),
})

/** Added: for a browser, whose navigation carries no token. */
export const prepareAnalyticsExport = endpoint({
  method: 'GET',
  path: '/api/analytics/export/link',
  permission: 'account:export',
  scope: 'store',
  query: exportQuery,
  summary: 'A link, good for two minutes, to the same CSV file',
  reply: DownloadLink,
})

/** B 8. */
export const analyticsTexts = {
  failed: 'Failed to fetch analytics data',
  trendFailed: 'Failed to fetch trend data',
  exportFailed: 'Failed to export analytics data',
  noData: 'No data available',
  tryAnother: 'Try selecting a different time period',
  chartFailed: 'Error loading chart',
  /** Of ours. */
  advancedPlan: 'This is part of Advanced Analytics, on the Starter and Growth plans. Please upgrade.',
  allStoresPlan: 'Figures of all stores together require the Growth plan. Please upgrade.',
  roiPlan: 'ROI Tracking requires the Growth plan. Please upgrade.',
  exportPlan: 'Exporting analytics requires the Growth plan. Please upgrade.',
  noStoreOfCurrency: 'None of your stores has this currency.',
} as const
