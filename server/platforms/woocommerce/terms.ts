import { z } from 'zod'
import { parseMinor } from '../../../shared/money.ts'
import type { ItemRef, ItemTerms } from '../platform/platform.ts'
import { parseId } from '../platform/text.ts'
import { isForSale, readTerms } from './catalogue.ts'
import { errorCode, isSuccess, type WooAnswer, type WooHttp, type WooQuery } from './http.ts'
import { readList } from './orders.ts'

// Reads stock and price of items: one request for products, one for variations of any parents (WooCommerce 10.3;
// before, one per parent).

export interface TermsQuery {
  items: readonly ItemRef[]
  currency: string
  signal?: AbortSignal
}

/** Maximum rows per page. */
const BATCH_SIZE = 100
const FIELDS = 'id,price,on_sale,stock_status,stock_quantity,status,purchasable'

type Read = NonNullable<ReturnType<typeof readTerms>>

export async function pullTerms(http: WooHttp, { items, currency, signal }: TermsQuery): Promise<ItemTerms[]> {
  const known = items.filter(
    ({ productId, variationId }) => parseId(productId) && (!variationId || parseId(variationId)),
  )
  const products = await readSome(http, '/products', unique(known.map(({ productId }) => productId)), signal)
  const ofVariations = known.filter(({ variationId }) => variationId !== null)
  const variations = await readVariations(http, ofVariations, signal)
  return known.flatMap(({ productId, variationId }) => {
    const parent = products.get(productId)
    const wire = variationId === null ? parent : variations.get(variationId)
    // A trashed or unpublished parent makes its variations unavailable.
    if (!wire || parent?.status !== 'publish') return []
    return [toTerms({ productId, variationId }, wire, currency)]
  })
}

function toTerms(item: ItemRef, wire: Read, currency: string): ItemTerms {
  const priceMinor = parseMinor(wire.price, currency)
  const isAvailable = isForSale(wire) && priceMinor !== null && priceMinor >= 0
  return { ...item, isAvailable, priceMinor, isOnSale: wire.isOnSale, stockQuantity: wire.stockQuantity }
}

const id = z.string().regex(/^[1-9]\d{0,17}$/)
const Reported = z.object({
  product: id,
  variation: id.nullable(),
  // In the REST API's form, with every field that decides availability.
  terms: z
    .looseObject({ status: z.string(), purchasable: z.boolean(), stock_status: z.string(), price: z.string() })
    .nullable(),
})
const NOT_SOLD = { isAvailable: false, priceMinor: null, isOnSale: null, stockQuantity: null }

/**
 * Reads a plugin's report in the same way; `terms: null` means that the shop no longer sells the item. Skips unreadable
 * entries.
 */
export function readReportedTerms(list: readonly unknown[], currency: string): ItemTerms[] {
  return list.flatMap((raw) => {
    const { data } = Reported.safeParse(raw)
    if (!data) return []
    const item: ItemRef = { productId: data.product, variationId: data.variation }
    if (data.terms === null) return [{ ...item, ...NOT_SOLD }]
    const wire = readTerms(data.terms)
    return wire && wire.id === (item.variationId ?? item.productId) ? [toTerms(item, wire, currency)] : []
  })
}

async function readVariations(http: WooHttp, items: readonly ItemRef[], signal: AbortSignal | undefined) {
  const ids = unique(items.map(({ variationId }) => variationId!))
  if (ids.length === 0) return new Map<string, Read>()
  const [first, ...rest] = chunks(ids)
  const answer = await http.ask({ path: '/variations', query: includeIds(first!), signal })
  // Before 10.3 this route does not exist or is taken for another.
  if (answer.status === 404 && errorCode(answer) === 'rest_no_route') return readByParent(http, items, signal)
  if (!isSuccess(answer)) throw http.problem(answer)
  const found = indexRows(answer)
  for (const some of rest) for (const [id, row] of await readSome(http, '/variations', some, signal)) found.set(id, row)
  return found
}

async function readByParent(http: WooHttp, items: readonly ItemRef[], signal: AbortSignal | undefined) {
  const found = new Map<string, Read>()
  for (const [productId, some] of Map.groupBy(items, (item) => item.productId)) {
    const ids = unique(some.map(({ variationId }) => variationId!))
    const path = `/products/${productId}/variations`
    for (const part of chunks(ids)) {
      const answer = await http.ask({ path, query: includeIds(part), signal })
      // The parent is gone, and its variations with it.
      if (answer.status === 404 && errorCode(answer) !== 'rest_no_route') continue
      if (!isSuccess(answer)) throw http.problem(answer)
      for (const [id, row] of indexRows(answer)) found.set(id, row)
    }
  }
  return found
}

async function readSome(http: WooHttp, path: string, ids: readonly string[], signal: AbortSignal | undefined) {
  const found = new Map<string, Read>()
  for (const some of chunks(ids)) {
    for (const [id, row] of indexRows(await http.send({ path, query: includeIds(some), signal }))) found.set(id, row)
  }
  return found
}

function indexRows(answer: WooAnswer): Map<string, Read> {
  return new Map(
    readList(answer).flatMap((raw) => {
      const row = readTerms(raw)
      return row ? [[row.id, row] as const] : []
    }),
  )
}

const includeIds = (ids: readonly string[]): WooQuery => [
  ['include', ids.join(',')],
  ['_fields', FIELDS],
  ['per_page', String(BATCH_SIZE)],
]

const unique = (ids: readonly string[]): string[] => [...new Set(ids)]

function chunks(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / BATCH_SIZE) }, (_, n) =>
    ids.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE),
  )
}
