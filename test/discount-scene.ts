import { recordOrders } from '../server/carts/carts/record.ts'
import { createId } from '../server/core/common/ids.ts'
import type { PlatformOrder } from '../server/platforms/platform/platform.ts'
import { buildOrder } from './factories.ts'
import { createShop, grantConsent, type Shop, type ShopOptions, takeGermanPhone } from './manual-send-scene.ts'
import { MINUTE, passTime } from './message-scene.ts'
import type { World } from './world.ts'

// Test support: a shop with coupons, shoppers with an abandoned cart, and shoppers without one.

export interface CouponShop extends Shop {
  couponId: string
  /** Shopper ids in the order of `orders`; each has an abandoned cart. */
  people: string[]
  /** Shoppers who bought once and have no cart. */
  buyers: string[]
  buyerOrders: PlatformOrder[]
}

export async function createCouponShop(
  world: World,
  { carts = 1, buyers = 1, ...options }: { carts?: number; buyers?: number } & ShopOptions = {},
): Promise<CouponShop> {
  const shop = await createShop(world, carts, options)
  const buyerOrders = Array.from({ length: buyers }, () =>
    buildOrder(world, {
      kind: 'purchase',
      country: options.country ?? 'DE',
      phone: takeGermanPhone(),
      firstName: 'Ben',
    }),
  )
  await recordOrders(world.deps, shop.storeId, buyerOrders, 'sync')
  if (options.isConsenting !== false) for (const order of buyerOrders) await grantConsent(world, shop, order)
  await passTime(world, shop.storeId, MINUTE)
  const couponId = await insertCoupon(world, shop)
  const ids = await readShoppers(world, shop)
  const findShopperId = (order: PlatformOrder) => ids.get(order.email!)!
  return {
    ...shop,
    couponId,
    buyerOrders,
    people: shop.orders.map(findShopperId),
    buyers: buyerOrders.map(findShopperId),
  }
}

async function readShoppers(world: World, { storeId }: Shop): Promise<Map<string, string>> {
  const rows = await world.db.selectFrom('shoppers').select(['id', 'email']).where('store_id', '=', storeId).execute()
  return new Map(rows.map(({ id, email }) => [email!, id]))
}

/** Inserts a 10% coupon for everyone. */
export async function insertCoupon(
  world: World,
  { storeId }: Pick<Shop, 'storeId'>,
  more: Partial<Parameters<ReturnType<typeof insertIntoCoupons>['values']>[0]> = {},
): Promise<string> {
  const id = createId()
  await insertIntoCoupons(world)
    .values({
      store_id: storeId,
      id,
      made_by: 'recoup',
      kind: 'shared',
      platform_id: id,
      code: `TEN${id.slice(-6).toUpperCase()}`,
      type: 'percentage',
      platform_type: 'percent',
      percent: 1_000,
      currency: 'USD',
      is_active: true,
      seen_at: world.now,
      created_at: world.now,
      ...more,
    })
    .execute()
  return id
}

const insertIntoCoupons = (world: World) => world.db.insertInto('coupons')
