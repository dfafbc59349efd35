import type { AnalyticsChannel } from '../../../shared/carts/reach.ts'
import { getCurrencyExponent } from '../../../shared/core/money.ts'
import {
  type ChannelFigures,
  type Funnel,
  type FunnelChannel,
  funnelChannels,
  type OrderSource,
  orderSources,
  type TopProduct,
} from '../../../shared/insights/analytics.ts'
import type { PlatformName } from '../../../shared/platforms/platforms.ts'
import type { CartSums, FunnelSums, OrderSums } from './analytics-sql.ts'
import type { Buyers } from './buyers.ts'
import type { MessageSums } from './messages-sql.ts'
import type { ProductSums } from './product-ranges-sql.ts'

// Computes the figures of Advanced Analytics (decisions 91 to 99). Pure: no clock, no database. Rates are fractions,
// null for 0/0 (A5).

export const toDecimal = (minor: number, currency: string) => minor / 10 ** getCurrencyExponent(currency)

export const computeShare = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null)

/** (now − before) / before; null if `before` is 0 or unknown (decision 91). */
export const change = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : (now - before) / before

export const sum = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)

/** Amounts are in one currency; counts of carts include all currencies. */
export interface CartFigures {
  revenueOpportunity: number
  averageCartValue: number | null
  abandonmentRate: number | null
}

export function buildCartFigures(rows: readonly CartSums[], currency: string): CartFigures {
  const own = rows.filter((row) => row.currency === currency)
  const value = computeShare(
    sum(own, (row) => row.abandoned_minor),
    sum(own, (row) => row.abandoned),
  )
  return {
    revenueOpportunity: toDecimal(
      sum(own, (row) => row.unbought_minor),
      currency,
    ),
    averageCartValue: value === null ? null : toDecimal(Math.round(value), currency),
    abandonmentRate: computeShare(
      sum(rows, (row) => row.began_abandoned),
      sum(rows, (row) => row.began_over),
    ),
  }
}

/**
 * Net revenue of all orders ÷ customers with an order, in this currency, at the end and at the start of the range
 * (decision 92).
 */
export function lifetimeValue(rows: readonly OrderSums[], currency: string) {
  const own = rows.filter((row) => row.currency === currency)
  const of = (net: 'net_until' | 'net_before', firsts: 'firsts_until' | 'firsts_before') =>
    computeShare(
      toDecimal(
        sum(own, (row) => row[net]),
        currency,
      ),
      sum(own, (row) => row[firsts]),
    )
  return { now: of('net_until', 'firsts_until'), before: of('net_before', 'firsts_before') }
}

export function buildFunnels(rows: readonly FunnelSums[], cartsCreated: number): Record<FunnelChannel, Funnel> {
  const buildFunnel = (channel: FunnelChannel): Funnel => {
    const own = rows.filter((row) => row.channel === channel)
    return {
      cartsCreated,
      emailsSent: sum(own, (row) => row.sent),
      emailsOpened: sum(own, (row) => row.opened),
      clicks: sum(own, (row) => row.clicked),
      conversions: sum(own, (row) => row.converted),
    }
  }
  return Object.fromEntries(funnelChannels.map((channel) => [channel, buildFunnel(channel)])) as Record<
    FunnelChannel,
    Funnel
  >
}

/**
 * Figures per channel (decision 94). A message opened by machines only may be read or not, so it is excluded from the
 * open rate.
 */
export function channelFigures(rows: readonly MessageSums[], currency: string): ChannelFigures {
  const of = (measure: Exclude<keyof MessageSums, 'currency'>) => sum(rows, (row) => row[measure])
  const accepted = of('accepted')
  const attributed = toDecimal(
    sum(rows, (row) => (row.currency === currency ? row.attributed_minor : 0)),
    currency,
  )
  return {
    accepted,
    openRate: computeShare(of('opened'), accepted - of('machine_opened')),
    clickRate: computeShare(of('clicked'), accepted),
    conversionRate: computeShare(of('credited'), accepted),
    revenuePerEmail: computeShare(attributed, accepted),
    attributedRevenue: attributed,
    unsubscribed: of('unsubscribed'),
    complaints: of('complained'),
    bounced: of('bounced'),
  }
}

