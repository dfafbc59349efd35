import {
  COUPON_CODE_MOST,
  type Coupon,
  type CouponInput,
  couponTexts,
  mostText,
  percentDecimals,
  wrongDecimals,
} from '../../shared/coupons.ts'
import { daysLater, instantOf, localOf } from '../ui/zone.ts'

// What is typed of a coupon, what is wrong with it (B 5), and what is sent. Pure.

/** A number field is empty, a number, or what is no number yet, such as a minus. */
type Typed = number | string

export interface CouponValues {
  code: string
  kind: Coupon['kind']
  type: CouponInput['type']
  amount: Typed
  minSpend: Typed
  maxDiscount: Typed
  /** By the clocks of the store, as the browser's date field has them. */
  startDate: string
  endDate: string
  usageLimit: Typed
  isActive: boolean
  validHours: Typed
  isTiedToEmail: boolean
}

export const VALID_HOURS = 72
const MOST_VALID_HOURS = 8_760
const DAYS = 7

/** Begins now and ends seven days later, as Quick Create does. */
export function newValues(now: number, zone: string): CouponValues {
  const startDate = localOf(now, zone)
  return {
    ...{ code: '', kind: 'shared', type: 'percentage', amount: '', minSpend: '', maxDiscount: '', usageLimit: '' },
    ...{ startDate, endDate: daysLater(startDate, DAYS) },
    ...{ isActive: true, validHours: VALID_HOURS, isTiedToEmail: false },
  }
}

export const valuesOf = (coupon: Coupon, zone: string): CouponValues => ({
  code: coupon.code,
  kind: coupon.kind,
  type: coupon.type === 'fixed' ? 'fixed' : 'percentage',
  amount: coupon.amount,
  minSpend: coupon.minSpend ?? '',
  maxDiscount: coupon.maxDiscount ?? '',
  startDate: coupon.startDate === null ? '' : localOf(coupon.startDate, zone),
  endDate: coupon.endDate === null ? '' : localOf(coupon.endDate, zone),
  usageLimit: coupon.usageLimit ?? '',
  isActive: coupon.isActive,
  validHours: coupon.validHours,
  isTiedToEmail: coupon.isTiedToEmail,
})

/** Decision 33: why there can be no maximum discount; null: there can. */
export function capRefusal({ kind, type }: Pick<CouponValues, 'kind' | 'type'>): string | null {
  if (type === 'fixed') return couponTexts.fixedCap
  return kind === 'shared' ? couponTexts.sharedCap : null
}

/** What becomes of an inactive one. */
export const activeText = (kind: CouponValues['kind']): string =>
  kind === 'shared'
    ? 'Nobody can use an inactive coupon. Its code stays taken.'
    : 'No message gets a code of an inactive coupon. Codes that were sent can still be used.'

export type CouponProblems = Partial<Record<keyof CouponValues, string>>

interface Where {
  currency: string
  zone: string
}

/** All mistakes at once, by field (B 5). */
export function problemsOf(values: CouponValues, { currency, zone }: Where): CouponProblems {
  const { code, kind, type, amount, minSpend, usageLimit, validHours, startDate, endDate } = values
  const typed = {
    code: codeProblem(code),
    amount: amountProblem(type, amount),
    minSpend: isTyped(minSpend) ? limitProblem('Minimum spend', couponTexts.badMinSpend, minSpend) : null,
    maxDiscount: capProblem(values),
    startDate: instantOf(startDate, zone) === null ? couponTexts.noStart : null,
    endDate: endProblem(startDate, endDate, zone),
    usageLimit: kind === 'shared' ? usageProblem(usageLimit) : null,
    validHours: kind === 'personal' && !isWithin(validHours, MOST_VALID_HOURS) ? badHours : null,
  }
  return { ...wrongDecimals({ type, ...amountsOf(values) }, currency), ...withoutNulls(typed) }
}

const badHours = 'Enter a whole number of hours between 1 and 8,760'

