// A store's currency, taxes and shipping. The default is `ordinaryPricing`; startDemoStore accepts others.
import type { Shop } from './shop.ts'

export type TaxRate = {
  id: number
  country: string
  /** Empty: the whole country. */
  state: string
  percent: number
  label: string
}
export type Pricing = {
  currency: string
  /** Displayed decimals, which also define the minor unit. */
  decimals: number
  base: { country: string; state: string }
  /** Empty if taxes are off. Charged on goods, not on shipping. */
  taxRates: TaxRate[]
  pricesIncludeTax: boolean
  /** Whether cart and shop show prices with tax. */
  showsTax: boolean
  roundsAtSubtotal: boolean
  /** Each coupon applies to the price after the previous one. */
  isSequential: boolean
  flatRateMinor: number
  /** Countries with flat rate shipping; null: all. */
  shipsTo: string[] | null
  /** null: no free shipping. With `fromMinor` null only a coupon grants it. */
  freeShipping: { fromMinor: number | null } | null
}

export const ordinaryPricing: Pricing = {
  currency: 'USD',
  decimals: 2,
  base: { country: 'US', state: 'VT' },
  taxRates: [{ id: 1, country: 'US', state: 'VT', percent: 6, label: 'VT Sales Tax' }],
  pricesIncludeTax: false,
  showsTax: false,
  roundsAtSubtotal: false,
  isSequential: false,
  flatRateMinor: 800,
  shipsTo: null,
  freeShipping: { fromMinor: 10_000 },
}

type Currency = { symbol: string; html: string; name: string }

// WooCommerce's own entities. wc_price() prints the dollar's as a number, with a leading zero in coupon texts.
const currencies: Record<string, Currency> = {
  USD: { symbol: '$', html: '&#36;', name: 'United States (US) dollar' },
  EUR: { symbol: '€', html: '&euro;', name: 'Euro' },
  GBP: { symbol: '£', html: '&pound;', name: 'Pound sterling' },
  JPY: { symbol: '¥', html: '&yen;', name: 'Japanese yen' },
  KWD: { symbol: 'د.ك', html: '&#x62f;.&#x643;', name: 'Kuwaiti dinar' },
}

export function findCurrency({ pricing }: Shop): Currency {
  const { currency } = pricing
  return currencies[currency] ?? { symbol: currency, html: currency, name: currency }
}

/** The tax rate at an address; null: no tax. */
export function findTaxRate({ pricing }: Shop, { country, state }: { country: string; state: string }): TaxRate | null {
  return pricing.taxRates.find((rate) => rate.country === country && (!rate.state || rate.state === state)) ?? null
}

/** The rate's code in orders, such as "US-VT-VT SALES TAX-1". */
export function rateCode({ country, state, label }: TaxRate): string {
  return [country, state, label.toUpperCase(), 1].filter((part) => part !== '').join('-')
}

/** Minor units as decimal text, such as "5.00". */
export function formatAmount({ pricing }: Shop, minor: number): string {
  return (minor / 10 ** pricing.decimals).toFixed(pricing.decimals)
}

/** Parses a request's amount to minor units. Keeps fractions, because catalogue prices may have more digits. */
export function parseAmount({ pricing }: Shop, text: unknown): number | null {
  const shaped = typeof text === 'number' || (typeof text === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(text))
  return shaped ? roundFloat(Number(text) * 10 ** pricing.decimals) : null
}

/** wc_price()'s plain text form, with the currency symbol as an entity. */
export function formatPlainPrice(shop: Shop, minor: number): string {
  return `${findCurrency(shop).html.replace('&#36;', '&#036;')}${formatGrouped(shop, minor)}`
}

/** The form on the shop's pages. */
export function formatPrice(shop: Shop, minor: number): string {
  return `${findCurrency(shop).symbol}${formatGrouped(shop, minor)}`
}

/** Removes floating-point noise. */
export function roundFloat(value: number): number {
  return Number(value.toFixed(6))
}

function formatGrouped({ pricing: { decimals } }: Shop, minor: number): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return (minor / 10 ** decimals).toLocaleString('en-US', digits)
}
