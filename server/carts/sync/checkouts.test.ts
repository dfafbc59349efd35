import { expect, test } from 'vitest'
import { createSyncHelpers } from '../../../test/connected-store.ts'
import { buildOrder } from '../../../test/fake-store.ts'
import { buildCheckout, createShopifyFake, createShopifyStore, deliverWebhook } from '../../../test/shopify-store.ts'
import { createWorld } from '../../../test/world.ts'
import type { PlatformCustomer } from '../../platforms/platform/platform.ts'
import { StoreProblem } from '../../platforms/platform/store-problem.ts'
import { pullCheckouts } from './checkouts.ts'
import { syncStore } from './sync.ts'

const world = createWorld()
const MINUTE_MS = 60_000
const { formatTimeBefore, runOrderCheck, readStream } = createSyncHelpers(world)

const selectCarts = (storeId: string) =>
  world.db
    .selectFrom('carts')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('status', '<>', 'merged')
    .orderBy('started_at')
    .execute()

test('a checkout becomes a cart with the shopper’s contact, and reading it again changes nothing', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  const restoreUrl = `${fake.profile.homeUrl}/1/checkouts/ac/t/recover?key=k`
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: formatTimeBefore(20 * MINUTE_MS), restoreUrl })]
  expect(await pullCheckouts(world.deps, { storeId })).toMatchObject({ kind: 'done', rowCount: 1 })
  const [cart, ...others] = await selectCarts(storeId)
  expect(others).toEqual([])
  expect(cart).toMatchObject({ status: 'active', email: 'shopper-1@mail.example.org', value_minor: 1_800 })
  expect(cart!.fold.episode!.checkout).toEqual({
    id: '1',
    url: restoreUrl,
    createdAt: formatTimeBefore(20 * MINUTE_MS),
  })
  await pullCheckouts(world.deps, { storeId })
  const facts = await world.db.selectFrom('facts').select('id').where('store_id', '=', storeId).execute()
  expect(facts).toHaveLength(1)
  expect((await readStream(storeId, 'checkouts')).watermark).toEqual(new Date(formatTimeBefore(20 * MINUTE_MS)))
})

test('before consent a checkout creates no cart, or a cart without contact, depending on the store’s mode (C9)', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  const choose = (mode: 'nothing' | 'cart_only') =>
    world.db.updateTable('stores').set({ before_consent: mode }).where('id', '=', storeId).execute()
  const consent = {
    channel: 'email' as const,
    level: 'single' as const,
    at: formatTimeBefore(MINUTE_MS),
    wording: null,
  }
  await choose('nothing')
  fake.allCheckouts = [
    buildCheckout({
      checkoutId: '1',
      checkoutToken: 'one',
      cartToken: null,
      modifiedAt: formatTimeBefore(20 * MINUTE_MS),
    }),
  ]
  await pullCheckouts(world.deps, { storeId })
  expect(await selectCarts(storeId)).toEqual([])
  await choose('cart_only')
  fake.allCheckouts = [
    buildCheckout({
      checkoutId: '2',
      checkoutToken: 'two',
      cartToken: null,
      modifiedAt: formatTimeBefore(9 * MINUTE_MS),
    }),
    buildCheckout({
      checkoutId: '3',
      checkoutToken: 'three',
      cartToken: null,
      modifiedAt: formatTimeBefore(8 * MINUTE_MS),
      email: 'agreed@mail.example.org',
      phone: '+12125550177',
      consents: [{ ...consent, state: 'granted' }],
    }),
  ]
  await pullCheckouts(world.deps, { storeId })
  expect((await selectCarts(storeId)).map(({ email, phone }) => [email, phone])).toEqual([
    [null, null],
    ['agreed@mail.example.org', null],
  ])
})

