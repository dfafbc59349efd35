import { describe, expect, test } from 'vitest'
import { buildCoupon, DAY_MS } from '../../../test/coupon-fixtures.ts'
import { applyCoupon, couponTrouble, couponUse, finished, isCodeShown, rulesLine, tabNote } from './step-coupon.ts'

const now = Date.now()
const at = (days: number) => new Date(now + days * DAY_MS).toISOString()
const [shared, personal] = [buildCoupon(), buildCoupon({ code: 'CART', kind: 'personal' })]

describe('the coupon of a step', () => {
  test('begins with a pause of 90 days, and keeps its rules when another is chosen', () => {
    const first = applyCoupon(null, shared).coupon!
    expect(first).toMatchObject({ fallback: 'without', firstOrderOnly: false, pauseDays: 90, aboveAmount: null })
    const strict = { ...first, fallback: 'skip' as const, pauseDays: null }
    expect(applyCoupon(strict, personal).coupon).toEqual({ ...strict, couponId: personal._id })
    expect(applyCoupon(strict, null)).toEqual({ coupon: null, couponShown: null })
  })

  test('says its rules in one line', () => {
    const edit = applyCoupon(null, shared)
    expect(rulesLine(edit, 'USD')).toBe('10% · not for shoppers who used a coupon in the last 90 days')
    const strict = { firstOrderOnly: true, pauseDays: null, aboveAmount: 50, fallback: 'skip' as const }
    expect(rulesLine({ ...edit, coupon: { ...edit.coupon!, ...strict } }, 'USD')).toBe(
      '10% · only for first orders · only for carts above $50.00 · else not sent',
    )
  })

  test('leaves some messages without it, none, or all', () => {
    const { coupon } = applyCoupon(null, shared)
    expect(
      [coupon, { ...coupon!, fallback: 'skip' as const }, null].map((each) => couponUse({ coupon: each })),
    ).toEqual(['maybe', 'always', 'never'])
  })

  test('is previewed without a rule that is not typed to its end', () => {
    const { coupon } = applyCoupon(null, shared)
    expect(finished(coupon)).toEqual(coupon)
    expect(finished({ ...coupon!, pauseDays: Number.NaN, aboveAmount: 0 })).toMatchObject({
      pauseDays: null,
      aboveAmount: null,
    })
    expect(finished(null)).toBeNull()
  })

  test.each([
    ['gone', { isGone: true, isActive: false }, 'deleted'],
    ['inactive', { isActive: false }, 'inactive'],
    ['expired', { endDate: at(-1) }, 'expired'],
    ['used_up', { usageLimit: 3, usageCount: 3 }, 'used up'],
    ['not_started', { startDate: at(1) }, 'not started'],
  ])('that is %s stays chosen with a note', (trouble, changes, word) => {
    const couponShown = { ...shared, isGone: false, ...changes }
    expect(couponTrouble(couponShown, now)).toBe(trouble)
    expect(tabNote({ coupon: null, couponShown }, now)).toBe(`SUMMER10, ${word}`)
  })

  test('against which nothing is known is named by its code alone', () => {
    expect(tabNote(applyCoupon(null, personal), now)).toBe('CART-••••••••')
    expect(tabNote({ coupon: null, couponShown: null }, now)).toBeNull()
  })
})

test('a mail shows the code by name or below its items, an SMS by name alone', () => {
  const words = { subject: '', body: '', sms: '' }
  const isShown = (channel: string, more: object) => isCodeShown({ ...words, ...more, channel })
  expect(isShown('email', { body: 'Hi {{ customer_name }}' })).toBe(false)
  expect(isShown('email', { body: 'Hi {{ cart_items }}' })).toBe(true)
  expect(isShown('email', { subject: '{{coupon_code | upcase}}' })).toBe(true)
  expect(isShown('email', { body: '{% if coupon_code %}Save!{% endif %}' })).toBe(false)
  expect(isShown('sms', { sms: '{{ cart_items }}', body: '{{ coupon_code }}' })).toBe(false)
  expect(isShown('sms', { sms: 'Code {{ coupon_code }}' })).toBe(true)
})
