// Rebuilds each cart of coupon-totals.json with its settings, products, lines and coupons. Totals and error messages
// must be equal.
import { expect, test } from 'vitest'
import { type Product, saveProduct } from './catalog.ts'
import { addCoupon } from './coupons.ts'
import { ordinaryPricing, type Pricing } from './pricing.ts'
import { askSigned, compare, type Exchange, findValueProblems, openStore, readRecording } from './recordings.ts'
import { openShopper, type Shopper } from './shoppers.ts'
import type { DemoStore } from './store.ts'

type CouponCase = {
  settings: Record<string, string> & { tax_rates: { country: string; state: string; rate: string; name: string }[] }
  products: { id: number; name: string; regular_price: string; sale_price: string }[]
  lines: { product: number; quantity: number }[]
  coupons: { rest_request: Record<string, unknown> & { code: string } }[]
  totals_before_coupon: unknown
}
type Case = Exchange & { given?: CouponCase | string }

const { exchanges } = readRecording<{ exchanges: Case[] }>('coupon-totals')
const mug = [{ product: 91, quantity: 1 }]
const home = { city: 'San Francisco', postcode: '94110', state: 'CA', country: 'US' }

test('computes the recorded totals, discounts and errors for 100 carts', async () => {
  const { store, clock } = await openStore({ seed: false })
  clock.seconds = Date.parse('2026-11-22T19:00:00Z') / 1000
  addMug(store)
  let shopper = await openShopper(store)
  const problems: [string, string[]][] = []
  for (const recorded of exchanges) {
    clock.seconds += 1
    const { given: setup, title } = recorded
    if (setup && typeof setup !== 'string') shopper = await openCase(store, setup, title)
    else if (!setup && !title.includes('the same cart')) shopper = await openCaseWithoutSettings(store, title)
    const found = await checkCase(store, shopper, recorded)
    if (found.length) problems.push([title, found])
  }
  await store.stop()
  expect(problems).toEqual([])
  expect(exchanges).toHaveLength(100)
})

async function checkCase(store: DemoStore, shopper: Shopper, recorded: Case): Promise<string[]> {
  const { request, response } = recorded
  const { code } = (response.body ?? {}) as { code?: string }
  const id = request.path.startsWith('/wp-json/wc/v3/') ? findId(store, code!) : 0
  const answer = id
    ? await askSigned(store, 'GET', `/wp-json/wc/v3/coupons/${id}`)
    : await shopper.call(request.method, request.path.slice('/wp-json/wc/store/v1/'.length), request.body ?? undefined)
  const errors = compare(recorded, answer).filter((problem) => !/ is (missing|not in the recording)$/.test(problem))
  return [...errors, ...findValueProblems(response.body, answer.body, isIgnored)]
}

/** Values that differ by store: ids, keys, time zone and address. */
function isIgnored(at: string): boolean {
  return /(^body\.(id|order_id|order_key|order_number|payment_result.*)|date_(created|modified)(_gmt)?|_links.*)$/.test(
    at,
  )
}

/** Opens a cart in a store with these settings. Its totals before coupons must match, too. */
async function openCase(store: DemoStore, couponCase: CouponCase, title: string): Promise<Shopper> {
  store.shop.pricing = buildPricing(couponCase.settings, title)
  for (const product of couponCase.products) saveProduct(store.shop, buildProduct(store, product))
  for (const { rest_request } of couponCase.coupons) {
    if (!findId(store, rest_request.code)) await askSigned(store, 'POST', '/wp-json/wc/v3/coupons', rest_request)
  }
  const shopper = await fillCart(store, couponCase.lines)
  const { body } = await shopper.call('GET', 'cart')
  expect([title, findValueProblems(couponCase.totals_before_coupon, (body as { totals: unknown }).totals)]).toEqual([
    title,
    [],
  ])
  return shopper
}

