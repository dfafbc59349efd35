import { z } from 'zod'
import { analyticsChannels } from '../carts/reach.ts'
import { endpoint } from '../core/endpoint.ts'
import { buildPageFields, DownloadLink, Pagination } from '../core/paging.ts'
import { storesQuery } from './dashboard.ts'

// Advanced Analytics (B 2, 3, 7, 8, 9); decisions 91 to 99 define the figures. Rates are fractions (decision 131),
// amounts are in whole units of `currency`, and days are those of the store's calendar.

export const analyticsRanges = ['7d', '30d', '90d', '1y'] as const
export type AnalyticsRange = (typeof analyticsRanges)[number]
export const DEFAULT_RANGE: AnalyticsRange = '30d'
/** Days of the store's calendar, including today (decision 91). */
export const rangeDays: Record<AnalyticsRange, number> = { '7d': 7, '30d': 30, '90d': 90, '1y': 365 }

/** (current − previous) / previous, against the preceding period of equal length; null if previous is 0 or unknown. */
const Change = z.number().nullable()
/** A fraction; null if its denominator is 0 (A5). */
const Fraction = z.number().nullable()
const Amount = z.number()

const rangeQuery = storesQuery.extend({ range: z.enum(analyticsRanges).default(DEFAULT_RANGE) })

/** Stages are counted independently, so a stage may exceed the one before it (decision 93). */
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
  /** Accepted by the provider; later bounces do not reduce it. */
  accepted: z.number(),
  openRate: Fraction,
  clickRate: Fraction,
  conversionRate: Fraction,
  revenuePerEmail: z.number().nullable(),
  /** Not in the specification. */
  attributedRevenue: Amount,
  unsubscribed: z.number(),
  complaints: z.number(),
  bounced: z.number(),
})
export type ChannelFigures = z.infer<typeof ChannelFigures>

export const funnelChannels = ['all', ...analyticsChannels] as const
export type FunnelChannel = (typeof funnelChannels)[number]

export const TopProduct = z.object({
  /** Not in the specification. */
  productId: z.string(),
  name: z.string(),
  sku: z.string().nullable(),
  image: z.string().nullable(),
  abandonedCount: z.number(),
  recoveryRate: Fraction,
  revenueLost: Amount,
})
export type TopProduct = z.infer<typeof TopProduct>

