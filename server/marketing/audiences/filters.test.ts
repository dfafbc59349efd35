import { describe, expect, test } from 'vitest'
import { hasSentMessage, setBadge } from '../../../test/cart-badges.ts'
import { createShop } from '../../../test/manual-send-scene.ts'
import { HOUR, passTime } from '../../../test/message-scene.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { sql } from '../../core/db/db.ts'
import type { StoredFilters } from '../../core/schema/campaigns.ts'
import { isNewestMatching } from './fragments.ts'
import { countMatching } from './sql.ts'

// Which carts and people a filter set matches.

const world = createWorld()

type Shop = Awaited<ReturnType<typeof createShop>>

async function meant(shop: Shop, filters: StoredFilters, channel: 'email' | 'sms' = 'email') {
  const { rows } = await sql<{ id: string }>`
    select c.id from carts c join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    where c.store_id = ${shop.storeId} and ${isNewestMatching({ storeId: shop.storeId, channel, filters, now: world.now })}`.execute(
    world.db,
  )
  const store = { storeId: shop.storeId, db: world.db }
  expect(await countMatching(store, { channel, filters, now: world.now })).toBe(rows.length)
  return rows.map(({ id }) => shop.cartIds.indexOf(id)).sort()
}

const change = (shop: Shop, index: number, values: object) =>
  world.db.updateTable('carts').set(values).where('id', '=', shop.cartIds[index]!).execute()

describe('an audience', () => {
  test("filters by value, in the store's currency only", async () => {
    const shop = await createShop(world, 3)
    await change(shop, 1, { value_minor: 9_000 })
    await change(shop, 2, { value_minor: 9_000, currency: 'EUR' })
    expect(await meant(shop, {})).toEqual([0, 1, 2])
    expect(await meant(shop, { minMinor: 4_201 })).toEqual([1])
    expect(await meant(shop, { minMinor: 4_200, maxMinor: 4_200 })).toEqual([0])
    expect(await meant(shop, { maxMinor: 4_199 })).toEqual([])
  })

  test('filters by hours since the last activity', async () => {
    const shop = await createShop(world, 3)
    for (const [index, hours] of [2, 30, 100].entries()) {
      await change(shop, index, { last_activity_at: new Date(world.now.getTime() - hours * HOUR) })
    }
    expect(await meant(shop, { minHours: 1, maxHours: 72 })).toEqual([0, 1])
    expect(await meant(shop, { minHours: 30 })).toEqual([1, 2])
    expect(await meant(shop, { maxHours: 29.5 })).toEqual([0])
  })

  test('filters by badge, country, product and earlier messages', async () => {
    const shop = await createShop(world, 3)
    await setBadge(world.db, [shop.cartIds[0]!], 'No Response')
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
    await passTime(world, shop.storeId, 0)
    expect(world.sent).toHaveLength(1)
    expect(await meant(shop, { mailedBefore: 'yes' })).toEqual([0])
    expect(await meant(shop, { mailedBefore: 'no' })).toEqual([1, 2])
  })

  test('contains each reachable person once, with their newest matching cart', async () => {
    const shop = await createShop(world, 2)
    const { device_class, has_email, has_phone, product_keys, ...first } = await world.db
      .selectFrom('carts')
      .selectAll()
      .where('id', '=', shop.cartIds[0]!)
      .executeTakeFirstOrThrow()
    const newer = {
      ...first,
      id: createId(),
      value_minor: 9_000,
      started_at: new Date(first.started_at.getTime() + HOUR),
    }
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

  test('finds a product beyond the indexed ones, and one that is listed twice', async () => {
    const shop = await createShop(world, 3)
    const items = Array.from({ length: 150 }, (_, n) => ({ productId: `p${n}` }))
    await change(shop, 0, { items: JSON.stringify(items) })
    await change(shop, 1, { items: JSON.stringify([{ productId: 'p149' }, { productId: 'p149' }]) })
    await change(shop, 2, { items: JSON.stringify(items.slice(0, 100)) })
    expect(await meant(shop, { productId: 'p149' })).toEqual([0, 1])
    expect(await meant(shop, { productId: 'p7', badge: 'No Action' })).toEqual([0, 2])
    expect(await meant(shop, { productId: 'p' })).toEqual([])
  })
})

describe('shopper data on a cart', () => {
  const of = (shop: Shop) =>
    world.db
      .selectFrom('carts as c')
      .select(['id', 'shopper_id', 'country', hasSentMessage('c')])
      .where('store_id', '=', shop.storeId)
  const ofCart = (shop: Shop, index: number) =>
    of(shop).where('id', '=', shop.cartIds[index]!).executeTakeFirstOrThrow()

  test('follows changes of country, and messages sent or returned unsent', async () => {
    const shop = await createShop(world, 1)
    const { shopper_id } = await ofCart(shop, 0)
    const live = (country: string | null) =>
      world.db.updateTable('shoppers').set({ country }).where('id', '=', shopper_id).execute()
    await live('AT')
    expect(await ofCart(shop, 0)).toMatchObject({ country: 'AT', is_mailed: false })
    await live(null)
    expect(await ofCart(shop, 0)).toMatchObject({ country: null })
    await world.request('POST', '/api/carts/send', {
      token: shop.token,
      body: { channel: 'email', cartIds: shop.cartIds },
    })
    await passTime(world, shop.storeId, 0)
    expect(await ofCart(shop, 0)).toMatchObject({ is_mailed: true })
    const setSendingAt = (at: Date | null) =>
      world.db.updateTable('messages').set({ sending_at: at }).where('shopper_id', '=', shopper_id).execute()
    await setSendingAt(null)
    expect(await ofCart(shop, 0)).toMatchObject({ is_mailed: false })
    await setSendingAt(world.now)
    expect(await ofCart(shop, 0)).toMatchObject({ is_mailed: true })
  })

  test('is set on a new cart, and updated when the cart moves to another shopper', async () => {
    const shop = await createShop(world, 2)
    const [first, second] = [await ofCart(shop, 0), await ofCart(shop, 1)]
    await world.db.updateTable('shoppers').set({ country: 'AT' }).where('id', '=', first.shopper_id).execute()
    await world.request('POST', '/api/carts/send', {
      token: shop.token,
      body: { channel: 'email', cartIds: [shop.cartIds[0]] },
    })
    await passTime(world, shop.storeId, 0)
    const move = (to: string) =>
      world.db.updateTable('carts').set({ shopper_id: to }).where('id', '=', second.id).execute()
    await move(first.shopper_id)
    expect(await ofCart(shop, 1)).toMatchObject({ country: 'AT', is_mailed: true })
    await move(second.shopper_id)
    expect(await ofCart(shop, 1)).toMatchObject({ country: second.country, is_mailed: false })
    const id = createId()
    await sql`insert into carts (store_id, id, shopper_id, email, status, started_at, last_activity_at, lost_at, opening_fact_id, last_fact_at,
        last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at)
      select store_id, ${id}, ${first.shopper_id}, email, status, started_at, last_activity_at, lost_at, opening_fact_id, last_fact_at,
        last_fact_id, customer_name, items, item_count, value_minor, currency, search, fold, created_at
      from carts where store_id = ${shop.storeId} and id = ${second.id}`.execute(world.db)
    expect(await of(shop).where('id', '=', id).executeTakeFirst()).toMatchObject({ country: 'AT', is_mailed: true })
  })
})
