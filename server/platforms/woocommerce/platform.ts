import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { parseLocale } from '../../../shared/core/locale.ts'
import { parseCurrency, parseMinor } from '../../../shared/core/money.ts'
import { canReach, FetchProblem, type GuardedAnswer } from '../../core/net/public.ts'
import {
  createRequestQueues,
  type ItemRef,
  type ItemTerms,
  isRecord,
  type Platform,
  parseCountryCode,
  parseId,
  parseWebAddress,
  type RefillRequest,
  type RefillResult,
  type RestoreItem,
  removeSecrets,
  type StoreAccess,
  type StoreClient,
  type StoreLogo,
  type StoreNet,
  type StorePricing,
  StoreProblem,
  type StoreProblemCode,
  type StoreProfile,
  toFetchProblem,
  toPlainText,
} from '../platform/public.ts'
import { isForSale, pullCustomers, pullProducts, readSingleCustomer, readTerms } from './catalogue.ts'
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
import { createDisplayedPrices } from './displayed-prices.ts'
import type { SignInMethod, SigningKeys, WooRequest } from './http.ts'
import {
  encodePercent,
  getErrorCode,
  getErrorMessage,
  isSuccess,
  oauthHeader,
  readAnswer,
  signInCode,
  signRequest,
  toStoreProblem,
  type WooAnswer,
  type WooHttp,
  type WooQuery,
} from './http.ts'
import { pullOrders, readList, readSingleOrder } from './orders.ts'
import {
  buildPluginLink,
  callPlugin,
  deriveKeys,
  PLUGIN_FILE,
  readReportedOrders,
  readReportedProfile,
} from './plugin.ts'
import { checkoutLink, restoreLink } from './restore.ts'
import { createWebhook, deleteWebhook, listWebhooks, readDelivery, TOPICS } from './webhooks.ts'

// Reads stock and price of items: one request for products, one for variations of any parents (WooCommerce 10.3;
// before, one per parent).

interface TermsQuery {
  items: readonly ItemRef[]
  currency: string
  signal?: AbortSignal
}

/** Maximum rows per page. */
const BATCH_SIZE = 100
const FIELDS = 'id,price,on_sale,stock_status,stock_quantity,status,purchasable'

type Read = NonNullable<ReturnType<typeof readTerms>>

