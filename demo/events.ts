import type { HistoricOrder, OrderCoupon } from '../providers/woocommerce/history.ts'
import type { NewFact } from '../server/carts/carts/record.ts'
import type { Contact, FactPayload } from '../server/core/schema/facts.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { buildContactKeys, type ShopperKey } from '../server/shoppers/shoppers/rules.ts'
import { CART_COUPON, type TripCoupon } from './coupon-plan.ts'
import { buildExtras, type Extra } from './extras.ts'
import type { Line, Trip } from './plan.ts'

// Converts a trip into chronological events in the formats of the engine and the demo store. Pure.

export type DemoEvent =
  | { kind: 'fact'; at: number; fact: NewFact }
  | { kind: 'order'; at: number; order: PlatformOrder }
  | { kind: 'click'; at: number; email: string; step: number; isBuying: boolean }
  /** From this time on the flow's last step has the coupon. */
  | { kind: 'carried'; at: number; couponId: string }
  /** Sets the code of a future last email before it is created. */
  | { kind: 'code'; at: number; email: string; code: string; couponId: string }
  | Extra

export function buildEvents(trip: Trip, order: PlatformOrder | undefined, storeHost: string): DemoEvent[] {
  const email = trip.person?.email ?? ''
  const list: DemoEvent[] = [buildFact(trip, storeHost, trip.startAt, 'a', 0, buildSnapshot(trip.first))]
  if (trip.more) list.push(buildFact(trip, storeHost, trip.more.at, 'b', 0, buildSnapshot(trip.more.lines)))
  if (trip.typedAt)
    list.push(buildFact(trip, storeHost, trip.typedAt, 'c', 0, { type: 'contact', contact: buildContact(trip) }))
  const { ending } = trip
  if (ending.kind === 'emptied') list.push(buildFact(trip, storeHost, ending.at, 'd', 0, buildSnapshot([])))
  if (ending.kind === 'clicked') {
    const { at, step } = ending
    list.push({ kind: 'click', at, email, step, isBuying: ending.buysAt !== null })
  }
  if (ending.kind === 'unsubscribed') list.push({ kind: 'unsubscribe', at: ending.at, email, step: ending.step })
  // Arrives a moment later, like a webhook.
  if (order) list.push({ kind: 'order', at: readOrderTime(trip)! + 25_000, order })
  return [...list, ...buildExtras(trip)]
}

/** Reserves the codes that orders use before their emails are due. */
export function buildCodeEvents(coupons: Iterable<TripCoupon>, couponId: string): DemoEvent[] {
  return [...coupons].flatMap(({ code, mail }) =>
    mail ? [{ kind: 'code' as const, at: mail.dueAt - 30 * 60_000, email: mail.email, code, couponId }] : [],
  )
}

/** Time of the trip's order; null without an order. */
export function readOrderTime({ ending }: Trip): number | null {
  if (ending.kind === 'bought' || ending.kind === 'failed') return ending.at
  return ending.kind === 'clicked' ? ending.buysAt : null
}

export function buildHistoricOrder(trip: Trip, coupon: TripCoupon | undefined): HistoricOrder {
  const at = Math.floor(readOrderTime(trip)! / 1_000)
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
    ...(coupon?.mail ? { ownCoupon: buildPersonalCoupon(coupon.mail.dueAt) } : {}),
    paymentMethod: status === 'on-hold' ? 'bacs' : 'testcard',
    ...(status === 'refunded' ? { refund: { ...buildRefund(trip), createdAt: at + 6 * 86_400 } } : {}),
  }
}

/** A message's personal code in the store's format. */
function buildPersonalCoupon(dueAt: number): OrderCoupon {
  const at = Math.floor(dueAt / 1_000)
  return {
    discountType: 'percent',
    amountMinor: CART_COUPON.amount * 100,
    usageLimit: 1,
    individualUse: true,
    createdAt: at - 900,
    expiresAt: at + 6 * 86_400,
    description: 'Made by Recoup',
    meta: { _recoup_mark: 'message:history' },
  }
}

const buildRefund = (trip: Trip) => ({
  amountMinor: (trip.more?.lines ?? trip.first).reduce((sum, line) => sum + line.priceMinor * line.quantity, 0),
  reason: 'Arrived broken',
})

function buildFact(trip: Trip, storeHost: string, at: number, page: string, seq: number, what: FactPayload): DemoEvent {
  const payload = { ...what, page: `${trip.cart}-${page}`, seq } as FactPayload
  const keys = payload.type === 'contact' ? listShopperKeys(trip, storeHost) : listBrowserKeys(trip)
  const uniqueKey = `capture:${trip.cart}:${page}:${seq}`
  return { kind: 'fact', at, fact: { keys, source: 'capture', at: new Date(at), uniqueKey, payload } }
}

const buildSnapshot = (lines: readonly Line[]): FactPayload => ({
  type: 'snapshot',
  items: lines.map(({ productId, variationId, quantity }) => ({ productId, variationId, quantity })),
  coupons: [],
})

function buildContact({ person }: Trip): Contact {
  const { email, phone, firstName, lastName, country } = person!
  return { email, ...(phone ? { phone } : {}), firstName, lastName, country, countrySource: 'typed' }
}

const listBrowserKeys = (trip: Trip): ShopperKey[] => [
  { kind: 'cart', value: trip.cart },
  { kind: 'device', value: trip.device },
]

/** All identifiers of a trip's shopper. */
export function listShopperKeys(trip: Trip, storeHost: string): ShopperKey[] {
  return [...listBrowserKeys(trip), ...(trip.person ? buildContactKeys(buildContact(trip), storeHost) : [])]
}
