// Coupons from cart to order, in the shop's pages, and changed by another admin user.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findOrder } from './orders.ts'
import { type Answer, askAnonymous, askSigned, type Clock, openStore } from './recordings.ts'
import { HOME_ADDRESS, openShopper, placeOrder } from './shoppers.ts'
import type { DemoStore } from './store.ts'

let store: DemoStore
let clock: Clock

beforeAll(async () => {
  const opened = await openStore()
  store = opened.store
  clock = opened.clock
})

afterAll(() => store.stop())

const orderBody = (email: string) => ({
  billing_address: { ...HOME_ADDRESS, email },
  shipping_address: HOME_ADDRESS,
  payment_method: 'cod',
})

async function openCartWithCoupon(code: string) {
  const shopper = await openShopper(store)
  await shopper.call('POST', 'cart/add-item', { id: 20, quantity: 2 })
  expect((await shopper.call('POST', 'cart/apply-coupon', { code })).status).toBe(200)
  return shopper
}

test('records a coupon’s discount and its tax on the order, and counts the use', async () => {
  store.coupons.add({ code: 'ten', discountType: 'percent', amountMinor: 1000 })
  const shopper = await openCartWithCoupon('ten')
  const { order_id } = (await shopper.call('POST', 'checkout', orderBody('ten@example.com'))).body as {
    order_id: number
  }
  expect((await askSigned(store, 'GET', `/wp-json/wc/v3/orders/${order_id}`)).body).toMatchObject({
    discount_total: '5.60',
    discount_tax: '0.34',
    total: '61.42',
    coupon_lines: [
      { code: 'ten', discount: '5.6', discount_tax: '0.34', discount_type: 'percent', nominal_amount: 10 },
    ],
  })
  expect(store.coupons.list('ten')).toMatchObject([{ usageCount: 1, usedBy: ['ten@example.com'] }])
})

test('drops a coupon that expired or was used up in the cart, with one notice', async () => {
  for (const end of [() => store.coupons.expire('brief'), () => store.coupons.use('brief', 'other@example.com')]) {
    store.coupons.add({ code: 'brief', discountType: 'percent', amountMinor: 1000, usageLimit: 1 })
    const [first, places] = [await openCartWithCoupon('brief'), await openCartWithCoupon('brief')]
    end()
    clock.seconds += 1
    const cart = (await first.call('GET', 'cart')).body
    expect(cart).toMatchObject({ coupons: [], errors: [{ message: expect.stringContaining('has been removed') }] })
    expect((await first.call('GET', 'cart')).body).toMatchObject({ errors: [] })
    const { order_id } = (await places.call('POST', 'checkout', orderBody('late@example.com'))).body as {
      order_id: number
    }
    expect(findOrder(store.shop, order_id)).toMatchObject({ discountMinor: 0, couponLines: [], totalMinor: 6736 })
    store.coupons.delete('brief')
  }
})

test('returns 409 and removes the coupon when the order’s address is not allowed', async () => {
  store.coupons.add({ code: 'forone', amountMinor: 500, emails: ['one@example.com'] })
  const shopper = await openShopper(store)
  await shopper.call('POST', 'cart/add-item', { id: 20, quantity: 1 })
  await shopper.call('POST', 'cart/update-customer', { billing_address: { email: 'one@example.com' } })
  await shopper.call('POST', 'cart/apply-coupon', { code: 'forone' })
  const refused = await shopper.call('POST', 'checkout', orderBody('two@example.com'))
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'woocommerce_rest_cart_coupon_errors', data: { cart: { coupons: [] } } },
  })
  expect((await shopper.call('POST', 'checkout', orderBody('two@example.com'))).status).toBe(200)
  expect(store.coupons.list('forone')[0]!.usageCount).toBe(0)
})

test('releases the coupon use after a declined card, and counts the successful attempt once', async () => {
  store.coupons.add({ code: 'once', amountMinor: 500, usageLimit: 1 })
  const shopper = await openCartWithCoupon('once')
  const pay = (testcard_mode: string) => ({
    ...orderBody('once@example.com'),
    payment_method: 'testcard',
    payment_data: [{ key: 'testcard_mode', value: testcard_mode }],
  })
  expect((await shopper.call('POST', 'checkout', pay('decline'))).status).toBe(400)
  expect(store.coupons.list('once')[0]!.usageCount).toBe(0)
  expect((await shopper.call('POST', 'checkout', pay('success'))).status).toBe(200)
  expect(store.coupons.list('once')[0]!.usageCount).toBe(1)
})

test('applies a checkout link’s coupon, or continues without an invalid one', async () => {
  for (const [code, coupons] of [
    ['WELCOME10', [{ code: 'welcome10' }]],
    ['lastyear', []],
    ['nosuch', []],
  ] as const) {
    const answer = await askAnonymous(store, 'GET', `/checkout-link/?products=20:2&coupon=${code}`)
    expect(answer.headers.location).toContain('/checkout/?session=')
    const cart = await askAnonymous(store, 'GET', '/wp-json/wc/store/v1/cart', { cookie: readCookie(answer) })
    expect(cart.body).toMatchObject({ items_count: 2, coupons })
  }
})

