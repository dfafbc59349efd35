// wc/v3 products and variations, read-only: the products come from the seed.
import {
  findProduct,
  isInStock,
  listProducts,
  listVariations,
  type Product,
  presentProduct,
  presentVariation,
} from '../catalog.ts'
import { parseStoreTime } from '../clock.ts'
import { asList, asText } from '../php.ts'
import { isTrue, paginate, pagingRules, type RestReply, type RestRequest, type Route, type Rule } from '../rest.ts'
import { createInvalidIdError } from '../rest-error.ts'

const ORDERINGS = ['date', 'id', 'include', 'title', 'slug', 'modified', 'menu_order', 'price', 'popularity', 'rating']
const listRules: Record<string, Rule> = {
  ...pagingRules,
  status: { kind: 'enum', values: ['any', 'future', 'trash', 'draft', 'pending', 'private', 'publish'] },
  orderby: { kind: 'enum', values: ORDERINGS },
  stock_status: { kind: 'enum', values: ['instock', 'outofstock', 'onbackorder'] },
  modified_after: { kind: 'date' },
  modified_before: { kind: 'date' },
  after: { kind: 'date' },
  before: { kind: 'date' },
}

// WooCommerce's routes also accept writes; this store copies only their Allow header.
const COLLECTION_METHODS = 'GET, POST'
const RECORD_METHODS = 'GET, POST, PUT, PATCH, DELETE'

export const catalogRoutes: Route[] = [
  {
    pattern: /^\/wc\/v3\/products$/,
    allow: COLLECTION_METHODS,
    GET: { can: 'list', rules: listRules, run: getProducts },
  },
  { pattern: /^\/wc\/v3\/products\/(\d+)$/, allow: RECORD_METHODS, GET: { can: 'view', run: getProduct } },
  {
    pattern: /^\/wc\/v3\/products\/(\d+)\/variations$/,
    allow: COLLECTION_METHODS,
    GET: { can: 'list', rules: pagingRules, run: getVariations },
  },
  { pattern: /^\/wc\/v3\/variations$/, allow: 'GET', GET: { can: 'list', rules: pagingRules, run: getAllVariations } },
  {
    pattern: /^\/wc\/v3\/products\/(\d+)\/variations\/(\d+)$/,
    allow: RECORD_METHODS,
    GET: { can: 'view', run: getVariation },
  },
]

function getProducts(request: RestRequest): RestReply {
  const matches = listProducts(request.shop).filter((product) => matchesFilters(request, product))
  const sorted = sort(request, matches)
  return { ...paginate(request, sorted, (product) => presentProduct(request.shop, product)) }
}

function matchesFilters({ shop, query }: RestRequest, product: Product): boolean {
  const include = asList(query.include)
  if (include.length && !include.includes(String(product.id))) return false
  if (asList(query.exclude).includes(String(product.id))) return false
  const status = asText(query.status)
  if (status && status !== 'any' && status !== product.status) return false
  const skus = asList(query.sku)
  const own = [product, ...listVariations(shop, product)].map(({ sku }) => sku)
  if (skus.length && !skus.some((sku) => own.includes(sku))) return false
  const search = asText(query.search)?.toLowerCase()
  if (search && !`${product.name} ${product.description} ${product.sku}`.toLowerCase().includes(search)) return false
  const stock = asText(query.stock_status)
  if (stock && stock !== (isInStock(shop, product) ? 'instock' : 'outofstock')) return false
  return isInTime(query, product)
}

function isInTime(query: RestRequest['query'], product: Product): boolean {
  const bound = (name: string) => {
    const text = asText(query[name])
    return text ? parseStoreTime(text, isTrue(query.dates_are_gmt)) : null
  }
  const [after, before, later, earlier] = ['after', 'before', 'modified_after', 'modified_before'].map(bound)
  if (after != null && product.createdAt <= after) return false
  if (before != null && product.createdAt >= before) return false
  if (later != null && product.modifiedAt <= later) return false
  return !(earlier != null && product.modifiedAt >= earlier)
}

function sort({ query }: RestRequest, products: Product[]): Product[] {
  const direction = query.order === 'asc' ? 1 : -1
  const by = asText(query.orderby) ?? 'date'
  if (by === 'title' || by === 'slug') return products.toSorted((a, b) => direction * a.name.localeCompare(b.name))
  const getSortValue = (product: Product) =>
    by === 'modified' ? product.modifiedAt : by === 'date' ? product.createdAt : product.id
  return products.toSorted((a, b) => direction * (getSortValue(a) - getSortValue(b) || a.id - b.id))
}

function getProduct({ shop, ids }: RestRequest): RestReply {
  const product = findProduct(shop, ids[0]!)
  if (product) return { body: presentProduct(shop, product) }
  throw createInvalidIdError('product')
}

function getVariations(request: RestRequest): RestReply {
  const parent = findParent(request)
  const variations = listVariations(request.shop, parent).filter((variation) => isIncluded(request, variation))
  return paginate(request, variations, (variation) => presentVariation(request.shop, variation, parent))
}

/** Variations of all products, newest first (WooCommerce 10.3). */
function getAllVariations(request: RestRequest): RestReply {
  const { shop } = request
  const all = listProducts(shop).flatMap((parent) =>
    listVariations(shop, parent).map((variation) => ({ parent, variation })),
  )
  const requested = all.filter(({ variation }) => isIncluded(request, variation))
  const sorted = requested.toSorted((a, b) => b.variation.id - a.variation.id)
  return paginate(request, sorted, ({ parent, variation }) => presentVariation(shop, variation, parent))
}

function isIncluded({ query }: RestRequest, { id }: Product): boolean {
  const include = asList(query.include)
  return include.length === 0 || include.includes(String(id))
}

function getVariation(request: RestRequest): RestReply {
  const parent = findParent(request)
  const variation = findProduct(request.shop, request.ids[1]!)
  if (variation?.parentId === parent.id) return { body: presentVariation(request.shop, variation, parent) }
  throw createInvalidIdError('product')
}

function findParent({ shop, ids }: RestRequest): Product {
  const parent = findProduct(shop, ids[0]!)
  if (!parent) throw createInvalidIdError('product')
  return parent
}
