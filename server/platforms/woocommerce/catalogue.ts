import { z } from 'zod'
import { parseCurrency, parseMinor } from '../../../shared/core/money.ts'
import {
  isRecord,
  type Page,
  type PlatformCustomer,
  type PlatformProduct,
  type ProductCategory,
  parseId,
  parseWebAddress,
  type RowReading,
  readRows,
  type SkippedRow,
  StoreProblem,
  skip,
  toPlainText,
  wireId,
  wireList,
  wireRaw,
  wireText,
  wireTime,
  wireUrl,
} from '../platform/public.ts'
import type { DisplayedPrices } from './displayed-prices.ts'
import { getErrorCode, isSuccess, type WooHttp, type WooQuery } from './http.ts'
import { countHeader, readList } from './orders.ts'
import { CUSTOMER_FIELDS, readCustomer } from './wire.ts'

// Customers and products, paged by ascending id: new rows come last and no row moves.

const MAX_PAGES = 20_000
const STAFF_ROLES = new Set(['administrator', 'shop_manager', 'editor', 'author', 'contributor'])

interface ListQuery {
  path: string
  query: WooQuery
  firstPage?: number | undefined
  signal?: AbortSignal | undefined
}

interface RawPage {
  raw: unknown[]
  page: number
  totalPages: number
  isLast: boolean
}

/**
 * Registered customers (guests exist only in orders). The default `role=customer` misses shoppers whose role a plugin
 * changed (subscribers, wholesale), so all roles are listed and staff are skipped. There is no `modified_after` here,
 * so the list is always complete.
 */
export async function* pullCustomers(
  http: WooHttp,
  query: { firstPage?: number; signal?: AbortSignal },
): AsyncGenerator<Page<PlatformCustomer>> {
  const list: ListQuery = {
    path: '/customers',
    query: [
      ['role', 'all'],
      ['_fields', CUSTOMER_FIELDS],
    ],
    ...query,
  }
  for await (const { raw, ...place } of pullList(http, list)) {
    const { rows, skipped } = readRows(raw, readCustomer)
    const shoppers = rows
      .filter((row) => !row.role || !STAFF_ROLES.has(row.role))
      .map(({ role: _, ...customer }) => customer)
    yield { rows: shoppers, skipped, ...place }
  }
}

export async function readSingleCustomer(
  http: WooHttp,
  customerId: string,
  signal?: AbortSignal,
): Promise<PlatformCustomer | null> {
  const path = `/customers/${customerId}`
  const answer = await http.ask({ path, query: [['_fields', CUSTOMER_FIELDS]], ...(signal && { signal }) })
  if (answer.status === 404 && getErrorCode(answer) !== 'rest_no_route') return null
  if (!isSuccess(answer)) throw http.problem(answer)
  const reading = readCustomer(answer.body)
  if (!('row' in reading)) throw new StoreProblem('bad_answer', `customer ${customerId}: ${reading.skipped.reason}`)
  const { role: _, ...customer } = reading.row
  return customer
}

/**
 * Published products with their variations; a page holds the variations of its products. `modifiedSince` restricts to
 * products changed since. A sale that only lowers stock is not a change in WooCommerce, so all are read once a night.
 */
export async function* pullProducts(
  http: WooHttp,
  query: { modifiedSince?: string; firstPage?: number; signal?: AbortSignal },
  displayed: DisplayedPrices | null = null,
): AsyncGenerator<Page<PlatformProduct>> {
  const currency = await readCurrency(http, query.signal)
  const list: ListQuery = {
    path: '/products',
    query: [['status', 'publish'], ...buildModifiedAfter(query.modifiedSince), ['_fields', PRODUCT_FIELDS]],
    firstPage: query.firstPage,
    signal: query.signal,
  }
  for await (const { raw, ...place } of pullList(http, list)) {
    const { rows, skipped } = readRows(raw, (one) => readProduct(one, currency))
    const variations: PlatformProduct[] = []
    for (const { product, hasVariations, choices } of rows) {
      if (hasVariations)
        variations.push(...(await readVariations(http, { ...product, choices }, skipped, query.signal)))
    }
    const products = rows.map(({ product }) => product)
    const all = displayed ? await displayed([...products, ...variations], query.signal) : [...products, ...variations]
    yield { rows: all, skipped, ...place }
  }
}

