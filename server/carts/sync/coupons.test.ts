import { beforeEach, expect, test } from 'vitest'
import { type ConnectedStore, createConnectedStore, createSyncHelpers } from '../../../test/connected-store.ts'
import { buildCoupon } from '../../../test/fake-coupons.ts'
import { buildOrder, buildProblem } from '../../../test/fake-store.ts'
import { createWorld } from '../../../test/world.ts'
import { groupNotifications } from '../../access/notifications/group.ts'
import { createId } from '../../core/common/ids.ts'
import { recordOrders } from '../carts/record.ts'
import { couponUsesJob } from '../coupons/jobs.ts'
import { readUses } from '../coupons/uses.ts'
import { pullCoupons } from './local-copies.ts'
import { importStore, syncStore } from './sync.ts'

// The copy of a store's coupons (decision 30): which reads happen when, and what they prove.

const world = createWorld()
const { formatTimeBefore, readStream } = createSyncHelpers(world)
const DAY_MS = 86_400_000
let shop: ConnectedStore

beforeEach(async () => {
  shop = await createConnectedStore(world)
})

const pull = (isFull = false) => pullCoupons(world.deps, { storeId: shop.storeId, isFull })
const readList = async () =>
  (await world.request('GET', '/api/coupons', { token: shop.owner.token })).body as {
    coupons: { _id: string; code: string; madeBy: string; usageCount: number; endDate: string; isActive: boolean }[]
    readAt: string | null
    problem: string | null
  }
const codes = async () => (await readList()).coupons.map(({ code }) => code).sort()
const make = async (code: string, more: Record<string, unknown> = {}) => {
  const body = {
    code,
    type: 'percentage',
    amount: 10,
    startDate: formatTimeBefore(DAY_MS),
    endDate: formatTimeBefore(-7 * DAY_MS),
    ...more,
  }
  return (await world.request('POST', '/api/coupons', { token: shop.owner.token, body })).body.coupon as { _id: string }
}
const buildStoreCoupon = (couponId: string, more: Parameters<typeof buildCoupon>[0] | object = {}) =>
  buildCoupon({ couponId, ...more })

test('the first import, the sweep and “Sync now” read coupons, and a second read changes nothing', async () => {
  shop.fake.allCoupons = [
    buildStoreCoupon('1', { code: 'autumn' }),
    buildStoreCoupon('2', { code: 'Draft', isPublished: false }),
    buildStoreCoupon('3', { type: 'other', platformType: 'fixed_product', percent: null, amountMinor: 500 }),
  ]
  await importStore(world.deps, { storeId: shop.storeId })
  const before = await readList()
  expect(before.coupons.toSorted((one, other) => one.code.localeCompare(other.code))).toMatchObject([
    { code: 'AUTUMN', isActive: true },
    { code: 'CODE-3', type: 'other', platformType: 'fixed_product', amount: 5, madeBy: 'store', isActive: true },
    { code: 'DRAFT', isActive: false, endDate: null },
  ])
  expect([before.readAt, before.problem]).toEqual([world.now.toISOString(), null])
  await syncStore(world.deps, { storeId: shop.storeId })
  expect(await readList()).toEqual(before)
  shop.fake.allCoupons.push(buildStoreCoupon('4', { code: 'new' }))
  await world.request('POST', '/api/stores/sync', { token: shop.owner.token, body: {} })
  expect(await codes()).toContain('NEW')
})

test('“Sync now” notices that a read-only key now has write access', async () => {
  await world.db.updateTable('stores').set({ can_write: false }).where('id', '=', shop.storeId).execute()
  expect(await readList()).toMatchObject({ canWrite: false })
  await world.request('POST', '/api/stores/sync', { token: shop.owner.token, body: {} })
  expect(await readList()).toMatchObject({ canWrite: true })
})

test('personal codes are not copied', async () => {
  shop.fake.allCoupons = [
    buildStoreCoupon('1', { code: 'cart-abc', mark: `message:${createId()}` }),
    buildStoreCoupon('2', { code: 'own' }),
  ]
  await pull()
  expect(await codes()).toEqual(['OWN'])
})

