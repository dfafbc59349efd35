// What a query is answered with, and the small shapes all types share.
import type { AdminSchema } from '../schema/schema.ts'
import { amount, currency, instant, type Shop } from '../shop.ts'
import type { Rights } from './rights.ts'

export interface Context {
  shop: Shop
  admin: AdminSchema
  rights: Rights
  /** Objects resolved so far: what the query costs in the end. */
  spent: { points: number }
  /** Set while a bulk operation runs: where the outer connection goes on. */
  bulk: { after: string | null; hasNext: boolean } | null
  /** Does it when the answer has been given. */
  later: (work: () => Promise<void>) => void
}

/** An object of the schema: its fields, or functions that answer them. What is not there is not modelled. */
export type Source = Record<string, unknown>

export const money = (minor: number): Source => ({
  __typename: 'MoneyV2',
  amount: decimal(minor),
  currencyCode: currency,
})

/** Shopify leaves out a last zero: "5.0", "24.9", "24.95". */
function decimal(minor: number): string {
  const text = amount(minor)
  return text.endsWith('0') ? text.slice(0, -1) : text
}

/** The shop sells in one currency, so both sides are the same. */
export const bag = (minor: number): Source => ({ shopMoney: money(minor), presentmentMoney: money(minor) })

export const time = (at: number | null) => (at === null ? null : instant(at))

/** The parts of an amount that belong to shares of it, to the unit: what is left over goes to the last. */
export function shared(minor: number, shares: readonly number[]): number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0)
  let left = minor
  return shares.map((share, at) => {
    const part = at === shares.length - 1 || whole === 0 ? left : Math.floor((minor * share) / whole)
    left -= part
    return part
  })
}
