import type { Insertable } from 'kysely'
import { codeTerms } from '../server/carts/coupons/fragments.ts'
import { createId } from '../server/core/common/ids.ts'
import { sql } from '../server/core/db/db.ts'
import type { CouponsTable } from '../server/core/schema/coupons.ts'
import type { TestStore } from './factories.ts'
import type { World } from './world.ts'

// Test support: copies of a store's coupons, assigned to steps of its flow.

type Changes = Partial<Omit<Insertable<CouponsTable>, 'store_id' | 'id'>>

/** Inserts a 10% coupon for everyone, without expiry and not yet checked with the store. */
export async function insertCoupon({ db, now }: World, { storeId }: TestStore, changes: Changes = {}): Promise<string> {
  const id = createId()
  await db
    .insertInto('coupons')
    .values({
      store_id: storeId,
      id,
      made_by: 'recoup',
      kind: 'shared',
      code: `SAVE-${id.slice(-6).toUpperCase()}`,
      type: 'percentage',
      platform_type: 'percent',
      percent: 1_000,
      currency: 'USD',
      is_active: true,
      seen_at: now,
      created_at: now,
      ...changes,
    })
    .execute()
  return id
}

/** Returns the terms with which codes of a personal coupon are created. */
export async function readCodeTerms({ db }: World, id: string): Promise<string> {
  const { rows } = await sql<{
    terms: string
  }>`select ${codeTerms('c')} as terms from coupons c where id = ${id}`.execute(db)
  return rows[0]!.terms
}

export interface StepCoupon {
  coupon_fallback?: 'without' | 'skip'
  coupon_first_order_only?: boolean
  coupon_pause_days?: number | null
  coupon_above_minor?: number | null
}

export async function assignCouponToSteps(
  { db }: World,
  { flowId }: TestStore,
  couponId: string | null,
  more: StepCoupon = {},
) {
  await db
    .updateTable('flow_steps')
    .set({ coupon_id: couponId, ...more })
    .where('flow_id', '=', flowId)
    .execute()
}

export async function readCouponCode({ db }: World, id: string): Promise<string> {
  return (await db.selectFrom('coupons').select('code').where('id', '=', id).executeTakeFirstOrThrow()).code
}
