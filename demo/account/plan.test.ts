import { expect, test } from 'vitest'
import { planTrips } from './plan.ts'
import { createRandom } from './random.ts'

const goods = ['16', '17', '18'].map((productId) => ({ productId, variationId: null, priceMinor: 2_100 }))
const HOUR = 3_600_000

test('at whatever hour somebody looks, shoppers have just been there, left something, and nothing is of tomorrow', () => {
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
