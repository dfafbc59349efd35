// Computes cart totals: discounts, included or added taxes, rounding. Pure; tests compare with coupon-totals.json
// exactly.
import type { Coupon } from './coupons.ts'
import { computeDiscounts, type Entry, roundHalfDown } from './discounts.ts'
import { findTaxRate, type Pricing, roundFloat, type TaxRate } from './pricing.ts'
import type { Shop } from './shop.ts'

export type LineSums = { subtotalMinor: number; subtotalTaxMinor: number; totalMinor: number; totalTaxMinor: number }
export type Discount = { discountMinor: number; discountTaxMinor: number }
/** Net amounts and their taxes, regardless of how prices are entered. */
export type CartTotals = Discount & {
  lines: LineSums[]
  coupons: Discount[]
  itemsMinor: number
  itemsTaxMinor: number
  /** Price of the goods after discounts. */
  goodsMinor: number
  taxMinor: number
}
type Split = { net: number; tax: number }
/** `rate`: tax at the destination; `baseRate`: tax included in entered prices. */
export type TaxContext = { pricing: Pricing; rate: TaxRate | null; baseRate: TaxRate | null }

export function createTaxContext(shop: Shop, place: { country: string; state: string }): TaxContext {
  const { pricing } = shop
  return { pricing, rate: findTaxRate(shop, place), baseRate: findTaxRate(shop, pricing.base) }
}

export function computeTotals(taxContext: TaxContext, entries: Entry[], coupons: Coupon[]): CartTotals {
  const lineDiscounts = computeDiscounts(entries, coupons, taxContext.pricing.isSequential)
  const full = entries.map((entry) => adjustEnteredPrice(taxContext, roundFloat(entry.unitMinor * entry.quantity)))
  const off = entries.map((_, at) => sum(lineDiscounts.map((own) => own[at]!)))
  const subtotals = full.map((price) => split(taxContext, price))
  const totals = full.map((price, at) => split(taxContext, Math.max(0, price - off[at]!)))
  const discounts = lineDiscounts.map((own) => splitDiscount(taxContext, own))
  const added = sumSplits(discounts)
  return {
    discountMinor: roundWhole(added.net),
    discountTaxMinor: roundWhole(added.tax),
    lines: subtotals.map((subtotal, at) => toLineSums(taxContext, subtotal, totals[at]!)),
    coupons: discounts.map(({ net, tax }) => ({
      discountMinor: roundHalfDown(net),
      discountTaxMinor: roundHalfDown(tax),
    })),
    itemsMinor: sumRounded(taxContext, subtotals, 'net'),
    itemsTaxMinor: sumRounded(taxContext, subtotals, 'tax'),
    goodsMinor: sumRounded(taxContext, totals, 'net'),
    taxMinor: sumRounded(taxContext, totals, 'tax'),
  }
}

/** Net amount of an entered price in whole minor units. */
export function computeNetPrice(taxContext: TaxContext, price: number): number {
  return roundWhole(split(taxContext, adjustEnteredPrice(taxContext, price)).net)
}

/** Displayed unit price in minor units with fraction. */
export function computeDisplayedPrice(taxContext: TaxContext, unitMinor: number): number {
  const { pricing } = taxContext
  const entered = adjustEnteredPrice(taxContext, unitMinor)
  const isMoved = pricing.pricesIncludeTax && taxContext.rate !== taxContext.baseRate
  if (pricing.showsTax) {
    const { net, tax } = split(taxContext, entered)
    return pricing.pricesIncludeTax && !isMoved ? entered : roundWhole(net + roundTax(taxContext, tax))
  }
  return pricing.pricesIncludeTax ? split(taxContext, entered).net : entered
}

/** Entered prices include the base tax. For other destinations this replaces it with the tax there. */
function adjustEnteredPrice({ pricing, rate, baseRate }: TaxContext, price: number): number {
  if (!pricing.pricesIncludeTax || rate === baseRate) return price
  const net = price - computeIncludedTax(price, baseRate)
  return net + computeAddedTax(net, rate)
}

function split({ pricing, rate }: TaxContext, price: number): Split {
  if (!pricing.pricesIncludeTax) return { net: price, tax: computeAddedTax(price, rate) }
  const tax = computeIncludedTax(price, rate)
  return { net: price - tax, tax }
}

function splitDiscount(taxContext: TaxContext, own: number[]): Split {
  return sumSplits(own.map((amount) => split(taxContext, amount)))
}

function sumSplits(parts: Split[]): Split {
  return { net: sum(parts.map(({ net }) => net)), tax: sum(parts.map(({ tax }) => tax)) }
}

function toLineSums(taxContext: TaxContext, subtotal: Split, total: Split): LineSums {
  return {
    subtotalMinor: roundWhole(subtotal.net),
    subtotalTaxMinor: roundTax(taxContext, subtotal.tax),
    totalMinor: roundWhole(total.net),
    totalTaxMinor: roundTax(taxContext, total.tax),
  }
}

// Rounds per line unless the store rounds at the subtotal.
function sumRounded(taxContext: TaxContext, parts: Split[], kind: 'net' | 'tax'): number {
  const round = (value: number) => (kind === 'tax' ? roundTax(taxContext, value) : roundWhole(value))
  const values = parts.map((part) => part[kind])
  return taxContext.pricing.roundsAtSubtotal ? round(sum(values)) : sum(values.map(round))
}

// Half a unit of tax is rounded down if prices include tax, and up if not.
function roundTax({ pricing }: TaxContext, tax: number): number {
  return pricing.pricesIncludeTax ? roundHalfDown(tax) : roundWhole(tax)
}

function computeIncludedTax(price: number, rate: TaxRate | null): number {
  return rate ? price - price / (1 + rate.percent / 100) : 0
}

function computeAddedTax(price: number, rate: TaxRate | null): number {
  return rate ? (price * rate.percent) / 100 : 0
}

function roundWhole(value: number): number {
  return Math.round(roundFloat(value))
}

function sum(list: number[]): number {
  return list.reduce((total, value) => total + value, 0)
}
