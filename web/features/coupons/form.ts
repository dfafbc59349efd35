import {
  type Coupon,
  type CouponInput,
  checkDecimals,
  checkPercentDecimals,
  couponTexts,
  getMostText,
  MAX_COUPON_CODE_LENGTH,
} from '../../../shared/carts/coupons.ts'
import { addDays, toInstant, toLocal } from '../../core/ui/zone.ts'

// Draft of a coupon, its validation (B 5) and its request body. Pure.

/** A number field is empty, a number, or incomplete input such as a minus sign. */
type FormValues = number | string

export interface CouponValues {
  code: string
  kind: Coupon['kind']
  type: CouponInput['type']
  amount: FormValues
  minSpend: FormValues
  maxDiscount: FormValues
  /** In the store's time zone, in the format of the date input. */
  startDate: string
  endDate: string
  usageLimit: FormValues
  isActive: boolean
  validHours: FormValues
  isTiedToEmail: boolean
}

export const VALID_HOURS = 72
const MOST_VALID_HOURS = 8_760
const DAYS = 7

/** Starts now and ends seven days later, like Quick Create. */
export function createValues(now: number, zone: string): CouponValues {
  const startDate = toLocal(now, zone)
  return {
    code: '',
    kind: 'shared',
    type: 'percentage',
    amount: '',
    minSpend: '',
    maxDiscount: '',
    usageLimit: '',
    startDate,
    endDate: addDays(startDate, DAYS),
    isActive: true,
    validHours: VALID_HOURS,
    isTiedToEmail: false,
  }
}

export const toValues = (coupon: Coupon, zone: string): CouponValues => ({
  code: coupon.code,
  kind: coupon.kind,
  type: coupon.type === 'fixed' ? 'fixed' : 'percentage',
  amount: coupon.amount,
  minSpend: coupon.minSpend ?? '',
  maxDiscount: coupon.maxDiscount ?? '',
  startDate: coupon.startDate === null ? '' : toLocal(coupon.startDate, zone),
  endDate: coupon.endDate === null ? '' : toLocal(coupon.endDate, zone),
  usageLimit: coupon.usageLimit ?? '',
  isActive: coupon.isActive,
  validHours: coupon.validHours,
  isTiedToEmail: coupon.isTiedToEmail,
})

/** Decision 33: why a maximum discount is impossible; null if possible. */
export function explainNoCap({ kind, type }: Pick<CouponValues, 'kind' | 'type'>): string | null {
  if (type === 'fixed') return couponTexts.fixedCap
  return kind === 'shared' ? couponTexts.sharedCap : null
}

/** What happens to an inactive coupon. */
export const describeInactive = (kind: CouponValues['kind']): string =>
  kind === 'shared'
    ? 'An inactive coupon can’t be used. Its code can’t be reused.'
    : 'Inactive: messages get no new codes. Sent codes still work.'

export type CouponProblems = Partial<Record<keyof CouponValues, string>>

interface CouponContext {
  currency: string
  zone: string
}

/** All errors at once, by field (B 5). */
export function checkCoupon(values: CouponValues, { currency, zone }: CouponContext): CouponProblems {
  const { code, kind, type, amount, minSpend, usageLimit, validHours, startDate, endDate } = values
  const typed = {
    code: checkCode(code),
    amount: checkAmount(type, amount),
    minSpend: isTyped(minSpend) ? checkLimit('Minimum spend', couponTexts.badMinSpend, minSpend) : null,
    maxDiscount: checkCap(values),
    startDate: toInstant(startDate, zone) === null ? couponTexts.noStart : null,
    endDate: checkEnd(startDate, endDate, zone),
    usageLimit: kind === 'shared' ? checkUsage(usageLimit) : null,
    validHours: kind === 'personal' && !isWithin(validHours, MOST_VALID_HOURS) ? badHours : null,
  }
  return { ...checkDecimals({ type, ...toAmounts(values) }, currency), ...removeNulls(typed) }
}

