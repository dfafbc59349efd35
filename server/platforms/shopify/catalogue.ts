import { z } from 'zod'
import { parseCurrency, parseMinor } from '../../../shared/money.ts'
import type { ItemRef, ItemTerms, Page, PlatformCustomer, PlatformProduct } from '../platform/platform.ts'
import { field, type RowReading, skip, wirePart, wireText } from '../platform/row.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord, parseId, webAddress } from '../platform/text.ts'
import { at, connection, formatGid, parseGid, wireFlag, wireGid, wireInstant } from './fields.ts'
import type { Graph, GraphAnswer } from './graph.ts'
import { type ListQuery, numberedPages, readChunks } from './lists.ts'
import { DEFAULT_TITLE } from './order-wire.ts'
import { readCustomer } from './people.ts'
import {
  CUSTOMER_BY_ID,
  CUSTOMERS,
  CUSTOMERS_PAST,
  changedSince,
  PRODUCTS_CHANGED,
  TERMS,
  VARIANTS,
  VARIANTS_PAST,
} from './queries.ts'

// Customers and products by ascending id. Every product has at least one variant, and shoppers buy variants, so each
// variant is a row.

const PAGE_SIZE = 100
const SIZES = { first: 50, most: PAGE_SIZE }
const PAST_SIZES = { first: 250, most: 250 }
/** Number of products per query of variants. */
const SOME_PRODUCTS = 50
/** Maximum for `nodes`, limited by cost. */
const SOME_TERMS = 100

export function pullCustomers(
  graph: Graph,
  { modifiedSince, firstPage, signal }: { modifiedSince?: string; firstPage?: number; signal?: AbortSignal },
): AsyncGenerator<Page<PlatformCustomer>> {
  const root = 'customers'
  const variables = { query: modifiedSince === undefined ? null : changedSince(modifiedSince) }
  return numberedPages(graph, {
    ...{ firstPage, pageSize: PAGE_SIZE, read: readCustomer },
    query: { document: CUSTOMERS, root, variables, sizes: SIZES, signal },
    past: { document: CUSTOMERS_PAST, root, variables, sizes: PAST_SIZES, signal },
  })
}

export async function readSingleCustomer(
  graph: Graph,
  customerId: string,
  signal?: AbortSignal,
): Promise<PlatformCustomer | null> {
  const id = parseId(customerId)
  if (!id) return null
  const { data } = await graph.read(CUSTOMER_BY_ID, { id: formatGid('Customer', id) }, signal)
  if (data.customer === null || data.customer === undefined) return null
  const reading = readCustomer(data.customer)
  if ('row' in reading) return reading.row
  throw new StoreProblem('shopify_bad_answer', `customer ${id}: ${reading.skipped.reason}`)
}

interface ProductQuery {
  modifiedSince?: string
  firstPage?: number
  signal?: AbortSignal
}

/** Products in the shop; of changed ones also those removed from it. */
export function pullProducts(
  graph: Graph,
  { modifiedSince, firstPage, signal }: ProductQuery,
): AsyncGenerator<Page<PlatformProduct>> {
  if (modifiedSince !== undefined) return pullChanged(graph, changedSince(modifiedSince), signal)
  const variables = { query: 'product_status:ACTIVE,UNLISTED' }
  const root = 'productVariants'
  return numberedPages(graph, {
    ...{ firstPage, pageSize: PAGE_SIZE, read: readVariant },
    query: { document: VARIANTS, root, variables, sizes: SIZES, signal },
    past: { document: VARIANTS_PAST, root, variables, sizes: PAST_SIZES, signal },
  })
}

