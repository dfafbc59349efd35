import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openShopify } from '../contracts/shopify.ts'
import type { Checkout, Order } from './model.ts'
import { listAll } from './records.ts'
import type { ShopifyStore } from './store.ts'

// The storefront over HTTP, like a browser without scripts.

const knife = 44_100_000_000_001
const can = 44_100_000_000_002
const largeGloves = 44_100_000_000_005
let store: ShopifyStore
let jar: Record<string, string> = {}

beforeAll(async () => {
  store = await openShopify()
})

beforeEach(() => {
  jar = {}
  store.controls.setPassword(null)
  store.controls.setPlan('grow')
  store.reset()
})

afterAll(() => store.stop())

async function go(path: string, init: RequestInit = {}) {
  const cookies = Object.entries(jar).map(([name, value]) => `${name}=${value}`)
  const headers = { ...init.headers, cookie: cookies.join('; ') }
  const answer = await fetch(store.url + path, { redirect: 'manual', ...init, headers })
  for (const line of answer.headers.getSetCookie()) {
    const [pair = ''] = line.split(';')
    jar[pair.split('=')[0]!] = pair.slice(pair.indexOf('=') + 1)
  }
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() }
}

const post = (path: string, form: Record<string, string>) =>
  go(path, { method: 'POST', body: new URLSearchParams(form) })

const addItems = (items: object[]) =>
  go('/cart/add.js', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  })

const listCheckouts = () => listAll(store.shop.db, 'checkout') as Checkout[]
const listOrders = () => listAll(store.shop.db, 'order') as Order[]

const home = {
  email: 'zoe@example.com',
  first_name: 'Zoe',
  last_name: 'Zinn',
  address1: '1 Alder St',
  city: 'Portland',
  province: 'OR',
  zip: '97202',
  shipping: 'standard',
  payment: 'paid',
}

async function beginCheckout(): Promise<string> {
  await addItems([{ id: knife, quantity: 2 }])
  return (await go('/checkout')).to
}

test('shows only products for sale', async () => {
  expect((await go('/')).text).toContain('Hori Hori Garden Knife')
  expect((await go('/collections/all?type=Seeds')).text).not.toContain('Hori Hori Garden Knife')
  expect((await go('/products/leather-work-gloves')).text).toContain('Large $34.00')
  expect((await go('/products/cedar-seed-box')).text).toContain('Sold out')
  expect((await go('/products/spring-catalog-preview')).status).toBe(404)
  expect((await go('/cdn/shop/files/gloves.jpg')).status).toBe(200)
})

test('identifies the cart by its cookie, with minor units in /cart.js', async () => {
  await addItems([{ id: knife, quantity: 1 }])
  await addItems([{ id: knife, quantity: 1 }, { id: can }])
  const cart = JSON.parse((await go('/cart.js')).text)
  expect(cart).toMatchObject({ item_count: 3, total_price: 15_200, items: [{ variant_id: knife, quantity: 2 }, {}] })
  expect(cart.token).toMatch(/^[0-9a-f]{32}\?key=[0-9a-f]{32}$/)
  await post('/cart/change', { id: String(knife), quantity: '0' })
  expect((await go('/cart')).text).not.toContain('Garden Knife')
})

test('rejects sold-out items and excess quantities with a message', async () => {
  const answer = await addItems([{ id: largeGloves, quantity: 4 }])
  expect(answer.status).toBe(422)
  expect(answer.text).toContain("You can't add more Leather Work Gloves - Large to the cart.")
  expect((await post('/cart/add', { id: '1', quantity: '1' })).text).toContain('Cannot find variant')
})

test('saves typed contacts, and consent for a ticked box', async () => {
  const path = await beginCheckout()
  expect((await go(path)).text).toContain('Email me with news and offers')
  await post(path, { do: 'keep', email: 'zoe@example.com', accepts_email: '1', shipping: 'standard' })
  expect(listCheckouts()[0]).toMatchObject({ email: 'zoe@example.com', acceptsEmail: true, completedAt: null })
  const customer = store.controls.customers().find(({ email }) => email === 'zoe@example.com')
  expect(customer?.emailConsent).toMatchObject({ state: 'SUBSCRIBED', level: 'SINGLE_OPT_IN' })
  expect(customer?.ordersCount).toBe(0)
})

test('rejects an invalid address', async () => {
  const path = await beginCheckout()
  await post(path, { do: 'keep', email: 'zoe@' })
  expect(listCheckouts()[0]?.email).toBeNull()
  expect((await post(path, { ...home, do: 'pay', email: 'zoe@' })).to).toContain('problem=Enter%20a%20valid%20email')
  expect((await post(path, { ...home, do: 'pay', city: '' })).to).toContain('problem=')
  expect((await post(path, { ...home, do: 'pay', payment: 'declined' })).to).toContain('declined')
  expect(listOrders()).toEqual([])
})

