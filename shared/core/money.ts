// Money in integer minor units. Platforms send decimal strings ("49.50", sometimes floats such as 40.333333). All
// rounding goes through `divideRounded`.

export interface Money {
  amountMinor: number
  /** ISO 4217, upper case. */
  currency: string
}

/**
 * ISO 4217 exponents other than 2. `Intl` would report CLDR's display digits, which change with the ICU version (HUF,
 * IDR, COP: 2 digits in one Node, 0 in the next): server and browser would disagree.
 */
const EXPONENTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((c) => [c, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((c) => [c, 3])),
  ...Object.fromEntries('CLF UYW'.split(' ').map((c) => [c, 4])),
}

/** Digits after the decimal point: 2 for USD, 0 for JPY, 3 for KWD. Unknown currencies have 2. */
export function getCurrencyExponent(currency: string): number {
  return Object.hasOwn(EXPONENTS, currency) ? EXPONENTS[currency]! : 2
}

/** `usd` → `USD`; null unless three Latin letters. */
export function parseCurrency(input: unknown): string | null {
  if (typeof input !== 'string') return null
  const code = input.trim().toUpperCase()
  return /^[A-Z]{3}$/.test(code) ? code : null
}

/**
 * Minor units of a decimal amount (text or number), rounded half away from zero. null: not a number, or not safe.
 */
export function parseMinor(input: unknown, currency: string): number | null {
  const decimal = parseDecimal(input)
  if (!decimal) return null
  const shift = decimal.scale - getCurrencyExponent(currency)
  const minor =
    shift <= 0 ? decimal.digits * 10n ** BigInt(-shift) : divideRounded(decimal.digits, 10n ** BigInt(shift))
  return toSafe(minor)
}

/** Like `parseMinor`, with the currency. Throws RangeError for an invalid amount. */
export function parseMoney(input: unknown, currency: string): Money {
  const amountMinor = parseMinor(input, currency)
  if (amountMinor === null) throw new RangeError('Not an amount of money')
  return { amountMinor, currency }
}

/** Throws RangeError if the currencies differ or the sum is not safe. */
export function addMoney(a: Money, b: Money): Money {
  if (a.currency !== b.currency) throw new RangeError(`Cannot add ${b.currency} to ${a.currency}`)
  return { amountMinor: toSafeNumber(BigInt(a.amountMinor) + BigInt(b.amountMinor)), currency: a.currency }
}

/** A share in basis points (1250 = 12.5 %), rounded half away from zero. */
export function shareMoney(money: Money, bps: number): Money {
  return {
    amountMinor: toSafeNumber(divideRounded(BigInt(money.amountMinor) * BigInt(bps), 10_000n)),
    currency: money.currency,
  }
}

/** One of `parts` equal parts of an amount, rounded. Throws RangeError if not safe. */
export function divideMinor(amountMinor: number, parts: number): number {
  return toSafeNumber(divideRounded(BigInt(amountMinor), BigInt(parts)))
}

/** Rounds half away from zero, so that -0.5 and 0.5 are treated alike. The divisor is positive. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n)
  return dividend < 0n ? -rounded : rounded
}

interface Decimal {
  digits: bigint
  scale: number
}

/** Parses "1.5", ".5", "5." and float output such as 1e-7. Lengths are limited, because the input is untrusted. */
function parseDecimal(input: unknown): Decimal | null {
  if (typeof input !== 'string' && typeof input !== 'number') return null
  const trimmed = String(input).trim()
  if (trimmed.length > 64) return null
  // Drops a currency symbol at either end (B 5): the currency comes with the amount.
  const text = trimmed.replace(/^([+-]?)\p{Sc} ?/u, '$1').replace(/ ?\p{Sc}$/u, '')
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text)
  if (!match) return null
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  if (whole === '' && fraction === '') return null
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function toSafe(value: bigint): number | null {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : null
}

function toSafeNumber(value: bigint): number {
  const number = toSafe(value)
  if (number === null) throw new RangeError('Amount out of range')
  return number
}
