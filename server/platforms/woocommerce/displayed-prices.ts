import { z } from 'zod'
import { parseMinor } from '../../../shared/core/money.ts'
import { FetchProblem } from '../../core/net/public.ts'
import {
  type DisplayedTax,
  type PlatformProduct,
  parseId,
  type StoreAccess,
  type StoreNet,
  StoreProblem,
  toFetchProblem,
} from '../platform/public.ts'
import { parseJson } from './http.ts'

// Prices as a visitor sees them on the shop's pages. The REST API has only the entered price; the tax between them
// depends on classes, places and plugins that only the shop knows. Its public Store API needs no key.

/** Adds the displayed price to products and variations, or marks them as `isDisplayedUnknown`. */
export type DisplayedPrices = (products: PlatformProduct[], signal?: AbortSignal) => Promise<PlatformProduct[]>

const LIMIT_MS = 5_000
const Row = z.object({
  id: z.unknown().transform(parseId),
  prices: z.object({
    price: z.string().regex(/^\d{1,15}$/),
    currency_code: z.string(),
    currency_minor_unit: z.number().int().min(0).max(8),
  }),
})

/** For one listing: after a failure the shop is not asked again. */
export function createDisplayedPrices(
  { storeUrl }: StoreAccess,
  net: StoreNet,
  readDisplayedTax: () => Promise<DisplayedTax>,
): DisplayedPrices {
  let displayedTax: DisplayedTax | undefined
  let hasFailed = false
  const ask = async (ids: readonly string[], isOfVariations: boolean, signal: AbortSignal | undefined) => {
    // A page cache has no old response for a new URL.
    const query = `include=${ids.join(',')}${isOfVariations ? '&type=variation' : ''}&per_page=100&_fields=id,prices&_=${net.now().getTime()}`
    const url = `${storeUrl}/wp-json/wc/store/v1/products?${query}`
    const timeoutMs = net.storeApiLimitMs ?? LIMIT_MS
    const send = () => net.fetch(url, { timeoutMs, maxBytes: 1_000_000, ...(signal && { signal }) })
    try {
      const { status, body } = await (net.enqueue ? net.enqueue(send, signal) : send())
      const rows = status === 200 ? parseJson(body) : null
      return Array.isArray(rows) ? rows.slice(0, 100) : null
    } catch (error) {
      if (signal?.aborted) throw toFetchProblem(error)
      if (error instanceof FetchProblem || error instanceof StoreProblem) return null
      throw error
    }
  }
  return async (products, signal) => {
    if (products.length === 0) return products
    displayedTax ??= await readDisplayedTax()
    if (displayedTax === 'none') return products
    const displayed = new Map<string, number>()
    for (const isOfVariations of [false, true]) {
      const ids = products.filter((each) => (each.variationId !== null) === isOfVariations).map(getProductId)
      for (let at = 0; at < ids.length && displayedTax !== 'unknown' && !hasFailed; at += 100) {
        const rows = await ask(ids.slice(at, at + 100), isOfVariations, signal)
        hasFailed = rows === null
        for (const [id, minor] of readPrices(rows ?? [], products[0]!.currency)) displayed.set(id, minor)
      }
    }
    const tax = displayedTax
    return products.map((product) => ({
      ...product,
      ...chooseDisplayedPrice(product.priceMinor, displayed.get(getProductId(product)), tax),
    }))
  }
}

const getProductId = ({ productId, variationId }: PlatformProduct): string => variationId ?? productId

function readPrices(rows: unknown[], currency: string): (readonly [string, number])[] {
  return rows.flatMap((raw) => {
    const { data } = Row.safeParse(raw)
    if (!data?.id || data.prices.currency_code !== currency) return []
    const { price, currency_minor_unit: places } = data.prices
    const digits = price.padStart(places + 1, '0')
    const minor = parseMinor(places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits, currency)
    return minor === null ? [] : [[data.id, minor] as const]
  })
}

/** A tax changes a price by less than half and in one direction; anything else is another or an old price. */
export function chooseDisplayedPrice(
  enteredMinor: number,
  displayed: number | undefined,
  tax: DisplayedTax,
): Pick<PlatformProduct, 'priceMinor' | 'enteredMinor' | 'isDisplayedUnknown'> {
  const [lower, higher] = tax === 'added' ? [enteredMinor, displayed] : [displayed, enteredMinor]
  const isOfTax = lower !== undefined && higher !== undefined && lower <= higher && higher <= lower * 1.5
  if (displayed === undefined || !isOfTax) return { priceMinor: enteredMinor, isDisplayedUnknown: true }
  return displayed === enteredMinor ? { priceMinor: displayed } : { priceMinor: displayed, enteredMinor }
}