async function pullTerms(http: WooHttp, { items, currency, signal }: TermsQuery): Promise<ItemTerms[]> {
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
  if (answer.status === 404 && getErrorCode(answer) === 'rest_no_route') return readByParent(http, items, signal)
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
      if (answer.status === 404 && getErrorCode(answer) !== 'rest_no_route') continue
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

// WooCommerce as a platform: wires its client, webhooks, links and plugin to the common contract.

export const woocommerce: Platform = {
  createClient: (access, net) => createWooCommerceClient(access, net),
  readDelivery,
  webhookTopics: TOPICS,
  webhookSecret: () => null,
  canDeliverTo: canReach,
  restoreLink,
  couponUrl: ({ homeUrl }, couponId) => buildCouponUrl(homeUrl, couponId),
  plugin: {
    file: PLUGIN_FILE,
    link: buildPluginLink,
    derivedKeys: deriveKeys,
    profile: readReportedProfile,
    orders: readReportedOrders,
    terms: readReportedTerms,
  },
}

/** A client for one WooCommerce store. It sends one request at a time; keep one client per store. */
export function createWooCommerceClient(reached: StoreAccess, net: StoreNet): StoreClient {
  const access = wooAccess(reached)
  const http = createWooHttp(access, net)
  return {
    readProfile: (signal) => readProfile(access, net, signal),
    orders: (query) => pullOrders(http, query),
    order: async (orderId, signal) => (parseId(orderId) ? readSingleOrder(http, orderId, signal) : null),
    checkouts: () => noCheckouts(),
    checkout: async () => null,
    customer: async (customerId, signal) => (parseId(customerId) ? readSingleCustomer(http, customerId, signal) : null),
    customers: (query) => pullCustomers(http, query),
    products: ({ readDisplayedTax, ...query }) =>
      pullProducts(http, query, readDisplayedTax ? createDisplayedPrices(reached, net, readDisplayedTax) : null),
    terms: (query) => pullTerms(http, query),
    coupons: (query) => pullCoupons(http, query),
    couponsById: (query) => readCouponsById(http, query),
    couponByCode: (code, currency) => findCoupon(http, code, currency),
    createCoupons: (drafts) => createCoupons(http, drafts),
    updateCoupon: (id, draft) => updateCoupon(http, id, draft),
    updateCoupons: (changes) => updateCoupons(http, changes),
    deleteCoupons: (ids) => deleteCoupons(http, ids),
    refillCart: (request) => refillCart(access, net, request),
    logos: (signal) => readLogos(access, net, signal),
    callPlugin: (call) => callPlugin(access, net, call),
    webhooks: () => listWebhooks(http),
    createWebhook: (topic, deliveryUrl, secret) => createWebhook(http, topic, deliveryUrl, secret),
    deleteWebhook: (id) => deleteWebhook(http, id),
  }
}

/** WooCommerce shows a checkout as a draft order or not at all. */
async function* noCheckouts() {}

// The connection check, from the outside in, so that it reports the first real failure: public index (no keys) →
// WordPress, WooCommerce, pretty permalinks → sign-in → settings → write permission.

/** WooCommerce refuses a signature whose timestamp differs more than this. */
const MAX_SKEW_MS = 15 * 60_000

interface SiteIndex {
  storeUrl: string
  homeUrl: string
  name: string
  timeZone: string
}

async function readProfile(access: WooAccess, net: StoreNet, signal?: AbortSignal): Promise<StoreProfile> {
  const index = await readIndex(access.storeUrl, net, signal)
  const found: WooAccess = { ...access, storeUrl: index.storeUrl, homeUrl: index.homeUrl }
  const http = createWooHttp(found, net)
  const clockSkewMs = await signIn(http, found, signal)
  const settings = await readSettings(http, signal)
  const system = await readSystem(http, signal)
  return {
    ...index,
    ...settings,
    locale: system.locale,
    version: system.version,
    clockSkewMs,
    hasCheckoutLink: isAtLeast(system.version, 10, 0),
    hasEarlyDrafts: hasEarlyDrafts(system.version, system.checkout),
    canWrite: await canWrite(http, signal),
    rights: null,
  }
}

async function readIndex(storeUrl: string, net: StoreNet, signal?: AbortSignal): Promise<SiteIndex> {
  const { answer, url } = await getPublic(`${storeUrl}/wp-json/`, net, signal)
  if (answer.status === 429 || answer.status >= 500) throw toStoreProblem(answer, false, [])
  if (!isIndex(answer.body)) {
    if (answer.status === 401 || answer.status === 403)
      throw new StoreProblem('api_blocked', removeSecrets(getErrorMessage(answer), []))
    throw await explainMissingIndex(storeUrl, net, signal)
  }
  if (!answer.body.namespaces.includes('wc/v3')) throw new StoreProblem('shop_inactive')
  const reached = adoptAddress(storeUrl, url)
  return {
    storeUrl: reached,
    homeUrl: (parseWebAddress(answer.body.home) ?? reached).replace(/(?<!\/)\/+$/, ''),
    name: toPlainText(answer.body.name, 200) ?? new URL(reached).host,
    timeZone: timeZone(answer.body),
  }
}

async function getPublic(
  url: string,
  net: StoreNet,
  signal?: AbortSignal,
): Promise<{ answer: WooAnswer; url: string }> {
  try {
    const answer = await net.fetch(url, { headers: { accept: 'application/json' }, ...(signal ? { signal } : {}) })
    return { answer: readAnswer(answer, net.now()), url: answer.url }
  } catch (error) {
    throw toFetchProblem(error)
  }
}

/** With plain permalinks the API responds only to a query parameter, and ignores keys there. */
async function explainMissingIndex(storeUrl: string, net: StoreNet, signal?: AbortSignal): Promise<StoreProblem> {
  const { answer } = await getPublic(`${storeUrl}/?rest_route=/`, net, signal)
  if (answer.isChallenge) return new StoreProblem('api_blocked')
  if (!isIndex(answer.body)) return new StoreProblem('no_wordpress')
  return new StoreProblem(answer.body.namespaces.includes('wc/v3') ? 'plain_permalinks' : 'shop_inactive')
}

function isIndex(body: unknown): body is Record<string, unknown> & { namespaces: unknown[] } {
  return isRecord(body) && Array.isArray(body.namespaces)
}

/**
 * The index's address after redirects. Adopted for the same shop by name: an upgrade to https, or with and without www.
 * Any other host, or a downgrade to http, must be entered by the owner: keys follow no redirect.
 */
function adoptAddress(storeUrl: string, indexUrl: string): string {
  const from = new URL(storeUrl)
  const to = new URL(indexUrl)
  const isSameName = bareHost(from) === bareHost(to)
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:'
  const path = /^(.*)\/wp-json\/?$/.exec(to.pathname)?.[1]
  if (!isSameName || isDowngrade || path === undefined) throw new StoreProblem('moved', to.origin)
  return `${to.origin}${path}`
}

/** A non-default port is part of the name. */
function bareHost(url: URL): string {
  return url.host.replace(/^www\./, '')
}

function timeZone(index: Record<string, unknown>): string {
  const name = index.timezone_string
  if (typeof name === 'string' && isTimeZone(name)) return name
  const hours = Number(index.gmt_offset)
  if (!Number.isFinite(hours) || hours === 0 || Math.abs(hours) > 14) return 'UTC'
  const minutes = Math.round(Math.abs(hours) * 60)
  const clock = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return `${hours < 0 ? '-' : '+'}${clock}`
}

function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,60}$/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Reads one order's id, which requires a valid key with read access to orders. Returns the clock difference. */
async function signIn(http: WooHttp, access: WooAccess, signal?: AbortSignal): Promise<number> {
  const answer = await http.ask({ ...PROBE, signal })
  if (isSuccess(answer)) {
    readList(answer)
    return answer.clockSkewMs ?? 0
  }
  const problem = http.problem(answer)
  const code = answer.status === 401 ? await explainRefusal(http, access, answer, signal) : null
  throw code ? new StoreProblem(code, problem.detail) : problem
}