export const filterChannel = <T extends { channel: AnalyticsChannel }>(rows: readonly T[], channel: AnalyticsChannel) =>
  rows.filter((row) => row.channel === channel)

/**
 * Customer figures (decision 95). For several stores: the sum of each store's customers, null until all are counted.
 */
export function buildCustomerFigures(all: readonly Buyers[]) {
  const isBeingCounted = all.some((each) => each.isBeingCounted)
  const counts = all.flatMap((each) => each.counts ?? [])
  if (counts.length < all.length) return { ...NOT_COUNTED, isBeingCounted }
  const buyers = sum(counts, (each) => each.buyers)
  return {
    new: sum(counts, (each) => each.new_buyers),
    returning: sum(counts, (each) => each.returning_buyers),
    repeatPurchaseRate: computeShare(
      sum(counts, (each) => each.repeat_buyers),
      buyers,
    ),
    avgOrdersPerCustomer: computeShare(
      sum(counts, (each) => each.orders),
      buyers,
    ),
    countedAt: new Date(Math.min(...counts.map((each) => each.counted_at.getTime()))).toISOString(),
    isBeingCounted,
  }
}

const NOT_COUNTED = {
  new: null,
  returning: null,
  repeatPurchaseRate: null,
  avgOrdersPerCustomer: null,
  countedAt: null,
}

const buildCartBlock = (rows: readonly CartSums[], currency: string) => {
  const { abandonmentRate, averageCartValue } = buildCartFigures(rows, currency)
  const conversionRate = computeShare(
    sum(rows, (row) => row.began_bought),
    sum(rows, (row) => row.began),
  )
  return { cartAbandonmentRate: abandonmentRate, averageCartValue, conversionRate }
}

function checkoutBlock(carts: readonly CartSums[], orders: readonly OrderSums[], currency: string) {
  const own = orders.filter((row) => row.currency === currency)
  const began = sum(carts, (row) => row.began)
  const value = computeShare(
    sum(own, (row) => row.net_minor),
    sum(own, (row) => row.orders),
  )
  return {
    checkoutAbandonmentRate: computeShare(began - sum(carts, (row) => row.began_bought), began),
    averageOrderValue: value === null ? null : toDecimal(Math.round(value), currency),
    customerLifetimeValue: lifetimeValue(orders, currency).now,
  }
}

/** The block of the stores' common platform (decision 96), named as in B. */
export function buildPlatformBlock(
  platforms: ReadonlySet<PlatformName>,
  { carts, orders, currency }: { carts: readonly CartSums[]; orders: readonly OrderSums[]; currency: string },
) {
  if (platforms.size !== 1) return {}
  return platforms.has('shopify')
    ? { shopify: checkoutBlock(carts, orders, currency) }
    : { woocommerce: buildCartBlock(carts, currency) }
}

export const presentProduct = (row: ProductSums, currency: string): TopProduct => ({
  productId: row.product_id,
  name: row.name,
  sku: row.sku,
  image: row.image_url,
  abandonedCount: row.abandoned,
  recoveryRate: computeShare(row.recovered, row.abandoned),
  revenueLost: toDecimal(row.lost_minor, currency),
})

/** Revenue by source; the sum is the store's revenue in this currency (A4). */
export const buildSources = (rows: readonly OrderSums[], currency: string) =>
  orderSources.map((source: OrderSource) => {
    const own = rows.filter((row) => row.source === source && row.currency === currency)
    return {
      source,
      orders: sum(own, (row) => row.orders),
      netRevenue: toDecimal(
        sum(own, (row) => row.net_minor),
        currency,
      ),
    }
  })

/** Revenue in other currencies, which is never added (decision 21). */
export function listOtherCurrencies(carts: readonly CartSums[], orders: readonly OrderSums[], currency: string) {
  const others = new Set([...carts, ...orders].map((row) => row.currency).filter((code) => code !== currency))
  return [...others].sort().flatMap((code) => {
    const opportunity = sum(carts, (row) => (row.currency === code ? row.unbought_minor : 0))
    const net = sum(orders, (row) => (row.currency === code ? row.net_minor : 0))
    return opportunity === 0 && net === 0
      ? []
      : [{ currency: code, revenueOpportunity: toDecimal(opportunity, code), netRevenue: toDecimal(net, code) }]
  })
}