test('a coupon created here is recognized by its mark, and one that only copies the mark is the store’s', async () => {
  const { _id } = await make('OURS')
  const [ours] = shop.fake.allCoupons
  shop.fake.allCoupons.push({ ...ours!, couponId: '7', code: 'copied' })
  shop.fake.allCoupons.push(buildStoreCoupon('8', { code: 'elsewhere', mark: `coupon:${createId()}:${createId()}` }))
  await pull(true)
  const found = (await readList()).coupons.map(({ code, madeBy }) => [code, madeBy]).sort()
  expect(found).toEqual([
    ['COPIED', 'store'],
    ['ELSEWHERE', 'store'],
    ['OURS', 'recoup'],
  ])
  await world.db.deleteFrom('coupons').where('store_id', '=', shop.storeId).execute()
  shop.fake.allCoupons = [ours!]
  await pull(true)
  expect((await readList()).coupons).toMatchObject([{ _id, madeBy: 'recoup' }])
})

test('a coupon missing from a complete listing is gone, an interrupted listing proves nothing, and a returning coupon is restored', async () => {
  const { _id } = await make('OURS')
  shop.fake.allCoupons.push(...['1', '2', '3'].map((id) => buildStoreCoupon(id)))
  await pull()
  const [lost, ...rest] = shop.fake.allCoupons
  shop.fake.allCoupons = rest
  world.advance(60_000)
  shop.fake.failAt = { page: 2, problem: buildProblem('timeout'), times: 1 }
  expect((await pull()).kind).toBe('failed')
  expect(await codes()).toContain('OURS')
  expect((await pull()).kind).toBe('done')
  expect(await codes()).toContain('OURS')
  world.advance(60_000)
  await pull()
  expect(await codes()).toEqual(['CODE-1', 'CODE-2', 'CODE-3'])
  const row = await world.db.selectFrom('coupons').select('gone_at').where('id', '=', _id).executeTakeFirstOrThrow()
  expect(row.gone_at).toEqual(world.now)
  shop.fake.allCoupons.push(lost!)
  world.advance(60_000)
  await pull()
  expect(await codes()).toContain('OURS')
})

test('a coupon that cannot be read is not treated as gone', async () => {
  shop.fake.allCoupons = [buildStoreCoupon('1'), buildStoreCoupon('2')]
  await pull()
  world.advance(60_000)
  shop.fake.coupons = async function* () {
    yield {
      rows: [buildStoreCoupon('1')],
      skipped: [{ id: '2', reason: 'no amount' }],
      page: 1,
      totalPages: 1,
      isLast: true,
    }
  }
  await pull()
  expect(await codes()).toEqual(['CODE-1', 'CODE-2'])
})

test('the store’s values win, except for the end date of a coupon it shows as expired', async () => {
  await make('OURS')
  await make('OFF', { isActive: false })
  const [ours, off] = shop.fake.allCoupons
  const end = ours!.expiresAt
  Object.assign(ours!, { percent: 3_000, expiresAt: formatTimeBefore(-30 * DAY_MS) })
  world.advance(60_000)
  await pull(true)
  const of = async (code: string) => (await readList()).coupons.find((coupon) => coupon.code === code)!
  expect(await of('OURS')).toMatchObject({ amount: 30, endDate: formatTimeBefore(-30 * DAY_MS + 60_000) })
  expect(await of('OFF')).toMatchObject({ isActive: false, endDate: new Date(end!).toISOString() })
  Object.assign(off!, { expiresAt: formatTimeBefore(-30 * DAY_MS) })
  world.advance(60_000)
  await pull(true)
  expect(await of('OFF')).toMatchObject({ isActive: true, endDate: formatTimeBefore(-30 * DAY_MS + 60_000) })
})

test('a failed read keeps the copy and reports the failure with its age', { tags: ['B8'] }, async () => {
  shop.fake.allCoupons = [buildStoreCoupon('1')]
  await pull()
  const readAt = world.now.toISOString()
  world.advance(60_000)
  shop.fake.problem = buildProblem('unreachable')
  await pull()
  expect(await readList()).toMatchObject({
    coupons: [{ code: 'CODE-1' }],
    readAt,
    problem: 'Failed to fetch coupons (using fallback)',
  })
})

