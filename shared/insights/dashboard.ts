import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// The dashboard's figures and chart (A 2.3). Decision 28 defines them.

export const chartPeriods = ['day', 'week', 'month'] as const
export type ChartPeriod = (typeof chartPeriods)[number]
export const chartMeasures = ['carts', 'revenue'] as const
export type ChartMeasure = (typeof chartMeasures)[number]

/**
 * Not in the specification (decision 154): `all` adds up the account's stores with the given `currency`; otherwise the
 * store's own applies.
 */
export const storesQuery = storeQuery.extend({
  stores: z.enum(['one', 'all']).default('one'),
  currency: z.string().length(3).optional(),
})
export type StoresQuery = Pick<z.output<typeof storesQuery>, 'stores' | 'currency'>

/** Change in percent against the 30 days before; null if there is nothing to compare with. */
const Trend = z.number().nullable()

export const DashboardStats = z.object({
  /** In 30 days of the store's calendar, including today. */
  abandonedCarts: z.number(),
  recoveredCarts: z.number(),
  /** Percentage of the carts abandoned in this period that are recovered so far; null if none were abandoned. */
  recoveryRate: z.number().nullable(),
  /** Attributed net revenue since connecting, and of orders placed in this period, in the store's currency. */
  totalRevenue: z.number(),
  monthlyRevenue: z.number(),
  /** Not in the specification: attributed orders placed in this period, in any currency, without fully refunded ones. */
  recoveredOrders: z.number(),
  /** Distinct people with an order or a contactable cart in this period; counted every 15 minutes. */
  activeCustomers: z.number(),
  trends: z.object({
    abandonedCarts: Trend,
    recoveredCarts: Trend,
    recoveryRate: Trend,
    totalRevenue: Trend,
    monthlyRevenue: Trend,
    recoveredOrders: Trend,
    activeCustomers: Trend,
    revenue: Trend,
  }),
  currency: z.string(),
  /** Revenue in other currencies than the store's, which is never added up. */
  otherCurrencies: z.array(z.object({ currency: z.string(), totalRevenue: z.number(), monthlyRevenue: z.number() })),
  /** Seconds since the start of the last complete order pull (Y3). */
  syncAgeSeconds: z.number().nullable(),
  /** Not in the specification: names of the stores in these figures; only for `all`. */
  stores: z
    .array(
      z.object({
        name: z.string(),
        /** Its syncs fail, so its figures may be outdated (A 8). */
        isFailing: z.boolean(),
      }),
    )
    .optional(),
})
export type DashboardStats = z.infer<typeof DashboardStats>

export const readDashboardStats = endpoint({
  method: 'GET',
  path: '/api/dashboard/stats',
  permission: 'carts:read',
  scope: 'store',
  summary: 'The figures of the last 30 days, and how they changed against the 30 days before',
  query: storesQuery,
  reply: DashboardStats,
})

export const readDashboardChart = endpoint({
  method: 'GET',
  path: '/api/dashboard/chart',
  permission: 'carts:read',
  scope: 'store',
  summary:
    'Abandoned and recovered carts, or recovered revenue, by hour (day) or by day (week, month) of the store’s own clock',
  query: storesQuery.extend({
    period: z.enum(chartPeriods).default('week'),
    /** Not in the specification. `revenue`: attributed net revenue by order time. */
    measure: z.enum(chartMeasures).default('carts'),
  }),
  reply: z.object({
    labels: z.array(z.string()),
    datasets: z.array(
      z.object({
        label: z.string(),
        data: z.array(z.number()),
        borderColor: z.string(),
        backgroundColor: z.string(),
      }),
    ),
    /** Start of each bucket. */
    starts: z.array(z.string()),
    timeZone: z.string(),
    /** Currency of the charted revenue: the store's. */
    currency: z.string(),
    /** Revenue of the period in other currencies, which is not charted. */
    otherCurrencies: z.array(z.object({ currency: z.string(), revenue: z.number() })),
  }),
})

/** Stations of a cart's path, in order. */
export const pathStations = ['cart', 'abandoned', 'message', 'click', 'bought'] as const
export type PathStation = (typeof pathStations)[number]

const Amounts = z.array(z.object({ currency: z.string(), amount: z.number() }))

/** Not in the specification: what happened to carts in the last 30 days, with the money at each station. */
export const readDashboardPath = endpoint({
  method: 'GET',
  path: '/api/dashboard/path',
  permission: 'carts:read',
  scope: 'store',
  summary: 'Carts and their value in the last 30 days: begun, abandoned, with a message, clicked and recovered',
  query: storeQuery,
  reply: z.object({
    stations: z.array(
      z.object({
        station: z.enum(pathStations),
        carts: z.number(),
        /** Value at abandonment, by currency; of `bought`: the recovered revenue of `readDashboardStats`. */
        amounts: Amounts,
      }),
    ),
    /** More carts exist: only this many of the newest were counted. */
    lookedThrough: z.number().optional(),
  }),
})
export type DashboardPath = z.output<typeof readDashboardPath.reply>

/** A 8. */
export const dashboardTexts = {
  unreachable: 'Store connection failed. Please check if your store is running and accessible.',
  unauthorized: 'Authentication failed. Please reconnect your store with valid credentials.',
  notFound: 'Store not found. Please connect your store first.',
  failed: 'Failed to fetch dashboard data. Please try again later.',
} as const
