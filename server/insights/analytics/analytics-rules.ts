import {
  type AnalyticsChannel,
  type ChannelFigures,
  type Funnel,
  type FunnelChannel,
  funnelChannels,
  type OrderSource,
  orderSources,
  type TopProduct,
} from '../../../shared/analytics.ts'
import { currencyExponent } from '../../../shared/money.ts'
import type { PlatformName } from '../../../shared/platforms.ts'
import type { CartSums, FunnelSums, OrderSums } from './analytics-sql.ts'
import type { Buyers } from './buyers.ts'
import type { MessageSums } from './messages-sql.ts'
import type { ProductSums } from './product-ranges-sql.ts'

// What the figures of Advanced Analytics mean (decisions 91 to 99). Pure: no clock, no database. Rates are fractions, null for 0/0 (A5).

export const decimal = (minor: number, currency: string) => minor / 10 ** currencyExponent(currency)

export const share = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null)

/** (this − before) / before; null where there was nothing before (decision 91). */
export const change = (now: number | null, before: number | null): number | null =>
  now === null || before === null || before === 0 ? null : (now - before) / before

export const sum = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)

/** Amounts are of one currency; carts count in whatever currency they are. */
export interface CartFigures {
  revenueOpportunity: number
  averageCartValue: number | null
  abandonmentRate: number | null
}

export function cartFigures(rows: readonly CartSums[], currency: string): CartFigures {
  const own = rows.filter((row) => row.currency === currency)
  const value = share(
    sum(own, (row) => row.abandoned_minor),
    sum(own, (row) => row.abandoned),
  )
  return {
    revenueOpportunity: decimal(
      sum(own, (row) => row.unbought_minor),
      currency,
    ),
    averageCartValue: value === null ? null : decimal(Math.round(value), currency),
    abandonmentRate: share(
      sum(rows, (row) => row.began_abandoned),
      sum(rows, (row) => row.began_over),
    ),
  }
}

/** Net revenue of all orders known ÷ customers with an order, both of this currency, as of the end of the range and as of its beginning (decision 92). */
export function lifetimeValue(rows: readonly OrderSums[], currency: string) {
  const own = rows.filter((row) => row.currency === currency)
  const of = (net: 'net_until' | 'net_before', firsts: 'firsts_until' | 'firsts_before') =>
    share(
      decimal(
        sum(own, (row) => row[net]),
        currency,
      ),
      sum(own, (row) => row[firsts]),
    )
  return { now: of('net_until', 'firsts_until'), before: of('net_before', 'firsts_before') }
}

export function funnelsOf(rows: readonly FunnelSums[], cartsCreated: number): Record<FunnelChannel, Funnel> {
  const funnelOf = (channel: FunnelChannel): Funnel => {
    const own = rows.filter((row) => row.channel === channel)
    return {
      cartsCreated,
      emailsSent: sum(own, (row) => row.sent),
      emailsOpened: sum(own, (row) => row.opened),
      clicks: sum(own, (row) => row.clicked),
      conversions: sum(own, (row) => row.converted),
    }
  }
  return Object.fromEntries(funnelChannels.map((channel) => [channel, funnelOf(channel)])) as Record<
    FunnelChannel,
    Funnel
  >
}

/** Decision 94. Opened by machines alone is not known to be opened or not: it is in neither part of the rate. */
export function channelFigures(rows: readonly MessageSums[], currency: string): ChannelFigures {
  const of = (measure: Exclude<keyof MessageSums, 'currency'>) => sum(rows, (row) => row[measure])
  const accepted = of('accepted')
  const attributed = decimal(
    sum(rows, (row) => (row.currency === currency ? row.attributed_minor : 0)),
    currency,
  )
  return {
    accepted,
    openRate: share(of('opened'), accepted - of('machine_opened')),
    clickRate: share(of('clicked'), accepted),
    conversionRate: share(of('credited'), accepted),
    revenuePerEmail: share(attributed, accepted),
    attributedRevenue: attributed,
    unsubscribed: of('unsubscribed'),
    complaints: of('complained'),
    bounced: of('bounced'),
  }
}