test('shows and removes the discount in cart and checkout, and explains a dropped coupon once', async () => {
  store.coupons.add({ code: 'shown', discountType: 'percent', amountMinor: 1000 })
  const cookie = readCookie(await askAnonymous(store, 'GET', '/checkout-link/?products=20:1&coupon=shown'))
  for (const path of ['/cart/', '/checkout/']) {
    const { body } = await askAnonymous(store, 'GET', path, { cookie })
    expect(body).toContain('Coupon <code>shown</code>')
    expect(body).toContain('−$2.80')
    expect(body).toContain('aria-label="Remove coupon shown"')
  }
  store.coupons.edit('shown', { status: 'draft' })
  expect((await askAnonymous(store, 'GET', '/checkout/', { cookie })).body).toContain('has been removed from your cart')
  expect((await askAnonymous(store, 'GET', '/checkout/', { cookie })).body).not.toContain('shown')
  store.coupons.edit('shown', { status: 'publish' })
  const form = { 'content-type': 'application/x-www-form-urlencoded', cookie }
  await askAnonymous(store, 'POST', '/cart/', form, 'do=coupon&code=shown')
  expect((await askAnonymous(store, 'GET', '/cart/', { cookie })).body).toContain('<code>shown</code>')
  await askAnonymous(store, 'POST', '/cart/', form, 'do=drop-coupon&code=shown')
  expect((await askAnonymous(store, 'GET', '/cart/', { cookie })).body).not.toContain('<code>shown</code>')
  const id = await placeOrder(store, { method: 'cod', coupon: 'shown' })
  const received = `/checkout/order-received/${id}/?key=${findOrder(store.shop, id)!.orderKey}`
  expect((await askAnonymous(store, 'GET', received)).body).toContain('Coupon <code>shown</code>')
})

test('separates discount and tax in a shop whose prices include tax', async () => {
  const taxRates = [{ id: 1, country: 'DE', state: '', percent: 19, label: 'MwSt.' }]
  const german = {
    currency: 'EUR',
    base: { country: 'DE', state: '' },
    taxRates,
    pricesIncludeTax: true,
    showsTax: true,
  }
  const { store: berlin } = await openStore({ pricing: german, sellingCountries: ['DE'] })
  berlin.coupons.add({ code: 'five', discountType: 'fixed_cart', amountMinor: 500 })
  const shopper = await openShopper(berlin)
  await shopper.call('POST', 'cart/add-item', { id: 20, quantity: 1 })
  await shopper.call('POST', 'cart/apply-coupon', { code: 'five' })
  const address = { ...HOME_ADDRESS, country: 'DE', state: '', postcode: '10115', city: 'Berlin' }
  const body = {
    billing_address: { ...address, email: 'e@example.de' },
    shipping_address: address,
    payment_method: 'cod',
  }
  const { order_id } = (await shopper.call('POST', 'checkout', body)).body as { order_id: number }
  expect((await askSigned(berlin, 'GET', `/wp-json/wc/v3/orders/${order_id}`)).body).toMatchObject({
    currency: 'EUR',
    prices_include_tax: true,
    discount_total: '4.20',
    discount_tax: '0.80',
    total: '31.00',
    coupon_lines: [{ code: 'five', discount: '4.2', discount_tax: '0.80', nominal_amount: 5 }],
    tax_lines: [{ label: 'MwSt.', rate_percent: 19, tax_total: '3.67' }],
  })
  expect((await askAnonymous(berlin, 'GET', '/product/sunday-stoneware-mug/')).body).toContain('€28.00')
  await berlin.stop()
})

test('sends webhooks for coupon edits, not for uses', async () => {
  const hook = { topic: 'coupon.updated', delivery_url: 'https://example.com/hook' }
  await askSigned(store, 'POST', '/wp-json/wc/v3/webhooks', hook)
  const { id } = store.coupons.add({ code: 'told', amountMinor: 500 })
  const listQueuedJobs = () => store.shop.db.sqlite.prepare('select argument from webhook_jobs').all()
  store.coupons.use('told', 'a@example.com')
  await placeOrder(store, { method: 'cod', coupon: 'told' })
  expect(listQueuedJobs()).not.toContainEqual({ argument: String(id) })
  store.coupons.edit('told', { amountMinor: 600 })
  expect(listQueuedJobs()).toContainEqual({ argument: String(id) })
})

test('counts coupons by prefix, deletes them, and keeps a draft’s code free', async () => {
  store.coupons.add({ code: 'RC-A1', status: 'draft' })
  store.coupons.add({ code: 'rc-b2' })
  expect([store.coupons.count('rc-'), store.coupons.count('zz-')]).toEqual([2, 0])
  const post = (code: string) => askSigned(store, 'POST', '/wp-json/wc/v3/coupons', { code, amount: '5' })
  expect([(await post('rc-a1')).status, (await post('rc-b2')).status]).toEqual([201, 400])
  store.coupons.delete('rc-b2')
  expect((await post('rc-b2')).status).toBe(201)
  expect(() => store.coupons.delete('rc-nothing')).toThrow('no coupon')
})

test('simulates an unavailable store, a lost response and a delayed response', async () => {
  const { port } = store.app.server.address() as { port: number }
  const add = (id: number) => fetch(`http://localhost:${port}/?add-to-cart=${id}`)
  const countSessions = () => store.shop.db.sqlite.prepare('select count(*) as n from sessions').get()!.n as number
  const before = countSessions()
  store.connections.refuse()
  await expect(add(20)).rejects.toThrow()
  expect(countSessions()).toBe(before)
  store.connections.loseAnswers(/GET \/\?add-to-cart=21/)
  expect((await add(20)).status).toBe(200)
  await expect(add(21)).rejects.toThrow()
  expect(countSessions()).toBe(before + 2)
  store.connections.hold()
  const held = add(22)
  await expect.poll(() => store.connections.waiting()).toBe(1)
  expect(countSessions()).toBe(before + 2)
  store.connections.restore()
  expect((await held).status).toBe(200)
  expect(countSessions()).toBe(before + 3)
})

function readCookie({ headers }: Answer): string {
  return [headers['set-cookie'] ?? []]
    .flat()
    .map((one) => String(one).split(';')[0])
    .join('; ')
}