const badHours = 'Enter a whole number of hours between 1 and 8,760'

function checkCode(code: string): string | null {
  if (code.trim() === '') return couponTexts.noCode
  if (code.trim().length > MAX_COUPON_CODE_LENGTH) return couponTexts.longCode
  return /^[A-Z0-9-]+$/.test(code.trim()) ? null : couponTexts.badCode
}

function checkAmount(type: CouponValues['type'], amount: FormValues): string | null {
  if (!isTyped(amount)) return couponTexts.noAmount
  return type === 'fixed' ? checkLimit('Amount', couponTexts.badFixed, amount) : checkPercent(amount)
}

/** Parsed percentage; null if empty. */
export function checkPercent(percent: FormValues): string | null {
  if (!isTyped(percent)) return couponTexts.noAmount
  if (!(Number(percent) >= 1 && Number(percent) <= 100)) return couponTexts.badPercentage
  return checkPercentDecimals(Number(percent))
}

const checkLimit = (what: Parameters<typeof getMostText>[0], notAbove0: string, values: FormValues) =>
  isAbove0(values) ? getMostText(what, Number(values)) : notAbove0

/** A disabled field keeps its input, which is ignored. */
function checkCap(values: CouponValues): string | null {
  const { type, maxDiscount } = values
  if (type === 'fixed' || !isTyped(maxDiscount)) return null
  return explainNoCap(values) ?? checkLimit('Maximum discount', couponTexts.badMaxDiscount, maxDiscount)
}

/** A warning: the end date has passed. */
export function warnIfPast(endDate: string, zone: string, now: number): string | null {
  const end = toInstant(endDate, zone)
  return end !== null && Date.parse(end) <= now ? couponTexts.endIsPast : null
}

function checkEnd(startDate: string, endDate: string, zone: string): string | null {
  const [start, end] = [toInstant(startDate, zone), toInstant(endDate, zone)]
  if (end === null) return couponTexts.noEnd
  return start !== null && Date.parse(end) <= Date.parse(start) ? couponTexts.endBeforeStart : null
}

function checkUsage(limit: FormValues): string | null {
  if (!isTyped(limit)) return null
  const problem = checkLimit('Usage limit', couponTexts.badUsageLimit, limit)
  return problem ?? (Number.isInteger(Number(limit)) ? null : couponTexts.partOfAUse)
}

export const isTyped = (typed: FormValues) => String(typed).trim() !== ''
const isAbove0 = (typed: FormValues) => Number(typed) > 0
const isWithin = (typed: FormValues, most: number) =>
  isTyped(typed) && Number.isInteger(Number(typed)) && Number(typed) >= 1 && Number(typed) <= most

const hasCap = (values: CouponValues) => explainNoCap(values) === null && isTyped(values.maxDiscount)

const removeNulls = (found: Record<string, string | null>): CouponProblems =>
  Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== null))

const toAmounts = (values: CouponValues) => ({
  amount: Number(values.amount),
  minSpend: isTyped(values.minSpend) ? Number(values.minSpend) : null,
  maxDiscount: hasCap(values) ? Number(values.maxDiscount) : null,
})

/** Request body. An unchanged date keeps its seconds, which the field does not show. */
export function toCouponInput(values: CouponValues, zone: string, before: Coupon | null) {
  const readDate = (name: 'startDate' | 'endDate') => {
    const known = before?.[name]
    return known && toLocal(known, zone) === values[name] ? known : toInstant(values[name], zone)!
  }
  const isPersonal = values.kind === 'personal'
  return {
    code: values.code.trim(),
    kind: values.kind,
    type: values.type,
    ...toAmounts(values),
    startDate: readDate('startDate'),
    endDate: readDate('endDate'),
    usageLimit: !isPersonal && isTyped(values.usageLimit) ? Number(values.usageLimit) : null,
    isActive: values.isActive,
    ...(isPersonal && { validHours: Number(values.validHours), isTiedToEmail: values.isTiedToEmail }),
  }
}
