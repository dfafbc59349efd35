import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import { createWooCommerceClient } from '../server/platforms/woocommerce/client.ts'
import { registerOwner } from './connected-store.ts'
import { serve } from './contract-servers/serve.ts'
import { buildBeat, createPluginShop, type PluginShop } from './plugin-shop.ts'
import type { World } from './world.ts'

// Test support: a shop behind a firewall. It takes connections and never answers one; all that is known of it is what its plugin sends.

export interface UnreachableShop extends PluginShop {
  /** How often Recoup has called it. */
  calls: () => number
  /** What the shop would report: orders in the form of its REST API, and products by `product:variation`. */
  orders: Record<string, unknown>[]
  products: Map<string, Record<string, unknown> | null>
  /** One run of the plugin's task: it beats again at once while Recoup asks for more. Answers how often it has beaten. */
  beat(): Promise<number>
  /** The last answer. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever is answered
  asked: any
  close(): Promise<void>
}

export const buildSellableProduct = (id: string, change: Record<string, unknown> = {}) => ({
  id: Number(id),
  status: 'publish',
  purchasable: true,
  stock_status: 'instock',
  stock_quantity: null,
  price: '19.50',
  on_sale: false,
  ...change,
})

export interface UnreachableShopOptions {
  /** The plugin of before it reported stock and prices. */
  isOld?: boolean
  /** Calls to the shop go over the network. Otherwise they fail at once, which tests of what follows from it need not wait for. */
  isSilent?: boolean
  /** It answers when it is connected. */
  isReached?: boolean
}

export async function createUnreachableShop(
  world: World,
  { isOld, isSilent, isReached }: UnreachableShopOptions = {},
): Promise<UnreachableShop> {
  const owner = await registerOwner(world)
  const silent = isSilent ? await aSilentServer() : null
  const base = await createPluginShop(world, { owner, isCutOff: !isReached, ...(silent && { home: silent.home }) })
  if (silent) {
    world.storeClient = (access) =>
      createWooCommerceClient(access, { fetch: silent.fetch, now: () => world.now, pauseMs: 0 })
  }
  await world.db
    .updateTable('stores')
    .set({ sender_name: 'Mugs & More', postal_address: '1 Main Street', selling_countries: ['US'] })
    .where('id', '=', base.storeId)
    .execute()
  const flow = await world.db.selectFrom('flows').select('id').where('store_id', '=', base.storeId).executeTakeFirst()
  await world.request('POST', `/api/flows/${flow!.id}/switch`, { token: owner.token, body: { isOn: true } })
  await world.runJobs()
  world.advance(60_000)

  let answeredAt = world.now
  const shop: UnreachableShop = {
    ...base,
    calls: () => silent?.calls() ?? 0,
    orders: [],
    products: new Map([['16:', buildSellableProduct('16')]]),
    asked: { everyS: 3_600 },
    async beat() {
      for (let count = 1; ; count++) {
        const before = JSON.stringify(shop.asked.goods ?? [])
        const report = shop.asked.ordersSince
          ? { orders: reportOf(shop, isOld, (world.now.getTime() - answeredAt.getTime()) / 1_000) }
          : {}
        shop.asked = (await shop.call('beat', buildBeat(shop, report))).body.ask
        answeredAt = world.now
        const now = JSON.stringify(shop.asked.goods ?? [])
        if (isOld || now === '[]' || now === before || count === 20) return count
      }
    },
    close: async () => silent?.close(),
  }
  return shop
}

async function aSilentServer() {
  let calls = 0
  const server = await serve(() => {
    calls++
  })
  const guarded = openGuardedHttp({ allowPrivate: true, totalTimeoutMs: 150 })
  return {
    home: `http://127.0.0.1:${server.port}`,
    fetch: guarded.fetch,
    calls: () => calls,
    close: async () => {
      await guarded.close()
      await server.close()
    },
  }
}

function reportOf({ asked, orders, products }: UnreachableShop, isOld: boolean | undefined, sinceAnswerS: number) {
  const since = asked.ordersSince as string
  const list = orders.filter((order) => `${order.date_modified_gmt}Z` >= since)
  const goods = (asked.goods ?? []).map((item: { product: string; variation: string | null }) => ({
    ...item,
    terms: products.get(`${item.product}:${item.variation ?? ''}`) ?? null,
  }))
  const askedAt = { askedAt: asked.at, sinceAskedS: Math.max(0, Math.floor(sinceAnswerS) - 2) }
  return { since, age: 1, isComplete: true, list, ...(isOld ? {} : { goods, ...askedAt }) }
}

/** Time passes in steps, with everything that the worker does meanwhile. */
export async function passTime(world: World, ms: number, stepMs = 1_000): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    world.advance(Math.min(stepMs, ms - passed))
    await runTick(world)
  }
}

export async function runTick(world: World): Promise<void> {
  await detectAbandoned(world.deps)
  await wakeDueStores(world.deps)
  await world.runJobs()
}