const PROBE = {
  path: '/orders',
  query: [
    ['per_page', '1'],
    ['_fields', 'id'],
  ],
} as const

async function explainRefusal(http: WooHttp, access: WooAccess, answer: WooAnswer, signal?: AbortSignal) {
  const code = getErrorCode(answer)
  if (code === 'woocommerce_rest_authentication_error') {
    return signInCode(answer) ?? (await explainByComparison(http, access, answer, signal))
  }
  return http.isHttps && code !== '' ? explainUnseenKey(http, access, signal) : null
}

/**
 * Explains a refusal in a foreign language. WooCommerce checks key, then secret, then clock, then permissions: the same
 * text as for an invented key means that the key is wrong, and so on.
 */
async function explainByComparison(
  http: WooHttp,
  access: WooAccess,
  answer: WooAnswer,
  signal?: AbortSignal,
): Promise<StoreProblemCode> {
  const isSame = (other: WooAnswer) => getErrorMessage(other) === getErrorMessage(answer)
  if (isSame(await http.ask({ ...PROBE, signal }, { ...access, consumerKey: 'ck_unknown' }))) return 'wrong_key'
  if (isSame(await http.ask({ ...PROBE, signal }, { ...access, consumerSecret: 'cs_wrong' }))) return 'wrong_secret'
  return !http.isHttps && Math.abs(answer.clockSkewMs ?? 0) > MAX_SKEW_MS ? 'clock_skew' : 'no_rights'
}

/**
 * https, with the response for no sign-in at all. WordPress checks a signature in the header even when it does not know
 * that the request used https: if accepted, that is the cause; if refused by name, the key is unknown.
 */
