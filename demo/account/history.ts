import { openStoreClient } from '../../server/access/stores/access.ts'
import { readStore } from '../../server/access/stores/store.ts'
import { recordFacts } from '../../server/carts/carts/record.ts'
import { pullProducts } from '../../server/carts/sync/local-copies.ts'
import { requireFound } from '../../server/core/common/errors.ts'
import type { Db } from '../../server/core/db/db.ts'
import type { Deps } from '../../server/deps.ts'
import { countPeople } from '../../server/insights/analytics/rollups.ts'
import type { PlatformOrder } from '../../server/platforms/platform/platform.ts'
import { lockKeys } from '../../server/shoppers/shoppers/sql.ts'
import { broughtBack, carriedSince, couponsOf, type TripCoupon } from './coupon-plan.ts'
import { idsByCode, readUses, stockCoupons } from './coupons.ts'
import { boughtAt, codeEvents, type DemoEvent, eventsOf, historicOrder, keysOf } from './events.ts'
import { inOneTransaction } from './one-transaction.ts'
import { planTrips, type Trip } from './plan.ts'
import { createRandom } from './random.ts'
import { replay } from './replay.ts'
import * as sql from './sql.ts'

// The demo's past: shoppers' trips, told to the real engine as facts under a clock that runs through ninety days. It is all there
// or not at all; a process that ends halfway leaves nothing behind but orders in the demo store, and starts over.

export interface HistoryOptions {
  days: number
  seed: number
  /** Trips on a middling day. */
  perDay?: number
  signal?: AbortSignal
  /** Told again and again how much of it is written, from 0 to 1. */
  onProgress?: (share: number) => void
}

/** The last thing written of a history. */
const MARK = 'demo:history'
/** The present begins before now: what is left open then is abandoned and answered for when the history ends. */
const QUIET_MS = 80 * 60_000

export function hasHistory(deps: Deps, storeId: string): Promise<boolean> {
  return sql.hasFact({ storeId, db: deps.db }, MARK)
}

/** Does nothing when there is one. Needs the demo store: the same orders stand in it. */
export async function generateHistory(deps: Deps, storeId: string, options: HistoryOptions): Promise<void> {
  const store = { storeId, db: deps.db }
  if (!deps.demo || (await hasHistory(deps, storeId))) return
  const now = deps.now()
  const { home_url, time_zone, currency } = requireFound(await readStore(store), 'Store')
  const host = new URL(home_url).hostname
  const past = { until: now.getTime() - QUIET_MS, days: options.days, perDay: options.perDay ?? 4.4 }
  const goods = await readGoods(deps, storeId, options.signal)
  const trips = broughtBack(planTrips(createRandom(options.seed), goods, past), past)
  await sql.orderCheckFrom(store, now)
  const couponId = await stockCoupons(deps, store, past)
  const coupons = couponsOf(trips, past)
  const orders = await placeOrders(deps, storeId, trips, coupons)
  await readUses(deps, storeId, options.signal)
  const codeIds = await idsByCode(deps, store, currency)
  const ofCoupon: DemoEvent[] = [
    { kind: 'carried', at: carriedSince(past), couponId },
    ...codeEvents(coupons.values(), couponId),
  ]
  const events = [...ofCoupon, ...trips.flatMap((trip) => eventsOf(trip, orders.get(trip), host))]
    .filter((each) => each.at < past.until)
    .sort((a, b) => a.at - b.at)
  await inOneTransaction(deps, async (db) => {
    await holdKeys(db, storeId, trips, events, host)
    await replay({ deps, db, storeId, events, now, codeIds, isGone: goneAmong(trips), ...told(options) })
    await leaveMark({ ...deps, db }, storeId, trips[0], host)
  })
  await countPeople(store, time_zone, deps.now())
  deps.log.info({ storeId, trips: trips.length, tookMs: deps.now().getTime() - now.getTime() }, 'demo.history-made')
}

const told = ({ signal, onProgress }: HistoryOptions) => ({
  ...(signal && { signal }),
  ...(onProgress && { onProgress }),
})

/** The catalogue's mirror is filled by the store's first import; whoever comes first reads it. */
async function readGoods(deps: Deps, storeId: string, signal?: AbortSignal): Promise<sql.Good[]> {
  for (let attempt = 0; attempt < 60; attempt++) {
    signal?.throwIfAborted()
    const goods = await sql.goodsOf({ storeId, db: deps.db })
    if (goods.length > 0) return goods
    const read = await pullProducts(deps, { storeId, isFull: true })
    if (read.kind !== 'done') await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('the demo store sells nothing')
}

/** Writes the orders into the demo store and reads them back as every sync will, so that a sync finds nothing new in them. */
async function placeOrders(
  deps: Deps,
  storeId: string,
  trips: readonly Trip[],
  coupons: ReadonlyMap<Trip, TripCoupon>,
): Promise<Map<Trip, PlatformOrder>> {
  const buying = trips.filter((trip) => boughtAt(trip) !== null)
  const ids = deps.demo!.insertOrders(buying.map((trip) => historicOrder(trip, coupons.get(trip))))
  const client = await openStoreClient(deps, { storeId, db: deps.db })
  const known = new Map<string, PlatformOrder>()
  for await (const page of client.orders({ modifiedSince: '2000-01-01T00:00:00Z' })) {
    for (const order of page.rows) known.set(order.orderId, order)
  }
  return new Map(buying.map((trip, index) => [trip, requireFound(known.get(String(ids[index])), 'Order')]))
}

/** Taken first and all at once: a sync that reads the same orders meanwhile waits, and then finds them told. */
async function holdKeys(db: Db, storeId: string, trips: readonly Trip[], events: readonly DemoEvent[], host: string) {
  const orders = events.flatMap((each) =>
    each.kind === 'order' ? [{ kind: 'order' as const, value: each.order.orderId }] : [],
  )
  const keys = trips.flatMap((trip) => keysOf(trip, host)).filter((key) => key.kind !== 'device')
  await db.transaction().execute((tx) => lockKeys({ storeId, db: tx }, [...keys, ...orders]))
}

function goneAmong(trips: readonly Trip[]): (email: string) => boolean {
  const gone = new Set(trips.flatMap(({ person }) => (person?.isGone ? [person.email] : [])))
  return (email) => gone.has(email)
}

async function leaveMark(deps: Deps, storeId: string, trip: Trip | undefined, host: string): Promise<void> {
  if (!trip) return
  const mark = { keys: keysOf(trip, host), source: 'engine', at: new Date(trip.startAt), uniqueKey: MARK } as const
  await recordFacts(deps, storeId, [{ ...mark, payload: { type: 'contact', contact: {} } }])
}
