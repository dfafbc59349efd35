import type { TopProduct } from '../../../shared/insights/analytics.ts'
import type { StoreDb } from '../../core/db/public.ts'
import * as rules from './analytics-rules.ts'
import * as sql from './analytics-sql.ts'
import { addDays, type Day, getDayBounds } from './days.ts'
import { listTopProducts } from './product-ranges-sql.ts'

// Seven days of a store's calendar and the seven before them, for the weekly report (decision 100).

export interface Week {
  /** Net revenue attributed to messages, and the orders it came from. */
  won: number
  orders: number
  abandoned: number
  recovered: number
  recoveredShare: number | null
  revenueOpportunity: number
}

export interface Weeks {
  first: Day
  last: Day
  now: Week
  before: Week
  /** The path of this week's carts: begun, abandoned, messages, clicks, bought. */
  path: { began: number; abandoned: number; messages: number; clicks: number; bought: number }
  /** Sorted by lost revenue, descending. */
  products: TopProduct[]
}

const PRODUCTS = 5

/** Whether all days before this one are counted. */
export async function isCountedBefore(store: StoreDb, day: Day, zone: string): Promise<boolean> {
  const until = await sql.readCountedUntil(store)
  return until === null || (until !== 'being counted' && until >= getDayBounds(day, zone).since)
}

/** Reads the two weeks before this day; null: neither has carts. */
export async function readWeeks(store: StoreDb, currency: string, until: Day): Promise<Weeks | null> {
  const days = { before: addDays(until, -14), first: addDays(until, -7), last: addDays(until, -1) }
  const [carts, won, products, funnels] = await Promise.all([
    sql.sumCarts(store, days),
    sql.sumAttributedByDay(store, days.before, days.last),
    listTopProducts(store, days, currency, PRODUCTS),
    sql.sumFunnels(store, days),
  ])
  if (rules.sum(carts, ({ began, abandoned }) => began + abandoned) === 0) return null
  const buildWeek = (isNow: boolean): Week => {
    const own = carts.filter((row) => row.isNow === isNow)
    const orders = won.filter((row) => row.day >= days.first === isNow && row.currency === currency)
    const [abandoned, recovered] = [rules.sum(own, (row) => row.abandoned), rules.sum(own, (row) => row.recovered)]
    return {
      won: rules.toDecimal(
        rules.sum(orders, (row) => row.net_minor),
        currency,
      ),
      orders: rules.sum(orders, (row) => row.orders),
      abandoned,
      recovered,
      recoveredShare: rules.computeShare(recovered, abandoned),
      revenueOpportunity: rules.buildCartFigures(own, currency).revenueOpportunity,
    }
  }
  const now = buildWeek(true)
  const funnel = funnels.find(({ channel }) => channel === 'all')
  return {
    first: days.first,
    last: days.last,
    now,
    path: {
      began: rules.sum(
        carts.filter(({ isNow }) => isNow),
        ({ began }) => began,
      ),
      abandoned: now.abandoned,
      messages: funnel?.sent ?? 0,
      clicks: funnel?.clicked ?? 0,
      bought: now.recovered,
    },
    before: buildWeek(false),
    products: products.map((row) => rules.presentProduct(row, currency)).filter(({ revenueLost }) => revenueLost > 0),
  }
}
