import { z } from 'zod'
import { normalizePhone } from '../../../shared/core/contact.ts'
import { getCurrencyExponent, parseCurrency, parseMinor } from '../../../shared/core/money.ts'
import {
  type CheckoutPage,
  type CheckoutQuery,
  field,
  type ItemRef,
  type ItemTerms,
  isRecord,
  type Page,
  type Platform,
  type PlatformCheckout,
  type PlatformCustomer,
  type PlatformProduct,
  parseCountryCode,
  parseId,
  parseWebAddress,
  type RestoreItem,
  type RestoreLink,
  type RestoreOptions,
  type RestoreSource,
  type RowReading,
  readRows,
  type StoreAccess,
  type StoreClient,
  type StoreLogo,
  type StoreNet,
  StoreProblem,
  type StoreProfile,
  type StoreRights,
  skip,
  type TokenCache,
  toPlainText,
  type WebhookSubscription,
  wirePart,
  wireText,
} from '../platform/public.ts'
import {
  buildCouponUrl,
  createCoupons,
  deleteCoupons,
  findCoupon,
  pullCoupons,
  readCouponsById,
  updateCoupon,
  updateCoupons,
} from './coupons.ts'
import {
  connection,
  formatGid,
  getPath,
  parseGid,
  toMinor,
  wireConnection,
  wireFlag,
  wireGid,
  wireInstant,
  wireMoney,
  wireStrings,
} from './fields.ts'
import type { Graph, GraphAnswer } from './graph.ts'
import { createGraph } from './graph.ts'
import { type LinesQuery, loadAllLines } from './lines.ts'
import { type ListQuery, numberedPages, readChunks } from './lists.ts'
import { SUBSCRIBE, UNSUBSCRIBE } from './mutations.ts'
import { choosePlace, DEFAULT_TITLE, parseCodes, parseToken, readItems } from './order-wire.ts'
import { pullOrders, readSingleOrder } from './orders.ts'
import { readConsents, readCustomer, readPhone, wireAddress, wirePerson } from './people.ts'
import { userErrors } from './problems.ts'
import {
  API_VERSION,
  buildChangedSince,
  CHECKOUT_BY_ID,
  CHECKOUT_ITEMS,
  CHECKOUTS,
  CUSTOMER_BY_ID,
  CUSTOMERS,
  CUSTOMERS_PAST,
  PERSONAL_PROBE,
  PRODUCTS_CHANGED,
  SHOP,
  SUBSCRIPTIONS,
  TERMS,
  VARIANTS,
  VARIANTS_PAST,
} from './queries.ts'
import { canDeliverTo, readDelivery, TOPICS, webhookSecret } from './webhooks.ts'

/** A client for one store. Keep one per store: it caches the remaining points and the app's permissions. */
export function createShopifyClient(access: StoreAccess, net: StoreNet, shelf: TokenCache): StoreClient {
  const graph = createGraph(access, net, shelf)
  return {
    readProfile: (signal) => readProfile(access, net, { graph, signal }),
    orders: (query) => pullOrders(graph, net, query),
    order: (orderId, signal) => readSingleOrder(graph, orderId, signal),
    checkouts: (query) => pullCheckouts(graph, query),
    checkout: (checkoutId, signal) => readSingleCheckout(graph, checkoutId, signal),
    customer: (customerId, signal) => readSingleCustomer(graph, customerId, signal),
    customers: (query) => pullCustomers(graph, query),
    products: (query) => pullProducts(graph, query),
    terms: (query) => readTerms(graph, query),
    coupons: (query) => pullCoupons(graph, query),
    couponsById: (query) => readCouponsById(graph, query),
    couponByCode: (code, currency) => findCoupon(graph, code, currency),
    createCoupons: (drafts) => createCoupons(graph, net, drafts),
    updateCoupon: (id, draft) => updateCoupon(graph, net, { id, draft }),
    updateCoupons: (changes) => updateCoupons(graph, net, changes),
    deleteCoupons: (ids) => deleteCoupons(graph, ids),
    // On Shopify no other server can fill a cart, reading the brand needs other keys, and there is no plugin.
    refillCart: async () => null,
    logos: noLogos,
    callPlugin: async () => null,
    webhooks: () => listWebhooks(graph),
    createWebhook: (topic, deliveryUrl) => createWebhook(graph, topic, deliveryUrl),
    deleteWebhook: (id) => deleteWebhook(graph, id),
  }
}

