import type { StoreAccess } from '../server/platforms/platform/access.ts'
import type { CouponDraft, PlatformCoupon } from '../server/platforms/platform/coupon.ts'
import type {
  CheckoutPage,
  CheckoutQuery,
  ItemRef,
  ItemTerms,
  OrderPage,
  OrderQuery,
  Page,
  PlatformCheckout,
  PlatformCustomer,
  PlatformOrder,
  PlatformProduct,
  PluginAnswer,
  PluginCall,
  RefillRequest,
  RefillResult,
  StoreClient,
  StoreLogo,
  StoreProfile,
  WebhookSubscription,
} from '../server/platforms/platform/platform.ts'
import { StoreProblem } from '../server/platforms/platform/store-problem.ts'
import { createCouponCalls } from './fake-coupons.ts'

// A fake store client. Arrays hold its data; tests set its failures beforehand.

export interface FakeStore extends StoreClient {
  profile: StoreProfile
  allOrders: PlatformOrder[]
  trashed: PlatformOrder[]
  allCheckouts: PlatformCheckout[]
  checkoutQueries: CheckoutQuery[]
  allCustomers: PlatformCustomer[]
  allProducts: PlatformProduct[]
  /** For `terms`, by `product:variation`: products that are sold out or have another price. */
  deletedKeys: Set<string>
  prices: Map<string, number>
  onSale: Set<string>
  termQueries: (readonly ItemRef[])[]
  /** Error thrown by `terms` only. */
  termsProblem: StoreProblem | null
  allCoupons: PlatformCoupon[]
  /** Returns the store's reason when it rejects a coupon draft. */
  couponRefusal: (draft: Partial<CouponDraft>) => string | null
  /** Awaited after a coupon is written and before the reply. */
  afterCoupon: () => Promise<void>
  hooks: (WebhookSubscription & { secret: string })[]
  /** Rows per page of every list. */
  pageSize: number
  /** Error thrown by every call while it is set. */
  problem: StoreProblem | null
  /** Error thrown for one page (counted from 1), `times` times. */
  failAt: { page: number; problem: Error; times: number } | null
  /** Awaited before every page of orders. */
  beforePage: (query: OrderQuery) => Promise<void>
  orderQueries: OrderQuery[]
  /** Reply about a cart to restore; empty by default. */
  refill: (wish: RefillRequest) => RefillResult | null
  /** Settings of the shop, in the order they are listed. */
  allLogos: StoreLogo[]
  access: StoreAccess | null
  /** Calls to its plugin and the replies; by default none. */
  pluginCalls: PluginCall[]
  answerPlugin: (call: PluginCall) => PluginAnswer | null
}

export function createFakeStore(homeUrl = 'https://shop.example.com'): FakeStore {
  let nextId = 100
  const fake: FakeStore = {
    profile: buildProfile(homeUrl),
    allOrders: [],
    trashed: [],
    allCheckouts: [],
    checkoutQueries: [],
    allCustomers: [],
    allProducts: [],
    allCoupons: [],
    couponRefusal: () => null,
    afterCoupon: async () => {},
    hooks: [],
    deletedKeys: new Set(),
    prices: new Map(),
    onSale: new Set(),
    termQueries: [],
    termsProblem: null,
    pageSize: 2,
    problem: null,
    failAt: null,
    beforePage: async () => {},
    orderQueries: [],
    refill: () => null,
    allLogos: [],
    access: null,
    pluginCalls: [],
    answerPlugin: () => null,
    async callPlugin(call) {
      fake.pluginCalls.push(call)
      return fake.answerPlugin(call)
    },
    async readProfile() {
      throwIfFailing(fake)
      return fake.profile
    },
    orders: (query) => listOrders(fake, query),
    async order(orderId) {
      throwIfFailing(fake)
      return [...fake.allOrders, ...fake.trashed].find((order) => order.orderId === orderId) ?? null
    },
    checkouts: (query) => listCheckouts(fake, query),
    async checkout(checkoutId) {
      throwIfFailing(fake)
      return fake.allCheckouts.find((one) => one.checkoutId === checkoutId) ?? null
    },
    async customer(customerId) {
      throwIfFailing(fake)
      return fake.allCustomers.find((one) => one.customerId === customerId) ?? null
    },
    customers: ({ modifiedSince = '', firstPage = 1 }) => {
      const changed = fake.allCustomers.filter((each) => (each.modifiedAt ?? '9') >= modifiedSince)
      return paginate(fake, changed, firstPage)
    },
    products: ({ firstPage = 1, modifiedSince = '' }) =>
      paginate(
        fake,
        fake.allProducts.filter((row) => (row.modifiedAt ?? '9') >= modifiedSince),
        firstPage,
      ),
    async terms({ items }) {
      throwIfFailing(fake)
      fake.termQueries.push(items)
      if (fake.termsProblem) throw fake.termsProblem
      return buildTerms(items, fake)
    },
    ...createCouponCalls(() => fake),
    async refillCart(wish) {
      throwIfFailing(fake)
      return fake.refill(wish)
    },
    async *logos() {
      yield* fake.allLogos
    },
    async webhooks() {
      throwIfFailing(fake)
      return fake.hooks.map(({ secret: _, ...hook }) => ({ ...hook }))
    },
    async createWebhook(topic, deliveryUrl, secret) {
      throwIfFailing(fake)
      const hook = { id: String(nextId++), topic, status: 'active', deliveryUrl, secret }
      fake.hooks.push(hook)
      return { id: hook.id, topic, status: 'active', deliveryUrl }
    },
    async deleteWebhook(id) {
      throwIfFailing(fake)
      fake.hooks = fake.hooks.filter((hook) => hook.id !== id)
    },
  }
  return fake
}

