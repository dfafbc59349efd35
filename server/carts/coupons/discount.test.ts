import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getCurrencyExponent, parseMinor } from '../../../shared/core/money.ts'
import { computeDiscounts, computeDisplayedRest, type DiscountLine, type DiscountRules } from './discount.ts'
import { type CouponProblem, type CouponState, type CouponUse, findCouponProblem, MIN_VALID_MS } from './validity.ts'

// Compared with the answers of a real store (test/fixtures/woocommerce/coupon-totals.json): exact amounts where it
// accepted the coupon, and the reason where it did not.

interface WireCoupon {
  code: string
  discount_type: string
  amount: string
  status: string
  date_expires_gmt: string | null
  usage_count: number
  usage_limit: number | null
  usage_limit_per_user: number | null
  individual_use: boolean
  exclude_sale_items: boolean
  product_ids: number[]
  excluded_product_ids: number[]
  limit_usage_to_x_items: number | null
  minimum_amount: string
  maximum_amount: string
  email_restrictions: string[]
}

interface ExchangeSetup {
  settings: Record<string, string>
  products: { id: number; price: string; on_sale: boolean }[]
  lines: { product: number; quantity: number }[]
  coupons: { rest_answer: WireCoupon }[]
  totals_before_coupon: { total_items: string; total_items_tax: string }
}

interface Exchange {
  title: string
  given?: ExchangeSetup | '(as in the exchange before)'
  request: { path: string; body?: { code?: string } }
  response: {
    status: number
    body: {
      message?: string
      coupons?: { code: string; totals: { total_discount: string; total_discount_tax: string } }[]
      items?: { id: number; totals: { line_total: string; line_total_tax: string } }[]
    }
  }
}

const recorded = new URL('../../../test/fixtures/woocommerce/coupon-totals.json', import.meta.url)
const { exchanges }: { exchanges: Exchange[] } = JSON.parse(readFileSync(recorded, 'utf8'))

const applied = exchanges.flatMap((exchange, at) => {
  if (!exchange.request.path.endsWith('/apply-coupon')) return []
  const setup = typeof exchange.given === 'string' ? exchanges[at - 1]!.given : exchange.given
  return setup && typeof setup !== 'string' ? [{ ...exchange, setup, code: exchange.request.body!.code! }] : []
})

const setting = ({ settings }: ExchangeSetup, name: string) => settings[`woocommerce_${name}`]
const getCurrency = (setup: ExchangeSetup) => setting(setup, 'currency')!
const isIncluding = (setup: ExchangeSetup) => setting(setup, 'prices_include_tax') === 'yes'
const isDisplayedIncluding = (setup: ExchangeSetup) => setting(setup, 'tax_display_cart') === 'incl'

const getRules = (setup: ExchangeSetup): DiscountRules => ({
  currency: getCurrency(setup),
  decimals: Number(setting(setup, 'price_num_decimals')),
  isSequential: setting(setup, 'calc_discounts_sequentially') === 'yes',
})

const getLines = (setup: ExchangeSetup): DiscountLine[] =>
  setup.lines.map(({ product, quantity }) => {
    const { price, on_sale: isOnSale } = setup.products.find(({ id }) => id === product)!
    const unitPriceMinor = parseMinor(price, getCurrency(setup))!
    return { productId: String(product), variationId: null, quantity, unitPriceMinor, isOnSale }
  })

function getCoupon(wire: WireCoupon, currency: string): CouponState {
  const limit = (text: string) => (Number(text) > 0 ? parseMinor(text, currency) : null)
  const { discount_type: platformType, date_expires_gmt: expires } = wire
  const isPercent = platformType === 'percent'
  return {
    currency,
    platformType,
    startsAt: null,
    goneAt: null,
    isActive: true,
    type: isPercent ? 'percentage' : platformType === 'fixed_cart' ? 'fixed' : 'other',
    percent: isPercent ? Math.round(Number(wire.amount) * 100) : null,
    amountMinor: isPercent ? null : parseMinor(wire.amount, currency),
    minSpendMinor: limit(wire.minimum_amount),
    maxSpendMinor: limit(wire.maximum_amount),
    endsAt: expires === null ? null : new Date(`${expires}Z`),
    usageLimit: wire.usage_limit,
    usageCount: wire.usage_count,
    terms: {
      isPublished: wire.status === 'publish',
      excludesSaleItems: wire.exclude_sale_items,
      productIds: wire.product_ids.map(String),
      excludedProductIds: wire.excluded_product_ids.map(String),
      items: wire.limit_usage_to_x_items,
      emailHashes: wire.email_restrictions,
    },
  }
}