/** Two seconds earlier, because the bound is exclusive and stores round. */
export const buildModifiedAfter = (instant: string | undefined): WooQuery =>
  instant
    ? [
        ['modified_after', secondsBefore(instant, 2)],
        ['dates_are_gmt', 'true'],
      ]
    : []

export async function* pullList(http: WooHttp, list: ListQuery): AsyncGenerator<RawPage> {
  const first = Math.max(Math.trunc(list.firstPage ?? 1), 1)
  for (let page = first; page < first + MAX_PAGES; page += 1) {
    if (page > first) await http.pause(list.signal)
    const query: WooQuery = [
      ...list.query,
      ['orderby', 'id'],
      ['order', 'asc'],
      ['per_page', '100'],
      ['page', String(page)],
    ]
    const answer = await http.send({ path: list.path, query, signal: list.signal })
    const raw = readList(answer)
    const totalPages = countHeader(answer, 'x-wp-totalpages')
    const isLast = totalPages === null ? raw.length < 100 : page >= totalPages
    yield { raw, page, totalPages: totalPages ?? page, isLast }
    if (isLast) return
  }
  throw new StoreProblem('bad_answer', 'the list does not end')
}

/** Products have no currency field. */
async function readCurrency(http: WooHttp, signal: AbortSignal | undefined): Promise<string> {
  const answer = await http.send({ path: '/data/currencies/current', query: [['_fields', 'code']], signal })
  const currency = isRecord(answer.body) ? parseCurrency(answer.body.code) : null
  if (!currency) throw new StoreProblem('bad_answer', 'the store names no currency')
  return currency
}

const Product = z.object({
  id: wireId,
  type: wireText(40),
  status: wireText(40),
  name: wireText(300),
  sku: wireText(100),
  price: wireRaw,
  on_sale: wireRaw,
  permalink: wireUrl,
  purchasable: wireRaw,
  stock_status: wireText(40),
  stock_quantity: wireRaw,
  images: wireList,
  categories: wireList,
  attributes: wireList,
  date_modified_gmt: wireTime,
})

const Variation = Product.omit({ type: true, images: true, categories: true }).extend({ image: wireRaw })

const PRODUCT_FIELDS = Object.keys(Product.shape).join(',')
const VARIATION_FIELDS = Object.keys(Variation.shape).join(',')

type Parent = PlatformProduct & Partial<Pick<ReadProduct, 'choices'>>

interface ReadProduct {
  product: PlatformProduct
  hasVariations: boolean
  /** Number of attributes that distinguish its variations. */
  choices: number
}

export function readProduct(raw: unknown, currency: string): RowReading<ReadProduct> {
  const parsed = Product.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a product')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  const product = {
    productId: wire.id,
    variationId: null,
    name: wire.name ?? wire.sku ?? `#${wire.id}`,
    ...readSale(wire, currency),
    imageUrl: parseWebAddress(wire.images[0]?.src),
    permalink: wire.permalink,
    categories: readCategories(wire.categories),
  }
  const hasVariations = wire.type === 'variable' || wire.type === 'variable-subscription'
  return { row: { product, hasVariations, choices: wire.attributes.filter((one) => one.variation === true).length } }
}

function readCategories(wire: readonly Record<string, unknown>[]): ProductCategory[] {
  return wire.flatMap(({ id: wireId, name: wireName }) => {
    const [id, name] = [parseId(wireId), toPlainText(wireName, 200)]
    return id && name ? [{ id, name }] : []
  })
}

