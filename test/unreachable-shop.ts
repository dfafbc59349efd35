import { serve } from '../providers/contracts/serve.ts'
import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { openGuardedHttp } from '../server/core/net/guarded-fetch.ts'
import { wakeDueStores } from '../server/messages/messages/scan.ts'
import { createWooCommerceClient } from '../server/platforms/woocommerce/platform.ts'
import { registerOwner } from './connected-store.ts'
import { buildBeat, createPluginShop, type PluginShop } from './plugin-shop.ts'
import type { World } from './world.ts'

// Test support: a shop behind a firewall. It accepts connections and never replies; only its plugin can reach Recoup.

export interface UnreachableShop extends PluginShop {
  /** Counts Recoup's calls to the shop. */
  calls: () => number
  /** What the plugin would report: orders in REST API form, and products by `product:variation`. */
  orders: Record<string, unknown>[]
  products: Map<string, Record<string, unknown> | null>
  /** Runs the plugin's task: it beats again at once while Recoup asks for more. Returns the number of beats. */
  beat(): Promise<number>
  /** The latest reply to a beat. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any reply
  request: any
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
  /** Uses a plugin version from before stock and price reports. */
  isOld?: boolean
  /** Sends calls to the shop over the network. Otherwise they fail at once. */
  isSilent?: boolean
  /** The shop can be reached when it is connected. */
  isReached?: boolean
}

export async function createUnreachableShop(
  world: World,
  { isOld, isSilent, isReached }: UnreachableShopOptions = {},
): Promise<UnreachableShop> {
  const owner = await registerOwner(world)
  const silent = isSilent ? await startSilentServer() : null
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
    request: { everyS: 3_600 },
    async beat() {
      for (let count = 1; ; count++) {
        const before = JSON.stringify(shop.request.goods ?? [])
        const report = shop.request.ordersSince
          ? { orders: buildReport(shop, isOld, (world.now.getTime() - answeredAt.getTime()) / 1_000) }
          : {}
        shop.request = (await shop.call('beat', buildBeat(shop, report))).body.ask
        answeredAt = world.now
        const now = JSON.stringify(shop.request.goods ?? [])
        if (isOld || now === '[]' || now === before || count === 20) return count
      }
    },
    close: async () => silent?.close(),
  }
  return shop
}

async function startSilentServer() {
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

function buildReport({ request, orders, products }: UnreachableShop, isOld: boolean | undefined, sinceAnswerS: number) {
  const since = request.ordersSince as string
  const list = orders.filter((order) => `${order.date_modified_gmt}Z` >= since)
  const goods = (request.goods ?? []).map((item: { product: string; variation: string | null }) => ({
    ...item,
    terms: products.get(`${item.product}:${item.variation ?? ''}`) ?? null,
  }))
  const askedAt = { askedAt: request.at, sinceAskedS: Math.max(0, Math.floor(sinceAnswerS) - 2) }
  return { since, age: 1, isComplete: true, list, ...(isOld ? {} : { goods, ...askedAt }) }
}

/** Advances time in steps and runs the worker after each. */
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