async function explainUnseenKey(http: WooHttp, access: WooAccess, signal?: AbortSignal): Promise<StoreProblemCode> {
  const answer = await http.ask({ ...PROBE, signal }, access, 'header')
  if (isSuccess(answer)) return 'needs_signing'
  if (getErrorCode(answer) !== 'woocommerce_rest_authentication_error') return 'sign_in_lost'
  const unknown = await http.ask({ ...PROBE, signal }, { ...access, consumerKey: 'ck_unknown' }, 'header')
  if (getErrorMessage(unknown) === getErrorMessage(answer)) return 'wrong_key'
  return signInCode(answer) ?? 'needs_signing'
}

async function readSettings(http: WooHttp, signal?: AbortSignal) {
  const answer = await http.send({ path: '/settings/general', query: [['_fields', 'id,value']], signal })
  const values = readSettingsMap(answer)
  const currency = parseCurrency(values.get('woocommerce_currency'))
  if (!currency) throw new StoreProblem('bad_answer', 'the store names no currency')
  // "US:CA" is country and state.
  const base = values.get('woocommerce_default_country')
  return {
    currency,
    baseCountry: typeof base === 'string' ? parseCountryCode(base.split(':')[0]) : null,
    sellingCountries: await sellingCountries(http, values, signal),
    pricing: await readPricing(http, values, signal),
  }
}

/** A key may have access to orders but not to tax settings; missing values stay unknown. */
async function readPricing(http: WooHttp, general: Map<string, unknown>, signal?: AbortSignal): Promise<StorePricing> {
  const answer = await http.ask({ path: '/settings/tax', query: [['_fields', 'id,value']], signal })
  const taxes = isSuccess(answer) && Array.isArray(answer.body) ? readSettingsMap(answer) : new Map<string, unknown>()
  const hasTaxes = YES_NO.get(general.get('woocommerce_calc_taxes')) ?? true
  const decimals = Number(general.get('woocommerce_price_num_decimals') ?? Number.NaN)
  return {
    pricesIncludeTax: hasTaxes ? (YES_NO.get(taxes.get('woocommerce_prices_include_tax')) ?? null) : false,
    showsTax: hasTaxes ? (TAX_DISPLAY.get(taxes.get('woocommerce_tax_display_cart')) ?? null) : false,
    decimals: Number.isInteger(decimals) && decimals >= 0 && decimals <= 8 ? decimals : null,
    isSequential: YES_NO.get(general.get('woocommerce_calc_discounts_sequentially')) ?? null,
  }
}

const YES_NO = new Map<unknown, boolean>([
  ['yes', true],
  ['no', false],
])
const TAX_DISPLAY = new Map<unknown, boolean>([
  ['incl', true],
  ['excl', false],
])

function readSettingsMap(answer: WooAnswer): Map<string, unknown> {
  const values = new Map<string, unknown>()
  for (const one of readList(answer)) if (isRecord(one) && typeof one.id === 'string') values.set(one.id, one.value)
  return values
}

async function sellingCountries(
  http: WooHttp,
  values: Map<string, unknown>,
  signal?: AbortSignal,
): Promise<string[] | null> {
  const rule = values.get('woocommerce_allowed_countries')
  if (rule === 'specific') return countryList(values.get('woocommerce_specific_allowed_countries'))
  if (rule !== 'all_except') return null
  // The list of all countries is that setting's options; too large to read every time.
  const path = '/settings/general/woocommerce_all_except_countries'
  const { body } = await http.send({ path, query: [['_fields', 'value,options']], signal })
  const options = isRecord(body) && isRecord(body.options) ? countryList(Object.keys(body.options)) : []
  const except = new Set(countryList(isRecord(body) ? body.value : []))
  return options.length === 0 ? null : options.filter((country) => !except.has(country))
}

function countryList(input: unknown): string[] {
  return Array.isArray(input) ? input.map(parseCountryCode).filter((code) => code !== null) : []
}

