import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { recordOrders } from '../server/carts/carts/record.ts'
import { sql } from '../server/core/db/db.ts'
import { sendDue } from '../server/delivery/send/send-due.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { selectBadgeColumns } from './cart-badges.ts'
import { buildOrder, completeOrderCheck, createStore, type StoreOptions, type TestStore } from './factories.ts'
import type { World } from './world.ts'

// Test support: a store with carts of shoppers, and calls that advance time and run the worker.

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export interface MessageScene extends TestStore {
  orders: PlatformOrder[]
}

/** Creates a store with draft orders whose first step is due an hour after the last activity. */
export async function createMessageScene(world: World, count = 1, options: StoreOptions = {}): Promise<MessageScene> {
  const store = await createStore(world, options)
  const orders = Array.from({ length: count }, () => buildOrder(world))
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  world.sent.length = 0
  return { ...store, orders }
}

/** Advances time and marks quiet carts as abandoned; sends nothing. */
export async function advanceToAbandoned(world: World, storeId: string, ms: number): Promise<void> {
  world.advance(ms)
  await completeOrderCheck(world, storeId)
  await detectAbandoned(world.deps)
}

/** Advances time and does what the worker does meanwhile, with a fresh order check. */
export async function passTime(world: World, storeId: string, ms: number): Promise<void> {
  await advanceToAbandoned(world, storeId, ms)
  await wakeDueStores(world.deps)
  await world.runJobs()
}

export const sendDueMessages = (world: World, storeId: string) => sendDue(world.deps, { storeId })

export async function readMessages(world: World, storeId: string) {
  const rows = await world.db
    .selectFrom('messages')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('step')
    .orderBy('due_at')
    .orderBy('id')
    .execute()
  return rows
}

/** Condition of a query over messages: in flight, without a reply. */
export const isBeingSent = sql<boolean>`(state = 'sending' and answer is null)`

/** Lists state and reason of every step, for a store with one cart. */
export async function listStepStates(world: World, storeId: string): Promise<string[]> {
  const rows = await readMessages(world, storeId)
  return rows.map(({ state, reason }) => (reason ? `${state}(${reason})` : state))
}

export async function countStepStates(world: World, storeId: string, step = 1): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const row of await readMessages(world, storeId)) {
    if (row.step === step) counts[row.state] = (counts[row.state] ?? 0) + 1
  }
  return counts
}

/** Lists decisions of one step as outcome and reason, in order, for a store with one cart. */
export async function listStepDecisions(world: World, storeId: string, step = 1): Promise<string[]> {
  const rows = await world.db
    .selectFrom('decision_records as d')
    .innerJoin('messages as m', (on) => on.onRef('m.store_id', '=', 'd.store_id').onRef('m.id', '=', 'd.message_id'))
    .select(['d.outcome', 'd.reason', 'd.at'])
    .where('d.store_id', '=', storeId)
    .where('m.step', '=', step)
    .orderBy('d.at')
    .execute()
  // Records with the same test time are ordered by a message's life cycle.
  const order = ['hold', 'skip', 'cancel', 'send', 'result']
  rows.sort((a, b) => a.at.getTime() - b.at.getTime() || order.indexOf(a.outcome) - order.indexOf(b.outcome))
  return rows.map(({ outcome, reason }) => `${outcome} ${reason}`)
}

export function readCart(world: World, storeId: string) {
  return world.db
    .selectFrom('carts')
    .selectAll()
    .select(selectBadgeColumns('carts'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
}

/** Returns the same order, bought now. */
export function markPurchased(world: World, order: PlatformOrder): PlatformOrder {
  const at = world.now.toISOString()
  return { ...order, kind: 'purchase', status: 'processing', modifiedAt: at, paidAt: at }
}

/** Returns the same cart, changed by its shopper now. */
export function changeQuantities(world: World, order: PlatformOrder): PlatformOrder {
  const items = order.items.map((item) => ({ ...item, quantity: item.quantity + 1 }))
  return { ...order, items, modifiedAt: world.now.toISOString() }
}

/** Finds a link of a mail by its prefix, `/u/` or `/c/`. */
export function findLink(html: string, prefix: '/u/' | '/c/'): string {
  const found = new RegExp(`${prefix}[\\w-]{43}(?:\\?to=[\\w-]+)?`).exec(html)
  if (!found) throw new Error(`no ${prefix} link in the mail`)
  return found[0]
}
