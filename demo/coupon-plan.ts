import type { Person } from './people.ts'
import { STEP_DELAYS_MINUTES, type Trip } from './plan.ts'
import { createRandom, hashText } from './random.ts'

// Plans the demo's coupons and which past orders use one. The random numbers are seeded by each trip's id, so changes
// here do not alter the trips. Pure.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Shared coupons created in Recoup. Times are offsets from the end of the past (`floorToHour`). */
export const RECOUP_COUPONS = [
  {
    code: 'TEA15',
    type: 'percentage',
    amount: 15,
    minSpend: 25,
    usageLimit: 100,
    startsAt: -20 * DAY,
    endsAt: 4 * DAY + 7 * HOUR,
  },
  { code: 'KILN20', type: 'percentage', amount: 20, minSpend: 20, startsAt: -70 * DAY, endsAt: -50 * DAY },
  { code: 'GIFT10', type: 'fixed', amount: 10, minSpend: 60, startsAt: 3 * DAY, endsAt: 17 * DAY },
]

/** The personal coupon of the flow's last step, from `computeCouponStepStart` on. */
export const CART_COUPON = {
  code: 'CART',
  kind: 'personal',
  type: 'percentage',
  amount: 10,
  endsAt: 300 * DAY,
  startsAt: 0,
}
export const COUPON_STEP = 3
const COUPON_STEP_DAYS = 60

/** Coupons start and end on the hour. */
export const floorToHour = ({ until }: { until: number }): number => Math.floor(until / HOUR) * HOUR

export const computeCouponStepStart = (past: { until: number; days: number }): number =>
  floorToHour(past) - Math.min(past.days, COUPON_STEP_DAYS) * DAY

const ALWAYS = { startsAt: Number.NEGATIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY, weight: 1 }

/**
 * The codes that past orders used: the shared coupons above, which were advertised while valid, and the store's own.
 */
const SHARED_CODES = [
  ...RECOUP_COUPONS.map(({ code, minSpend, startsAt, endsAt }) => ({
    code,
    fromMinor: minSpend * 100,
    startsAt,
    endsAt,
    weight: 5,
  })),
  { ...ALWAYS, code: 'WELCOME10', fromMinor: 0 },
  { ...ALWAYS, code: 'TEATIME5', fromMinor: 3_000 },
  { ...ALWAYS, code: 'FREESHIP', fromMinor: 4_000 },
  { ...ALWAYS, code: 'LASTYEAR', fromMinor: 0, endsAt: -31 * DAY },
]
const FOR_FIRST_ORDERS = 'WELCOME10'
const COUPON_SHARE = 0.3
const RECOUP_COUPON_SHARE = 0.7

/** Share of abandoned trips that the coupon recovers. */
const RETURN_SHARE = 0.16

/** Turns some abandoned trips whose last email has a code into purchases. */
export function addCouponReturns(trips: readonly Trip[], past: { until: number; days: number }): Trip[] {
  return trips.map((trip) => {
    const random = createRandom(hashText(`${trip.cart}:back`))
    if (trip.ending.kind !== 'left' || !trip.person || !trip.typedAt || !random.chance(RETURN_SHARE)) return trip
    const dueAt = computeLastMailTime(trip)
    const at = dueAt + random.between(20, 9 * 60) * MINUTE
    const buysAt = at + random.between(4, 45) * MINUTE
    if (dueAt < computeCouponStepStart(past) + HOUR || buysAt > past.until) return trip
    const status = past.until - buysAt < 2 * DAY ? 'processing' : 'completed'
    return { ...trip, ending: { kind: 'clicked', step: COUPON_STEP, at, buysAt, status } }
  })
}

const computeLastMailTime = ({ typedAt }: Trip): number => typedAt! + STEP_DELAYS_MINUTES[COUPON_STEP - 1]! * MINUTE

export interface TripCoupon {
  code: string
  /** Only for personal codes: recipient and due time of the email. */
  mail: { email: string; dueAt: number } | null
}

/** Coupons by trip. Every order after an email with a code uses that code; some other orders use a shared code. */
export function planCoupons(trips: readonly Trip[], past: { until: number; days: number }): Map<Trip, TripCoupon> {
  const planned = new Map<Trip, TripCoupon>()
  const usedEmails = new Set<string>()
  for (const trip of trips) {
    const { person } = trip
    if (!person) continue
    const context = { past, person, isFirst: !usedEmails.has(person.email) }
    usedEmails.add(person.email)
    const coupon = planPersonalCoupon(trip, context) ?? planSharedCoupon(trip, context)
    if (coupon) planned.set(trip, coupon)
  }
  return planned
}

interface CouponContext {
  past: { until: number; days: number }
  person: Person
  isFirst: boolean
}

/**
 * Only for trips whose email was certainly sent. Rules such as the frequency cap may hold back emails to returning
 * shoppers.
 */
function planPersonalCoupon(trip: Trip, { past, person, isFirst }: CouponContext): TripCoupon | null {
  const { ending } = trip
  if (ending.kind !== 'clicked' || ending.step !== COUPON_STEP || ending.buysAt === null) return null
  const dueAt = computeLastMailTime(trip)
  if (!isFirst || person.isGone || person.country !== 'US' || dueAt < computeCouponStepStart(past) + HOUR) return null
  return { code: `${CART_COUPON.code}-${drawCodeLetters(trip)}`, mail: { email: person.email, dueAt } }
}

function planSharedCoupon(trip: Trip, { past, isFirst }: CouponContext): TripCoupon | null {
  const at = readPaidTime(trip)
  const random = createRandom(hashText(`${trip.cart}:coupon`))
  if (at === null) return null
  const value = (trip.more?.lines ?? trip.first).reduce((sum, line) => sum + line.priceMinor * line.quantity, 0)
  const usable = SHARED_CODES.filter(
    ({ code, fromMinor, startsAt, endsAt }) =>
      value >= fromMinor &&
      (code !== FOR_FIRST_ORDERS || isFirst) &&
      floorToHour(past) + startsAt < at &&
      at < floorToHour(past) + endsAt,
  )
  const share = usable.some(({ weight }) => weight > 1) ? RECOUP_COUPON_SHARE : COUPON_SHARE
  if (usable.length === 0 || !random.chance(share)) return null
  return { code: usable[random.weighted(usable.map(({ weight }) => weight))]!.code, mail: null }
}

/** Time of a paid, unrefunded order; null otherwise. */
function readPaidTime({ ending }: Trip): number | null {
  if (!('status' in ending) || (ending.status !== 'completed' && ending.status !== 'processing')) return null
  return ending.kind === 'clicked' ? ending.buysAt : ending.at
}

/** The alphabet of real message codes, without ambiguous characters. */
const ALPHABET = [...'BCDFGHJKMNPQRSTVWXYZ34679']

function drawCodeLetters({ cart }: Trip): string {
  const random = createRandom(hashText(`${cart}:code`))
  return Array.from({ length: 8 }, () => random.pick(ALPHABET)).join('')
}