/** A webhook without a delivery_url is never created: a key with write access gets 400, a read-only key 401. */
async function canWrite(http: WooHttp, signal?: AbortSignal): Promise<boolean> {
  const body = { name: 'Recoup connection check', topic: 'order.updated' }
  const answer = await http.ask({ method: 'POST', path: '/webhooks', body, signal })
  if (answer.status === 429 || answer.status >= 500) throw http.problem(answer)
  return answer.status === 400 || isSuccess(answer)
}

/**
 * The block checkout (default since 8.3) creates its draft when the page opens; 10.9 and later wait for "Place order".
 */
function hasEarlyDrafts(version: string, checkout: CheckoutPage): boolean {
  if (version === '' || isAtLeast(version, 10, 9)) return false
  return checkout === 'unknown' ? isAtLeast(version, 8, 3) : checkout === 'block'
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const match = /^(\d{1,4})\.(\d{1,4})/.exec(version)
  if (!match) return false
  const [have, part] = [Number(match[1]), Number(match[2])]
  return have > major || (have === major && part >= minor)
}

// Reads a store's version and type of checkout page.

type CheckoutPage = 'block' | 'classic' | 'unknown'

interface SystemStatus {
  /** '' when unknown. */
  version: string
  locale: string | null
  checkout: CheckoutPage
}

/**
 * Version and type of checkout from the status report. The report examines the whole server and fails on some otherwise
 * working hosts, so a store without it is accepted with the oldest features.
 */
async function readSystem(http: WooHttp, signal?: AbortSignal): Promise<SystemStatus> {
  try {
    const query = [['_fields', 'environment.version,environment.language,pages']] as const
    const { body } = await http.send({ path: '/system_status', query, signal })
    if (!isRecord(body)) return UNKNOWN
    const environment = isRecord(body.environment) ? body.environment : {}
    const version = toPlainText(environment.version, 40) ?? ''
    return { version, locale: parseLocale(environment.language), checkout: checkoutPage(body.pages) }
  } catch (error) {
    if (error instanceof StoreProblem && (error.code === 'store_error' || error.code === 'bad_answer')) return UNKNOWN
    throw error
  }
}

const UNKNOWN: SystemStatus = { version: '', locale: null, checkout: 'unknown' }

/** Page names are translated; the block or shortcode of a page is not. */
function checkoutPage(pages: unknown): CheckoutPage {
  const page = Array.isArray(pages)
    ? pages.filter(isRecord).find((one) => one.block === 'woocommerce/checkout')
    : undefined
  if (!page) return 'unknown'
  if (page.block_present === true) return 'block'
  return page.shortcode_present === true ? 'classic' : 'unknown'
}

// Reads the logo and icon from a shop's site. Both are public: no key is sent, to any host.

/** Size limit of a response: a picture for a mail is far smaller. */
const MAX_BYTES = 2 * 1024 * 1024
const LIMIT_MS = 10_000
/** WordPress's uncropped sizes, preferred first. */
const SIZES = ['full', 'large', 'medium_large', 'medium'] as const

/** The logo in its sizes, then the icon; nothing when the shop has none. */
export async function* readLogos(
  access: Pick<WooAccess, 'storeUrl'>,
  net: StoreNet,
  signal?: AbortSignal,
): AsyncGenerator<StoreLogo> {
  const index = await getJson(`${access.storeUrl}/wp-json/`)
  if (!isRecord(index)) return
  const logoId = parseId(index.site_logo)
  const media = logoId && (await getJson(`${access.storeUrl}/wp-json/wp/v2/media/${logoId}`))
  for (const url of media ? listUrls(media) : []) yield* picture('site_logo', url)
  const icon = parseWebAddress(index.site_icon_url)
  if (icon) yield* picture('site_icon', icon)

  async function* picture(source: StoreLogo['source'], url: string) {
    const content = await get(url, 'image/png,image/jpeg,image/gif,image/webp')
    if (content) yield { source, content }
  }

  async function getJson(url: string): Promise<unknown> {
    const answer = await ask(url, 'application/json')
    return answer && readAnswer(answer, net.now()).body
  }

  async function get(url: string, accept: string): Promise<Buffer | null> {
    return (await ask(url, accept))?.body ?? null
  }

  /** null: no usable response, for any reason. */
  async function ask(url: string, accept: string) {
    const request = { headers: { accept }, maxBytes: MAX_BYTES, timeoutMs: LIMIT_MS, ...(signal && { signal }) }
    const answer = await net.fetch(url, request).catch(() => null)
    return answer?.status === 200 ? answer : null
  }
}

