import { expect, test } from 'vitest'
import { insertCoupon } from '../../../test/coupon-copies.ts'
import { createStore } from '../../../test/factories.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { transact } from '../../core/db/db.ts'
import { loadMessageCoupons } from './for-messages.ts'

// Reading the coupons of many messages at once.

const world = createWorld()

test('a coupon of many messages is read once', async () => {
  const store = await createStore(world)
  const terms = { emailHashes: Array.from({ length: 2_000 }, (_, n) => n.toString(16).padStart(64, '0')) }
  const id = await insertCoupon(world, store, { terms: JSON.stringify(terms) })
  const other = await insertCoupon(world, store, { percent: 2_000 })
  const coupon = (id: string) => ({
    id,
    fallback: 'without' as const,
    isFirstOrderOnly: false,
    pauseDays: null,
    aboveMinor: null,
  })
  const row = (couponId: string) => ({ id: createId(), shopper_id: createId(), coupon: coupon(couponId) })
  const rows = [...Array.from({ length: 100 }, () => row(id)), row(other), row(createId())]
  const found = await transact({ storeId: store.storeId, db: world.db }, (tx) => loadMessageCoupons(tx, rows))
  const states = rows.map((each) => found.get(each.id)!.state)
  expect(states[0]!.terms).toEqual(terms)
  expect(new Set(states.slice(0, 100)).size).toBe(1)
  expect([states[100]!.percent, states[101]]).toEqual([2_000, null])
})
