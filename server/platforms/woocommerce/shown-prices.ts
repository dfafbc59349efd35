import { z } from 'zod'
import { parseMinor } from '../../../shared/money.ts'
import { FetchProblem } from '../../net/fetch-problem.ts'
import type { StoreAccess, StoreNet } from '../access.ts'
import { StoreProblem } from '../store-problem.ts'
import { idText } from '../text.ts'
import { parseJson } from './http.ts'

// Prices as the shop's pages show them to a visitor. The REST API has the entered price alone; the tax that makes the difference depends on
// classes, places and plugins that only the shop knows. Its public Store API needs no key.

/** By the id of the product or variation. Empty where the shop does not say. */
export type ShownPrices = (
  of: { ids: readonly string[]; areVariations: boolean; currency: string },
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, number>>

const LIMIT_MS = 10_000
const Row = z.object({
  id: z.unknown().transform(idText),
  prices: z.object({
    price: z.string().regex(/^\d{1,15}$/),
    currency_code: z.string(),
    currency_minor_unit: z.number().int().min(0).max(8),
  }),
})

export function openShownPrices(
  { storeUrl }: StoreAccess,
  net: StoreNet,
  isWanted: () => Promise<boolean>,
): ShownPrices {
  return async ({ ids, areVariations, currency }, signal) => {
    if (!(await isWanted())) return new Map()
    const kind = areVariations ? '&type=variation' : ''
    const url = `${storeUrl}/wp-json/wc/store/v1/products?include=${ids.join(',')}${kind}&per_page=100&_fields=id,prices`
    const ask = () => net.fetch(url, { timeoutMs: LIMIT_MS, maxBytes: 1_000_000, ...(signal && { signal }) })
    try {
      const { status, body } = await (net.inTurn ? net.inTurn(ask, signal) : ask())
      return status === 200 ? readPrices(parseJson(body), currency) : new Map()
    } catch (error) {
      // Without them the catalogue is as good as it was.
      if (error instanceof FetchProblem || error instanceof StoreProblem) return new Map()
      throw error
    }
  }
}

function readPrices(body: unknown, currency: string): Map<string, number> {
  const rows = Array.isArray(body) ? body.slice(0, 100) : []
  return new Map(
    rows.flatMap((raw) => {
      const { data } = Row.safeParse(raw)
      if (!data?.id || data.prices.currency_code !== currency) return []
      const { price, currency_minor_unit: places } = data.prices
      const digits = price.padStart(places + 1, '0')
      const minor = parseMinor(places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits, currency)
      return minor === null ? [] : [[data.id, minor] as const]
    }),
  )
}

/** A tax changes a price by less than half; anything else is another price. */
export function shownOf(
  enteredMinor: number,
  shown: number | undefined,
): { priceMinor: number; enteredMinor?: number } {
  const isOfTax = shown !== undefined && shown > enteredMinor / 1.5 && shown < enteredMinor * 1.5
  return isOfTax && shown !== enteredMinor ? { priceMinor: shown, enteredMinor } : { priceMinor: enteredMinor }
}