/** Fields of every reply. */
const frame = {
  currency: z.string(),
  timeZone: z.string(),
  /** First and last day of the range in the store's calendar; the last is today. Format: `2026-03-01`. */
  firstDay: z.string(),
  lastDay: z.string(),
  /** Later changes are not counted yet; null: everything is counted. */
  countedUntil: z.string().nullable(),
  /** The figures are incomplete: a first count or a recount is running, or product figures are from another day. */
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
  /** For email, as in B. */
  funnel: Funnel,
  /** Not in the specification: the funnel of each channel and of all together. */
  funnels: z.record(z.enum(funnelChannels), Funnel),
  /** null here and below: not included in the plan (decision 131). */
  /** `refused`: bounced when they were sent. They are not in `accepted`; `bounced` are those returned later. */
  email: ChannelFigures.extend({ refused: z.number() }).nullable(),
  customers: z
    .object({
      /** null, like `countedAt`: the first count is still running. */
      new: z.number().nullable(),
      returning: z.number().nullable(),
      repeatPurchaseRate: Fraction,
      avgOrdersPerCustomer: z.number().nullable(),
      /** Not in the specification: distinct people are counted every 15 minutes. */
      countedAt: z.string().nullable(),
      /** Not in the specification: these figures are older than that, and a recount is running. */
      isBeingCounted: z.boolean(),
    })
    .nullable(),
  /** Only for the connected platform (decision 96). */
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
  /** Revenue in other currencies, which is never added up (decision 21). */
  otherCurrencies: z.array(z.object({ currency: z.string(), revenueOpportunity: Amount, netRevenue: Amount })),
  /** The underlying numbers; while all are 0, there is nothing to show. */
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

/** How an order is attributed (A4). */
export const orderSources = ['attributed', 'assisted', 'organic'] as const
export type OrderSource = (typeof orderSources)[number]

/** Bounds in hours between abandonment and message; the last range is open. */
export const hourBounds = [0, 1, 3, 6, 12, 24, 48, 72, 168] as const

const CartShare = z.object({
  key: z.string(),
  abandoned: z.number(),
  recovered: z.number(),
  recoveryRate: Fraction,
  revenueOpportunity: Amount,
})

/** Figures beyond the specification (decision 99). */
export const AnalyticsDetails = z.object({
  /** Net revenue and orders of the range by source. Each order has one source, so they add up to the store's totals. */
  sources: z.array(z.object({ source: z.enum(orderSources), orders: z.number(), netRevenue: Amount })),
  channels: z.array(ChannelFigures.extend({ channel: z.enum(analyticsChannels) })),
  /** By hours since abandonment (see `hourBounds`). */
  hours: z.array(
    z.object({
      fromHour: z.number(),
      accepted: z.number(),
      conversionRate: Fraction,
      attributedRevenue: Amount,
      revenuePerMessage: z.number().nullable(),
    }),
  ),
  /** By alpha-2 code, most carts first; '': unknown. */
  countries: z.array(CartShare),
  /** `phone`, `desktop`, or '': unknown, as for carts reported only by the store. */
  devices: z.array(CartShare),
  /** `new`: no order before the cart began; otherwise `returning`. */
  shoppers: z.array(CartShare),
  /** By origin of the message: flow steps, campaigns, manual messages. Most revenue first. */
  origins: z.array(
    ChannelFigures.extend({
      kind: z.enum(['flow', 'campaign', 'manual', 'push']),
      /** Id of the flow or campaign; null: manual. */
      id: z.string().nullable(),
      /** Id of the flow's step. */
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
  summary: 'Revenue by attribution, and figures by channel, hour, country, device, and origin of the message',
  reply: AnalyticsDetails,
})

export const listAnalyticsProducts = endpoint({
  method: 'GET',
  path: '/api/analytics/products',
  permission: 'carts:read',
  scope: 'store',
  query: rangeQuery.extend({ ...buildPageFields({ limit: 20, max: 100 }), search: z.string().max(200).default('') }),
  summary: 'All products in abandoned carts, most revenue lost first',
  reply: z.object({ products: z.array(TopProduct), pagination: Pagination, ...frame }),
})

const trendQuery = storesQuery.extend({
  period: z.enum(analyticsRanges).default(DEFAULT_RANGE),
  /** Not in the specification. `auto`: weeks for 30d while fewer than 10 carts a day are abandoned. */
  buckets: z.enum(['days', 'auto']).default('days'),
})

/** Days up to 30d, weeks for 90d, months for 1y; today is still running (decision 98). */
const Trend = z.object({
  labels: z.array(z.string()),
  datasets: z.array(z.object({ label: z.string(), data: z.array(z.number().nullable()), borderColor: z.string() })),
  /** Not in the specification: the first day of each bucket in the store's calendar. */
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

/** Cost and revenue of messages (decision 154). All figures count on the day the message was sent. */
export const Roi = z.object({
  /**
   * By month of the store's calendar, independent of the range: from the first with a message, without gaps, at most
   * 12.
   */
  months: z.array(
    z.object({
      month: z.string(),
      attributedRevenue: Amount,
      /** As booked, in the store's currency; other currencies are in `otherCosts`. */
      messageCost: Amount,
      discounts: Amount,
      /** Price of the current plan; null: billed in another currency. */
      planPrice: Amount.nullable(),
    }),
  ),
  /** For the whole range. */
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
  /** For the range and the months. */
  otherCosts: z.array(z.object({ currency: z.string(), messageCost: Amount })),
  otherCostsByMonth: z.array(z.object({ currency: z.string(), messageCost: Amount })),
  /** The currency in which plans are billed. */
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

/** For all stores of one currency, the file is `analytics-all-stores-{range}.csv` (decision 154). */
const exportQuery = storesQuery.extend({ range: z.enum(analyticsRanges).default(DEFAULT_RANGE) })

/** Returns the file `analytics-{platform}-{range}.csv`. */
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

/** Not in the specification: browser navigation sends no token, so the download uses a ticket. */
export const prepareAnalyticsExport = endpoint({
  method: 'GET',
  path: '/api/analytics/export/link',
  permission: 'account:export',
  scope: 'store',
  query: exportQuery,
  summary: 'A link, valid for two minutes, to the same CSV file',
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
  /** Not in the specification. */
  advancedPlan: 'This is part of Advanced Analytics, on the Starter and Growth plans. Please upgrade.',
  allStoresPlan: 'Figures of all stores together require the Growth plan. Please upgrade.',
  roiPlan: 'ROI Tracking requires the Growth plan. Please upgrade.',
  exportPlan: 'Exporting analytics requires the Growth plan. Please upgrade.',
  noStoreOfCurrency: 'None of your stores has this currency.',
} as const