test('a key without permission for coupons breaks nothing else, shows advice in the list and sends no notification about reads', async () => {
  shop.fake.coupons = () => {
    throw buildProblem('no_rights', 'Sorry, you cannot list resources.')
  }
  const { body } = await world.request('POST', '/api/stores/sync', { token: shop.owner.token, body: {} })
  expect(body).toMatchObject({ success: true })
  expect(await readStream(shop.storeId, 'coupons')).toMatchObject({ error_code: 'no_rights' })
  expect((await readList()).problem).toBe(
    'Failed to fetch coupons (using fallback). The key of this store may not read coupons. Create a key with Read/Write permissions for a user who is administrator or shop manager. Then choose “Replace keys” under Settings, Store.',
  )
  const health = await world.request('GET', '/api/stores/health', { token: shop.owner.token })
  expect(health.body.streams.coupons.problem).toMatch(/^The key of this store may not read coupons\./)
  await groupNotifications(world.deps)
  const notifications = await world.db
    .selectFrom('notifications')
    .select('type')
    .where('store_id', '=', shop.storeId)
    .execute()
  expect(notifications.map(({ type }) => type)).not.toContain('store_check_failed')
})

test('with many coupons, only changes and the usage of our own coupons are read', async () => {
  const { _id } = await make('OURS')
  await pull()
  await world.db
    .insertInto('coupons')
    .values(
      Array.from({ length: 500 }, (_, n) => ({
        store_id: shop.storeId,
        id: createId(),
        made_by: 'store' as const,
        kind: 'shared' as const,
        platform_id: `m${n}`,
        code: `MANY-${n}`,
        type: 'percentage' as const,
        platform_type: 'percent',
        percent: 100,
        currency: 'USD',
        is_active: true,
        seen_at: world.now,
        created_at: world.now,
      })),
    )
    .execute()
  shop.fake.allCoupons[0]!.usageCount = 4
  world.advance(60_000)
  await pull()
  const { coupons } = await readList()
  expect(coupons.length).toBe(50)
  const row = await world.db.selectFrom('coupons').selectAll().where('id', '=', _id).executeTakeFirstOrThrow()
  expect(row).toMatchObject({ usage_count: 4, gone_at: null })
})

test('an order with a coupon created here queues one read of its usage, once for many orders', async () => {
  await make('OURS')
  await pull()
  const order = (orderId: string, coupon: string) =>
    buildOrder({ orderId, modifiedAt: formatTimeBefore(0), kind: 'purchase', status: 'processing', coupons: [coupon] })
  const queued = () => world.queued.filter(({ name, key }) => name === couponUsesJob.name && key === shop.storeId)
  await recordOrders(
    world.deps,
    shop.storeId,
    [order('1', 'theirs'), buildOrder({ orderId: '2', modifiedAt: formatTimeBefore(0), coupons: ['ours'] })],
    'sync',
  )
  expect(queued()).toEqual([])
  await recordOrders(world.deps, shop.storeId, [order('3', 'ours')], 'sync')
  expect(queued().length).toBe(1)
  shop.fake.allCoupons[0]!.usageCount = 1
  await readUses(world.deps, { storeId: shop.storeId })
  expect((await readList()).coupons).toMatchObject([{ code: 'OURS', usageCount: 1 }])
  shop.fake.problem = buildProblem('unreachable')
  await readUses(world.deps, { storeId: shop.storeId })
})

test('a code is stored in capitals that the store treats as the same code', async () => {
  shop.fake.allCoupons = [buildStoreCoupon('1', { code: 'süß10' }), buildStoreCoupon('2', { code: 'été' })]
  await pull()
  expect(await codes()).toEqual(['SÜß10', 'ÉTÉ'])
  for (const code of await codes()) expect(shop.fake.allCoupons.map((each) => each.code)).toContain(code.toLowerCase())
})

test('a coupon deleted during a listing stays deleted', async () => {
  const { _id } = await make('OURS')
  const [ours] = shop.fake.allCoupons
  world.advance(60_000)
  shop.fake.coupons = async function* () {
    world.advance(1_000)
    await world.request('DELETE', `/api/coupons/${_id}`, { token: shop.owner.token })
    yield { rows: [ours!], skipped: [], page: 1, totalPages: 1, isLast: true }
  }
  await pull(true)
  expect(await codes()).toEqual([])
})
