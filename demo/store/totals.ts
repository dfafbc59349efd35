// Adds a cart up: discounts, taxes in or on top of prices, rounding. Pure; held to coupon-totals.json to the unit.
import type { Coupon } from './coupons.ts'
import { discountsOf, type Entry, halfDown } from './discounts.ts'
import { type Pricing, settled, type TaxRate, taxRateAt } from './pricing.ts'
import type { Shop } from './shop.ts'

export type LineSums = { subtotalMinor: number; subtotalTaxMinor: number; totalMinor: number; totalTaxMinor: number }
export type Discount = { discountMinor: number; discountTaxMinor: number }
/** Amounts are without tax, and their tax beside them, however prices are entered. */
export type Sums = Discount & {
  lines: LineSums[]
  coupons: Discount[]
  itemsMinor: number
  itemsTaxMinor: number
  /** What the goods cost with all taken off. */
  goodsMinor: number
  taxMinor: number
}
type Split = { net: number; tax: number }
/** `rate` is the tax where the goods go, `baseRate` the one that entered prices include. */
export type Till = { pricing: Pricing; rate: TaxRate | null; baseRate: TaxRate | null }

export function tillAt(shop: Shop, place: { country: string; state: string }): Till {
  const { pricing } = shop
  return { pricing, rate: taxRateAt(shop, place), baseRate: taxRateAt(shop, pricing.base) }
}

export function addUp(till: Till, entries: Entry[], coupons: Coupon[]): Sums {
  const taken = discountsOf(entries, coupons, till.pricing.isSequential)
  const full = entries.map((entry) => enteredFor(till, settled(entry.unitMinor * entry.quantity)))
  const off = entries.map((_, at) => sum(taken.map((own) => own[at]!)))
  const subtotals = full.map((price) => split(till, price))
  const totals = full.map((price, at) => split(till, Math.max(0, price - off[at]!)))
  const discounts = taken.map((own) => discountOf(till, own))
  const added = joined(discounts)
  return {
    ...{ discountMinor: whole(added.net), discountTaxMinor: whole(added.tax) },
    lines: subtotals.map((subtotal, at) => lineSums(till, subtotal, totals[at]!)),
    coupons: discounts.map(({ net, tax }) => ({ discountMinor: halfDown(net), discountTaxMinor: halfDown(tax) })),
    itemsMinor: sumRounded(till, subtotals, 'net'),
    itemsTaxMinor: sumRounded(till, subtotals, 'tax'),
    goodsMinor: sumRounded(till, totals, 'net'),
    taxMinor: sumRounded(till, totals, 'tax'),
  }
}

/** An entered price without its tax, in whole units. */
export function netPrice(till: Till, price: number): number {
  return whole(split(till, enteredFor(till, price)).net)
}

/** What one piece is shown at, in minor units with their fraction. */
export function shownPrice(till: Till, unitMinor: number): number {
  const { pricing } = till
  const entered = enteredFor(till, unitMinor)
  const isMoved = pricing.pricesIncludeTax && till.rate !== till.baseRate
  if (pricing.showsTax) {
    const { net, tax } = split(till, entered)
    return pricing.pricesIncludeTax && !isMoved ? entered : whole(net + roundTax(till, tax))
  }
  return pricing.pricesIncludeTax ? split(till, entered).net : entered
}

/** An entered price includes the tax at the store's base; elsewhere that one goes out and the one there comes in. */
function enteredFor({ pricing, rate, baseRate }: Till, price: number): number {
  if (!pricing.pricesIncludeTax || rate === baseRate) return price
  const net = price - inclusive(price, baseRate)
  return net + exclusive(net, rate)
}

function split({ pricing, rate }: Till, price: number): Split {
  if (!pricing.pricesIncludeTax) return { net: price, tax: exclusive(price, rate) }
  const tax = inclusive(price, rate)
  return { net: price - tax, tax }
}

function discountOf(till: Till, own: number[]): Split {
  return joined(own.map((amount) => split(till, amount)))
}

function joined(parts: Split[]): Split {
  return { net: sum(parts.map(({ net }) => net)), tax: sum(parts.map(({ tax }) => tax)) }
}

function lineSums(till: Till, subtotal: Split, total: Split): LineSums {
  return {
    subtotalMinor: whole(subtotal.net),
    subtotalTaxMinor: roundTax(till, subtotal.tax),
    totalMinor: whole(total.net),
    totalTaxMinor: roundTax(till, total.tax),
  }
}

// Line by line unless the store rounds at the subtotal.
function sumRounded(till: Till, parts: Split[], kind: 'net' | 'tax'): number {
  const round = (value: number) => (kind === 'tax' ? roundTax(till, value) : whole(value))
  const values = parts.map((part) => part[kind])
  return till.pricing.roundsAtSubtotal ? round(sum(values)) : sum(values.map(round))
}

// Half a unit of tax goes to the shopper where prices include it, and to the state where they do not.
function roundTax({ pricing }: Till, tax: number): number {
  return pricing.pricesIncludeTax ? halfDown(tax) : whole(tax)
}

function inclusive(price: number, rate: TaxRate | null): number {
  return rate ? price - price / (1 + rate.percent / 100) : 0
}

function exclusive(price: number, rate: TaxRate | null): number {
  return rate ? (price * rate.percent) / 100 : 0
}

function whole(value: number): number {
  return Math.round(settled(value))
}

function sum(list: number[]): number {
  return list.reduce((total, value) => total + value, 0)
}