function listUrls(media: unknown): string[] {
  if (!isRecord(media)) return []
  const sizes = isRecord(media.media_details) && isRecord(media.media_details.sizes) ? media.media_details.sizes : {}
  const listed = SIZES.map((name) => (isRecord(sizes[name]) ? parseWebAddress(sizes[name].source_url) : null))
  const all = [listed[0] ?? parseWebAddress(media.source_url), ...listed.slice(1)]
  return [...new Set(all.filter((url) => url !== null))]
}

// Fills a guest's cart in the store before the shopper is sent there (WooCommerce 10 or newer). Opens `/checkout-link/`
// as the shopper's browser will; the Store API then lists the actual cart. That link cannot add a variation with an
// open choice, but the Store API can: the link to that cart has its token (`?session=`), which copies it into the
// shopper's browser and lives for 48 hours. Nothing here is signed: a guest's cart needs no keys.

/** A shopper is waiting. */
const PATIENCE_MS = 6_000
/** Each line with open choices needs its own request. */
const MAX_LINES = 20

interface Store {
  access: Pick<StoreAccess, 'storeUrl' | 'homeUrl'>
  net: StoreNet
  signal: AbortSignal
}

/** null when the store does not report the result in time. */
export async function refillCart(
  access: Store['access'],
  net: StoreNet,
  wish: RefillRequest,
): Promise<RefillResult | null> {
  const store = { access, net, signal: AbortSignal.timeout(PATIENCE_MS) }
  try {
    return await tryLink(store, wish)
  } catch (error) {
    if (error instanceof FetchProblem || error instanceof z.ZodError || error instanceof SyntaxError) return null
    throw error
  }
}

async function tryLink(store: Store, wish: RefillRequest): Promise<RefillResult | null> {
  const { access } = store
  const link = checkoutLink(access.storeUrl, wish.items, wish)
  if (!link) return null
  const answer = await ask(store, link)
  const target = URL.parse(answer.headers.location ?? '', link)
  const isOfStore = [access.storeUrl, access.homeUrl].some((url) => URL.parse(url)?.origin === target?.origin)
  if (answer.status !== 302 || !target || !isOfStore) return null
  const session = target.searchParams.get('session')
  if (!session && !target.searchParams.has('wc_error')) return null
  const { lines: cart, coupons } = session ? await readCart(store, session) : { lines: [], coupons: [] }
  const isLacking = wish.items.some((item) => item.choices && findQuantity(cart, item) < requestedQuantity(wish, item))
  if (isLacking && wish.items.length <= MAX_LINES) {
    const filled = await fillByLine(store, wish, session ? target : null)
    if (sumQuantities(filled.lines) > sumQuantities(cart)) return filled
  }
  const reported = cart.length > 0 ? findCouponResult(wish, coupons) : {}
  const along = reported.isCouponRefused ? { ...wish, coupon: null } : wish
  const checkoutUrl = cart.length > 0 ? checkoutLink(access.homeUrl, wish.items, along) : null
  return { checkoutUrl, lines: cart, ...reported }
}

