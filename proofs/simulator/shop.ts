import type { StoreAccess, TokenCache } from '../../server/platforms/platform/access.ts'
import type {
  OrderKind,
  OrderPage,
  OrderQuery,
  PlatformOrder,
  StoreClient,
  StoreProfile,
} from '../../server/platforms/platform/platform.ts'
import { StoreProblem } from '../../server/platforms/platform/store-problem.ts'
import { normalizePhone } from '../../shared/core/contact.ts'
import type { Clock } from './clock.ts'
import { type CouponStock, countUse, createCouponCalls, createCouponStock } from './shop-coupons.ts'
import type { Act } from './steps.ts'

// The scenario's store: all states of its orders, and the order lists that were read completely.

export interface Shop {
  /** Returns the client of one process. */
  client: (by: string, access: StoreAccess, shelf?: TokenCache) => StoreClient
  couponStock: CouponStock
  mood: Extract<Act, { do: 'store' }>['mood']
  /** Recoup cannot reach it; its plugin can reach Recoup. */
  isCutOff: boolean
  /** Oldest first; the last version of an order is what the store returns. */
  versions: OrderVersion[]
  readings: OrderListing[]
  /** Sold out products, with the true time since when. */
  soldOut: Map<string, number>
  /** Awaited before every page of orders. */
  beforePage: () => Promise<void>
  /** Call when products sell out or return. */
  restock: () => void
  close: () => Promise<void>
}

export interface OrderVersion {
  order: PlatformOrder
  /** True time from which the store returned it. */
  since: number
}

/** One list of orders as read from the store, in true time. */
export interface OrderListing {
  startedAt: number
  reachedEnd: boolean
}

const PAGE = 2
const SLOW_MS = 9_000
/** Longer than any of the engine's limits. */
const STALL_MS = 65_000

export const PRODUCTS = [
  { id: '16', name: 'Earl Grey', priceMinor: 2_100 },
  { id: '17', name: 'Sencha', priceMinor: 1_500 },
  { id: '18', name: 'Rooibos', priceMinor: 900 },
] as const

export function openShop(clock: Clock, homeUrl: string): Shop {
  const shop = {
    mood: 'answers',
    isCutOff: false,
    versions: [],
    readings: [],
    couponStock: createCouponStock(),
    soldOut: new Map(),
    beforePage: async () => {},
    restock: () => {},
    close: async () => {},
  } as unknown as Shop
  const none = async function* () {}
  const client: Omit<StoreClient, keyof ReturnType<typeof createCouponCalls>> = {
    async readProfile() {
      await refuse(shop, clock)
      return buildProfile(homeUrl)
    },
    orders: (query) => listOrders(shop, clock, query),
    checkouts: none,
    checkout: async () => null,
    customer: async () => null,
    async order(orderId) {
      await refuse(shop, clock)
      return listCurrentOrders(shop).find((order) => order.orderId === orderId) ?? null
    },
    customers: none,
    products: none,
    async terms({ items, signal }) {
      await refuse(shop, clock)
      if (shop.mood === 'stalls at stock') await clock.passTime(STALL_MS)
      if (signal?.aborted) throw signal.reason
      return items.map((item) => ({
        ...item,
        isAvailable: !shop.soldOut.has(item.productId),
        priceMinor: null,
        stockQuantity: null,
      }))
    },
    refillCart: async () => null,
    logos: async function* () {},
    webhooks: async () => [],
    createWebhook: async (topic, deliveryUrl) => ({ id: '1', topic, status: 'active', deliveryUrl }),
    callPlugin: async () => null,
    deleteWebhook: async () => {},
  }
  shop.client = (by) => ({ ...client, ...createCouponCalls(shop, clock, by, () => refuse(shop, clock)) })
  return shop
}

/** Returns each order in its present state. */
export function listCurrentOrders(shop: Shop): PlatformOrder[] {
  return [...new Map(shop.versions.map(({ order }) => [order.orderId, order])).values()]
}

async function* listOrders(shop: Shop, clock: Clock, query: OrderQuery): AsyncGenerator<OrderPage> {
  const reading = { startedAt: clock.trueNow(), reachedEnd: false }
  shop.readings.push(reading)
  const rows = listCurrentOrders(shop)
    .filter(
      ({ kind, modifiedAt }) =>
        modifiedAt >= query.modifiedSince &&
        (kind === 'trashed') === (query.list === 'trash') &&
        (query.list !== 'pending' || kind === 'pending'),
    )
    .sort((a, b) => a.modifiedAt.localeCompare(b.modifiedAt))
  const totalPages = Math.max(1, Math.ceil(rows.length / PAGE))
  for (let page = 1; page <= totalPages; page++) {
    await shop.beforePage()
    await refuse(shop, clock, page)
    if (shop.mood === 'stalls at lists' && !isProbe(query)) await clock.passTime(STALL_MS)
    if (query.signal?.aborted) throw query.signal.reason
    const some = rows.slice((page - 1) * PAGE, page * PAGE)
    const isLast = page === totalPages
    if (isLast) reading.reachedEnd = (query.list ?? 'all') === 'all' && !isProbe(query)
    yield { rows: some, skipped: [], page, totalPages, isLast, resumeFrom: some.at(-1)?.modifiedAt ?? null }
  }
}

