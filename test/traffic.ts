// Random shops, the same for the same seed: the minutes of a month in which a shop has visitors.

export type Random = () => number

/** Mulberry32: small and fast, with sufficient quality for test data. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface Shop {
  visitsPerDay: number
  /** Share of an average hour's visits that a night hour has. */
  nightShare: number
  /** Factor of Saturdays and Sundays against weekdays. */
  weekend: number
  /** Noise per day and per hour: standard deviation of the logarithm. */
  dayNoise: number
  hourNoise: number
  /** Share of days with three times the visits, and with a third of them. */
  promoShare: number
  holidayShare: number
}

export function createTrafficShop(random: Random, visitsPerDay: number): Shop {
  return {
    visitsPerDay,
    nightShare: random() * 0.08,
    weekend: [0.2, 0.5, 1, 1.4][Math.floor(random() * 4)]!,
    dayNoise: 0.15 + random() * 0.2,
    hourNoise: 0.1 + random() * 0.2,
    promoShare: 0.03,
    holidayShare: 0.05,
  }
}

export const DAY_MINUTES = 1_440

/** One entry per minute: 1 when there was activity. Day 0 is a Monday that begins at local midnight. */
export function drawTraffic(random: Random, shop: Shop, days: number): Uint8Array {
  const minutes = new Uint8Array(days * DAY_MINUTES)
  for (let day = 0; day < days; day++) {
    const level = shop.visitsPerDay * computeDayLevel(random, shop, day)
    for (let hour = 0; hour < 24; hour++) {
      const expected = level * share(shop, hour) * Math.exp(drawGauss(random) * shop.hourNoise)
      const visits = drawPoisson(random, expected)
      for (let visit = 0; visit < visits; visit++)
        addVisit(random, minutes, day * DAY_MINUTES + hour * 60 + random() * 60)
    }
  }
  return minutes
}

function computeDayLevel(random: Random, shop: Shop, day: number): number {
  const chance = random()
  const event = chance < shop.promoShare ? 3 : chance < shop.promoShare + shop.holidayShare ? 1 / 3 : 1
  return event * (day % 7 >= 5 ? shop.weekend : 1) * Math.exp(drawGauss(random) * shop.dayNoise)
}

/** Midnight to six is night; the day peaks at noon and in the evening. */
function share(shop: Shop, hour: number): number {
  if (hour < 6) return shop.nightShare / 18
  return (0.6 + 0.4 * Math.sin(((hour - 6) / 17) * Math.PI) + (hour >= 19 && hour < 22 ? 0.3 : 0)) / 18
}

/** A visit is one to six minutes of activity within a quarter of an hour. */
function addVisit(random: Random, minutes: Uint8Array, start: number): void {
  const marks = 1 + Math.floor(random() * 6)
  for (let mark = 0; mark < marks; mark++) {
    const at = Math.floor(start + (mark === 0 ? 0 : random() * 15))
    if (at < minutes.length) minutes[at] = 1
  }
}

function drawPoisson(random: Random, expected: number): number {
  if (expected > 30) return Math.max(0, Math.round(expected + Math.sqrt(expected) * drawGauss(random)))
  const limit = Math.exp(-expected)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}

function drawGauss(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
