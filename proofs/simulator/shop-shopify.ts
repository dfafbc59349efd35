import { resolveLines } from '../../providers/shopify/carts.ts'
import { upsertCustomer } from '../../providers/shopify/customers.ts'
import type { Address } from '../../providers/shopify/model.ts'
import { save } from '../../providers/shopify/records.ts'
import { allScopes, type InProcessShopifyStore, openInProcessShopifyStore } from '../../providers/shopify/store.ts'
import { expireTokens } from '../../providers/shopify/tokens.ts'
import { FetchProblem } from '../../server/core/net/fetch-problem.ts'
import type { GuardedAnswer, GuardedFetch } from '../../server/core/net/guarded-fetch.ts'
import type { StoreAccess, TokenCache } from '../../server/platforms/platform/access.ts'
import { createMemoryTokenCache } from '../../server/platforms/platform/memory-token-cache.ts'
import type { StoreClient } from '../../server/platforms/platform/platform.ts'
import { createShopifyClient } from '../../server/platforms/shopify/platform.ts'
import type { Clock } from './clock.ts'
import { type OrderListing, PRODUCTS, type Shop } from './shop.ts'
import { createCouponStock } from './shop-coupons.ts'

// The scenario's store on Shopify: our client calls the contract server (providers/shopify), which checks each query against
// Shopify's schema, scopes and rate limit. The network between them fails according to the store's mood. Completed order
// lists, reported consents and issued tokens are recorded.

export interface ShopifyShop extends Shop {
  store: InProcessShopifyStore
  /** Consents reported to each process, until their effect is checked. */
  reportedConsents: Map<string, ReportedConsent[]>
  tokens: IssuedToken[]
  /** Violations found. */
  faults: string[]
  /** Token that is refused from now on. */
  endTokens(): void
}

export interface ReportedConsent {
  channel: 'email' | 'sms' | 'whatsapp'
  address: string
  isWithdrawn: boolean
  /** On the shop's clock; null: it names no time. */
  at: number | null
}

export interface IssuedToken {
  by: string
  /** On the shop's clock. */
  at: number
  /** The process that created the previous token, if that was still valid for some time. */
  instead: string | null
}

/** Credentials of the app. Deliveries are signed with the secret. */
export const APP = { clientId: 'app-of-the-simulator', clientSecret: 'shpss_of_the_simulator' }

/** Products have one variant each, which browsers name. */
export const buildVariantId = (productId: string): string => `${productId}1`

const SLOW_MS = 9_000
const STALL_MS = 65_000
/** Share of a token's life after which it is renewed. */
const RENEWED_AFTER_MS = 0.8 * 86_399_000

export function openShopifyShop(clock: Clock, homeUrl: string, hasAllOrders: boolean): ShopifyShop {
  const scopes = allScopes.filter((scope) => hasAllOrders || scope !== 'read_all_orders')
  const store = openInProcessShopifyStore({
    dataFile: ':memory:',
    seed: false,
    now: clock.trueNow,
    publicUrl: homeUrl,
    timeZone: 'America/New_York',
    app: { clientId: APP.clientId, secret: APP.clientSecret, scopes },
  })
  stock(store, clock.trueNow())
  const shop = {
    mood: 'answers',
    versions: [],
    readings: [],
    couponStock: createCouponStock(),
    soldOut: new Map(),
    store,
    reportedConsents: new Map(),
    tokens: [],
    faults: [],
    beforePage: async () => {},
    restock: () => {
      for (const { id } of PRODUCTS)
        store.controls.setStock(Number(buildVariantId(id)), shop.soldOut.has(id) ? 0 : null)
    },
    endTokens: () => {
      expireTokens(store.shop)
      shop.tokens.length = 0
    },
    close: store.close,
  } as unknown as ShopifyShop
  const clients = new Map<string, StoreClient>()
  shop.client = (by, access, shelf) => {
    const key = JSON.stringify([by, shelf === undefined, access.keys])
    const known = clients.get(key)
    if (known) return known
    const client = createClient(shop, clock, { by, access, shelf: shelf ?? createMemoryTokenCache() })
    clients.set(key, client)
    return client
  }
  return shop
}

function stock({ shop }: InProcessShopifyStore, at: number): void {
  const dates = { createdAt: at, updatedAt: at }
  for (const { id, name, priceMinor } of PRODUCTS) {
    const texts = { handle: `tea-${id}`, title: name, description: name, productType: 'Tea', picture: 'seeds' }
    save(shop.db, 'product', { id: Number(id), ...dates, ...texts, status: 'ACTIVE', optionName: null })
    save(shop.db, 'variant', {
      id: Number(buildVariantId(id)),
      ...dates,
      productId: Number(id),
      title: 'Default Title',
      sku: `TEA-${id}`,
      priceMinor,
      compareAtMinor: null,
      stock: null,
      position: 1,
      picture: null,
    })
  }
}

/** Lines of a cart with prices. */
export const buildLines = ({ store }: ShopifyShop, items: readonly (readonly [id: string, quantity: number])[]) =>
  resolveLines(
    store.shop,
    items.map(([id, quantity]) => ({ variantId: Number(buildVariantId(id)), quantity })),
  )

interface Who {
  email: string | null
  phone: string | null
  country: string | null
}

/** Finds or creates the customer with this email or phone; null without both. */
export function findCustomerId({ store }: ShopifyShop, { country, ...who }: Who): number | null {
  return upsertCustomer(store.desk, { ...who, address: buildAddress(country, null) })?.id ?? null
}

