import type { NewFact } from '../../server/carts/carts/record.ts'
import type { Contact, FactPayload } from '../../server/core/schema/facts.ts'
import type { PlatformOrder } from '../../server/platforms/platform/platform.ts'
import { buildContactKeys, type ShopperKey } from '../../server/shoppers/shoppers/rules.ts'
import type { HistoricOrder, OwnCoupon } from '../store/history.ts'
import { CART, type TripCoupon } from './coupon-plan.ts'
import { type Extra, extrasOf } from './extras.ts'
import type { Line, Trip } from './plan.ts'

// A trip as the things that happened, one after the other, in the shapes the engine and the demo store take. Pure.

export type DemoEvent =
  | { kind: 'fact'; at: number; fact: NewFact }
  | { kind: 'order'; at: number; order: PlatformOrder }
  | { kind: 'click'; at: number; email: string; step: number; isBuying: boolean }
  /** From then on the flow's last step carries the coupon. */
  | { kind: 'carried'; at: number; couponId: string }
  /** The code that the last mail is to have, before it is made. */
  | { kind: 'code'; at: number; email: string; code: string; couponId: string }
  | Extra

export function eventsOf(trip: Trip, order: PlatformOrder | undefined, storeHost: string): DemoEvent[] {
  const email = trip.person?.email ?? ''
  const list: DemoEvent[] = [fact(trip, storeHost, trip.startAt, 'a', 0, snapshot(trip.first))]
  if (trip.more) list.push(fact(trip, storeHost, trip.more.at, 'b', 0, snapshot(trip.more.lines)))
  if (trip.typedAt)
    list.push(fact(trip, storeHost, trip.typedAt, 'c', 0, { type: 'contact', contact: contactOf(trip) }))
  const { ending } = trip
  if (ending.kind === 'emptied') list.push(fact(trip, storeHost, ending.at, 'd', 0, snapshot([])))
  if (ending.kind === 'clicked') {
    const { at, step } = ending
    list.push({ kind: 'click', at, email, step, isBuying: ending.buysAt !== null })
  }
  if (ending.kind === 'unsubscribed') list.push({ kind: 'unsubscribe', at: ending.at, email, step: ending.step })
  // Told a moment later, as a webhook would.
  if (order) list.push({ kind: 'order', at: boughtAt(trip)! + 25_000, order })
  return [...list, ...extrasOf(trip)]
}

/** Codes that orders will name are known before their mails are due. */
export function codeEvents(coupons: Iterable<TripCoupon>, couponId: string): DemoEvent[] {
  return [...coupons].flatMap(({ code, mail }) =>
    mail ? [{ kind: 'code' as const, at: mail.dueAt - 30 * 60_000, email: mail.email, code, couponId }] : [],
  )
}

/** When the trip became an order in the store; null when it did not. */
export function boughtAt({ ending }: Trip): number | null {
  if (ending.kind === 'bought' || ending.kind === 'failed') return ending.at
  return ending.kind === 'clicked' ? ending.buysAt : null
}

export function historicOrder(trip: Trip, coupon: TripCoupon | undefined): HistoricOrder {
  const at = Math.floor(boughtAt(trip)! / 1_000)
  const { ending, person } = trip
  const status = 'status' in ending ? ending.status : 'completed'
  const isUnpaid = status === 'failed' || status === 'cancelled' || status === 'on-hold'
  return {
    status,
    createdAt: at,
    ...(isUnpaid ? { paidAt: null } : {}),
    billing: {
      ...person!.address,
      first_name: person!.firstName,
      last_name: person!.lastName,
      email: person!.email,
      phone: person!.phone ?? '',
      country: person!.country,
    },
    lines: (trip.more?.lines ?? trip.first).map((line) => ({
      productId: Number(line.variationId ?? line.productId),
      quantity: line.quantity,
    })),
    ...(coupon ? { couponCode: coupon.code } : {}),
    ...(coupon?.mail ? { ownCoupon: personalCoupon(coupon.mail.dueAt) } : {}),
    paymentMethod: status === 'on-hold' ? 'bacs' : 'testcard',
    ...(status === 'refunded' ? { refund: { ...refundOf(trip), createdAt: at + 6 * 86_400 } } : {}),
  }
}

/** As the code of a message stands in the store. */
function personalCoupon(dueAt: number): OwnCoupon {
  const at = Math.floor(dueAt / 1_000)
  return {
    ...{ discountType: 'percent', amountMinor: CART.amount * 100, usageLimit: 1, individualUse: true },
    ...{ createdAt: at - 900, expiresAt: at + 6 * 86_400, description: 'Made by Recoup' },
    meta: { _recoup_mark: 'message:history' },
  }
}

const refundOf = (trip: Trip) => ({
  amountMinor: (trip.more?.lines ?? trip.first).reduce((sum, line) => sum + line.priceMinor * line.quantity, 0),
  reason: 'Arrived broken',
})

function fact(trip: Trip, storeHost: string, at: number, page: string, seq: number, what: FactPayload): DemoEvent {
  const payload = { ...what, page: `${trip.cart}-${page}`, seq } as FactPayload
  const keys = payload.type === 'contact' ? keysOf(trip, storeHost) : browserKeys(trip)
  const uniqueKey = `capture:${trip.cart}:${page}:${seq}`
  return { kind: 'fact', at, fact: { keys, source: 'capture', at: new Date(at), uniqueKey, payload } }
}

const snapshot = (lines: readonly Line[]): FactPayload => ({
  type: 'snapshot',
  items: lines.map(({ productId, variationId, quantity }) => ({ productId, variationId, quantity })),
  coupons: [],
})

function contactOf({ person }: Trip): Contact {
  const { email, phone, firstName, lastName, country } = person!
  return { email, ...(phone ? { phone } : {}), firstName, lastName, country, countrySource: 'typed' }
}

const browserKeys = (trip: Trip): ShopperKey[] => [
  { kind: 'cart', value: trip.cart },
  { kind: 'device', value: trip.device },
]

/** All names a trip's shopper goes by. */
export function keysOf(trip: Trip, storeHost: string): ShopperKey[] {
  return [...browserKeys(trip), ...(trip.person ? buildContactKeys(contactOf(trip), storeHost) : [])]
}
