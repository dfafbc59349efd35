import { groupNotifications } from '../server/access/notifications/group.ts'
import { detectAbandoned, detectLost, detectNoResponse } from '../server/carts/carts/detect.ts'
import { type NewFact, recordFacts, recordOrders } from '../server/carts/carts/record.ts'
import type { Contact, FoldItem } from '../server/core/schema/facts.ts'
import { createRestoreToken } from '../server/delivery/compose/compose.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { buildContactKeys, type ShopperKey } from '../server/shoppers/shoppers/rules.ts'
import { type CartBadgeValues, selectBadgeColumns } from './cart-badges.ts'
import { buildOrder, completeOrderCheck, createStore, type StoreOptions } from './factories.ts'
import type { World } from './world.ts'

// Test support: a shop and its events. Browsers fill carts, orders arrive, time passes, shoppers restore carts.

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const buildTea = (quantity = 1): FoldItem => ({
  productId: '16',
  variationId: null,
  quantity,
  name: 'Earl Grey',
  unitPriceMinor: 2_100,
})
export const pot: FoldItem = { ...buildTea(), productId: '17', name: 'Teapot', unitPriceMinor: 6_800 }

export type Shop = Awaited<ReturnType<typeof createShop>>

export async function createShop(world: World, options: StoreOptions = {}) {
  const store = await createStore(world, options)
  const { storeId, token } = store
  let readCount = 0

  const record = (browser: string, payload: NewFact['payload'], more: { keys?: ShopperKey[]; at?: Date } = {}) =>
    recordFacts(world.deps, { storeId, db: world.db }, [
      {
        keys: [{ kind: 'cart', value: browser }, ...(more.keys ?? [])],
        source: 'capture',
        at: more.at ?? world.now,
        uniqueKey: `test:${++readCount}`,
        payload,
      },
    ])

  return {
    ...store,
    /** Records the current content of a browser's cart. */
    fill: (browser: string, items: FoldItem[], more: { keys?: ShopperKey[]; at?: Date; coupons?: string[] } = {}) =>
      record(browser, { type: 'snapshot', items, coupons: more.coupons ?? [] }, more),
    type: (browser: string, contact: Contact) =>
      record(browser, { type: 'contact', contact }, { keys: buildContactKeys(contact, 'none.example') }),
    async order(order: Partial<PlatformOrder>, source: 'sync' | 'webhook' = 'webhook') {
      const platformOrder = buildOrder(world, order)
      await recordOrders(world.deps, storeId, [platformOrder], source)
      return platformOrder
    },
    /** Advances time and runs each scheduled job once. */
    async passTime(ms: number) {
      world.advance(ms)
      await completeOrderCheck(world, storeId)
      await detectAbandoned(world.deps)
      await wakeDueStores(world.deps)
      await world.runJobs()
      await detectNoResponse(world.deps)
      await detectLost(world.deps)
    },
    /** Creates a cart whose first mail was sent ten minutes ago. */
    async mailed(contact: Contact, browser = 'one') {
      await this.fill(browser, [buildTea()])
      await this.type(browser, contact)
      await this.passTime(HOUR)
      world.advance(10 * MINUTE)
      const sent = (await this.messages()).find((each) => each.to_address === contact.email && each.state === 'sent')
      if (!sent) throw new Error(`nothing was sent to ${contact.email}`)
      return sent
    },
    carts: () => readRows(world, storeId, 'carts', 'started_at'),
    async liveCarts() {
      return (await readRows(world, storeId, 'carts', 'started_at')).filter((cart) => cart.status !== 'merged')
    },
    async cart() {
      const live = (await readRows(world, storeId, 'carts', 'started_at')).filter((cart) => cart.status !== 'merged')
      if (live.length !== 1) throw new Error(`${live.length} carts instead of one`)
      return live[0]!
    },
    messages: async () => await readRows(world, storeId, 'messages', 'due_at'),
    orders: () =>
      world.db.selectFrom('orders').selectAll().where('store_id', '=', storeId).orderBy('created_at').execute(),
    events: () => readRows(world, storeId, 'cart_events', 'at'),
    async notifications() {
      await groupNotifications(world.deps)
      return readRows(world, storeId, 'notifications', 'created_at')
    },
    press: (messageId: string) =>
      world.request('POST', `/api/carts/${createRestoreToken(world.deps.secrets, messageId)}/restore`),
    get: (path: string) => world.request('GET', path, { token }),
    /** Works after any amount of time. */
    staySignedIn: () =>
      world.db
        .updateTable('sessions')
        .set({ expires_at: new Date(world.now.getTime() + DAY), last_seen_at: world.now })
        .where('user_id', '=', store.userId)
        .execute(),
  }
}

function readRows<T extends 'carts' | 'messages' | 'cart_events' | 'notifications'>(
  world: World,
  storeId: string,
  table: T,
  by: 'started_at' | 'due_at' | 'created_at' | 'at',
) {
  return world.db
    .selectFrom(table as 'carts')
    .selectAll()
    .$if(table === 'carts', (carts) => carts.select(selectBadgeColumns('carts')))
    .where('store_id', '=', storeId)
    .orderBy(by as 'started_at')
    .orderBy('id' as never)
    .execute() as unknown as Promise<Row<T>[]>
}

type Schema = import('../server/core/schema/schema.ts').Schema
type Row<T extends keyof Schema> = import('kysely').Selectable<Schema[T]> &
  (T extends 'carts' ? CartBadgeValues : unknown)