test('a checkout URL on another host than the store’s is not kept (X1)', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  const restoreUrl = 'https://evil.example.net/recover'
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: formatTimeBefore(MINUTE_MS), restoreUrl })]
  await pullCheckouts(world.deps, { storeId })
  expect((await selectCarts(storeId))[0]!.fold.episode!.checkout).toMatchObject({ url: null })
})

test('an order with the checkout’s token is the purchase even with another email, and there is one cart (S3, S6)', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: formatTimeBefore(20 * MINUTE_MS) })]
  await pullCheckouts(world.deps, { storeId })
  fake.allOrders = [
    buildOrder({
      orderId: '9',
      kind: 'purchase',
      status: 'paid',
      modifiedAt: formatTimeBefore(5 * MINUTE_MS),
      email: 'another@mail.example.org',
      checkoutToken: 'token-1',
    }),
  ]
  await runOrderCheck(storeId)
  const carts = await selectCarts(storeId)
  expect(carts.map(({ status }) => status)).toEqual(['purchased'])
  expect(carts[0]!.fold.episode!.orderId).toBe('9')
})

test('a completed checkout ends its cart before its order arrives, which then supplies the order id', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: formatTimeBefore(20 * MINUTE_MS) })]
  await pullCheckouts(world.deps, { storeId })
  const done = {
    modifiedAt: formatTimeBefore(4 * MINUTE_MS),
    completedAt: formatTimeBefore(5 * MINUTE_MS),
    createdAt: formatTimeBefore(20 * MINUTE_MS),
  }
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', ...done })]
  await pullCheckouts(world.deps, { storeId })
  expect((await selectCarts(storeId)).map(({ status }) => status)).toEqual(['purchased'])
  fake.allOrders = [
    buildOrder({
      orderId: '9',
      kind: 'purchase',
      status: 'paid',
      modifiedAt: formatTimeBefore(5 * MINUTE_MS),
      checkoutToken: 'token-1',
    }),
  ]
  await runOrderCheck(storeId)
  const carts = await selectCarts(storeId)
  expect(carts.map(({ status, fold }) => [status, fold.episode!.orderId])).toEqual([['purchased', '9']])
})

test('a checkout that was completed before the first read creates no cart', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  const done = { modifiedAt: formatTimeBefore(4 * MINUTE_MS), completedAt: formatTimeBefore(5 * MINUTE_MS) }
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', ...done })]
  await pullCheckouts(world.deps, { storeId })
  expect(await selectCarts(storeId)).toEqual([])
})

test.each([
  ['of staff', { source: 'staff' as const }],
  ['of a till', { source: 'pos' as const }],
  ['that tests the payment', { isTest: true }],
])('an order %s has no cart and no attributed revenue (A2)', async (_, more) => {
  const { fake, storeId } = await createShopifyStore(world)
  fake.allOrders = [
    buildOrder({ orderId: '9', kind: 'pending', status: 'pending', modifiedAt: formatTimeBefore(MINUTE_MS), ...more }),
  ]
  await runOrderCheck(storeId)
  expect(await selectCarts(storeId)).toEqual([])
  const order = world.db.selectFrom('orders').select('is_staff').where('store_id', '=', storeId)
  expect(await order.executeTakeFirst()).toEqual({ is_staff: true })
})

test('a delivered checkout is read again by its id and joins the cart named in the body (S6)', async () => {
  const { fake, storeId, captureKey } = await createShopifyStore(world)
  const cart = { token: 'hWN2cart00000001', updated_at: formatTimeBefore(10 * MINUTE_MS), line_items: [lineItem(2)] }
  expect(await deliverWebhook(world, captureKey, { topic: 'carts/update', body: cart })).toBe(200)
  expect((await selectCarts(storeId)).map(({ email, item_count }) => [email, item_count])).toEqual([[null, 2]])
  fake.allCheckouts = [
    buildCheckout({ checkoutId: '77', modifiedAt: formatTimeBefore(5 * MINUTE_MS), checkoutToken: null }),
  ]
  const body = { id: 77, token: 'hWN2checkout00001', cart_token: 'hWN2cart00000001' }
  expect(await deliverWebhook(world, captureKey, { topic: 'checkouts/update', body })).toBe(200)
  await world.runJobs()
  const carts = await selectCarts(storeId)
  expect(carts.map(({ email }) => email)).toEqual(['shopper-77@mail.example.org'])
  const keys = world.db.selectFrom('shopper_keys').select('value').where('store_id', '=', storeId)
  const values = (await keys.where('kind', '=', 'cart').execute()).map(({ value }) => value)
  expect(values.sort()).toEqual(['checkout:hWN2checkout00001', 'hWN2cart00000001'])
})