/** A probe asks for the newest order and is not a complete list. */
const isProbe = ({ pageSize }: OrderQuery): boolean => pageSize === 1

async function refuse(shop: Shop, clock: Clock, page = 1): Promise<void> {
  if (shop.isCutOff) throw new StoreProblem('unreachable')
  if (shop.mood === 'is slow') await clock.passTime(SLOW_MS)
  if (shop.mood === 'stalls') await clock.passTime(STALL_MS)
  if (shop.mood === 'is down') throw new StoreProblem('unreachable')
  if (shop.mood === 'fails at page 2' && page === 2) throw new StoreProblem('store_error')
}

function buildProfile(homeUrl: string): StoreProfile {
  return {
    storeUrl: homeUrl,
    homeUrl,
    name: 'Tea & Co',
    currency: 'USD',
    timeZone: 'America/New_York',
    locale: null,
    version: '10.4.4',
    baseCountry: 'US',
    sellingCountries: ['US', 'DE', 'GB', 'MX', 'AU'],
    clockSkewMs: 0,
    hasCheckoutLink: true,
    hasEarlyDrafts: true,
    pricing: { pricesIncludeTax: false, showsTax: false, decimals: 2, isSequential: false },
    canWrite: true,
    rights: null,
  }
}

/** Sets the modification time to now, but always later than before, as in the store. */
export function changeOrder(
  shop: Shop,
  clock: Clock,
  act: Extract<Act, { do: 'order' }>,
  codes: readonly string[],
): OrderVersion {
  const orderId = String(1_000 + act.order)
  const before = listCurrentOrders(shop).find((order) => order.orderId === orderId)
  // The shop's own times have whole seconds.
  const [now, step] = shop.isCutOff ? [Math.floor(clock.trueNow() / 1_000) * 1_000, 1_000] : [clock.trueNow(), 1]
  const at = new Date(Math.max(now, before ? Date.parse(before.modifiedAt) + step : 0)).toISOString()
  const kind = findNextKind(before?.kind, act.kind)
  const order: PlatformOrder = {
    orderId,
    kind,
    status: kind === 'purchase' ? 'processing' : kind,
    createdAt: before?.createdAt ?? at,
    modifiedAt: at,
    paidAt: kind === 'purchase' ? (before?.paidAt ?? at) : (before?.paidAt ?? null),
    currency: 'USD',
    totalMinor: act.totalMinor,
    refundedMinor: kind === 'purchase' ? act.refundedMinor : 0,
    customerId: before?.customerId ?? act.customerId,
    email: before?.email ?? act.email,
    phone: before?.phone ?? normalizePhone(act.phone, null),
    firstName: null,
    lastName: null,
    country: before?.country ?? act.country,
    state: before?.state ?? act.state,
    consents: before?.consents ?? act.consents.map((channel) => ({ channel, wording: 'Write to me' })),
    coupons: before?.coupons ?? [...codes],
    items: act.items.map(([id, quantity]) => buildOrderLine(id, quantity)),
    source: act.isRenewal ? 'renewal' : act.isStaff ? 'staff' : 'shopper',
    ...(act.parent !== undefined && { parentId: String(1_000 + act.parent) }),
    paymentUrl: null,
  }
  const version = { order, since: clock.trueNow() }
  shop.versions.push(version)
  countUse(shop, before, order)
  return version
}

/** A placed order never becomes a draft again, and a paid one can only be cancelled or refunded. */
function findNextKind(before: OrderKind | undefined, next: OrderKind): OrderKind {
  if (before === 'purchase') return next === 'cancelled' || next === 'trashed' ? next : before
  return before && before !== 'draft' && next === 'draft' ? before : next
}

function buildOrderLine(id: string, quantity: number): PlatformOrder['items'][number] {
  const product = PRODUCTS.find((each) => each.id === id)!
  return {
    productId: id,
    variationId: null,
    name: product.name,
    sku: null,
    quantity,
    unitPriceMinor: product.priceMinor,
    imageUrl: null,
  }
}
