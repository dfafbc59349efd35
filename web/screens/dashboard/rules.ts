import type { z } from 'zod'
import type { storeHealth } from '../../../shared/access/stores.ts'
import { type CartReach, type CartReason, writeReachFilter } from '../../../shared/carts/reach.ts'
import { formatChange } from '../../../shared/core/percent.ts'
import {
  type DashboardPath,
  type DashboardStats,
  dashboardTexts,
  type PathStation,
} from '../../../shared/insights/dashboard.ts'
import { pluginTexts } from '../../../shared/platforms/plugin-texts.ts'
import { ApiError, BROKEN } from '../../core/api/api.ts'
import { formatAge, formatCounted } from '../../core/ui/format.ts'
import type { Outcome } from '../../core/ui/Thread.tsx'
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

interface RecoveredSummary {
  /** In the store's currency. */
  money: number
  others: { currency: string; amount: number }[]
}

/** For the last 30 days; a sentence if nothing was recovered. */
export function summarizeRecovered(stats: DashboardStats): RecoveredSummary | { nothing: string } {
  const { monthlyRevenue, recoveredOrders, recoveredCarts, totalRevenue, otherCurrencies } = stats
  const others = otherCurrencies.flatMap(({ currency, monthlyRevenue: amount }) =>
    amount === 0 ? [] : [{ currency, amount }],
  )
  if (monthlyRevenue === 0 && recoveredOrders === 0 && recoveredCarts === 0 && others.length === 0) {
    const isFirst = totalRevenue === 0 && otherCurrencies.length === 0
    return { nothing: isFirst ? NOTHING_YET : NOTHING_LATELY }
  }
  return { money: monthlyRevenue, others }
}

const NOTHING_YET =
  'An order counts once a shopper buys after clicking a message, using its coupon or restoring the cart.'
const NOTHING_LATELY = 'No orders recovered in the last 30 days.'

const DAYS = 30

/** Why no email can be sent about a cart, after "39 carts". Other reasons need no message: bought, active, emptied. */
const BLOCKERS: Partial<Record<CartReason, string>> = {
  no_contact: 'without email',
  contact_unconfirmed: 'with an unconfirmed email',
  no_consent: 'without consent',
  consent_pending: 'with consent pending',
  consent_unconfirmed: 'with unconfirmed consent',
  consent_withdrawn: 'with consent withdrawn',
  suppressed_unsubscribed: 'unsubscribed',
  suppressed_complaint: 'after a spam complaint',
  suppressed_hard_bounce: 'with a bounced email',
  suppressed_manual: 'suppressed',
  suppressed_invalid: 'with an invalid email',
  suppressed_erased: 'erased',
  holdout: 'in the control group',
  items_gone: 'with sold-out items',
  frequency_cap: 'held by the frequency cap',
}

const MAX_BLOCKERS = 4

interface Blocker {
  key: string
  text: string
  amounts: { currency: string; amount: number }[]
  to: string
}

/** The most frequent blockers, and how many more there are. */
export function listBlockers({ reasons }: Pick<CartReach, 'reasons'>): { rows: Blocker[]; more: number } {
  const all = reasons.flatMap(({ reason, country, count, amounts = [] }): Blocker[] => {
    const words = BLOCKERS[reason]
    if (!words) return []
    const filter = writeReachFilter({ reason, country })
    const text = `${formatCounted(count, 'cart')} ${words}${country ? ` (${country})` : ''}`
    return [{ key: filter, text, amounts, to: `/carts?reach=${filter}&days=${DAYS}` }]
  })
  return { rows: all.slice(0, MAX_BLOCKERS), more: Math.max(0, all.length - MAX_BLOCKERS) }
}

const stationLabels: Record<PathStation, string> = {
  cart: 'Cart',
  abandoned: 'Abandoned',
  message: 'Message',
  click: 'Click',
  bought: 'Recovered',
}

interface PathPart extends Pick<DashboardPath['stations'][number], 'carts' | 'amounts'> {
  key: PathStation
  label: string
  outcome: Outcome
}

/** A station is reached once a cart is there. */
export const buildPathStations = ({ stations }: Pick<DashboardPath, 'stations'>): PathPart[] =>
  stations.map(({ station, carts, amounts }) => ({
    key: station,
    label: stationLabels[station],
    outcome: carts === 0 ? 'ahead' : station === 'bought' ? 'won' : 'done',
    carts,
    amounts,
  }))

export interface Trend {
  /** `+12.5%`; `–` without a previous value. */
  text: string
  /** Direction as text, for screen readers. */
  description: string
  direction: 'up' | 'down' | 'level' | 'unknown'
}

export function describeTrend(change: number | null): Trend {
  if (change === null) return { text: '–', description: 'no data for the previous 30 days', direction: 'unknown' }
  const text = formatChange(change / 100)
  if (text === '0.0%') return { text, description: 'same as in the previous 30 days', direction: 'level' }
  const isUp = change > 0
  return {
    text,
    description: `${text.replace('more than', 'over').replace(/[+−]/, '')} ${isUp ? 'more' : 'less'} than in the previous 30 days`,
    direction: isUp ? 'up' : 'down',
  }
}
