import type { Insertable } from 'kysely'
import { saveKeys } from '../server/access/stores/access.ts'
import { detectAbandoned } from '../server/carts/carts/detect.ts'
import { createCodes } from '../server/carts/coupon-codes/codes.ts'
import { createId } from '../server/core/common/ids.ts'
import type { CouponsTable } from '../server/core/schema/coupons.ts'
import { findUnneededCodes } from '../server/delivery/send/needless-codes.ts'
import type { StoreOptions } from './factories.ts'
import { createFakeStore } from './fake-store.ts'
import { buildTea, createShop, HOUR } from './shop.ts'
import { buildWooKeys } from './woo-access.ts'
import type { World } from './world.ts'

// Test support: a shop whose first reminder has a personal coupon, and the store that holds its codes.

export type CouponShop = Awaited<ReturnType<typeof createCouponShop>>

export type PersonalCoupon = Partial<Insertable<CouponsTable>>

export async function createCouponShop(world: World, coupon: PersonalCoupon = {}, options: StoreOptions = {}) {
  const shop = await createShop(world, options)
  const { storeId, accountId, flowId } = shop
  const fake = createFakeStore()
  world.storeClient = () => fake
  await world.db.transaction().execute((db) => saveKeys(world.deps, { accountId, db }, storeId, buildWooKeys()))
  const couponId = await insertPersonalCoupon(world, storeId, coupon)
  await world.db
    .updateTable('flow_steps')
    .set({ coupon_id: couponId })
    .where('store_id', '=', storeId)
    .where('flow_id', '=', flowId)
    .where('step', '=', 1)
    .execute()
  return {
    ...shop,
    fake,
    couponId,
    /** Creates one abandoned cart per name, with its first reminder due; nothing is sent yet. */
    async abandoned(...names: string[]) {
      for (const name of names) {
        await shop.fill(name, [buildTea()])
        await shop.type(name, { email: buildAddress(name), firstName: name })
      }
      world.advance(HOUR)
      await detectAbandoned(world.deps)
    },
    make: () => createCodes(world.deps, { storeId }, findUnneededCodes),
    codes: () =>
      world.db.selectFrom('coupon_codes').selectAll().where('store_id', '=', storeId).orderBy('created_at').execute(),
    async firstMessage() {
      return (await shop.messages()).find((each) => each.step === 1)!
    },
  }
}

export const buildAddress = (name: string) => `${name}@shoppers.example.com`

/** Inserts a personal coupon: 10% off for three days. */
export async function insertPersonalCoupon(world: World, storeId: string, coupon: PersonalCoupon): Promise<string> {
  const id = createId()
  await world.db
    .insertInto('coupons')
    .values({
      store_id: storeId,
      id,
      made_by: 'recoup',
      kind: 'personal',
      code: 'CART',
      type: 'percentage',
      platform_type: 'percent',
      percent: 1_000,
      currency: 'USD',
      is_active: true,
      seen_at: world.now,
      created_at: world.now,
      ...coupon,
    })
    .execute()
  return id
}