export function readVariation(raw: unknown, parent: Parent): RowReading<PlatformProduct> {
  const parsed = Variation.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a variation')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  // Stores before 9.x send no name for a variation; its attributes are equivalent.
  const choice =
    wire.name ??
    wire.attributes
      .map((one) => toPlainText(one.option, 100))
      .filter(Boolean)
      .join(', ')
  return {
    row: {
      productId: parent.productId,
      variationId: wire.id,
      name: choice ? `${parent.name} - ${choice}` : parent.name,
      ...readSale(wire, parent.currency),
      imageUrl: (isRecord(wire.image) ? parseWebAddress(wire.image.src) : null) ?? parent.imageUrl,
      permalink: wire.permalink ?? parent.permalink,
      ...(parent.categories && { categories: parent.categories }),
      // A variation does not list attributes with "any" value.
      hasOpenChoice: wire.attributes.length < (parent.choices ?? 0),
    },
  }
}

type SaleFields = Pick<
  z.infer<typeof Product>,
  'sku' | 'price' | 'on_sale' | 'status' | 'purchasable' | 'stock_status' | 'stock_quantity' | 'date_modified_gmt'
>

function readSale(wire: SaleFields, currency: string) {
  const price = parseMinor(wire.price, currency)
  return {
    sku: wire.sku,
    // An empty price ("") means not for sale; a price of zero is valid.
    priceMinor: Math.max(price ?? 0, 0),
    currency,
    isAvailable: isForSale(wire) && price !== null && price >= 0,
    isOnSale: parseOnSale(wire.on_sale),
    stockQuantity: parseStock(wire.stock_quantity),
    modifiedAt: wire.date_modified_gmt,
  }
}

/** `purchasable` stays true for sold-out, draft and private products. */
export const isForSale = ({
  status,
  purchasable,
  stock_status,
}: Pick<SaleFields, 'status' | 'purchasable' | 'stock_status'>) =>
  status === 'publish' && purchasable === true && stock_status !== 'outofstock'

/** Ignores a number that exceeds the column. */
const parseStock = (stock: unknown) =>
  typeof stock === 'number' && Math.abs(stock) < 2 ** 31 ? Math.trunc(stock) : null

const parseOnSale = (onSale: unknown) => (typeof onSale === 'boolean' ? onSale : null)

const TermsOnWire = Product.pick({
  id: true,
  price: true,
  on_sale: true,
  status: true,
  purchasable: true,
  stock_status: true,
  stock_quantity: true,
})

/** Price and stock only; null for an invalid product. */
export function readTerms(raw: unknown) {
  const parsed = TermsOnWire.safeParse(raw)
  if (!parsed.success || !parsed.data.id) return null
  return {
    ...parsed.data,
    id: parsed.data.id,
    isOnSale: parseOnSale(parsed.data.on_sale),
    stockQuantity: parseStock(parsed.data.stock_quantity),
  }
}

async function readVariations(http: WooHttp, parent: Parent, skipped: SkippedRow[], signal?: AbortSignal) {
  await http.pause(signal)
  const all: PlatformProduct[] = []
  const list: ListQuery = {
    path: `/products/${parseId(parent.productId)}/variations`,
    query: [['_fields', VARIATION_FIELDS]],
    signal,
  }
  try {
    for await (const { raw } of pullList(http, list)) {
      const page = readRows(raw, (one) => readVariation(one, parent))
      all.push(...page.rows)
      skipped.push(...page.skipped)
    }
  } catch (error) {
    // Deleted since the page was read, or broken: the other products stay.
    if (!(error instanceof StoreProblem) || error.code !== 'bad_answer') throw error
    skipped.push({ id: parent.productId, reason: 'its variations cannot be read' })
  }
  return all
}

function secondsBefore(instant: string, seconds: number): string {
  return new Date((Math.floor(Date.parse(instant) / 1000) - seconds) * 1000).toISOString().slice(0, 19)
}
