import type { Coupon } from '../../../shared/carts/coupons.ts'
import { formatMoney } from '../../core/ui/format.ts'
import { createListAddress } from '../../core/ui/listQuery.ts'

// Address of the coupon list and texts about a coupon. Pure.

export interface CouponFilter {
  /** Start of a code. */
  search?: string
}

export const couponsAddress = createListAddress<CouponFilter, 'newest'>({
  filters: ['search'],
  readFilter: (search) => {
    const text = search.get('search')
    return text ? { search: text.slice(0, 60) } : {}
  },
  sorts: ['newest'],
  largestFirst: ['newest'],
  limit: 50,
})

const MINUTE_MS = 60_000

/** B 2: days and hours, hours and minutes, or minutes, rounded up. null: no end. */
export function formatRemaining(endDate: string | null, now: number): string | null {
  if (endDate === null) return null
  const ms = Date.parse(endDate) - now
  if (ms <= 0) return 'Expired'
  const minutes = Math.ceil(ms / MINUTE_MS)
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60]
  if (days > 0) return `${days} d ${hours} h`
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`
}

export const isOver = ({ endDate }: Pick<Coupon, 'endDate'>, now: number) =>
  endDate !== null && Date.parse(endDate) <= now

export const isUsedUp = ({ usageLimit, usageCount }: Pick<Coupon, 'usageLimit' | 'usageCount'>) =>
  Boolean(usageLimit) && usageCount >= usageLimit!

/** Coupons a message sent now may contain. */
export function isUsable(coupon: CouponStateFields, now: number): boolean {
  const { isActive, startDate, madeBy } = coupon
  const hasBegun = startDate === null || madeBy === 'store' || Date.parse(startDate) <= now
  return isActive && hasBegun && !isOver(coupon, now) && !isUsedUp(coupon)
}

type CouponStateFields = Pick<Coupon, 'isActive' | 'startDate' | 'endDate' | 'usageLimit' | 'usageCount' | 'madeBy'>

export interface StateMark {
  kind: 'usable' | 'inactive' | 'starts' | 'over' | 'plain'
  label: string
}

/**
 * Active and Inactive show the setting (B 4). If shoppers cannot use an active coupon, the blocker is the badge and
 * Active follows without color (decision 32).
 */
export function buildStateMarks(coupon: CouponStateFields, now: number, zone: string): StateMark[] {
  const note = findBlocker(coupon, now, zone)
  if (!coupon.isActive) return [{ kind: 'inactive', label: 'Inactive' }, ...toPlainMarks(note?.label)]
  if (!note || isUsable(coupon, now)) return [{ kind: 'usable', label: 'Active' }]
  return [note, ...toPlainMarks('Active')]
}

const toPlainMarks = (label: string | undefined): StateMark[] => (label ? [{ kind: 'plain', label }] : [])

function findBlocker(coupon: CouponStateFields, now: number, zone: string): StateMark | null {
  if (isOver(coupon, now)) return { kind: 'over', label: 'Expired' }
  if (isUsedUp(coupon)) return { kind: 'over', label: 'Used up' }
  const { startDate } = coupon
  if (startDate === null || Date.parse(startDate) <= now) return null
  return { kind: 'starts', label: `Starts ${formatDayIn(startDate, now, zone)}` }
}

/** Nov 30; with the year if it is not the current one. */
function formatDayIn(instant: string, now: number, zone: string): string {
  const readYear = (at: string | number) =>
    new Intl.DateTimeFormat('en-US', { year: 'numeric', timeZone: zone }).format(new Date(at))
  const isThisYear = readYear(instant) === readYear(now)
  const options = { month: 'short', day: 'numeric', timeZone: zone } as const
  const withYear = { ...options, year: 'numeric' } as const
  return new Intl.DateTimeFormat('en-US', isThisYear ? options : withYear).format(new Date(instant))
}

/** Nov 30, 2026, 9:00 AM, in the zone. */
export const formatDateTimeIn = (instant: string, zone: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone }).format(
    new Date(instant),
  )

/** `free_shipping`: "Free shipping". */
function formatPlatformType(platformType: string): string {
  const text = platformType.replaceAll('_', ' ').trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Discount = Pick<Coupon, 'type' | 'platformType' | 'amount' | 'maxDiscount' | 'currency'>

/**
 * "10%", "$5.00 off", "10%, at most $20.00"; the platform's name for types that cannot be created here (decision 30).
 */
export function formatDiscount({ type, platformType, amount, maxDiscount, currency }: Discount): string {
  if (type === 'other') return formatPlatformType(platformType)
  if (type === 'fixed') return `${formatMoney(amount, currency)} off`
  const percent = `${formatPercent(amount)}%`
  return maxDiscount === null ? percent : `${percent}, at most ${formatMoney(maxDiscount, currency)}`
}

const formatPercent = (percent: number) => new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 }).format(percent)

export const formatMinSpend = ({ minSpend, currency }: Pick<Coupon, 'minSpend' | 'currency'>): string | null =>
  minSpend === null ? null : `Minimum spend ${formatMoney(minSpend, currency)}`

/** Eight dots replace the characters that differ per shopper (decision 34). */
export const formatCode = ({ code, kind }: Pick<Coupon, 'code' | 'kind'>) =>
  kind === 'personal' ? `${code}-••••••••` : code

/** Label in a select: `CART-•••••••• · 10%` */
export const formatCoupon = (coupon: Discount & Pick<Coupon, 'code' | 'kind'>): string =>
  `${formatCode(coupon)} · ${formatDiscount(coupon)}`

const QUICK_SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const QUICK_DAYS = 7

/** B 9: CART and six uppercase letters and digits. `random(n)` returns an integer below n. */
export const createQuickCode = (random: (bound: number) => number): string =>
  `CART${Array.from({ length: 6 }, () => QUICK_SIGNS[random(QUICK_SIGNS.length)]).join('')}`

/** B 9: a percentage that starts now, ends in seven days and is active. */
export const createQuickCoupon = (code: string, percent: number, now: number) => ({
  code,
  type: 'percentage' as const,
  amount: percent,
  minSpend: null,
  maxDiscount: null,
  usageLimit: null,
  startDate: new Date(now).toISOString(),
  endDate: new Date(now + QUICK_DAYS * 86_400_000).toISOString(),
  isActive: true,
})

type Step = Coupon['steps'][number]

export const formatStep = ({ flowName, step }: Step) => `${flowName}, step ${step}`