test('applies or explains a discount; paying creates an order and empties the cart', async () => {
  const path = await beginCheckout()
  expect((await post(path, { do: 'apply', code: 'AUTUMN' })).to).toContain('has%20expired')
  await post(path, { do: 'apply', code: 'sprout10' })
  const { to } = await post(path, { ...home, do: 'pay' })
  expect(to).toBe(`${path}/thank-you`)
  expect((await go(to)).text).toContain('#1001')
  expect(listOrders()[0]).toMatchObject({
    codes: ['SPROUT10'],
    reductions: [{ code: 'SPROUT10', minor: 840 }],
    totalMinor: 7_560,
    financialStatus: 'PAID',
    checkoutToken: path.split('/').at(-1),
    email: 'zoe@example.com',
  })
  expect(JSON.parse((await go('/cart.js')).text).item_count).toBe(0)
  expect((await go(path)).to).toBe(to)
})

test('combines two codes only if both allow it', async () => {
  const path = await beginCheckout()
  await post(path, { do: 'apply', code: 'SPROUT10' })
  await post(path, { do: 'apply', code: 'GARDEN15' })
  expect(listCheckouts()[0]?.codes).toEqual(['GARDEN15'])
})

test('redirects a recovery link to the home page for ten minutes, then to the checkout', async () => {
  const path = await beginCheckout()
  await post(path, { do: 'keep', email: 'zoe@example.com' })
  const [{ token, key }] = listCheckouts() as [Checkout]
  const link = `/68200000001/checkouts/ac/${token}/recover?key=${key}&locale=en&discount=SPROUT10`
  jar = {}
  expect((await go(link)).to).toBe('/')
  store.controls.advance(600_000)
  expect((await go(link)).to).toBe(path)
  expect(listCheckouts()[0]?.codes).toEqual(['SPROUT10'])
  expect((await go('/cart')).text).toContain('Garden Knife')
  expect((await go(link.replace(key, 'guessed'))).status).toBe(404)
})

test('fills a cart from a permalink and opens the checkout with a discount', async () => {
  const { to } = await go(`/cart/${knife}:1,${can}:2,17:1?discount=GARDEN15`)
  expect(to).toMatch(/^\/checkouts\/cn\/[0-9a-f]{32}$/)
  expect(listCheckouts()[0]).toMatchObject({ subtotalMinor: 17_800, codes: ['GARDEN15'] })
  expect((await go('/cart/17:1')).to).toBe('/cart')
})

test('shows pasted code in the theme, not in the checkout', async () => {
  store.setThemeHead('<script src="https://recoup.example/capture/k.js" data-store="k"></script>')
  const path = await beginCheckout()
  expect((await go('/')).text).toContain('capture/k.js')
  expect((await go(path)).text).not.toContain('capture/k.js')
  store.setThemeHead('')
})

test('shows the password page until the password is entered', async () => {
  store.controls.setPassword('moss')
  expect((await go('/')).to).toBe('/password')
  expect((await go(`/cart/${knife}:1`)).to).toBe('/password')
  expect((await post('/password', { password: 'fern' })).text).toContain('Password incorrect')
  await post('/password', { password: 'moss' })
  expect((await go('/')).status).toBe(200)
})

test('accepts no orders when paused', async () => {
  store.controls.setPlan('paused')
  await addItems([{ id: knife, quantity: 1 }])
  expect((await go('/checkout')).text).toContain('isn’t taking orders')
})

test('rejects another site’s form', async () => {
  const answer = await go('/cart/add', { method: 'POST', headers: { origin: 'https://evil.example' }, body: 'id=1' })
  expect(answer.status).toBe(403)
})

test('pays, fulfils, refunds and cancels orders in the admin', async () => {
  const path = await beginCheckout()
  await post(path, { ...home, do: 'pay', payment: 'pending' })
  const [{ id }] = listOrders() as [Order]
  const action = (name: string) => post('/admin', { do: 'order', order: String(id), deed: name })
  await action('refund')
  expect(listOrders()[0]?.financialStatus).toBe('PENDING')
  await action('pay')
  await action('fulfil')
  await action('refund')
  expect(listOrders()[0]).toMatchObject({
    financialStatus: 'REFUNDED',
    fulfillmentStatus: 'FULFILLED',
    refundedMinor: 8_400,
  })
  await action('cancel')
  expect(listOrders()[0]?.cancelledAt).not.toBeNull()
})

test('generates a past without webhooks', async () => {
  const old = await openShopify({ pastDays: 30 })
  const past = listAll(old.shop.db, 'order')
  expect(past.length).toBeGreaterThan(25)
  expect(listAll(old.shop.db, 'checkout').filter(({ completedAt }) => completedAt === null).length).toBeGreaterThan(15)
  expect(await old.deliverWebhooks()).toBe(0)
  await old.stop()
})
