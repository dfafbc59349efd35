import { beforeEach, expect, test } from 'vitest'
import { completeOrderCheck } from '../../../test/factories.ts'
import { buildTea, createShop, HOUR, MINUTE, pot, type Shop } from '../../../test/shop.ts'
import { createWorld } from '../../../test/world.ts'

// Active carts, and the cart that a member follows to test the setup.

const world = createWorld()
let shop: Shop
let n = 0

beforeEach(async () => {
  shop = await createShop(world)
})

async function active(query = '') {
  const { status, body } = await shop.get(`/api/carts/active?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

async function followed(query: Record<string, string>) {
  const { status, body } = await shop.get(`/api/carts/followed?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const isoIn = (ms: number) => new Date(world.now.getTime() + ms).toISOString()

test('active carts are counted and summed, with their abandonment time (S1)', async () => {
  expect(await active()).toMatchObject({ carts: [], total: 0, isCapped: false, values: [], timeoutMinutes: 60 })
  await shop.fill('one', [buildTea(2)])
  world.advance(MINUTE)
  await shop.fill('two', [pot])
  await shop.type('two', { email: 'ann@shoppers.example', firstName: 'Ann' })
  const summary = await active()
  expect(summary).toMatchObject({ total: 2, values: [{ amount: 110, currency: 'USD' }], now: world.now.toISOString() })
  expect(summary.carts).toMatchObject([
    { customer_name: 'Ann', customer_email: 'ann@shoppers.example', abandons_at: isoIn(HOUR), state: 'active' },
    { customer_email: null, items: [{ product_name: 'Earl Grey', quantity: 2 }], abandons_at: isoIn(HOUR - MINUTE) },
  ])
  expect((await active('limit=1')).carts).toHaveLength(1)
})

test('abandoned, emptied and purchased carts are not active, and active carts are not listed as abandoned', async () => {
  for (const browser of ['left', 'emptied', 'bought']) {
    await shop.fill(browser, [buildTea()])
    await shop.type(browser, { email: `${browser}@shoppers.example` })
  }
  expect((await shop.get('/api/carts/abandoned')).body.carts).toEqual([])
  world.advance(1_000)
  await shop.fill('emptied', [])
  await shop.order({ kind: 'purchase', email: 'bought@shoppers.example' })
  expect((await active()).carts.map((cart: { customer_email: string }) => cart.customer_email)).toEqual([
    'left@shoppers.example',
  ])
  await shop.passTime(HOUR)
  expect(await active()).toMatchObject({ total: 0, carts: [] })
})

test('carts of other accounts are not visible', async () => {
  const otherShop = await createShop(world)
  await shop.fill('one', [buildTea()])
  await shop.type('one', { email: 'ann@shoppers.example' })
  const { id } = await shop.cart()
  expect((await otherShop.get('/api/carts/active')).body.total).toBe(0)
  const since = isoIn(-MINUTE)
  const followed = await otherShop.get(`/api/carts/followed?since=${since}&email=ann@shoppers.example`)
  expect(followed.body).toMatchObject({ cart: null, nameless: null })
  expect((await otherShop.get(`/api/carts/followed?since=${since}&id=${id}`)).status).toBe(404)
})

test('a followed cart is found by its email, and until then the newest cart without one is named', async () => {
  const since = world.now.toISOString()
  const email = 'Owner@Shoppers.example'
  expect(await followed({ since, email })).toMatchObject({ cart: null, nameless: null, email: null })
  world.advance(MINUTE)
  await shop.fill('mine', [buildTea()])
  expect(await followed({ since, email })).toMatchObject({ cart: null, nameless: { total: 21 } })
  await shop.type('mine', { email: 'owner@shoppers.example', country: 'US', countrySource: 'address' })
  const { id } = await shop.cart()
  await completeOrderCheck(world, shop.storeId)
  expect(await followed({ since, email })).toMatchObject({
    cart: { id, abandons_at: isoIn(HOUR) },
    nameless: null,
    email: { isPossible: true, reason: null },
  })
  expect((await followed({ since: isoIn(MINUTE), email })).cart).toBeNull()
  expect((await followed({})).cart).toMatchObject({ id })
})

test('a followed cart shows what blocks its email before it is abandoned (C6)', async () => {
  const since = world.now.toISOString()
  await shop.fill('mine', [buildTea()])
  await shop.type('mine', { email: 'owner@shoppers.example', country: 'DE', countrySource: 'address' })
  const { email } = await followed({ since, email: 'owner@shoppers.example' })
  expect(email).toMatchObject({ isPossible: false, reason: 'no_consent' })
  expect(email.explanation).not.toBe('')
  expect(await shop.messages()).toEqual([])
})

test('a cart followed by id stays followed when it is abandoned, merged or purchased', async () => {
  const since = world.now.toISOString()
  const email = 'owner@shoppers.example'
  await shop.fill('mine', [buildTea()])
  await shop.type('mine', { email })
  const { id } = await shop.cart()
  await shop.passTime(HOUR)
  expect((await followed({ since, email })).cart).toMatchObject({ id, state: 'abandoned', abandons_at: null })
  await shop.order({ kind: 'purchase', email })
  expect((await followed({ since, email })).cart).toBeNull()
  expect((await followed({ since, email, id })).cart).toMatchObject({ id, state: 'purchased' })
  const into = await createMergedCart(id)
  expect((await followed({ since, id })).cart).toMatchObject({ id: into })
})

test('a followed cart reports when a newer cart could be followed', async () => {
  await shop.fill('first', [buildTea()])
  await shop.type('first', { email: 'owner@shoppers.example' })
  const { id } = await shop.cart()
  expect(await followed({})).toMatchObject({ cart: { id }, hasNewer: false })
  expect((await followed({ id })).hasNewer).toBe(false)
  world.advance(MINUTE)
  await shop.fill('second', [pot])
  expect(await followed({ id })).toMatchObject({ cart: { id }, hasNewer: true })
  world.advance(MINUTE)
  await shop.fill('first', [buildTea(), pot])
  expect((await followed({ id })).hasNewer).toBe(false)
})

async function createMergedCart(from: string): Promise<string> {
  await shop.fill(`other-${++n}`, [pot])
  const into = (await shop.carts()).find((cart) => cart.status === 'active')!.id
  const row = world.db.updateTable('carts').set({ status: 'merged', merged_into: into })
  await row.where('store_id', '=', shop.storeId).where('id', '=', from).execute()
  return into
}

test('active carts are read from their own index', async () => {
  const { rows } = await world.pool.query(`select indexdef from pg_indexes where indexname = 'carts_active'`)
  expect(rows[0].indexdef).toContain('(store_id, last_activity_at DESC, id DESC)')
  for (const query of ['limit=0', 'limit=21']) expect((await shop.get(`/api/carts/active?${query}`)).status).toBe(400)
  for (const query of ['since=yesterday', `since=${isoIn(0)}&id=1`]) {
    expect((await shop.get(`/api/carts/followed?${query}`)).status).toBe(400)
  }
})
