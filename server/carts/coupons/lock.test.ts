import { beforeEach, expect, test } from 'vitest'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { type ConnectedStore, createConnectedStore } from '../../../test/connected-store.ts'
import { buildProblem } from '../../../test/fake-store.ts'
import { createWorld, type Reply } from '../../../test/world.ts'
import { startCoupons } from './start.ts'

// Writes of one coupon are serialized and do not affect other coupons.

const world = createWorld()
let shop: ConnectedStore

const DAY_MS = 86_400_000
const formatDaysFromNow = (days: number) => new Date(world.now.getTime() + days * DAY_MS).toISOString()
const body = (more: Record<string, unknown> = {}) => ({
  code: 'SAVE10',
  type: 'percentage',
  amount: 10,
  startDate: formatDaysFromNow(-1),
  endDate: formatDaysFromNow(7),
  ...more,
})
const post = (more: Record<string, unknown> = {}): Promise<Reply> =>
  world.request('POST', '/api/coupons', { token: shop.owner.token, body: body(more) })
const put = (id: string, more: Record<string, unknown> = {}): Promise<Reply> =>
  world.request('PUT', `/api/coupons/${id}`, { token: shop.owner.token, body: body(more) })
const findInStore = (code: string) => shop.fake.allCoupons.find((coupon) => coupon.code === code)
const begin = () => startCoupons(world.deps, { storeId: shop.storeId })

beforeEach(async () => {
  shop = await createConnectedStore(world)
})

test('a usage limit for a personal coupon is refused at its field, because each code works once', async () => {
  const personal = { code: 'CART', kind: 'personal' }
  const refused = await post({ ...personal, usageLimit: 5 })
  expect([refused.status, refused.body.fields]).toEqual([400, { usageLimit: couponTexts.personalLimit }])
  const { body: created } = await post(personal)
  const edited = await put(created.coupon._id, { ...personal, usageLimit: 5 })
  expect([edited.status, edited.body.fields]).toEqual([400, { usageLimit: couponTexts.personalLimit }])
  expect((await put(created.coupon._id, { ...personal, usageLimit: null })).status).toBe(200)
})

test('a coupon at which the store fails does not block the start of others', async () => {
  await post({ code: 'BROKEN', startDate: formatDaysFromNow(1) })
  await post({ code: 'NEXT', startDate: formatDaysFromNow(1.5) })
  world.advance(2 * DAY_MS)
  const update = shop.fake.updateCoupon
  let requests = 0
  let problem = buildProblem('store_error')
  shop.fake.updateCoupon = async (id, draft) => {
    requests += 1
    if (id === findInStore('broken')!.couponId) throw problem
    return update(id, draft)
  }
  await begin()
  expect(findInStore('broken')!.expiresAt! < formatDaysFromNow(0)).toBe(true)
  expect(findInStore('next')!.expiresAt! > formatDaysFromNow(0)).toBe(true)
  // An unreachable store is not queried for each coupon.
  await post({ code: 'LAST', startDate: formatDaysFromNow(0) })
  requests = 0
  problem = buildProblem('unreachable')
  await begin()
  expect(requests).toBe(1)
})

test('a start during the owner’s change is not written, and a change waits for a start', async () => {
  const { body: created } = await post({ code: 'LATER', startDate: formatDaysFromNow(1) })
  const { _id } = created.coupon
  world.advance(DAY_MS)
  const end = formatDaysFromNow(30)
  const changed = () => put(_id, { code: 'LATER', startDate: formatDaysFromNow(-1), endDate: end })
  // A read from before the change is written after it.
  shop.fake.afterCoupon = async () => {
    shop.fake.afterCoupon = async () => {}
    await begin()
  }
  expect((await changed()).status).toBe(200)
  expect(new Date(findInStore('later')!.expiresAt!).getTime()).toBe(Math.floor(Date.parse(end) / 1_000) * 1_000)
  await world.db.updateTable('coupons').set({ is_withheld: true }).where('id', '=', _id).execute()
  let change: Promise<Reply> | undefined
  shop.fake.afterCoupon = async () => {
    change ??= put(_id, { code: 'LATER', startDate: formatDaysFromNow(-1), endDate: formatDaysFromNow(60) })
  }
  await begin()
  expect((await change!).status).toBe(200)
  expect(findInStore('later')!.expiresAt! > formatDaysFromNow(59)).toBe(true)
})

test('a coupon locked by a dead process is free after some minutes, even after the clock was put back', async () => {
  const { body: created } = await post()
  const locked = (minutes: number) =>
    world.db
      .updateTable('coupons')
      .set({ locked_until: new Date(world.now.getTime() + minutes * 60_000) })
      .where('id', '=', created.coupon._id)
      .execute()
  await locked(0)
  expect((await put(created.coupon._id, { amount: 20 })).status).toBe(200)
  await locked(60)
  expect((await put(created.coupon._id, { amount: 30 })).status).toBe(200)
})
