import type { z } from 'zod'
import type { storeHealth } from '../../../shared/access/stores.ts'
import { type DashboardStats, dashboardTexts } from '../../../shared/insights/dashboard.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { ApiError, BROKEN } from '../../core/api/api.ts'
import { formatAge } from '../../core/ui/format.ts'
import { describeReports } from '../../features/stores/rules.ts'

// Derives what the dashboard shows from the server's answers. Pure.

/** `page`: replaces everything; `banner`: shown above the rest (A 8). */
export interface DashboardFailure {
  placement: 'page' | 'banner'
  text: string
}

/** `figures`: the dashboard's own answer. A missing part never replaces the page. null: nothing failed. */
export function findFailure(figures: Error | null, parts: readonly (Error | null)[] = []): DashboardFailure | null {
  if (figures) return describeFailure(figures)
  return parts.some((error) => error) ? { placement: 'banner', text: dashboardTexts.failed } : null
}

function describeFailure(error: Error): DashboardFailure {
  const status = error instanceof ApiError ? error.status : 0
  if (status === 503) return { placement: 'page', text: getServerText(error as ApiError) ?? dashboardTexts.unreachable }
  if (status === 401) return { placement: 'page', text: dashboardTexts.unauthorized }
  if (status === 404) return { placement: 'page', text: dashboardTexts.notFound }
  return { placement: 'banner', text: dashboardTexts.failed }
}

/** A proxy's 503 has no error code. */
const getServerText = ({ code, message }: ApiError) => (code === 'internal' || message === BROKEN ? null : message)

type Health = Pick<z.output<typeof storeHealth.reply>, 'ageSeconds' | 'isReported' | 'streams'>

/** A sweep is due every 15 minutes; syncs that fail for longer are reported (A 8). */
const GRACE_S = 30 * 60

/** Why the figures of a store with a plugin may lack orders; null: they are current. */
export function describeOrderReports(health: Health): string | null {
  const { ageSeconds, isReported, streams } = health
  if (ageSeconds === null) return describeReports(health)
  if (ageSeconds <= GRACE_S) return null
  const age = `Orders were last updated ${formatAge(ageSeconds)}, so the figures may be old.`
  if (isReported !== undefined) return `Recoup cannot reach your shop. ${age} ${pluginTexts.reportsByCron}`
  const problem = streams.sweep?.problem
  return problem ? `${age} ${problem}` : null
}

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
  description: string
  direction: 'up' | 'down' | 'level' | 'unknown'
}

export function describeTrend(change: number | null): Trend {
  if (change === null) return { text: '–', description: 'no data for the previous 30 days', direction: 'unknown' }
  const size = `${trends.format(Math.abs(change))}%`
  if (change === 0) return { text: size, description: 'same as in the previous 30 days', direction: 'level' }
  const isUp = change > 0
  return {
    text: `${isUp ? '+' : '−'}${size}`,
    description: `${size} ${isUp ? 'more' : 'less'} than in the previous 30 days`,
    direction: isUp ? 'up' : 'down',
  }
}

const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })
/** B 9: trends show one decimal. */
const trends = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A rate in percent; `–` if the base is zero (A5). */
export const formatRate = (rate: number | null) => (rate === null ? '–' : `${percents.format(rate)}%`)
