// What a run of the tests looks at. `npm test` tries a part of what takes long, chosen by a seed; `npm run test:all` tries all of it.

export const isEverythingTested = process.env.TEST_TIER === 'all'

/** The day, as 20261123, unless `TEST_SEED` says otherwise: each day another part, and any of them again. */
export const testSeed = Number(process.env.TEST_SEED || new Date().toISOString().slice(0, 10).replaceAll('-', ''))

/** The seed's one of them. */
export function oneOf<T>(all: readonly T[]): T {
  return all[testSeed % all.length]!
}

/** Whether it is the day of the one at `place` among `parts` that take turns; `npm run test:all` takes all. */
export const isItsDay = (place: number, parts: number) => isEverythingTested || (place + testSeed) % parts === 0

/** One in `parts` of them, others each day; `npm run test:all` takes all. */
export const sharePerDay = <T>(all: readonly T[], parts: number): readonly T[] =>
  all.filter((_, place) => isItsDay(place, parts))

/**
 * One of the ways to look at what is called `name`, each for some days, so that what is looked at on every second, third or sixth day is
 * looked at in each of them; `npm run test:all` takes all.
 */
export function wayPerDay<T>(ways: readonly T[], name: string): readonly T[] {
  const shift = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  return isEverythingTested ? ways : [ways[(Math.floor(testSeed / ways.length) + shift) % ways.length]!]
}

/**
 * Files of which `npm test` runs one of each pair, the other one on the next day. The journeys of an area lie here that the others' do not
 * pass through; `npm test -- billing` runs both, and so does `npm run test:all`.
 */
const PAIRS = [
  ['e2e/billing.test.ts', 'e2e/billing-life.test.ts'],
  ['e2e/analytics.test.ts', 'e2e/notifications.test.ts'],
  ['e2e/coupons.test.ts', 'e2e/campaigns.test.ts'],
  ['e2e/customers.test.ts', 'e2e/team.test.ts'],
  ['e2e/discount-mail.test.ts', 'e2e/flow-coupon.test.ts'],
  ['e2e/second-factor.test.ts', 'e2e/operator.test.ts'],
  ['test/explain.test.ts', 'test/explain-usage.test.ts'],
] as const

/** `scripts/test.mjs` says that no file was named. */
const isWholeSuite = process.env.TEST_WHOLE === '1'

/** Those that it is not the day of. */
export const restingFiles: readonly string[] =
  isEverythingTested || !isWholeSuite ? [] : PAIRS.map((pair) => pair[testSeed % 2]!)