/** Cases recorded without settings: one mug, and a shopper as the title describes. */
async function openCaseWithoutSettings(store: DemoStore, title: string): Promise<Shopper> {
  if (title.includes('another email known')) return fillCart(store, mug, 'someone.else@example.com')
  if (title.includes('(wildcard)'))
    addCoupon(store.shop, { ...tenPercent, code: 'fx40-8ef9', emails: ['*@example.com'] })
  if (/per_user 1.* first$/.test(title))
    addCoupon(store.shop, { ...tenPercent, code: 'fx42-9acc', usageLimitPerUser: 1 })
  if (title.includes('second time')) await placeOrderWith(store, 'fx42-9acc')
  return fillCart(store, mug, title.includes('email') ? 'ada@example.com' : undefined)
}

const tenPercent = { discountType: 'percent', amountMinor: 1000 } as const

async function placeOrderWith(store: DemoStore, code: string) {
  const shopper = await fillCart(store, mug, 'ada@example.com')
  await shopper.call('POST', 'cart/apply-coupon', { code })
  const whom = { ...home, first_name: 'Ada', last_name: 'Byron', address_1: '7 Oak Ave' }
  const order = {
    billing_address: { ...whom, email: 'ada@example.com' },
    shipping_address: whom,
    payment_method: 'cod',
  }
  expect((await shopper.call('POST', 'checkout', order)).status).toBe(200)
}

async function fillCart(store: DemoStore, lines: CouponCase['lines'], email?: string): Promise<Shopper> {
  const shopper = await openShopper(store)
  for (const { product: id, quantity } of lines) await shopper.call('POST', 'cart/add-item', { id, quantity })
  if (store.shop.pricing.base.country === 'US') {
    const customer = { billing_address: { ...home, ...(email ? { email } : {}) }, shipping_address: home }
    await shopper.call('POST', 'cart/update-customer', customer)
  }
  return shopper
}

function buildPricing(settings: CouponCase['settings'], title: string): Pricing {
  const is = (name: string) => settings[`woocommerce_${name}`] === 'yes'
  const [country = '', state = ''] = settings.woocommerce_default_country!.split(':')
  const rates = settings.tax_rates.map(({ rate, name, ...place }, at) => {
    return { id: at + 1, country: place.country, state: place.state, percent: Number(rate), label: name }
  })
  return {
    ...ordinaryPricing,
    currency: settings.woocommerce_currency!,
    decimals: Number(settings.woocommerce_price_num_decimals),
    base: { country, state },
    taxRates: is('calc_taxes') ? rates : [],
    pricesIncludeTax: is('prices_include_tax'),
    showsTax: settings.woocommerce_tax_display_cart === 'incl',
    roundsAtSubtotal: is('tax_round_at_subtotal'),
    isSequential: is('calc_discounts_sequentially'),
    shipsTo: ['US'],
    freeShipping: title.includes('zone has a free shipping method') ? { fromMinor: null } : null,
  }
}

function addMug(store: DemoStore) {
  const mugAsRecorded = { id: 91, name: 'Fixture Mug', regular_price: '19.99', sale_price: '' }
  saveProduct(store.shop, buildProduct(store, mugAsRecorded))
}

function buildProduct(
  { shop }: DemoStore,
  { id, name, regular_price, sale_price }: CouponCase['products'][number],
): Product {
  const toMinor = (text: string) =>
    text === '' ? null : Number((Number(text) * 10 ** shop.pricing.decimals).toFixed(6))
  return {
    id,
    name,
    parentId: 0,
    type: 'simple',
    status: 'publish',
    slug: `fixture-${id}`,
    sku: '',
    description: '',
    shortDescription: '',
    regularMinor: toMinor(regular_price),
    saleMinor: toMinor(sale_price),
    stock: null,
    isSoldOut: false,
    categories: [],
    pictures: [],
    attributes: [],
    options: [],
    variations: [],
    weight: '',
    menuOrder: 0,
    totalSales: 0,
    createdAt: 0,
    modifiedAt: 0,
  }
}

function findId(store: DemoStore, code: string): number {
  const row = store.shop.db.sqlite.prepare('select id from coupons where code = ?').get(code)
  return Number(row?.id ?? 0)
}