/** Builds terms in which every product is available, except for the given changes. */
export function buildTerms(
  items: readonly ItemRef[],
  { deletedKeys, prices, onSale }: Pick<FakeStore, 'deletedKeys' | 'prices' | 'onSale'> = {
    deletedKeys: new Set(),
    prices: new Map(),
    onSale: new Set(),
  },
): ItemTerms[] {
  return items.map(({ productId, variationId }) => {
    const key = `${productId}:${variationId ?? ''}`
    const priceMinor = prices.get(key) ?? null
    const isOnSale = onSale.has(key)
    return { productId, variationId, isAvailable: !deletedKeys.has(key), priceMinor, isOnSale, stockQuantity: null }
  })
}

async function* listOrders(fake: FakeStore, query: OrderQuery): AsyncGenerator<OrderPage> {
  fake.orderQueries.push(query)
  const source = query.list === 'trash' ? fake.trashed : fake.allOrders
  const rows = source
    .filter(
      (order) => order.modifiedAt >= query.modifiedSince && (query.list !== 'pending' || order.kind === 'pending'),
    )
    .sort((a, b) => a.modifiedAt.localeCompare(b.modifiedAt))
  for await (const page of paginate(fake, rows, 1, () => fake.beforePage(query))) {
    if (query.signal?.aborted) throw query.signal.reason
    yield { ...page, resumeFrom: page.rows.at(-1)?.modifiedAt ?? null }
  }
}

/** Yields pages of the changed rows, ordered by id. */
async function* listCheckouts(fake: FakeStore, query: CheckoutQuery): AsyncGenerator<CheckoutPage> {
  fake.checkoutQueries.push(query)
  const rows = fake.allCheckouts
    .filter((one) => one.modifiedAt >= query.modifiedSince)
    .sort((a, b) => Number(a.checkoutId) - Number(b.checkoutId))
  for await (const page of paginate(fake, rows, 1)) yield { ...page, resumeFrom: null }
}

export async function* paginate<Row>(
  fake: FakeStore,
  all: Row[],
  firstPage: number,
  before: () => Promise<void> = async () => {},
): AsyncGenerator<Page<Row>> {
  const totalPages = Math.max(1, Math.ceil(all.length / fake.pageSize))
  for (let page = firstPage; page <= totalPages; page += 1) {
    await before()
    throwIfFailing(fake, page)
    const rows = all.slice((page - 1) * fake.pageSize, page * fake.pageSize)
    yield { rows, skipped: [], page, totalPages, isLast: page === totalPages }
  }
}

export function throwIfFailing(fake: FakeStore, page?: number): void {
  if (fake.problem) throw fake.problem
  if (page === undefined || fake.failAt?.page !== page || fake.failAt.times === 0) return
  fake.failAt.times -= 1
  throw fake.failAt.problem
}

export function buildProfile(homeUrl: string): StoreProfile {
  return {
    storeUrl: homeUrl,
    homeUrl,
    name: 'Mugs & More',
    currency: 'USD',
    timeZone: 'America/New_York',
    locale: null,
    version: '10.4.4',
    baseCountry: 'US',
    sellingCountries: ['US', 'CA'],
    clockSkewMs: 0,
    hasCheckoutLink: true,
    hasEarlyDrafts: true,
    pricing: { pricesIncludeTax: false, showsTax: false, decimals: 2, isSequential: false },
    canWrite: true,
    rights: null,
  }
}

export function buildOrder(order: Partial<PlatformOrder> & { orderId: string; modifiedAt: string }): PlatformOrder {
  return {
    kind: 'draft',
    status: 'checkout-draft',
    createdAt: order.modifiedAt,
    paidAt: null,
    currency: 'USD',
    totalMinor: 1_800,
    refundedMinor: 0,
    customerId: null,
    email: `shopper-${order.orderId}@mail.example.org`,
    phone: null,
    firstName: 'Grace',
    lastName: 'Hopper',
    country: 'US',
    coupons: [],
    items: [
      {
        productId: '16',
        variationId: null,
        name: 'Enamel Mug',
        sku: 'MUG',
        quantity: 1,
        unitPriceMinor: 1_800,
        imageUrl: null,
      },
    ],
    source: 'shopper',
    paymentUrl: null,
    ...order,
  }
}

export function buildProduct(product: Partial<PlatformProduct> & { productId: string }): PlatformProduct {
  return {
    variationId: null,
    name: 'Enamel Mug',
    sku: null,
    priceMinor: 1_800,
    currency: 'USD',
    imageUrl: 'https://shop.example.com/mug.jpg',
    permalink: 'https://shop.example.com/mug',
    isAvailable: true,
    stockQuantity: null,
    modifiedAt: '2026-03-01T00:00:00.000Z',
    ...product,
  }
}

export function buildCustomer(customer: Partial<PlatformCustomer> & { customerId: string }): PlatformCustomer {
  return {
    email: `customer-${customer.customerId}@mail.example.org`,
    phone: null,
    firstName: 'Grace',
    lastName: 'Hopper',
    company: null,
    lastLoginAt: null,
    country: 'US',
    createdAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: '2026-01-01T00:00:00.000Z',
    ...customer,
  }
}

export const buildProblem = (code: StoreProblem['code'], detail: string | null = null) => new StoreProblem(code, detail)
