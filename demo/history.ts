import { openStoreClient } from '../server/access/stores/access.ts'
import { readStore } from '../server/access/stores/sql.ts'
import { recordFacts } from '../server/carts/carts/record.ts'
import { pullProducts } from '../server/carts/sync/local-copies.ts'
import { requireFound } from '../server/core/common/errors.ts'
import type { Db } from '../server/core/db/db.ts'
import type { Deps } from '../server/deps.ts'
import { countPeople } from '../server/insights/analytics/rollups.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { lockKeys } from '../server/shoppers/shoppers/sql.ts'
import { addCouponReturns, computeCouponStepStart, planCoupons, type TripCoupon } from './coupon-plan.ts'
import { createDemoCoupons, pullCouponUsage, readCouponIds } from './coupons.ts'
import {
  buildCodeEvents,
  buildEvents,
  buildHistoricOrder,
  type DemoEvent,
  listShopperKeys,
  readOrderTime,
} from './events.ts'
import { runInOneTransaction } from './one-transaction.ts'
import { planTrips, type Trip } from './plan.ts'
import { createRandom } from './random.ts'
import { replay } from './replay.ts'
import * as sql from './sql.ts'

// Generates the demo's past: replays shoppers' trips through the real engine under a simulated clock of ninety days.
// One transaction writes everything. A process that ends halfway leaves only orders in the demo store, and the next
// start begins again.

export interface HistoryOptions {
  days: number
  seed: number
  /** Trips on an average day. */
  perDay?: number
  signal?: AbortSignal
  /** Called repeatedly with the progress from 0 to 1. */
  onProgress?: (share: number) => void
}

/** Unique key of the fact that marks a complete history. */
const MARK = 'demo:history'
/** The past ends this long before now, so that open carts are abandoned and messaged by the end of the replay. */
const QUIET_MS = 80 * 60_000

export function hasHistory(deps: Deps, storeId: string): Promise<boolean> {
  return sql.hasFact({ storeId, db: deps.db }, MARK)
}

/** Does nothing if a history exists. Also inserts the past's orders into the demo store. */
export async function generateHistory(deps: Deps, storeId: string, options: HistoryOptions): Promise<void> {
  const store = { storeId, db: deps.db }
  if (!deps.demo || (await hasHistory(deps, storeId))) return
  const now = deps.now()
  const { home_url, time_zone, currency } = requireFound(await readStore(store), 'Store')
  const host = new URL(home_url).hostname
  const range = { until: now.getTime() - QUIET_MS, days: options.days, perDay: options.perDay ?? 4.4 }
  const products = await loadProducts(deps, storeId, options.signal)
  const trips = addCouponReturns(planTrips(createRandom(options.seed), products, range), range)
  await sql.skipOrderCheckBefore(store, now)
  const couponId = await createDemoCoupons(deps, store, range)
  const coupons = planCoupons(trips, range)
  const orders = await placeOrders(deps, storeId, trips, coupons)
  await pullCouponUsage(deps, storeId, options.signal)
  const codeIds = await readCouponIds(deps, store, currency)
  const couponEvents: DemoEvent[] = [
    { kind: 'carried', at: computeCouponStepStart(range), couponId },
    ...buildCodeEvents(coupons.values(), couponId),
  ]
  const events = [...couponEvents, ...trips.flatMap((trip) => buildEvents(trip, orders.get(trip), host))]
    .filter((each) => each.at < range.until)
    .sort((a, b) => a.at - b.at)
  await runInOneTransaction(deps, async (db) => {
    await lockShopperKeys(db, storeId, trips, events, host)
    await replay({ deps, db, storeId, events, now, codeIds, isGone: findUnreachable(trips), ...pickCallbacks(options) })
    await recordMark({ ...deps, db }, storeId, trips[0], host)
  })
  await countPeople(store, time_zone, deps.now())
  deps.log.info({ storeId, trips: trips.length, tookMs: deps.now().getTime() - now.getTime() }, 'demo.history-made')
}

const pickCallbacks = ({ signal, onProgress }: HistoryOptions) => ({
  ...(signal && { signal }),
  ...(onProgress && { onProgress }),
})

/** The store's first import fills the product copy. If it has not run yet, this pulls the products. */
async function loadProducts(deps: Deps, storeId: string, signal?: AbortSignal): Promise<sql.SellableItem[]> {
  for (let attempt = 0; attempt < 60; attempt++) {
    signal?.throwIfAborted()
    const products = await sql.listSellableItems({ storeId, db: deps.db })
    if (products.length > 0) return products
    const read = await pullProducts(deps, { storeId, isFull: true })
    if (read.kind !== 'done') await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error('the demo store sells nothing')
}

/** Inserts the orders into the demo store and reads them back through the API, so that later syncs find no changes. */
async function placeOrders(
  deps: Deps,
  storeId: string,
  trips: readonly Trip[],
  coupons: ReadonlyMap<Trip, TripCoupon>,
): Promise<Map<Trip, PlatformOrder>> {
  const buying = trips.filter((trip) => readOrderTime(trip) !== null)
  const ids = deps.demo!.insertOrders(buying.map((trip) => buildHistoricOrder(trip, coupons.get(trip))))
  const client = await openStoreClient(deps, { storeId, db: deps.db })
  const ordersById = new Map<string, PlatformOrder>()
  for await (const page of client.orders({ modifiedSince: '2000-01-01T00:00:00Z' })) {
    for (const order of page.rows) ordersById.set(order.orderId, order)
  }
  return new Map(buying.map((trip, index) => [trip, requireFound(ordersById.get(String(ids[index])), 'Order')]))
}

/** Locks all keys first: a concurrent sync of the same orders waits and then finds them recorded. */
async function lockShopperKeys(
  db: Db,
  storeId: string,
  trips: readonly Trip[],
  events: readonly DemoEvent[],
  host: string,
) {
  const orders = events.flatMap((each) =>
    each.kind === 'order' ? [{ kind: 'order' as const, value: each.order.orderId }] : [],
  )
  const keys = trips.flatMap((trip) => listShopperKeys(trip, host)).filter((key) => key.kind !== 'device')
  await db.transaction().execute((tx) => lockKeys({ storeId, db: tx }, [...keys, ...orders]))
}

function findUnreachable(trips: readonly Trip[]): (email: string) => boolean {
  const deletedEmails = new Set(trips.flatMap(({ person }) => (person?.isGone ? [person.email] : [])))
  return (email) => deletedEmails.has(email)
}

async function recordMark(deps: Deps, storeId: string, trip: Trip | undefined, host: string): Promise<void> {
  if (!trip) return
  const mark = {
    keys: listShopperKeys(trip, host),
    source: 'engine',
    at: new Date(trip.startAt),
    uniqueKey: MARK,
  } as const
  await recordFacts(deps, { storeId, db: deps.db }, [{ ...mark, payload: { type: 'contact', contact: {} } }])
}
