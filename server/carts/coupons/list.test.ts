import { beforeEach, expect, test } from 'vitest'
import { type ConnectedStore, createConnectedStore } from '../../../test/connected-store.ts'
import { buildOrder } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { createId } from '../../core/common/ids.ts'
import { recordOrders } from '../carts/record.ts'

// The coupon list: order, search, pages and figures (decision 38).

const world = createWorld()
let shop: ConnectedStore

beforeEach(async () => {
  shop = await createConnectedStore(world)
})

const list = async (query = '') =>
  (await world.request('GET', `/api/coupons${query}`, { token: shop.owner.token })).body

async function insert(code: string, more: Record<string, unknown> = {}) {
  const id = createId()
  const row = {
    store_id: shop.storeId,
    id,
    made_by: 'recoup' as const,
    kind: 'shared' as const,
    platform_id: id,
    code,
    type: 'percentage' as const,
    platform_type: 'percent',
    percent: 1_000,
    currency: 'USD',
    is_active: true,
    seen_at: world.now,
    created_at: world.now,
    ...more,
  }
  await world.db.insertInto('coupons').values(row).execute()
  return id
}

const at = (seconds: number) => new Date(world.now.getTime() + seconds * 1_000)

test('lists newest first, fifty a page, and finds a code prefix in any case', { tags: ['B7'] }, async () => {
  for (let n = 0; n < 60; n += 1)
    await insert(`${n < 3 ? 'SALE' : 'X'}-${String(n).padStart(2, '0')}`, { created_at: at(n) })
  await insert('SALE-GONE', { gone_at: world.now })
  const codes = async (query: string) => (await list(query)).coupons.map(({ code }: { code: string }) => code)
  const first = await codes('')
  expect([first.length, first[0], first[49]]).toEqual([50, 'X-59', 'X-10'])
  expect(await codes('?page=2')).toEqual([
    'X-09',
    'X-08',
    'X-07',
    'X-06',
    'X-05',
    'X-04',
    'X-03',
    'SALE-02',
    'SALE-01',
    'SALE-00',
  ])
  expect((await list('?page=2')).pagination).toEqual({ page: 2, limit: 50, total: 60, pages: 2 })
  expect(await codes('?search=sale-0')).toEqual(['SALE-02', 'SALE-01', 'SALE-00'])
  for (const search of ['ale', '%25', '_', 'SALE-9', '%00']) {
    expect([search, await codes(`?search=${search}`)]).toEqual([search, search === '%00' ? first : []])
  }
  expect((await list('?limit=2&page=30')).coupons.map(({ code }: { code: string }) => code)).toEqual([
    'SALE-01',
    'SALE-00',
  ])
})

test('finds a personal coupon by the prefix of its codes and by a code read aloud', async () => {
  const [personal, renamed] = [await insert('CART', { kind: 'personal' }), await insert('NEW', { kind: 'personal' })]
  await insert('CARTS')
  const code = { store_id: shop.storeId, coupon_id: renamed, created_at: world.now, expires_at: world.now }
  const ids = { message_id: createId(), shopper_id: createId() }
  await world.db
    .insertInto('coupon_codes')
    .values({ ...code, ...ids, terms: '{}', next_try_at: world.now, code: 'OLD-7K2M9QXW' })
    .execute()
  const found = async (search: string): Promise<string[]> =>
    (await list(`?search=${encodeURIComponent(search)}`)).coupons.map(({ _id }: { _id: string }) => _id)
  for (const search of ['CART-', 'cart-7k2m9qxw', 'CART-••••••••', ' cart - 7k2m 9qxw ']) {
    expect([search, await found(search)]).toEqual([search, [personal]])
  }
  expect(await found('old-7k2m9qxw')).toEqual([renamed])
  expect(await found('CART-TOO-LONG-FOR-ONE')).toEqual([])
  expect(await found('CARTS-')).toEqual([])
})

test('shows sends, uses, revenue and discount of a shared coupon', async () => {
  const id = await insert('SAVE10', { usage_count: 7 })
  await insert('OTHER')
  const order = (orderId: string, more: Partial<Parameters<typeof buildOrder>[0]> = {}) =>
    buildOrder({
      orderId,
      modifiedAt: world.now.toISOString(),
      kind: 'purchase',
      status: 'processing',
      totalMinor: 5_000,
      coupons: ['save10'],
      discounts: [{ code: 'SAVE10', discountMinor: 500 }],
      ...more,
    })
  await recordOrders(
    world.deps,
    shop.storeId,
    [
      order('1'),
      order('2', { refundedMinor: 1_000 }),
      order('3', { kind: 'cancelled', status: 'cancelled' }),
      order('4', { currency: 'EUR' }),
      order('5', { coupons: [], discounts: [] }),
      order('6', { status: 'quote', paidAt: null, amount: 'if_counted' }),
      order('7', { status: 'returned', amount: 'none' }),
      order('8', { refundedMinor: 5_000 }),
    ],
    'sync',
  )
  const { coupons } = await list('?search=SAVE10')
  expect(coupons).toMatchObject([
    {
      _id: id,
      usageCount: 7,
      figures: { issued: null, sent: 0, used: 7, orders: 2, netRevenue: 90, discountGiven: 10 },
    },
  ])
  expect((await list('?search=OTHER')).coupons[0].figures).toEqual({
    issued: null,
    sent: 0,
    used: 0,
    orders: 0,
    netRevenue: 0,
    discountGiven: 0,
  })
})