/** The shipping address; only country and state are read. */
export const buildAddress = (country: string | null, state: string | null): Address | null =>
  country === null
    ? null
    : {
        firstName: '',
        lastName: '',
        address1: '1 Main Street',
        address2: '',
        city: 'Town',
        zip: '1',
        phone: '',
        provinceCode: state ?? '',
        countryCode: country,
      }

interface Process {
  by: string
  access: StoreAccess
  shelf: TokenCache
}

function createClient(shop: ShopifyShop, clock: Clock, { by, access, shelf }: Process): StoreClient {
  const wait = async (ms: number, signal?: AbortSignal) => {
    await clock.passTime(ms)
    signal?.throwIfAborted()
  }
  return createShopifyClient(access, { fetch: createFetch(shop, clock, by), now: clock.now, sleep: wait }, shelf)
}

interface Question {
  query: string
  variables: { after?: string | null; first?: number }
}

/** Sends a process's requests, and records the replies. */
function createFetch(shop: ShopifyShop, clock: Clock, by: string): GuardedFetch {
  const readings = new Map<string | null, OrderListing>()
  return async (url, request = {}) => {
    const { pathname, search } = new URL(url)
    const isQuestion = pathname.endsWith('/graphql.json')
    const query = isQuestion ? (JSON.parse(request.body!) as Question) : null
    const isOfOrders = query?.query.startsWith('query Orders(') === true
    // A probe is not a complete list.
    const isReading = isOfOrders && query?.variables.first !== 1
    const after = query?.variables.after ?? null
    const reading = isReading ? (readings.get(after) ?? { startedAt: clock.trueNow(), reachedEnd: false }) : null
    if (reading && after === null) shop.readings.push(reading)
    if (isOfOrders) await shop.beforePage()
    await applyMood(shop, clock, after === null ? 1 : 2)
    if (request.signal?.aborted) throw new FetchProblem('aborted')
    const answer = await ask(shop, { path: pathname + search, request })
    if (pathname.endsWith('/access_token')) recordToken(shop, clock, by, answer)
    const answerJson = query ? JSON.parse(answer.body.toString()) : null
    if (reading) recordListing(readings, reading, answerJson)
    if (query) recordConsents(shop, by, answerJson)
    return { ...answer, url, isRedirected: false }
  }
}

async function applyMood({ mood }: ShopifyShop, clock: Clock, page: number): Promise<void> {
  if (mood === 'is slow') await clock.passTime(SLOW_MS)
  if (mood.startsWith('stalls')) await clock.passTime(STALL_MS)
  if (mood === 'is down') throw new FetchProblem('refused')
  if (mood === 'fails at page 2' && page === 2) throw new FetchProblem('timeout')
}

type Requested = NonNullable<Parameters<GuardedFetch>[1]>

async function ask(
  { store }: ShopifyShop,
  { path, request }: { path: string; request: Requested },
): Promise<Pick<GuardedAnswer, 'status' | 'headers' | 'body'>> {
  const { method = 'GET', headers = {}, body } = request
  const reply = await store.app.inject({ method, url: path, headers, ...(body === undefined ? {} : { payload: body }) })
  const headerPairs = Object.entries(reply.headers).map(([name, value]) => [name, String(value)])
  return { status: reply.statusCode, headers: Object.fromEntries(headerPairs), body: reply.rawPayload }
}

// biome-ignore lint/suspicious/noExplicitAny: any reply of the store
type Json = any

function recordListing(readings: Map<string | null, OrderListing>, reading: OrderListing, answerJson: Json): void {
  const place = answerJson?.data?.orders?.pageInfo
  if (place?.hasNextPage === false) reading.reachedEnd = true
  else if (place) readings.set(place.endCursor, reading)
}

function recordToken(shop: ShopifyShop, clock: Clock, by: string, { status }: { status: number }): void {
  if (status !== 200) return
  const before = shop.tokens.at(-1)
  const isGood = before && clock.trueNow() - before.at < RENEWED_AFTER_MS
  shop.tokens.push({ by, at: clock.trueNow(), instead: isGood ? before.by : null })
}

/** Skips withdrawals in checkouts, which the engine need not process for a known checkout. */
function recordConsents(shop: ShopifyShop, by: string, answerJson: Json): void {
  const { customers, customer, abandonedCheckouts, node } = answerJson?.data ?? {}
  const checkouts: Json[] = abandonedCheckouts?.nodes ?? (node ? [node] : [])
  const read: Json[] = customers?.nodes ?? (customer ? [customer] : [])
  const people = [...read, ...checkouts.flatMap((checkout) => checkout.customer ?? [])]
  const consents = shop.reportedConsents.get(by) ?? shop.reportedConsents.set(by, []).get(by)!
  for (const [place, { defaultEmailAddress: mail, defaultPhoneNumber: phone }] of people.entries()) {
    const [address, number] = [mail?.emailAddress, phone?.phoneNumber]
    const carts = [
      { channel: 'email', address, state: mail?.marketingState, at: mail?.marketingUpdatedAt },
      { channel: 'sms', address: number, ...toConsentState(phone?.smsMarketingConsent) },
      { channel: 'whatsapp', address: number, ...toConsentState(phone?.whatsAppMarketingConsent) },
    ] as const
    for (const { channel, address: of, state, at } of carts) {
      if (!of || !(state === 'SUBSCRIBED' || (state === 'UNSUBSCRIBED' && place < read.length))) continue
      consents.push({ channel, address: of, isWithdrawn: state === 'UNSUBSCRIBED', at: at ? Date.parse(at) : null })
    }
  }
}

const toConsentState = (consent: Json) => ({ state: consent?.state, at: consent?.updatedAt })