const getWire = (setup: ExchangeSetup, code: string) =>
  setup.coupons.find(({ rest_answer }) => rest_answer.code === code)!.rest_answer

const accepted = applied.filter(({ response }) => response.status === 200)
const refused = applied.filter(({ response }) => response.status !== 200)

describe('discounts of a real store', () => {
  test('there are enough recordings', () => {
    expect(accepted.length).toBeGreaterThanOrEqual(70)
    expect(refused.length).toBeGreaterThanOrEqual(11)
  })

  test.each(accepted)('$title', ({ setup, response }) => {
    const currency = getCurrency(setup)
    const inCart = response.body.coupons!
    const coupons = inCart.map(({ code }) => getCoupon(getWire(setup, code), currency))
    const took = inCart.map(
      ({ totals }) => Number(totals.total_discount) + (isIncluding(setup) ? Number(totals.total_discount_tax) : 0),
    )
    expect(computeDiscounts(getLines(setup), coupons, getRules(setup))).toEqual(took)
  })

  const single = accepted.filter(({ response }) => response.body.coupons!.length === 1)
  test.each(single)('$title: the amount left as the cart shows it', ({ setup, code, response }) => {
    const hasTax = (totals: { line_total: string; line_total_tax: string }) =>
      Number(totals.line_total) + (isDisplayedIncluding(setup) ? Number(totals.line_total_tax) : 0)
    const lines = getLines(setup)
    const rate = (
      setting(setup, 'calc_taxes') === 'yes' ? { USD: 0.0825, EUR: 0.19, JPY: 0.1 }[getCurrency(setup)] : 0
    )!
    const unit = 10 ** (Number(setting(setup, 'price_num_decimals')) - getCurrencyExponent(getCurrency(setup)))
    expect(unit).toBe(1)
    const displayed = lines.map(({ unitPriceMinor, quantity }) => {
      const entered = unitPriceMinor * quantity
      if (isIncluding(setup) === isDisplayedIncluding(setup)) return entered
      return Math.round(isIncluding(setup) ? entered / (1 + rate) : entered * (1 + rate))
    })
    const after = computeDisplayedRest(
      lines,
      displayed,
      getCoupon(getWire(setup, code), getCurrency(setup)),
      getRules(setup),
    )!
    const total = (amounts: readonly number[]) => amounts.reduce((sum, each) => sum + each, 0)
    const expected = total(response.body.items!.map(({ totals }) => hasTax(totals)))
    // With tax removed or added, a line is rounded again.
    const isSame = isIncluding(setup) === isDisplayedIncluding(setup)
    if (isSame && !isIncluding(setup)) expect(total(after)).toBe(expected)
    else expect(Math.abs(total(after) - expected)).toBeLessThanOrEqual(isSame ? 0 : lines.length)
  })
})

/** The store's sentence for each reason. */
const patterns: [RegExp, CouponProblem][] = [
  [/not applicable to selected products/, 'products'],
  [/not valid for sale items/, 'sale_items'],
  [/minimum spend/, 'min_spend'],
  [/maximum spend/, 'max_spend'],
  [/has expired/, 'expired'],
  [/enter a valid email/, 'email'],
  [/Usage limit .* has been reached/, 'used_up'],
]

/** Sentences about unknown codes, or a second code beside another; a message has one code of a coupon. */
const NO_MATTER = /does not exist|already been applied/

describe('refusals of a real store', () => {
  const about = refused.filter(({ response }) => !NO_MATTER.test(response.body.message!))

  test.each(about)('$title', ({ setup, code, response }) => {
    const wire = getWire(setup, code)
    const coupon = { ...getCoupon(wire, getCurrency(setup)), usageCount: getUsage(wire) }
    const problem = findCouponProblem(coupon, getUse(setup))
    const expected = patterns.find(([pattern]) => pattern.test(response.body.message!))![1]
    // The store has one sentence if only sale items are left out.
    expect(problem).toBe(wire.exclude_sale_items ? 'sale_items' : expected)
  })

  test.each(
    accepted.filter(({ setup, code }) => Number(getWire(setup, code).amount) > 0),
  )('nothing that it accepted: $title', ({ setup, code }) => {
    expect(findCouponProblem(getCoupon(getWire(setup, code), getCurrency(setup)), getUse(setup))).toBeNull()
  })

  /** As reported by the store afterwards, where asked. */
  function getUsage({ code, usage_count }: WireCoupon): number {
    const expected = exchanges.map(({ response }) => response.body as Partial<WireCoupon>)
    return expected.find((body) => body.code === code && body.usage_count !== undefined)?.usage_count ?? usage_count
  }

  /** Time of the recordings. */
  function getUse(setup: ExchangeSetup): CouponUse {
    const { total_items: net, total_items_tax: tax } = setup.totals_before_coupon
    const displayedMinor = Number(net) + (isDisplayedIncluding(setup) ? Number(tax) : 0)
    const cart = {
      lines: getLines(setup),
      displayedMinor,
      currency: getCurrency(setup),
      rules: getRules(setup),
    }
    return { now: new Date('2026-11-22T19:02:40Z'), goodForMs: MIN_VALID_MS, cart, email: null, usedBefore: 0 }
  }
})

