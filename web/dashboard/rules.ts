import { type DashboardStats, dashboardTexts } from '../../shared/dashboard.ts'
import { ApiError, BROKEN } from '../api.ts'

// Derives what the dashboard shows from the server's answers. Pure.

/** `page`: replaces everything; `banner`: shown above the rest (A 8). */
export interface DashboardFailure {
  look: 'page' | 'banner'
  text: string
}

/** The most serious failure; null if there was none. */
export function findFailure(errors: readonly (Error | null)[]): DashboardFailure | null {
  const failures = errors.flatMap((error) => (error ? [describeFailure(error)] : []))
  return failures.find(({ look }) => look === 'page') ?? failures[0] ?? null
}

function describeFailure(error: Error): DashboardFailure {
  const status = error instanceof ApiError ? error.status : 0
  if (status === 503) return { look: 'page', text: getServerText(error as ApiError) ?? dashboardTexts.unreachable }
  if (status === 401) return { look: 'page', text: dashboardTexts.unauthorized }
  if (status === 404) return { look: 'page', text: dashboardTexts.notFound }
  return { look: 'banner', text: dashboardTexts.failed }
}

/** A proxy's 503 has no error code. */
const getServerText = ({ code, message }: ApiError) => (code === 'internal' || message === BROKEN ? null : message)

/** Nothing was ever abandoned, recovered or earned: show the first steps instead. */
export function isNewStore(stats: DashboardStats, listed: number): boolean {
  const { abandonedCarts, recoveredCarts, totalRevenue, otherCurrencies } = stats
  return (
    listed === 0 && abandonedCarts === 0 && recoveredCarts === 0 && totalRevenue === 0 && otherCurrencies.length === 0
  )
}

export interface RecoveredSummary {
  /** In the store's currency. */
  money: number
  others: { currency: string; amount: number }[]
  orders: number
  /** Percent of the carts abandoned in these days; null without any. */
  share: number | null
}

/** For the last 30 days; a sentence if nothing was recovered. */
export function summarizeRecovered(stats: DashboardStats): RecoveredSummary | { nothing: string } {
  const { monthlyRevenue, recoveredOrders, recoveredCarts, recoveryRate, totalRevenue, otherCurrencies } = stats
  const others = otherCurrencies.flatMap(({ currency, monthlyRevenue: amount }) =>
    amount === 0 ? [] : [{ currency, amount }],
  )
  if (monthlyRevenue === 0 && recoveredOrders === 0 && recoveredCarts === 0 && others.length === 0) {
    const isFirst = totalRevenue === 0 && otherCurrencies.length === 0
    return { nothing: isFirst ? NOTHING_YET : NOTHING_LATELY }
  }
  return { money: monthlyRevenue, others, orders: recoveredOrders, share: recoveryRate }
}

const NOTHING_YET =
  'No orders yet. An order appears here when a shopper buys after clicking a link in a message, using its coupon or restoring the cart.'
const NOTHING_LATELY = 'No orders were won back in the last 30 days.'

export interface Trend {
  /** `+12.5%`; `–` without a previous value. */
  text: string
  /** Direction as text, for screen readers. */
  words: string
  direction: 'up' | 'down' | 'level' | 'unknown'
}

export function describeTrend(change: number | null): Trend {
  if (change === null) return { text: '–', words: 'no data for the previous 30 days', direction: 'unknown' }
  const size = `${trends.format(Math.abs(change))}%`
  if (change === 0) return { text: size, words: 'same as in the previous 30 days', direction: 'level' }
  const isUp = change > 0
  return {
    text: `${isUp ? '+' : '−'}${size}`,
    words: `${size} ${isUp ? 'more' : 'less'} than in the previous 30 days`,
    direction: isUp ? 'up' : 'down',
  }
}

const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })
/** B 9: trends show one decimal. */
const trends = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A rate in percent; `–` if the base is zero (A5). */
export const formatRate = (rate: number | null) => (rate === null ? '–' : `${percents.format(rate)}%`)