async function* pullChanged(
  graph: Graph,
  query: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Page<PlatformProduct>> {
  const sizes = { first: SOME_PRODUCTS, most: SOME_PRODUCTS }
  const list: ListQuery = { document: PRODUCTS_CHANGED, root: 'products', variables: { query }, sizes, signal }
  let page = 0
  for await (const { nodes, hasNext } of readChunks(graph, list)) {
    const ids = nodes.map((node) => parseGid(at(node, 'id'))).filter((id) => id !== null)
    const variants = { document: VARIANTS, root: 'productVariants', sizes: SIZES, signal }
    const of = { variables: { query: `product_ids:${ids.join(',')}` }, ...{ ...variants } }
    if (ids.length > 0) {
      for await (const { rows, skipped } of numberedPages(graph, {
        pageSize: PAGE_SIZE,
        read: readVariant,
        query: of,
        past: of,
      })) {
        page += 1
        yield { rows, skipped, page, totalPages: page + 1, isLast: false }
      }
    }
    if (!hasNext) yield { rows: [], skipped: [], page: page + 1, totalPages: page + 1, isLast: true }
  }
}

const Variant = z.object({
  id: wireGid,
  title: wireText(200),
  sku: wireText(100),
  price: z.unknown().optional(),
  compareAtPrice: z.unknown().optional(),
  availableForSale: wireFlag,
  inventoryQuantity: field((input) => (typeof input === 'number' && Number.isSafeInteger(input) ? input : null)),
  inventoryPolicy: wireText(40),
  inventoryItem: wirePart,
  updatedAt: wireInstant,
  media: z.unknown().optional(),
  product: wirePart.pipe(
    z.object({
      id: wireGid,
      title: wireText(300),
      status: wireText(40),
      productType: wireText(200),
      onlineStoreUrl: field(webAddress),
      updatedAt: wireInstant,
      featuredMedia: z.unknown().optional(),
    }),
  ),
})

type WireVariant = z.infer<typeof Variant>

function readVariant(raw: unknown, answer: GraphAnswer): RowReading<PlatformProduct> {
  const currency = currencyOf(answer)
  const parsed = Variant.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a variant')
  const wire = parsed.data
  if (!wire.id || !wire.product.id) return skip(raw, 'no id')
  const { priceMinor, ...sale } = readSale(wire, currency)
  if (priceMinor === null) return { skipped: { id: wire.id, reason: 'no price' } }
  const { product } = wire
  const title = wire.title === DEFAULT_TITLE ? null : wire.title
  const times = [wire.updatedAt, product.updatedAt].filter((time) => time !== null).sort()
  return {
    row: {
      productId: product.id!,
      variationId: wire.id,
      name: [product.title, title].filter((part) => part !== null).join(' - ') || `#${product.id}`,
      sku: wire.sku,
      ...{ priceMinor, currency, ...sale },
      imageUrl: parsePicture(connection(wire.media).nodes[0]) ?? parsePicture(product.featuredMedia),
      permalink: product.onlineStoreUrl && buildUrl(product.onlineStoreUrl, wire.id),
      categories: product.productType ? [{ id: product.productType, name: product.productType }] : [],
      modifiedAt: times.at(-1) ?? null,
    },
  }
}

const parsePicture = (media: unknown): string | null => webAddress(at(media, 'preview', 'image', 'url'))

function buildUrl(product: string, variantId: string): string {
  const url = new URL(product)
  url.searchParams.set('variant', variantId)
  return url.href
}

function currencyOf({ data }: GraphAnswer): string {
  const currency = parseCurrency(at(data.shop, 'currencyCode'))
  if (!currency) throw new StoreProblem('shopify_bad_answer', 'the store names no currency')
  return currency
}

/** An item made or ordered on demand has no relevant stock. */
function readSale(wire: WireVariant, currency: string) {
  const price = parseMinor(wire.price, currency)
  const before = parseMinor(wire.compareAtPrice, currency)
  const priceMinor = price !== null && price >= 0 ? price : null
  const isInShop = wire.product.status === 'ACTIVE' || wire.product.status === 'UNLISTED'
  const isCounted = wire.inventoryItem.tracked === true && wire.inventoryPolicy === 'DENY'
  return {
    priceMinor,
    isAvailable: wire.availableForSale && isInShop && priceMinor !== null,
    isOnSale: before !== null && priceMinor !== null && before > priceMinor,
    stockQuantity: isCounted ? wire.inventoryQuantity : null,
  }
}

interface TermsQuery {
  items: readonly ItemRef[]
  currency: string
  signal?: AbortSignal
}

/** Terms of variants; an item without a variation means the product's first variant. */
export async function readTerms(graph: Graph, { items, currency, signal }: TermsQuery): Promise<ItemTerms[]> {
  const known = items.filter(({ productId, variationId }) => parseId(variationId ?? productId))
  const ids = [...new Set(known.map(toNodeId))]
  const found = new Map<string, unknown>()
  for (let start = 0; start < ids.length; start += SOME_TERMS) {
    const answer = await graph.read(TERMS, { ids: ids.slice(start, start + SOME_TERMS) }, signal)
    const isOurs = currencyOf(answer) === currency
    for (const node of Array.isArray(answer.data.nodes) ? answer.data.nodes : []) {
      const id = at(node, 'id')
      if (typeof id === 'string') found.set(id, isOurs ? node : withoutPrice(node))
    }
  }
  return known.flatMap((item) => toTerms(item, found.get(toNodeId(item)), currency) ?? [])
}

const toNodeId = ({ productId, variationId }: ItemRef): string =>
  variationId ? formatGid('ProductVariant', variationId) : formatGid('Product', productId)

/** Ignores a price in another currency. */
const withoutPrice = (node: unknown): unknown => (isRecord(node) ? { ...node, price: null, variants: null } : node)

function toTerms(item: ItemRef, node: unknown, currency: string): ItemTerms | null {
  if (!isRecord(node)) return null
  const first = connection(node.variants).nodes[0]
  const raw = item.variationId ? node : isRecord(first) ? { ...first, product: node } : null
  const wire = Variant.safeParse(raw)
  if (!wire.success) return null
  // A variant moved to another product is a different item.
  if (wire.data.product.id !== item.productId) return null
  return { productId: item.productId, variationId: item.variationId, ...readSale(wire.data, currency) }
}