test('a coupon created again under a deleted one’s code counts only later orders', async () => {
  await insert('TWICE', { gone_at: at(-300), created_at: at(-3_600) })
  await insert('TWICE', { created_at: at(-300) })
  const order = (orderId: string, minutesAgo: number) =>
    buildOrder({
      orderId,
      createdAt: at(-60 * minutesAgo).toISOString(),
      modifiedAt: world.now.toISOString(),
      paidAt: at(-60 * minutesAgo).toISOString(),
      kind: 'purchase',
      status: 'processing',
      totalMinor: 5_000,
      coupons: ['twice'],
      discounts: [{ code: 'TWICE', discountMinor: 500 }],
    })
  await recordOrders(world.deps, shop.storeId, [order('1', 10), order('2', 1)], 'sync')
  const { coupons } = await list('?search=TWICE')
  expect(coupons).toMatchObject([{ figures: { orders: 1, netRevenue: 50, discountGiven: 5 } }])
})

test('a personal coupon counts its codes', async () => {
  const id = await insert('CART', { kind: 'personal', platform_id: null })
  const code = (n: number, more: object) => ({
    store_id: shop.storeId,
    message_id: createId(),
    coupon_id: id,
    shopper_id: createId(),
    code: `CART-${n}`,
    expires_at: at(1),
    next_try_at: at(1),
    created_at: at(n),
    terms: '',
    ...more,
  })
  await world.db
    .insertInto('coupon_codes')
    .values([
      code(1, { state: 'made', made_at: world.now }),
      code(2, { state: 'made', made_at: world.now }),
      code(3, { state: 'wanted' }),
    ])
    .execute()
  const discounts = [{ code: 'CART-2', discountMinor: 250 }]
  const bought = { kind: 'purchase' as const, status: 'processing', totalMinor: 2_000, coupons: ['cart-2'], discounts }
  await recordOrders(
    world.deps,
    shop.storeId,
    [buildOrder({ orderId: '1', modifiedAt: at(0).toISOString(), ...bought })],
    'sync',
  )
  expect((await list()).coupons).toMatchObject([
    { usageCount: 1, figures: { issued: 2, used: 1, orders: 1, netRevenue: 20, discountGiven: 2.5 } },
  ])
})

test('yen have no decimals in the API', async () => {
  await insert('YEN', { type: 'fixed', percent: null, amount_minor: 500, min_spend_minor: 3_000, currency: 'JPY' })
  expect((await list()).coupons[0]).toMatchObject({ amount: 500, minSpend: 3_000, currency: 'JPY' })
})

test('finds an old usable coupon behind any number of newer unusable ones', async () => {
  const hour = 3_600
  await insert('OLD', { created_at: at(-9_000), ends_at: at(hour), usage_limit: 2, usage_count: 1 })
  await insert('THEIRS', { created_at: at(-8_000), made_by: 'store', usage_limit: 0 })
  for (let n = 0; n < 100; n += 1) await insert(`OVER-${n}`, { created_at: at(-n), ends_at: world.now })
  await insert('OFF', { is_active: false })
  await insert('DRAFT', { made_by: 'store', terms: JSON.stringify({ isPublished: false }) })
  await insert('LATER', { starts_at: at(hour) })
  await insert('USED', { usage_limit: 2, usage_count: 2 })
  await insert('GONE', { gone_at: world.now })
  const { coupons, pagination } = await list('?usable=yes&limit=100')
  expect(coupons.map(({ code }: { code: string }) => code)).toEqual(['THEIRS', 'OLD'])
  expect(pagination.total).toBe(2)
  expect((await list('?usable=yes&search=ol')).coupons).toMatchObject([{ code: 'OLD' }])
  expect((await list('?usable=no')).code).toBe('invalid')
  world.advance(hour * 1_000)
  expect((await list('?usable=yes')).coupons).toMatchObject([{ code: 'LATER' }, { code: 'THEIRS' }])
})
