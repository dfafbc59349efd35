import type { Person } from './people.ts'
import { STEP_DELAYS_MINUTES, type Trip } from './plan.ts'
import { createRandom, numberOf } from './random.ts'

// Which coupons the demo has, and which of the past's orders were placed with one. Drawn from each trip's own name, so that whatever is
// changed here leaves the trips as they are. Pure.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Made here, for everybody. Times are counted from the end of the past, by `hourOf`. */
export const RECOUPED = [
  {
    ...{ code: 'TEA15', type: 'percentage', amount: 15, minSpend: 25, usageLimit: 100 },
    ...{ startsAt: -20 * DAY, endsAt: 4 * DAY + 7 * HOUR },
  },
  { code: 'KILN20', type: 'percentage', amount: 20, minSpend: 20, startsAt: -70 * DAY, endsAt: -50 * DAY },
  { code: 'GIFT10', type: 'fixed', amount: 10, minSpend: 60, startsAt: 3 * DAY, endsAt: 17 * DAY },
]

/** The flow's last step carries it, since `carriedSince`. */
export const CART = { code: 'CART', kind: 'personal', type: 'percentage', amount: 10, endsAt: 300 * DAY, startsAt: 0 }
export const CARRYING_STEP = 3
const CARRIED_DAYS = 60

/** Coupons begin and end on the hour. */
export const hourOf = ({ until }: { until: number }): number => Math.floor(until / HOUR) * HOUR

export const carriedSince = (past: { until: number; days: number }): number =>
  hourOf(past) - Math.min(past.days, CARRIED_DAYS) * DAY

const ALWAYS = { startsAt: Number.NEGATIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY, weight: 1 }

/** As orders used them: those above, which were spoken of while they ran, and the store's own. */
const SHARED = [
  ...RECOUPED.map(({ code, minSpend, startsAt, endsAt }) => ({
    ...{ code, fromMinor: minSpend * 100, startsAt, endsAt, weight: 5 },
  })),
  { ...ALWAYS, code: 'WELCOME10', fromMinor: 0 },
  { ...ALWAYS, code: 'TEATIME5', fromMinor: 3_000 },
  { ...ALWAYS, code: 'FREESHIP', fromMinor: 4_000 },
  { ...ALWAYS, code: 'LASTYEAR', fromMinor: 0, endsAt: -31 * DAY },
]
const FOR_FIRST_ORDERS = 'WELCOME10'
const SHARE_WITH_ONE = 0.3
const SHARE_WITH_OURS = 0.7

/** Of those who would have stayed away. */
const SHARE_BROUGHT_BACK = 0.16

/** The same trips, but for some whose last mail carries a code: they come back and buy. */
export function broughtBack(trips: readonly Trip[], past: { until: number; days: number }): Trip[] {
  return trips.map((trip) => {
    const random = createRandom(numberOf(`${trip.cart}:back`))
    if (trip.ending.kind !== 'left' || !trip.person || !trip.typedAt || !random.chance(SHARE_BROUGHT_BACK)) return trip
    const dueAt = lastMailOf(trip)
    const at = dueAt + random.between(20, 9 * 60) * MINUTE
    const buysAt = at + random.between(4, 45) * MINUTE
    if (dueAt < carriedSince(past) + HOUR || buysAt > past.until) return trip
    const status = past.until - buysAt < 2 * DAY ? 'processing' : 'completed'
    return { ...trip, ending: { kind: 'clicked', step: CARRYING_STEP, at, buysAt, status } }
  })
}

const lastMailOf = ({ typedAt }: Trip): number => typedAt! + STEP_DELAYS_MINUTES[CARRYING_STEP - 1]! * MINUTE

export interface TripCoupon {
  code: string
  /** Of a personal code: whose mail had it, and when that was due. */
  mail: { email: string; dueAt: number } | null
}

/** By trip. Every order that came of the last mail since it carries a code was placed with that code; of the others some had a shared one. */
export function couponsOf(trips: readonly Trip[], past: { until: number; days: number }): Map<Trip, TripCoupon> {
  const planned = new Map<Trip, TripCoupon>()
  const known = new Set<string>()
  for (const trip of trips) {
    const { person } = trip
    if (!person) continue
    const about = { past, person, isFirst: !known.has(person.email) }
    known.add(person.email)
    const coupon = personalOf(trip, about) ?? sharedOf(trip, about)
    if (coupon) planned.set(trip, coupon)
  }
  return planned
}

interface About {
  past: { until: number; days: number }
  person: Person
  isFirst: boolean
}

/** Only where nothing can have kept the mail: from whoever was here before it may be kept. */
function personalOf(trip: Trip, { past, person, isFirst }: About): TripCoupon | null {
  const { ending } = trip
  if (ending.kind !== 'clicked' || ending.step !== CARRYING_STEP || ending.buysAt === null) return null
  const dueAt = lastMailOf(trip)
  if (!isFirst || person.isGone || person.country !== 'US' || dueAt < carriedSince(past) + HOUR) return null
  return { code: `${CART.code}-${lettersOf(trip)}`, mail: { email: person.email, dueAt } }
}

function sharedOf(trip: Trip, { past, isFirst }: About): TripCoupon | null {
  const at = paidAt(trip)
  const random = createRandom(numberOf(`${trip.cart}:coupon`))
  if (at === null) return null
  const value = (trip.more?.lines ?? trip.first).reduce((sum, line) => sum + line.priceMinor * line.quantity, 0)
  const good = SHARED.filter(
    ({ code, fromMinor, startsAt, endsAt }) =>
      value >= fromMinor &&
      (code !== FOR_FIRST_ORDERS || isFirst) &&
      hourOf(past) + startsAt < at &&
      at < hourOf(past) + endsAt,
  )
  const share = good.some(({ weight }) => weight > 1) ? SHARE_WITH_OURS : SHARE_WITH_ONE
  if (good.length === 0 || !random.chance(share)) return null
  return { code: good[random.weighted(good.map(({ weight }) => weight))]!.code, mail: null }
}

/** Of an order that was paid, and not refunded. */
function paidAt({ ending }: Trip): number | null {
  if (!('status' in ending) || (ending.status !== 'completed' && ending.status !== 'processing')) return null
  return ending.kind === 'clicked' ? ending.buysAt : ending.at
}

/** As the codes of messages are: nothing that is taken for something else. */
const ALPHABET = [...'BCDFGHJKMNPQRSTVWXYZ34679']

function lettersOf({ cart }: Trip): string {
  const random = createRandom(numberOf(`${cart}:code`))
  return Array.from({ length: 8 }, () => random.pick(ALPHABET)).join('')
}
