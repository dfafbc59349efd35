import { describe, expect, test } from 'vitest'
import { aShop } from '../../test/by-hand-scene.ts'
import { HOUR, pass } from '../../test/message-scene.ts'
import { aWorld } from '../../test/world.ts'
import { sql } from '../core/db.ts'
import { newId } from '../core/ids.ts'
import type { StoredFilters } from '../schema/campaigns.ts'
import { countMatching, isNewestMatching } from './audience-sql.ts'

// Whom a set of filters means (area decision 42).

const world = aWorld()

type Shop = Awaited<ReturnType<typeof aShop>>

async function meant(shop: Shop, filters: StoredFilters, channel: 'email' | 'sms' = 'email') {
  const { rows } = await sql<{ id: string }>`
    select c.id from carts c join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    where c.store_id = ${shop.storeId} and ${isNewestMatching(channel, filters, world.now)}`.execute(world.db)
  const store = { storeId: shop.storeId, db: world.db }
  expect(await countMatching(store, { channel, filters, now: world.now })).toBe(rows.length)
  return rows.map(({ id }) => shop.cartIds.indexOf(id)).sort()
}

const change = (shop: Shop, index: number, values: object) =>
  world.db.updateTable('carts').set(values).where('id', '=', shop.cartIds[index]!).execute()

describe('an audience', () => {
  test('is filtered by value, in the currency of the store alone', async () => {
    const shop = await aShop(world, 3)
    await change(shop, 1, { value_minor: 9_000 })
    await change(shop, 2, { value_minor: 9_000, currency: 'EUR' })
    expect(await meant(shop, {})).toEqual([0, 1, 2])
    expect(await meant(shop, { minMinor: 4_201 })).toEqual([1])
    expect(await meant(shop, { minMinor: 4_200, maxMinor: 4_200 })).toEqual([0])
    expect(await meant(shop, { maxMinor: 4_199 })).toEqual([])
  })

  test('is filtered by the hours since the last activity', async () => {
    const shop = await aShop(world, 3)
    for (const [index, hours] of [2, 30, 100].entries()) {
      await change(shop, index, { last_activity_at: new Date(world.now.getTime() - hours * HOUR) })
    }
    expect(await meant(shop, { minHours: 1, maxHours: 72 })).toEqual([0, 1])
    expect(await meant(shop, { minHours: 30 })).toEqual([1, 2])
    expect(await meant(shop, { maxHours: 29.5 })).toEqual([0])
  })

  test('is filtered by badge, country, product and whether anything was sent before', async () => {
    const shop = await aShop(world, 3)
    await change(shop, 0, { badge: 'No Response' })
    await change(shop, 1, { items: JSON.stringify([{ productId: '7' }, { productId: '8' }]) })
    const [first] = await world.db.selectFrom('carts').select('shopper_id').where('id', '=', shop.cartIds[2]!).execute()
    await world.db.updateTable('shoppers').set({ country: 'AT' }).where('id', '=', first!.shopper_id).execute()
    expect(await meant(shop, { badge: 'No Response' })).toEqual([0])
    expect(await meant(shop, { productId: '8' })).toEqual([1])
    expect(await meant(shop, { country: 'AT' })).toEqual([2])
    const { body } = await world.request('POST', '/api/carts/send', {
      token: shop.token,
      body: { channel: 'email', cartIds: [shop.cartIds[0]] },
    })
    expect(body.jobId).toBeDefined()
    await pass(world, shop.storeId, 0)
    expect(world.sent).toHaveLength(1)
    expect(await meant(shop, { mailedBefore: 'yes' })).toEqual([0])
    expect(await meant(shop, { mailedBefore: 'no' })).toEqual([1, 2])
  })

  test('has each person once, with the newest of their carts that matches, and nobody who cannot be reached', async () => {
    const shop = await aShop(world, 2)
    const first = await world.db
      .selectFrom('carts')
      .selectAll()
      .where('id', '=', shop.cartIds[0]!)
      .executeTakeFirstOrThrow()
    const newer = { ...first, id: newId(), value_minor: 9_000, started_at: new Date(first.started_at.getTime() + HOUR) }
    const json = {
      items: JSON.stringify(first.items),
      coupons: JSON.stringify(first.coupons),
      fold: JSON.stringify(first.fold),
    }
    await world.db
      .insertInto('carts')
      .values({ ...newer, ...json })
      .execute()
    shop.cartIds.push(newer.id)
    expect(await meant(shop, {})).toEqual([1, 2])
    expect(await meant(shop, { maxMinor: 5_000 })).toEqual([0, 1])
    await change(shop, 1, { email: null })
    expect(await meant(shop, {})).toEqual([2])
    expect(await meant(shop, {}, 'sms')).toEqual([1, 2])
    await change(shop, 2, { status: 'purchased' })
    expect(await meant(shop, {})).toEqual([0])
  })
})