/** `checkout`: the target of the store's own link; null when it accepted no item. */
async function fillByLine(store: Store, wish: RefillRequest, checkout: URL | null): Promise<RefillResult> {
  const { items, coupon, extra } = wish
  const token = z.string().parse((await ask(store, buildCartUrl(store))).headers['cart-token'])
  for (const { productId, variationId, quantity, choices = [] } of items) {
    const variation = choices.map(({ name, value }) => ({ attribute: name, value }))
    const line = { id: Number(variationId ?? productId), quantity, ...(variationId ? { variation } : {}) }
    await ask(store, `${buildCartUrl(store)}/add-item`, token, line)
  }
  if (coupon) await ask(store, `${buildCartUrl(store)}/apply-coupon`, token, { code: coupon })
  const { lines, coupons } = await readCart(store, token)
  // Any page opens the session. Only the link knows the address of the checkout.
  const target = new URL(checkout ?? `${store.access.homeUrl.replace(/(?<!\/)\/+$/, '')}/`)
  for (const [name, value] of Object.entries({ ...extra, session: token })) target.searchParams.set(name, value)
  return {
    checkoutUrl: lines.length > 0 ? target.href : null,
    lines,
    ...(lines.length > 0 ? findCouponResult(wish, coupons) : {}),
  }
}

/** Omitted without a requested coupon. Codes are compared case-insensitively. */
function findCouponResult({ coupon }: RefillRequest, inCart: readonly string[]): { isCouponRefused?: boolean } {
  if (coupon === null) return {}
  return { isCouponRefused: !inCart.some((code) => code.toLowerCase() === coupon.toLowerCase()) }
}

const Cart = z.object({
  items: z.array(z.object({ id: z.union([z.number(), z.string()]), quantity: z.number().positive() })).max(1_000),
  coupons: z
    .array(z.object({ code: z.string().max(200) }))
    .max(100)
    .catch([]),
})

async function readCart(store: Store, token: string): Promise<{ lines: RefillResult['lines']; coupons: string[] }> {
  const answer = await ask(store, buildCartUrl(store), token)
  const { items, coupons } = Cart.parse(JSON.parse(answer.body.toString('utf8')))
  const lines = items.flatMap(({ id, quantity }) => {
    const known = parseId(id)
    return known ? [{ id: known, quantity: Math.trunc(quantity) }] : []
  })
  return { lines, coupons: coupons.map(({ code }) => code) }
}

const buildCartUrl = ({ access }: Store): string => `${access.storeUrl}/wp-json/wc/store/v1/cart`

