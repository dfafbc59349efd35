import { expect, test } from 'vitest'
import { addCouponReturns, CART_COUPON, computeCouponStepStart, planCoupons, RECOUP_COUPONS } from './coupon-plan.ts'
import { readOrderTime } from './events.ts'
import { planTrips } from './plan.ts'
import { createRandom } from './random.ts'

const goods = ['16', '17', '18'].map((productId) => ({ productId, variationId: null, priceMinor: 2_100 }))
const HOUR = 3_600_000

test('has recent visits and abandoned carts at any hour, and no events in the future', () => {
  for (let hour = 0; hour < 24; hour++) {
    const until = Date.UTC(2026, 10, 21, hour, 20)
    const trips = planTrips(createRandom(1), goods, { until, days: 20, perDay: 4.4 })
    const fresh = trips.filter(({ startAt, ending, person }) => {
      return until - startAt < 20 * HOUR && ending.kind === 'left' && person?.phone
    })
    expect(fresh.length).toBeGreaterThanOrEqual(6)
    expect(Math.max(...trips.map(({ startAt }) => startAt))).toBeLessThan(until)
    const ofDay = trips.filter(({ startAt }) => until - startAt < 24 * HOUR).length
    expect(ofDay).toBeLessThan(20)
  }
})

test('has orders with personal and shared codes at any time, each within its validity', () => {
  for (let day = 0; day < 28; day++) {
    const past = { until: Date.UTC(2026, 10, 1 + day, 9), days: 90, perDay: 4.4 }
    const trips = addCouponReturns(planTrips(createRandom(20_260_301), goods, past), past)
    const coupons = planCoupons(trips, past)
    const personal = [...coupons].filter(([, { mail }]) => mail)
    expect(personal.length).toBeGreaterThan(4)
    expect(new Set(personal.map(([, { code }]) => code)).size).toBe(personal.length)
    for (const [trip, { code, mail }] of personal) {
      expect(code).toMatch(new RegExp(`^${CART_COUPON.code}-[BCDFGHJKMNPQRSTVWXYZ34679]{8}$`))
      expect(mail!.dueAt).toBeGreaterThan(computeCouponStepStart(past))
      expect(readOrderTime(trip)).toBeGreaterThan(mail!.dueAt)
      expect(readOrderTime(trip)).toBeLessThan(past.until)
    }
    for (const { code, startsAt, endsAt } of RECOUP_COUPONS) {
      const uses = [...coupons]
        .filter(([, coupon]) => coupon.code === code)
        .map(([trip]) => readOrderTime(trip)! - past.until)
      if (startsAt < 0) expect(uses.length, code).toBeGreaterThan(0)
      expect(uses.every((at) => at > startsAt && at < endsAt)).toBe(true)
    }
  }
})

test('plans the same codes and orders for the same seed', () => {
  const past = { until: Date.UTC(2026, 10, 21, 9), days: 90, perDay: 4.4 }
  const readReport = () => {
    const trips = addCouponReturns(planTrips(createRandom(1), goods, past), past)
    return [...planCoupons(trips, past).entries()].map(([{ cart }, coupon]) => ({ cart, ...coupon }))
  }
  expect(readReport()).toEqual(readReport())
})