function codeProblem(code: string): string | null {
  if (code.trim() === '') return couponTexts.noCode
  if (code.trim().length > COUPON_CODE_MOST) return couponTexts.longCode
  return /^[A-Z0-9-]+$/.test(code.trim()) ? null : couponTexts.badCode
}

function amountProblem(type: CouponValues['type'], amount: Typed): string | null {
  if (!isTyped(amount)) return couponTexts.noAmount
  return type === 'fixed' ? limitProblem('Amount', couponTexts.badFixed, amount) : percentProblem(amount)
}

/** Of a percentage that is typed; null: nothing. */
export function percentProblem(percent: Typed): string | null {
  if (!isTyped(percent)) return couponTexts.noAmount
  if (!(Number(percent) >= 1 && Number(percent) <= 100)) return couponTexts.badPercentage
  return percentDecimals(Number(percent))
}

const limitProblem = (what: Parameters<typeof mostText>[0], notAbove0: string, given: Typed) =>
  isAbove0(given) ? mostText(what, Number(given)) : notAbove0

/** A field that is switched off keeps what was typed, and nothing of it counts. */
function capProblem(values: CouponValues): string | null {
  const { type, maxDiscount } = values
  if (type === 'fixed' || !isTyped(maxDiscount)) return null
  return capRefusal(values) ?? limitProblem('Maximum discount', couponTexts.badMaxDiscount, maxDiscount)
}

/** A warning: the end date has passed. */
export function pastText(endDate: string, zone: string, now: number): string | null {
  const end = instantOf(endDate, zone)
  return end !== null && Date.parse(end) <= now ? couponTexts.endIsPast : null
}

function endProblem(startDate: string, endDate: string, zone: string): string | null {
  const [start, end] = [instantOf(startDate, zone), instantOf(endDate, zone)]
  if (end === null) return couponTexts.noEnd
  return start !== null && Date.parse(end) <= Date.parse(start) ? couponTexts.endBeforeStart : null
}

function usageProblem(limit: Typed): string | null {
  if (!isTyped(limit)) return null
  const problem = limitProblem('Usage limit', couponTexts.badUsageLimit, limit)
  return problem ?? (Number.isInteger(Number(limit)) ? null : couponTexts.partOfAUse)
}

export const isTyped = (typed: Typed) => String(typed).trim() !== ''
const isAbove0 = (typed: Typed) => Number(typed) > 0
const isWithin = (typed: Typed, most: number) =>
  isTyped(typed) && Number.isInteger(Number(typed)) && Number(typed) >= 1 && Number(typed) <= most

const hasCap = (values: CouponValues) => capRefusal(values) === null && isTyped(values.maxDiscount)

const withoutNulls = (found: Record<string, string | null>): CouponProblems =>
  Object.fromEntries(Object.entries(found).filter(([, problem]) => problem !== null))

const amountsOf = (values: CouponValues) => ({
  amount: Number(values.amount),
  minSpend: isTyped(values.minSpend) ? Number(values.minSpend) : null,
  maxDiscount: hasCap(values) ? Number(values.maxDiscount) : null,
})

/** What is sent. A date that was not changed keeps the seconds which its field does not show. */
export function inputOf(values: CouponValues, zone: string, before: Coupon | null) {
  const dateOf = (name: 'startDate' | 'endDate') => {
    const known = before?.[name]
    return known && localOf(known, zone) === values[name] ? known : instantOf(values[name], zone)!
  }
  const isPersonal = values.kind === 'personal'
  return {
    code: values.code.trim(),
    kind: values.kind,
    type: values.type,
    ...amountsOf(values),
    startDate: dateOf('startDate'),
    endDate: dateOf('endDate'),
    usageLimit: !isPersonal && isTyped(values.usageLimit) ? Number(values.usageLimit) : null,
    isActive: values.isActive,
    ...(isPersonal && { validHours: Number(values.validHours), isTiedToEmail: values.isTiedToEmail }),
  }
}