test('a delivery counts once, a forged one is refused, and an unknown empty cart is ignored', async () => {
  const { storeId, captureKey } = await createShopifyStore(world)
  const body = { token: 'hWN2cart00000001', updated_at: formatTimeBefore(10 * MINUTE_MS), line_items: [] }
  expect(await deliverWebhook(world, captureKey, { topic: 'carts/update', body, secret: 'another' })).toBe(401)
  expect(await deliverWebhook(world, captureKey, { topic: 'carts/update', body })).toBe(200)
  const shoppers = world.db.selectFrom('shoppers').select('id').where('store_id', '=', storeId)
  expect(await shoppers.execute()).toEqual([])
  for (let time = 0; time < 2; time += 1) {
    expect(await deliverWebhook(world, captureKey, { topic: 'orders/updated', body: { id: 5 }, id: 'once' })).toBe(200)
  }
  expect(world.queued.filter(({ name }) => name === 'stores.order')).toHaveLength(1)
})

test('the periodic sync reads checkouts, except on platforms without them', async () => {
  const { fake, storeId } = await createShopifyStore(world, createShopifyFake())
  await syncStore(world.deps, { storeId })
  expect(fake.checkoutQueries).toHaveLength(1)
})

test('a consent withdrawn in the shop is known after the next sync even if its webhook was lost (Y2, C5)', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  const customer = (modifiedAt: string, state: 'granted' | 'withdrawn'): PlatformCustomer => ({
    customerId: '7',
    email: 'ada@mail.example.org',
    phone: null,
    firstName: 'Ada',
    lastName: null,
    company: null,
    country: 'US',
    createdAt: null,
    modifiedAt,
    lastLoginAt: null,
    consents: [{ channel: 'email', state, level: 'single', at: modifiedAt, wording: null }],
  })
  const ledger = async () => {
    const rows = world.db.selectFrom('consents').select('status').where('store_id', '=', storeId).orderBy('at')
    return (await rows.execute()).map(({ status }) => status)
  }
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: formatTimeBefore(60 * MINUTE_MS) })]
  fake.allCustomers = [customer(formatTimeBefore(50 * MINUTE_MS), 'granted')]
  await pullCheckouts(world.deps, { storeId })
  expect(await ledger()).toEqual([])
  await pullCheckouts(world.deps, { storeId })
  fake.allCustomers = [customer(formatTimeBefore(MINUTE_MS), 'withdrawn')]
  await pullCheckouts(world.deps, { storeId })
  expect(await ledger()).toEqual(['granted', 'withdrawn'])
})

test('an app without permission to read customers still reads checkouts', async () => {
  const { fake, storeId } = await createShopifyStore(world)
  fake.allCheckouts = [buildCheckout({ checkoutId: '1', modifiedAt: formatTimeBefore(60 * MINUTE_MS) })]
  await pullCheckouts(world.deps, { storeId })
  fake.customers = () => {
    throw new StoreProblem('shopify_scopes_missing', 'read_customers')
  }
  expect(await pullCheckouts(world.deps, { storeId })).toMatchObject({ kind: 'done' })
})

const lineItem = (quantity: number) => ({
  id: 161,
  product_id: 16,
  variant_id: 161,
  title: 'Enamel Mug',
  quantity,
  price: '18.00',
})