async function* noLogos(): AsyncGenerator<StoreLogo> {}

// Customers and products by ascending id. Every product has at least one variant, and shoppers buy variants, so each
// variant is a row.

const PAGE_SIZE = 100
const SIZES = { first: 50, max: PAGE_SIZE }
const PAST_SIZES = { first: 250, max: 250 }
/** Number of products per query of variants. */
const SOME_PRODUCTS = 50
/** Maximum for `nodes`, limited by cost. */
const SOME_TERMS = 100

function pullCustomers(
  graph: Graph,
  { modifiedSince, firstPage, signal }: { modifiedSince?: string; firstPage?: number; signal?: AbortSignal },
): AsyncGenerator<Page<PlatformCustomer>> {
  const root = 'customers'
  const variables = { query: modifiedSince === undefined ? null : buildChangedSince(modifiedSince) }
  return numberedPages(graph, {
    firstPage,
    pageSize: PAGE_SIZE,
    read: readCustomer,
    query: { document: CUSTOMERS, root, variables, sizes: SIZES, signal },
    past: { document: CUSTOMERS_PAST, root, variables, sizes: PAST_SIZES, signal },
  })
}

async function readSingleCustomer(
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

/** Products in the shop. A list of changed products includes those removed from it. */
function pullProducts(
  graph: Graph,
  { modifiedSince, firstPage, signal }: ProductQuery,
): AsyncGenerator<Page<PlatformProduct>> {
  if (modifiedSince !== undefined) return pullChanged(graph, buildChangedSince(modifiedSince), signal)
  const variables = { query: 'product_status:ACTIVE,UNLISTED' }
  const root = 'productVariants'
  return numberedPages(graph, {
    firstPage,
    pageSize: PAGE_SIZE,
    read: readVariant,
    query: { document: VARIANTS, root, variables, sizes: SIZES, signal },
    past: { document: VARIANTS_PAST, root, variables, sizes: PAST_SIZES, signal },
  })
}

async function* pullChanged(
  graph: Graph,
  query: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Page<PlatformProduct>> {
  const sizes = { first: SOME_PRODUCTS, max: SOME_PRODUCTS }
  const list: ListQuery = { document: PRODUCTS_CHANGED, root: 'products', variables: { query }, sizes, signal }
  let page = 0
  for await (const { nodes, hasNext } of readChunks(graph, list)) {
    const ids = nodes.map((node) => parseGid(getPath(node, 'id'))).filter((id) => id !== null)
    const variants = { document: VARIANTS, root: 'productVariants', sizes: SIZES, signal }
    const of = { variables: { query: `product_ids:${ids.join(',')}` }, ...variants }
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
      onlineStoreUrl: field(parseWebAddress),
      updatedAt: wireInstant,
      featuredMedia: z.unknown().optional(),
    }),
  ),
})

type WireVariant = z.infer<typeof Variant>

function readVariant(raw: unknown, answer: GraphAnswer): RowReading<PlatformProduct> {
  const currency = readCurrency(answer)
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
      priceMinor,
      currency,
      ...sale,
      imageUrl: parsePicture(connection(wire.media).nodes[0]) ?? parsePicture(product.featuredMedia),
      permalink: product.onlineStoreUrl && buildUrl(product.onlineStoreUrl, wire.id),
      categories: product.productType ? [{ id: product.productType, name: product.productType }] : [],
      modifiedAt: times.at(-1) ?? null,
    },
  }
}