export const ofChannel = <T extends { channel: AnalyticsChannel }>(rows: readonly T[], channel: AnalyticsChannel) =>
  rows.filter((row) => row.channel === channel)

/** Decision 95; of several stores, each store's own customers, which are not known before all of them are counted. */
export function customerFigures(all: readonly Buyers[]) {
  const isBeingCounted = all.some((each) => each.isBeingCounted)
  const counts = all.flatMap((each) => each.counts ?? [])
  if (counts.length < all.length) return { ...NOT_COUNTED, isBeingCounted }
  const buyers = sum(counts, (each) => each.buyers)
  return {
    new: sum(counts, (each) => each.new_buyers),
    returning: sum(counts, (each) => each.returning_buyers),
    repeatPurchaseRate: share(
      sum(counts, (each) => each.repeat_buyers),
      buyers,
    ),
    avgOrdersPerCustomer: share(
      sum(counts, (each) => each.orders),
      buyers,
    ),
    countedAt: new Date(Math.min(...counts.map((each) => each.counted_at.getTime()))).toISOString(),
    isBeingCounted,
  }
}

const NOT_COUNTED = {
  ...{ new: null, returning: null, repeatPurchaseRate: null, avgOrdersPerCustomer: null },
  countedAt: null,
}

const cartBlock = (rows: readonly CartSums[], currency: string) => {
  const { abandonmentRate, averageCartValue } = cartFigures(rows, currency)
  const conversionRate = share(
    sum(rows, (row) => row.began_bought),
    sum(rows, (row) => row.began),
  )
  return { cartAbandonmentRate: abandonmentRate, averageCartValue, conversionRate }
}

function checkoutBlock(carts: readonly CartSums[], orders: readonly OrderSums[], currency: string) {
  const own = orders.filter((row) => row.currency === currency)
  const began = sum(carts, (row) => row.began)
  const value = share(
    sum(own, (row) => row.net_minor),
    sum(own, (row) => row.orders),
  )
  return {
    checkoutAbandonmentRate: share(began - sum(carts, (row) => row.began_bought), began),
    averageOrderValue: value === null ? null : decimal(Math.round(value), currency),
    customerLifetimeValue: lifetimeValue(orders, currency).now,
  }
}

/** The block of the platform that all the stores have (decision 96), under the name B gives it. */
export function platformBlock(
  platforms: ReadonlySet<PlatformName>,
  { carts, orders, currency }: { carts: readonly CartSums[]; orders: readonly OrderSums[]; currency: string },
) {
  if (platforms.size !== 1) return {}
  return platforms.has('shopify')
    ? { shopify: checkoutBlock(carts, orders, currency) }
    : { woocommerce: cartBlock(carts, currency) }
}

export const presentProduct = (row: ProductSums, currency: string): TopProduct => ({
  productId: row.product_id,
  name: row.name,
  sku: row.sku,
  image: row.image_url,
  abandonedCount: row.abandoned,
  recoveryRate: share(row.recovered, row.abandoned),
  revenueLost: decimal(row.lost_minor, currency),
})

/** A4: they add up to the revenue of the store in this currency. */
export const sourcesOf = (rows: readonly OrderSums[], currency: string) =>
  orderSources.map((source: OrderSource) => {
    const own = rows.filter((row) => row.source === source && row.currency === currency)
    return {
      source,
      orders: sum(own, (row) => row.orders),
      netRevenue: decimal(
        sum(own, (row) => row.net_minor),
        currency,
      ),
    }
  })

/** Of other currencies: never added (decision 21). */
export function otherCurrencies(carts: readonly CartSums[], orders: readonly OrderSums[], currency: string) {
  const others = new Set([...carts, ...orders].map((row) => row.currency).filter((code) => code !== currency))
  return [...others].sort().flatMap((code) => {
    const opportunity = sum(carts, (row) => (row.currency === code ? row.unbought_minor : 0))
    const net = sum(orders, (row) => (row.currency === code ? row.net_minor : 0))
    return opportunity === 0 && net === 0
      ? []
      : [{ currency: code, revenueOpportunity: decimal(opportunity, code), netRevenue: decimal(net, code) }]
  })
}