async function ask({ net, signal }: Store, url: string, token?: string, body?: object): Promise<GuardedAnswer> {
  const request = {
    method: body ? 'POST' : 'GET',
    headers: { ...(token ? { 'cart-token': token } : {}), ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    isRedirectReturned: true,
    signal,
  } as const
  return net.fetch(url, request)
}

const getItemId = ({ productId, variationId }: RestoreItem): string => variationId ?? productId

const sumQuantities = (lines: readonly { quantity: number }[]): number =>
  lines.reduce((total, { quantity }) => total + quantity, 0)

const findQuantity = (lines: RefillResult['lines'], item: RestoreItem): number =>
  sumQuantities(lines.filter((line) => line.id === getItemId(item)))

const requestedQuantity = ({ items }: RefillRequest, item: RestoreItem): number =>
  sumQuantities(items.filter((each) => getItemId(each) === getItemId(item)))

/** A store and its keys for signing requests. */
interface WooAccess extends SigningKeys {
  storeUrl: string
  homeUrl: string
}

function wooAccess({ storeUrl, homeUrl, keys }: StoreAccess): WooAccess {
  if (keys.kind !== 'woocommerce') throw new Error(`A WooCommerce store has no keys of the kind ${keys.kind}.`)
  return { storeUrl, homeUrl, consumerKey: keys.consumerKey, consumerSecret: keys.consumerSecret }
}

function createWooHttp(access: WooAccess, net: StoreNet): WooHttp {
  const isHttps = access.storeUrl.startsWith('https:')
  const secrets = [access.consumerSecret, access.consumerKey]
  // Shops run on small machines.
  const enqueue = net.enqueue ?? createRequestQueues()(access.storeUrl)
  const ask: WooHttp['ask'] = (request, keys = access, method = 'usual') =>
    enqueue(() => failIfLate(() => sendWithRetry(access, net, request, keys, method), net), request.signal)
  return {
    isHttps,
    ask,
    async send(request) {
      const answer = await ask(request)
      if (isSuccess(answer)) return answer
      throw toStoreProblem(answer, isHttps, secrets)
    },
    problem: (answer) => toStoreProblem(answer, isHttps, secrets),
    async pause(signal) {
      await sleep(net.pauseMs ?? 100, undefined, signal ? { signal } : {}).catch(() => {
        throw new StoreProblem('timeout', 'stopped')
      })
    },
  }
}

const LATE_AFTER_MS = 10_000

/** A slow failure costs as much as a timeout. */
async function failIfLate(ask: () => Promise<WooAnswer>, { lateAfterMs = LATE_AFTER_MS }: StoreNet) {
  const began = performance.now()
  const isLate = () => performance.now() - began >= lateAfterMs
  try {
    const answer = await ask()
    // 503 is maintenance or a rate limit.
    if (answer.status < 500 || answer.status === 503 || !isLate()) return answer
    throw new StoreProblem('timeout', `status ${answer.status}`)
  } catch (error) {
    if (!(error instanceof StoreProblem) || error.code !== 'unreachable' || !isLate()) throw error
    throw new StoreProblem('timeout', error.detail)
  }
}

async function sendWithRetry(
  access: WooAccess,
  net: StoreNet,
  request: WooRequest,
  keys: SigningKeys,
  method: SignInMethod,
) {
  try {
    return await dial(access, net, request, keys, method)
  } catch (error) {
    // The store had just closed a keep-alive connection. A repeated read is harmless; it gets a new signature, because
    // a nonce is valid once.
    const isStale = error instanceof FetchProblem && error.kind === 'connection_lost'
    if (!isStale || (request.method ?? 'GET') !== 'GET') throw toFetchProblem(error)
  }
  try {
    return await dial(access, net, request, keys, method)
  } catch (error) {
    throw toFetchProblem(error)
  }
}

async function dial(access: WooAccess, net: StoreNet, request: WooRequest, keys: SigningKeys, method: SignInMethod) {
  const { url, headers } = signed(access, net.now(), request, keys, method)
  const answer = await net.fetch(url, {
    method: request.method ?? 'GET',
    headers: {
      accept: 'application/json',
      ...headers,
      ...(request.body ? { 'content-type': 'application/json' } : {}),
    },
    hasCredentials: true,
    ...(request.body ? { body: JSON.stringify(request.body) } : {}),
    ...(request.signal ? { signal: request.signal } : {}),
  })
  return readAnswer(answer, net.now())
}

function signed(access: WooAccess, now: Date, request: WooRequest, keys: SigningKeys, method: SignInMethod) {
  const path = `/wp-json/wc/v3${request.path}`
  const query = request.query ?? []
  const isHttps = access.storeUrl.startsWith('https:')
  if (isHttps && method === 'usual') {
    return { url: address(access.storeUrl, path, query), headers: { authorization: basicHeader(keys) } }
  }
  // WordPress rebuilds the URL from its home with the scheme it knows: http wherever it checks a signature.
  const home = access.homeUrl.replace(/^https:/, 'http:')
  const oauth = signRequest({ method: request.method ?? 'GET', url: `${home}${path}`, query }, keys, {
    timestampSeconds: Math.floor(now.getTime() / 1000),
    nonce: newNonce(),
  })
  return method === 'header'
    ? { url: address(access.storeUrl, path, query), headers: { authorization: oauthHeader(oauth) } }
    : { url: address(access.storeUrl, path, [...query, ...oauth]), headers: {} }
}

function address(storeUrl: string, path: string, query: WooQuery): string {
  const text = query.map(([name, value]) => `${encodePercent(name)}=${encodePercent(value)}`).join('&')
  return `${storeUrl}${path}${text ? `?${text}` : ''}`
}

function basicHeader(keys: SigningKeys): string {
  return `Basic ${Buffer.from(`${keys.consumerKey}:${keys.consumerSecret}`).toString('base64')}`
}

function newNonce(): string {
  return randomBytes(16).toString('hex')
}