const parsePicture = (media: unknown): string | null => parseWebAddress(getPath(media, 'preview', 'image', 'url'))

function buildUrl(product: string, variantId: string): string {
  const url = new URL(product)
  url.searchParams.set('variant', variantId)
  return url.href
}

function readCurrency({ data }: GraphAnswer): string {
  const currency = parseCurrency(getPath(data.shop, 'currencyCode'))
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
async function readTerms(graph: Graph, { items, currency, signal }: TermsQuery): Promise<ItemTerms[]> {
  const known = items.filter(({ productId, variationId }) => parseId(variationId ?? productId))
  const ids = [...new Set(known.map(toNodeId))]
  const found = new Map<string, unknown>()
  for (let start = 0; start < ids.length; start += SOME_TERMS) {
    const answer = await graph.read(TERMS, { ids: ids.slice(start, start + SOME_TERMS) }, signal)
    const isOurs = readCurrency(answer) === currency
    for (const node of Array.isArray(answer.data.nodes) ? answer.data.nodes : []) {
      const id = getPath(node, 'id')
      if (typeof id === 'string') found.set(id, isOurs ? node : removePrice(node))
    }
  }
  return known.flatMap((item) => toTerms(item, found.get(toNodeId(item)), currency) ?? [])
}

const toNodeId = ({ productId, variationId }: ItemRef): string =>
  variationId ? formatGid('ProductVariant', variationId) : formatGid('Product', productId)

/** Ignores a price in another currency. */
const removePrice = (node: unknown): unknown => (isRecord(node) ? { ...node, price: null, variants: null } : node)

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

// Reads started checkouts with a contact, with or without an order. They are listed by id, so there is no position to
// continue from: an interrupted pull starts over.

async function* pullCheckouts(graph: Graph, { modifiedSince, signal }: CheckoutQuery): AsyncGenerator<CheckoutPage> {
  const list = {
    document: CHECKOUTS,
    root: 'abandonedCheckouts',
    signal,
    variables: { query: buildChangedSince(modifiedSince) },
    sizes: { first: 10, max: 100 },
  }
  let page = 0
  for await (const { nodes, hasNext } of readChunks(graph, list)) {
    const whole: unknown[] = []
    for (const node of nodes) whole.push(await loadAllLines(buildLinesQuery(graph, signal), node))
    page += 1
    const place = { page, totalPages: page + (hasNext ? 1 : 0), isLast: !hasNext, resumeFrom: null }
    yield { ...readRows(whole, readCheckout), ...place }
  }
}

const buildLinesQuery = (graph: Graph, signal: AbortSignal | undefined): LinesQuery => ({
  graph,
  signal,
  document: CHECKOUT_ITEMS,
  root: 'node',
  type: 'AbandonedCheckout',
})

async function readSingleCheckout(
  graph: Graph,
  checkoutId: string,
  signal?: AbortSignal,
): Promise<PlatformCheckout | null> {
  const id = parseId(checkoutId)
  if (!id) return null
  const { data } = await graph.read(CHECKOUT_BY_ID, { id: formatGid('AbandonedCheckout', id) }, signal)
  if (data.node === null || data.node === undefined) return null
  const reading = readCheckout(await loadAllLines(buildLinesQuery(graph, signal), data.node))
  if ('row' in reading && reading.row.checkoutId === id) return reading.row
  throw new StoreProblem(
    'shopify_bad_answer',
    `checkout ${id}: ${'skipped' in reading ? reading.skipped.reason : 'another one'}`,
  )
}

// Reads a started checkout. It has no contact of its own: the contact is its customer's.

const Checkout = z.object({
  id: wireGid,
  abandonedCheckoutUrl: field(parseWebAddress),
  createdAt: wireInstant,
  updatedAt: wireInstant,
  completedAt: wireInstant,
  discountCodes: wireStrings,
  totalPriceSet: wireMoney,
  subtotalPriceSet: wireMoney,
  totalDiscountSet: wireMoney,
  customer: wirePerson,
  shippingAddress: wireAddress,
  billingAddress: wireAddress,
  lineItems: wireConnection,
})

export function readCheckout(raw: unknown): RowReading<PlatformCheckout> {
  const parsed = Checkout.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a checkout')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  const without = (what: string) => ({ skipped: { id: wire.id, reason: `no ${what}` } })
  if (!wire.updatedAt) return without('time of modification')
  if (!wire.totalPriceSet) return without('total')
  const { amountMinor: totalMinor, currency } = wire.totalPriceSet
  const { customer, shippingAddress, billingAddress } = wire
  const place = choosePlace(shippingAddress, billingAddress)
  const numbers = [shippingAddress.phone, billingAddress.phone].map((number) => normalizePhone(number, place.country))
  return {
    row: {
      checkoutId: wire.id,
      checkoutToken: parseUrlToken(wire.abandonedCheckoutUrl),
      // No checkout field has it: only its webhooks and its order do.
      cartToken: null,
      createdAt: wire.createdAt ?? wire.updatedAt,
      modifiedAt: wire.updatedAt,
      completedAt: wire.completedAt,
      currency,
      totalMinor,
      subtotalMinor: toMinor(wire.subtotalPriceSet, currency) ?? totalMinor,
      discountMinor: Math.abs(toMinor(wire.totalDiscountSet, currency) ?? 0),
      customerId: customer.id,
      email: customer.defaultEmailAddress.emailAddress,
      phone: readPhone(customer, place.country) ?? numbers.find((number) => number !== null) ?? null,
      firstName: customer.firstName ?? shippingAddress.firstName ?? billingAddress.firstName,
      lastName: customer.lastName ?? shippingAddress.lastName ?? billingAddress.lastName,
      ...place,
      locale: customer.locale,
      items: readItems(wire.lineItems.nodes, currency),
      coupons: parseCodes(wire.discountCodes),
      restoreUrl: wire.abandonedCheckoutUrl,
      consents: readConsents(customer),
    },
  }
}

/** `…/checkouts/ac/<token>/recover?…`, without the `ac` in older URLs. */
function parseUrlToken(url: string | null): string | null {
  if (!url) return null
  const parts = new URL(url).pathname.split('/')
  const place = parts.indexOf('checkouts')
  return place < 0 ? null : (parseToken(parts[place + 1]) ?? parseToken(parts[place + 2]))
}

/** The shop's own checkout link leads to its front page before this age. */
const MIN_AGE_MS = 10 * 60_000
const MAX_QUANTITY = 9_999
const MAX_LINES = 100

/**
 * The link that restores a cart; null when no item is usable. The shop's own checkout link, with everything the shopper
 * entered, else a cart permalink, which needs no checkout. Both accept a code.
 */
export function restoreLink(
  { homeUrl, checkout, now }: RestoreSource,
  items: readonly RestoreItem[],
  along: RestoreOptions = {},
): RestoreLink | null {
  const usable = items.filter((item) => getItemId(item) && boundedQuantity(item.quantity) > 0).slice(0, MAX_LINES)
  const isRipe = checkout && (!now || now.getTime() - Date.parse(checkout.createdAt) >= MIN_AGE_MS)
  if (isRipe && URL.canParse(checkout.url)) return { url: withParameters(checkout.url, along), items: [...items] }
  const lines = [...sumQuantities(usable)].map(([id, quantity]) => `${id}:${quantity}`)
  if (lines.length === 0) return null
  const home = homeUrl.replace(/(?<!\/)\/+$/, '')
  return { url: withParameters(`${home}/cart/${lines.join(',')}`, along), items: usable }
}

function withParameters(address: string, { coupon, extra = {} }: RestoreOptions): string {
  const url = new URL(address)
  if (coupon) url.searchParams.set('discount', coupon.toWellFormed())
  for (const [name, value] of Object.entries(extra)) url.searchParams.set(name, value.toWellFormed())
  return url.href
}

function sumQuantities(items: readonly RestoreItem[]): Map<string, number> {
  const quantities = new Map<string, number>()
  for (const item of items) {
    const id = getItemId(item)!
    const quantity = boundedQuantity(item.quantity)
    quantities.set(id, Math.min((quantities.get(id) ?? 0) + quantity, MAX_QUANTITY))
  }
  return quantities
}

/** A permalink accepts variants only. */
const getItemId = ({ variationId }: RestoreItem): string | null => parseId(variationId)

const boundedQuantity = (quantity: number): number =>
  Number.isFinite(quantity) ? Math.min(Math.max(Math.trunc(quantity), 0), MAX_QUANTITY) : 0

// Shopify as a platform: wires its client, webhooks and links to the common contract.

export const shopify: Platform = {
  createClient: createShopifyClient,
  readDelivery,
  webhookTopics: TOPICS,
  webhookSecret,
  canDeliverTo,
  restoreLink,
  couponUrl: ({ storeUrl }, couponId) => buildCouponUrl(storeUrl, couponId),
  plugin: null,
}

// The connection check: whether the store responds, its profile, and its app's permissions. Missing permissions that we
// can do without are listed in the rights; reading orders is required.

export const REQUIRED_SCOPES = ['read_orders', 'read_customers', 'read_products', 'write_discounts'] as const

const Shop = z.object({
  name: wireText(200),
  currencyCode: field(parseCurrency),
  ianaTimezone: field((input) => (isTimeZone(input) ? input : 'UTC')),
  taxesIncluded: wireFlag,
  primaryDomain: wirePart.pipe(z.object({ url: field(parseWebAddress) })),
  shopAddress: wirePart.pipe(z.object({ countryCodeV2: field(parseCountryCode) })),
  shipsToCountries: field((input) =>
    (Array.isArray(input) ? input.slice(0, 400) : []).map(parseCountryCode).filter((code) => code !== null),
  ),
  plan: wirePart.pipe(z.object({ publicDisplayName: wireText(80) })),
})

async function readProfile(
  access: StoreAccess,
  net: StoreNet,
  { graph, signal }: { graph: Graph; signal?: AbortSignal | undefined },
): Promise<StoreProfile> {
  graph.hopeAgain()
  const answer = await graph.read(SHOP, {}, signal)
  const shop = Shop.safeParse(answer.data.shop)
  if (!shop.success) throw new StoreProblem('shopify_bad_answer', 'the answer is not about a shop')
  const { currencyCode: currency, taxesIncluded, shipsToCountries } = shop.data
  if (!currency) throw new StoreProblem('shopify_bad_answer', 'the store names no currency')
  const homeUrl = (shop.data.primaryDomain.url ?? access.storeUrl).replace(/(?<!\/)\/+$/, '')
  const scopes = readScopes(answer.data.currentAppInstallation)
  const rights: StoreRights = {
    scopes,
    missingScopes: REQUIRED_SCOPES.filter((scope) => !isGranted(scopes, scope)),
    protectedData: await probeProtectedData(graph, signal),
    hasAllOrders: isGranted(scopes, 'read_all_orders'),
    planName: shop.data.plan.publicDisplayName ?? 'unknown',
    isPasswordProtected: await isPasswordProtected(homeUrl, net, signal),
  }
  return {
    storeUrl: access.storeUrl,
    homeUrl,
    name: shop.data.name ?? new URL(homeUrl).host,
    currency,
    timeZone: shop.data.ianaTimezone,
    locale: null,
    version: API_VERSION,
    baseCountry: shop.data.shopAddress.countryCodeV2,
    sellingCountries: shipsToCountries.length > 0 ? shipsToCountries : null,
    clockSkewMs: answer.clockSkewMs ?? 0,
    hasCheckoutLink: true,
    hasEarlyDrafts: false,
    pricing: {
      pricesIncludeTax: taxesIncluded,
      showsTax: taxesIncluded,
      decimals: getCurrencyExponent(currency),
      isSequential: null,
    },
    canWrite: isGranted(scopes, 'write_discounts'),
    rights,
  }
}

function readScopes(installation: unknown): string[] {
  const list = getPath(installation, 'accessScopes')
  const names = (Array.isArray(list) ? list.slice(0, 300) : []).map((one) => toPlainText(getPath(one, 'handle'), 80))
  return names.filter((name) => name !== null)
}

/** Write access includes read access. */
const isGranted = (scopes: readonly string[], scope: string): boolean =>
  scopes.includes(scope) || (scope.startsWith('read_') && scopes.includes(scope.replace('read_', 'write_')))

/** none: shoppers cannot be contacted. Without names they can. Throws when orders cannot be read. */
async function probeProtectedData(
  graph: Graph,
  signal: AbortSignal | undefined,
): Promise<StoreRights['protectedData']> {
  await graph.read(PERSONAL_PROBE, {}, signal)
  return graph.flags.emails || graph.flags.phones ? 'full' : 'none'
}

const PASSWORD_LIMIT_MS = 10_000

/** Requests a public page without a key. A storefront that does not respond counts as open. */
async function isPasswordProtected(homeUrl: string, net: StoreNet, signal: AbortSignal | undefined): Promise<boolean> {
  const request = { timeoutMs: PASSWORD_LIMIT_MS, isRedirectReturned: true, ...(signal ? { signal } : {}) }
  const answer = await net.fetch(`${homeUrl}/`, request).catch(() => null)
  const location = answer?.headers.location
  if (!location || !URL.canParse(location, homeUrl)) return false
  return new URL(location, homeUrl).pathname.endsWith('/password')
}

function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string' || !/^[A-Za-z][A-Za-z0-9_+/-]{1,60}$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

async function listWebhooks(graph: Graph): Promise<WebhookSubscription[]> {
  const all: WebhookSubscription[] = []
  const list = { document: SUBSCRIPTIONS, root: 'webhookSubscriptions', sizes: { first: 100, max: 250 } }
  for await (const { nodes } of readChunks(graph, list)) {
    all.push(...nodes.map(readSubscription).filter((one) => one !== null))
  }
  return all
}

async function createWebhook(graph: Graph, topic: string, deliveryUrl: string): Promise<WebhookSubscription> {
  const variables = { topic, subscription: { uri: deliveryUrl, format: 'JSON' } }
  const { data } = await graph.write(SUBSCRIBE, variables)
  const [refusal] = userErrors(data.webhookSubscriptionCreate)
  if (refusal) throw new StoreProblem('shopify_bad_answer', `webhook ${topic}: ${refusal.message}`)
  const created = readSubscription(getPath(data.webhookSubscriptionCreate, 'webhookSubscription'))
  if (!created) throw new StoreProblem('shopify_bad_answer', `webhook ${topic}: no id`)
  return created
}

/** An already deleted one is fine. */
async function deleteWebhook(graph: Graph, id: string): Promise<void> {
  if (!parseId(id)) return
  await graph.write(UNSUBSCRIBE, { id: formatGid('WebhookSubscription', id) })
}

/** Shopify deletes a failing subscription instead of disabling it. */
function readSubscription(raw: unknown): WebhookSubscription | null {
  const id = parseGid(getPath(raw, 'id'))
  const topic = toPlainText(getPath(raw, 'topic'), 200)
  return id && topic ? { id, topic, status: 'active', deliveryUrl: parseWebAddress(getPath(raw, 'uri')) ?? '' } : null
}
