// How a store counts: its currency, taxes and shipping. The ordinary demo shop's are `ordinaryPricing`; startDemoStore takes others.
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
  /** How many digits the store shows: what is called minor units here has so many after the point. */
  decimals: number
  base: { country: string; state: string }
  /** None when taxes are off. Charged on goods, not on shipping. */
  taxRates: TaxRate[]
  pricesIncludeTax: boolean
  /** Whether cart and shop show prices with tax. */
  showsTax: boolean
  roundsAtSubtotal: boolean
  /** Each coupon counts from what the one before it left. */
  isSequential: boolean
  flatRateMinor: number
  /** Countries the flat rate goes to; null is everywhere. */
  shipsTo: string[] | null
  /** null: no such method. With `fromMinor` null only a coupon opens it. */
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

// The entities are WooCommerce's own; wc_price() prints the dollar's by number, and pads it with a zero in coupon texts.
const currencies: Record<string, Currency> = {
  USD: { symbol: '$', html: '&#36;', name: 'United States (US) dollar' },
  EUR: { symbol: '€', html: '&euro;', name: 'Euro' },
  GBP: { symbol: '£', html: '&pound;', name: 'Pound sterling' },
  JPY: { symbol: '¥', html: '&yen;', name: 'Japanese yen' },
  KWD: { symbol: 'د.ك', html: '&#x62f;.&#x643;', name: 'Kuwaiti dinar' },
}

export function currencyOf({ pricing }: Shop): Currency {
  const { currency } = pricing
  return currencies[currency] ?? { symbol: currency, html: currency, name: currency }
}

/** The tax rate at an address, or null where none is charged. */
export function taxRateAt({ pricing }: Shop, { country, state }: { country: string; state: string }): TaxRate | null {
  return pricing.taxRates.find((rate) => rate.country === country && (!rate.state || rate.state === state)) ?? null
}

/** As orders name a rate, such as "US-VT-VT SALES TAX-1". */
export function rateCode({ country, state, label }: TaxRate): string {
  return [country, state, label.toUpperCase(), 1].filter((part) => part !== '').join('-')
}

/** Minor units as decimal text, such as "5.00". */
export function amountText({ pricing }: Shop, minor: number): string {
  return (minor / 10 ** pricing.decimals).toFixed(pricing.decimals)
}

/** What a body says an amount is, in minor units; fractions stay, since a catalogue may be finer than the currency. */
export function amountOf({ pricing }: Shop, text: unknown): number | null {
  const shaped = typeof text === 'number' || (typeof text === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(text))
  return shaped ? settled(Number(text) * 10 ** pricing.decimals) : null
}

/** As wc_price() prints in plain texts: the sign is an entity. */
export function priceText(shop: Shop, minor: number): string {
  return `${currencyOf(shop).html.replace('&#36;', '&#036;')}${grouped(shop, minor)}`
}

/** An amount as the shop's pages show it. */
export function money(shop: Shop, minor: number): string {
  return `${currencyOf(shop).symbol}${grouped(shop, minor)}`
}

/** Without what floating point adds: products and quotients of decimal numbers end after a few digits. */
export function settled(value: number): number {
  return Number(value.toFixed(6))
}

function grouped({ pricing: { decimals } }: Shop, minor: number): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return (minor / 10 ** decimals).toLocaleString('en-US', digits)
}
