// The context of a query, and helpers that all types share.
import type { AdminSchema } from '../schema/schema.ts'
import { currency, formatAmount, formatInstant, type Shop } from '../shop.ts'
import type { Rights } from './rights.ts'

export interface Context {
  shop: Shop
  admin: AdminSchema
  rights: Rights
  /** Objects resolved so far, the query's actual cost. */
  spent: { points: number }
  /** Set during a bulk operation: the position in the outer connection. */
  bulk: { after: string | null; hasNext: boolean } | null
  /** Does it when the answer has been given. */
  later: (work: () => Promise<void>) => void
}

/** A schema object: its fields or their resolvers. Missing fields are not supported. */
export type Source = Record<string, unknown>

export const buildMoneySource = (minor: number): Source => ({
  __typename: 'MoneyV2',
  amount: formatDecimal(minor),
  currencyCode: currency,
})

/** Shopify omits the last zero: "5.0", "24.9", "24.95". */
function formatDecimal(minor: number): string {
  const text = formatAmount(minor)
  return text.endsWith('0') ? text.slice(0, -1) : text
}

/** The shop has one currency, so both amounts are equal. */
export const buildMoneyBag = (minor: number): Source => ({
  shopMoney: buildMoneySource(minor),
  presentmentMoney: buildMoneySource(minor),
})

export const formatTime = (at: number | null) => (at === null ? null : formatInstant(at))

/** Splits an amount by shares in whole minor units; the last part gets the remainder. */
export function splitByShare(minor: number, shares: readonly number[]): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0)
  let remaining = minor
  return shares.map((share, at) => {
    const part = at === shares.length - 1 || whole === 0 ? remaining : Math.floor((minor * share) / whole)
    remaining -= part
    return part
  })
}