describe('any cart', () => {
  const rules: DiscountRules = { currency: 'USD', decimals: 2, isSequential: false }
  const line = fc.record({
    productId: fc.constantFrom('1', '2', '3'),
    variationId: fc.constant(null),
    quantity: fc.integer({ min: 1, max: 30 }),
    unitPriceMinor: fc.integer({ min: 0, max: 90_000 }),
    isOnSale: fc.boolean(),
  })
  const lines = fc.array(line, { minLength: 1, maxLength: 6 })
  const coupon = (changed: object) => ({
    type: 'percentage' as const,
    platformType: 'percent',
    percent: 1_000,
    amountMinor: null,
    terms: {},
    ...changed,
  })
  const full = (all: readonly DiscountLine[]) => all.reduce((sum, each) => sum + each.unitPriceMinor * each.quantity, 0)

  test('a percentage takes its share of the total, rounded half down', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 10_000 }), (all, percent) => {
        const [discounts] = computeDiscounts(all, [coupon({ percent })], rules)
        const exact = (full(all) * percent) / 10_000
        expect(discounts).toBe(Math.max(0, Math.ceil(exact - 0.5)))
      }),
    )
  })

  test('a fixed amount takes itself or the whole cart', () => {
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 5_000_000 }), (all, amountMinor) => {
        const fixed = coupon({ type: 'fixed', platformType: 'fixed_cart', percent: null, amountMinor })
        expect(computeDiscounts(all, [fixed], rules)).toEqual([Math.min(amountMinor, full(all))])
      }),
    )
  })

  test('several coupons never take more than the total', () => {
    fc.assert(
      fc.property(lines, fc.boolean(), (all, isSequential) => {
        const coupons = [coupon({ percent: 7_000 }), coupon({ percent: 6_000 })]
        const discounts = computeDiscounts(all, coupons, { ...rules, isSequential })
        expect(discounts[0]! + discounts[1]!).toBeLessThanOrEqual(full(all))
      }),
    )
  })

  test('categories, plugin types and unknown sale items are not guessed', () => {
    const one = [{ productId: '1', variationId: null, quantity: 1, unitPriceMinor: 2_000, isOnSale: null }]
    expect(computeDiscounts(one, [coupon({ terms: { categoryIds: ['9'] } })], rules)).toEqual([null])
    expect(computeDiscounts(one, [coupon({ terms: { excludesSaleItems: true } })], rules)).toEqual([null])
    expect(computeDiscounts(one, [coupon({ type: 'other', platformType: 'sign_up_fee' })], rules)).toEqual([null])
    expect(computeDisplayedRest(one, [2_000], coupon({ type: 'other', platformType: 'sign_up_fee' }), rules)).toBeNull()
  })

  test('a store with fewer decimals than its currency rounds to them', () => {
    const one = [{ productId: '1', variationId: null, quantity: 1, unitPriceMinor: 1_995, isOnSale: false }]
    expect(computeDiscounts(one, [coupon({ percent: 1_000 })], { ...rules, decimals: 0 })).toEqual([200])
  })

  test('an amount per product applies to the named products or to a variation of one', () => {
    const each = { type: 'other', platformType: 'fixed_product', percent: null, amountMinor: 300 }
    const two = [
      { productId: '1', variationId: '11', quantity: 2, unitPriceMinor: 1_000, isOnSale: false },
      { productId: '2', variationId: null, quantity: 1, unitPriceMinor: 1_000, isOnSale: false },
    ]
    expect(computeDiscounts(two, [coupon({ ...each, terms: { productIds: ['1'] } })], rules)).toEqual([600])
    expect(computeDiscounts(two, [coupon({ ...each, terms: { productIds: ['11'], items: 1 } })], rules)).toEqual([300])
  })
})
