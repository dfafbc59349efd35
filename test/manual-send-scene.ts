import { setTimeout as sleep } from 'node:timers/promises'
import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { insertConsent } from '../server/shoppers/consent/consent-sql.ts'
import { buildOrder, completeOrderCheck, createStore, type TestStore } from './factories.ts'
import { DAY, HOUR, passTime } from './message-scene.ts'
import { type Reply, START, type World } from './world.ts'

// Test support: abandoned carts of shoppers, for messages that an owner sends manually.

export interface Shop extends TestStore {
  cartIds: string[]
  orders: PlatformOrder[]
}

/** Shoppers are in Germany and have consented on every channel; the store's flow is off. */
export interface ShopOptions {
  plan?: 'free' | 'starter' | 'growth'
  country?: string
  isConsenting?: boolean
  phone?: () => string
  /** Creates the store as a second store of this account. */
  accountId?: string
}

export async function createShop(
  world: World,
  count = 1,
  { plan = 'starter', country = 'DE', isConsenting = true, phone = takeGermanPhone, ...options }: ShopOptions = {},
): Promise<Shop> {
  // Mid-morning in Germany, one day after the carts were abandoned: outside quiet hours.
  world.now = new Date(
    `${new Date(Math.max(world.now.getTime(), START.getTime()) + DAY).toISOString().slice(0, 10)}T10:00:00Z`,
  )
  const store = await createStore(world, { isFlowOn: false, plan, ...options })
  const orders = Array.from({ length: count }, () => buildOrder(world, { country, phone: phone() }))
  await recordOrders(world.deps, store.storeId, orders, 'sync')
  if (isConsenting) for (const order of orders) await grantConsent(world, store, order)
  await passTime(world, store.storeId, 25 * HOUR)
  const carts = await world.db
    .selectFrom('carts')
    .select(['id', 'email'])
    .where('store_id', '=', store.storeId)
    .execute()
  const cartIds = new Map(carts.map((cart) => [cart.email, cart.id]))
  return { ...store, orders, cartIds: orders.map((order) => cartIds.get(order.email)!) }
}

let number = 0
export const takeGermanPhone = () => `+49301234${String(1_000 + number++)}`
export const takeUsPhone = () => `+1212555${String(1_000 + number++)}`

export async function grantConsent(world: World, store: TestStore, order: PlatformOrder): Promise<void> {
  const address = { email: order.email!, sms: order.phone!, whatsapp: order.phone! }
  for (const channel of ['email', 'sms', 'whatsapp'] as const) {
    await insertConsent(
      { storeId: store.storeId, db: world.db },
      {
        id: createId(),
        addressHash: world.deps.secrets.addressHash(address[channel]),
        channel,
        status: 'granted',
        isConfirmed: true,
        source: 'checkout',
        wording: null,
        at: world.now,
      },
    )
  }
}

/** Posts a request while the worker runs. */
export async function postWithWorker(
  world: World,
  store: TestStore,
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  await completeOrderCheck(world, store.storeId)
  let reply: Reply | undefined
  const request = world.request('POST', url, { token: store.token, body, headers }).then((each) => {
    reply = each
  })
  while (!reply) {
    await world.runJobs()
    await sleep(10)
  }
  await request
  return reply
}
