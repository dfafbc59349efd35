import { beforeEach, expect, test } from 'vitest'
import { couponTexts } from '../../../shared/carts/coupons.ts'
import { type ConnectedStore, createConnectedStore } from '../../../test/connected-store.ts'
import { createWorld, type Reply } from '../../../test/world.ts'

// Codes of two personal coupons never have the same prefix: they could not be told apart (decision 34).

const world = createWorld()
let shop: ConnectedStore

const DAY_MS = 86_400_000
const formatDaysFromNow = (days: number) => new Date(world.now.getTime() + days * DAY_MS).toISOString()
const body = (code: string, kind = 'personal') => ({
  code,
  kind,
  type: 'percentage',
  amount: 10,
  startDate: formatDaysFromNow(-1),
  endDate: formatDaysFromNow(7),
})
const post = (code: string, kind?: string): Promise<Reply> =>
  world.request('POST', '/api/coupons', { token: shop.owner.token, body: body(code, kind) })
const put = (id: string, code: string): Promise<Reply> =>
  world.request('PUT', `/api/coupons/${id}`, { token: shop.owner.token, body: body(code) })

beforeEach(async () => {
  shop = await createConnectedStore(world)
})

test('a second personal coupon with the same prefix is refused at its field, in any spelling', async () => {
  const reply = await post('CART')
  expect(reply.status).toBe(200)
  for (const refused of [await post('CART'), await post('cart')]) {
    expect([refused.status, refused.body.error, refused.body.fields]).toEqual([
      409,
      couponTexts.duplicatePersonal,
      { code: couponTexts.duplicatePersonal },
    ])
  }
  const other = await post('OTHER')
  expect((await put(other.body.coupon._id, 'CART')).status).toBe(409)
  expect((await put(reply.body.coupon._id, 'CART')).status).toBe(200)
})

test('of two concurrent creations one is refused', async () => {
  const answers = await Promise.all([post('TWIN'), post('TWIN')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
})

test('a prefix is free after its coupon is deleted, and beside a shared code of the same letters', async () => {
  const reply = await post('CART')
  await world.request('DELETE', `/api/coupons/${reply.body.coupon._id}`, { token: shop.owner.token })
  expect((await post('CART')).status).toBe(200)
  expect((await post('CART', 'shared')).status).toBe(200)
})
