import type { Coupon, FlowStepCoupon } from '../../../shared/carts/coupons.ts'
import type { StepCoupon } from '../../../shared/marketing/flows.ts'
import { formatCounted, formatMoney } from '../../core/ui/format.ts'
import { formatCode, formatDiscount, isOver, isUsedUp } from '../coupons/rules.ts'
import type { CouponUse } from './rules.ts'

// The coupon of a step: choice, problems and labels. Pure.

export interface CouponEdit {
  /** `pauseDays` and `aboveAmount` are NaN while their fields are empty. */
  coupon: StepCoupon | null
  /** The coupon to display; not saved. */
  couponShown: FlowStepCoupon | null
}

export const PAUSE_DAYS = 90
const MOST_PAUSE_DAYS = 3_650
const MOST_MONEY = 1_000_000_000

/** Another coupon keeps the rules; the first one gets the default rules (decision 36). */
export function applyCoupon(coupon: StepCoupon | null, chosen: Coupon | null): CouponEdit {
  if (!chosen) return { coupon: null, couponShown: null }
  const rules = coupon ?? {
    fallback: 'without' as const,
    firstOrderOnly: false,
    pauseDays: PAUSE_DAYS,
    aboveAmount: null,
  }
  return { coupon: { ...rules, couponId: chosen._id }, couponShown: { ...chosen, isGone: false } }
}

export type CouponProblems = Partial<Record<'pauseDays' | 'aboveAmount', string>>

export function couponProblems(coupon: StepCoupon | null): CouponProblems {
  const { pauseDays = null, aboveAmount = null } = coupon ?? {}
  return {
    ...(pauseDays !== null && !isPause(pauseDays) && { pauseDays: 'Enter a whole number of days between 1 and 3,650' }),
    ...(aboveAmount !== null && !isAmount(aboveAmount) && { aboveAmount: 'Enter an amount greater than 0' }),
  }
}

const isPause = (days: number) => Number.isInteger(days) && days >= 1 && days <= MOST_PAUSE_DAYS
const isAmount = (amount: number) => amount > 0 && amount <= MOST_MONEY

/** For the preview: incomplete rules are ignored. */
export function finished(coupon: StepCoupon | null): StepCoupon | null {
  const wrong = couponProblems(coupon)
  return (
    coupon && {
      ...coupon,
      ...(wrong.pauseDays !== undefined && { pauseDays: null }),
      ...(wrong.aboveAmount !== undefined && { aboveAmount: null }),
    }
  )
}

/** The rules in one line: "10% · not for shoppers who used a coupon in the last 90 days". */
export function rulesLine({ coupon, couponShown }: CouponEdit, currency: string): string {
  if (!coupon) return ''
  const { firstOrderOnly, pauseDays, aboveAmount, fallback } = coupon
  return [
    couponShown && formatDiscount(couponShown),
    firstOrderOnly && 'only for first orders',
    pauseDays !== null &&
      isPause(pauseDays) &&
      `not for shoppers who used a coupon in the last ${formatCounted(pauseDays, 'day')}`,
    aboveAmount !== null && isAmount(aboveAmount) && `only for carts above ${formatMoney(aboveAmount, currency)}`,
    fallback === 'skip' && 'else not sent',
  ]
    .filter(Boolean)
    .join(' · ')
}

export type Trouble = 'gone' | 'inactive' | 'expired' | 'used_up' | 'not_started'

/** Explains why messages of the step do not get the coupon now. null: no known problem. */
export function couponTrouble(coupon: FlowStepCoupon | null, now: number): Trouble | null {
  if (!coupon) return null
  if (coupon.isGone) return 'gone'
  if (!coupon.isActive) return 'inactive'
  if (isOver(coupon, now)) return 'expired'
  if (isUsedUp(coupon)) return 'used_up'
  const { madeBy, startDate } = coupon
  return madeBy === 'recoup' && startDate !== null && Date.parse(startDate) > now ? 'not_started' : null
}

export const troubleTexts: Record<Trouble, { word: string; text: string }> = {
  gone: { word: 'deleted', text: 'This coupon was deleted in your store.' },
  inactive: { word: 'inactive', text: 'This coupon is not active.' },
  expired: { word: 'expired', text: 'This coupon has expired.' },
  used_up: { word: 'used up', text: 'This coupon has been used as often as its usage limit allows.' },
  not_started: { word: 'not started', text: 'This coupon has not started yet.' },
}

/** Shown next to the delay of the step: its code, and a note if there is a problem. */
export function tabNote({ couponShown }: CouponEdit, now: number): string | null {
  if (!couponShown) return null
  const trouble = couponTrouble(couponShown, now)
  return trouble ? `${formatCode(couponShown)}, ${troubleTexts[trouble].word}` : formatCode(couponShown)
}

export interface Words {
  channel: string
  subject: string
  body: string
  sms: string
}

/** Whether messages of the step have a coupon. */
export const couponUse = ({ coupon }: Pick<CouponEdit, 'coupon'>): CouponUse =>
  coupon === null ? 'never' : coupon.fallback === 'skip' ? 'always' : 'maybe'

/** Whether the shopper sees the code. A mail lists the coupon after the items; an SMS shows only what its text names. */
export function isCodeShown({ channel, subject, body, sms }: Words): boolean {
  if (channel === 'email') return names(subject + body, 'coupon_code') || names(body, 'cart_items')
  return names(sms, 'coupon_code')
}

/** Used as a value; a condition alone prints nothing. */
const names = (text: string, variable: string) =>
  text
    .split('{{')
    .slice(1)
    .some((rest) => new RegExp(`\\b${variable}\\b`).test(rest.split('}', 1)[0]!))
