import { parseCurrency } from '../../../shared/money.ts'
import type { StoreNet } from '../platform/access.ts'
import type { StorePricing, StoreProblemCode, StoreProfile } from '../platform/platform.ts'
import { problemFromFetch } from '../platform/problem-from-fetch.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord, parseCountryCode, plainText, safeDetail, webAddress } from '../platform/text.ts'
import {
  createWooHttp,
  errorCode,
  errorMessage,
  isSuccess,
  problemFromAnswer,
  readAnswer,
  signInCode,
  type WooAccess,
  type WooAnswer,
  type WooHttp,
} from './http.ts'
import { readList } from './orders.ts'
import { type CheckoutPage, readSystem } from './system.ts'

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

export async function readProfile(access: WooAccess, net: StoreNet, signal?: AbortSignal): Promise<StoreProfile> {
  const index = await readIndex(access.storeUrl, net, signal)
  const found: WooAccess = { ...access, storeUrl: index.storeUrl, homeUrl: index.homeUrl }
  const http = createWooHttp(found, net)
  const clockSkewMs = await signIn(http, found, signal)
  const settings = await readSettings(http, signal)
  const system = await readSystem(http, signal)
  return {
    ...index,
    ...settings,
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
  if (answer.status === 429 || answer.status >= 500) throw problemFromAnswer(answer, false, [])
  if (!isIndex(answer.body)) {
    if (answer.status === 401 || answer.status === 403)
      throw new StoreProblem('api_blocked', safeDetail(errorMessage(answer), []))
    throw await explainMissingIndex(storeUrl, net, signal)
  }
  if (!answer.body.namespaces.includes('wc/v3')) throw new StoreProblem('shop_inactive')
  const reached = adoptAddress(storeUrl, url)
  return {
    storeUrl: reached,
    homeUrl: (webAddress(answer.body.home) ?? reached).replace(/(?<!\/)\/+$/, ''),
    name: plainText(answer.body.name, 200) ?? new URL(reached).host,
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
    throw problemFromFetch(error)
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
  const code = errorCode(answer)
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
  const isSame = (other: WooAnswer) => errorMessage(other) === errorMessage(answer)
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
  if (errorCode(answer) !== 'woocommerce_rest_authentication_error') return 'sign_in_lost'
  const unknown = await http.ask({ ...PROBE, signal }, { ...access, consumerKey: 'ck_unknown' }, 'header')
  if (errorMessage(unknown) === errorMessage(answer)) return 'wrong_key'
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
    showsTax: hasTaxes ? (TAX_SHOWN.get(taxes.get('woocommerce_tax_display_cart')) ?? null) : false,
    decimals: Number.isInteger(decimals) && decimals >= 0 && decimals <= 8 ? decimals : null,
    isSequential: YES_NO.get(general.get('woocommerce_calc_discounts_sequentially')) ?? null,
  }
}

const YES_NO = new Map<unknown, boolean>([
  ['yes', true],
  ['no', false],
])
const TAX_SHOWN = new Map<unknown, boolean>([
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
