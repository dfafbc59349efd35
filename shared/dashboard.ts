import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'

// The dashboard's figures and its chart (A 2.3). What each of them means: decision 28.

export const chartPeriods = ['day', 'week', 'month'] as const
export type ChartPeriod = (typeof chartPeriods)[number]
export const chartMeasures = ['carts', 'revenue'] as const
export type ChartMeasure = (typeof chartMeasures)[number]

/** Added (decision 154): `all` adds up the account's stores whose currency is `currency`; else the currency is the store's own. */
export const storesQuery = storeQuery.extend({
  stores: z.enum(['one', 'all']).default('one'),
  currency: z.string().length(3).optional(),
})
export type StoresQuery = Pick<z.output<typeof storesQuery>, 'stores' | 'currency'>

/** Change in percent against the 30 days before; null when there is nothing to compare with. */
const Trend = z.number().nullable()

export const DashboardStats = z.object({
  /** Of 30 days of the store's calendar, today included. */
  abandonedCarts: z.number(),
  recoveredCarts: z.number(),
  /** Percent of the carts abandoned in these days that are recovered by now; null when none were abandoned. */
  recoveryRate: z.number().nullable(),
  /** Attributed net revenue since connecting, and of orders placed in these days, in the store's currency. */
  totalRevenue: z.number(),
  monthlyRevenue: z.number(),
  /** Added: attributed orders placed in these days, in any currency; one refunded in full is not counted. */
  recoveredOrders: z.number(),
  /** Distinct people with an order or a contactable cart in these days; counted every 15 minutes. */
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
  /** Revenue in other currencies than the store's: never added to it. */
  otherCurrencies: z.array(z.object({ currency: z.string(), totalRevenue: z.number(), monthlyRevenue: z.number() })),
  /** Seconds since the last complete reading of the store's orders began (Y3). */
  syncAgeSeconds: z.number().nullable(),
  /** Added: names of the stores that these figures add up; of `all` only. */
  stores: z
    .array(
      z.object({
        name: z.string(),
        /** Its syncs fail: its figures may be old (A 8). */
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
    /** Added. `revenue`: attributed net revenue by the time of the order. */
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
    /** When each bucket begins. */
    starts: z.array(z.string()),
    timeZone: z.string(),
    /** Of the revenue drawn: the store's. */
    currency: z.string(),
    /** Revenue of the period in other currencies, which is not drawn. */
    otherCurrencies: z.array(z.object({ currency: z.string(), revenue: z.number() })),
  }),
})

/** A 8. */
export const dashboardTexts = {
  unreachable: 'Store connection failed. Please check if your store is running and accessible.',
  unauthorized: 'Authentication failed. Please reconnect your store with valid credentials.',
  notFound: 'Store not found. Please connect your store first.',
  failed: 'Failed to fetch dashboard data. Please try again later.',
} as const
