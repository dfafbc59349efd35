// What a shop platform must do for us. One file per platform implements it; nothing else knows a platform's wire.
// Everything returned here has been parsed: names are decoded text (not HTML), instants UTC ISO 8601 strings, money minor units.

export type PlatformName = 'woocommerce' | 'shopify'

/** How to reach one store: its address (no trailing slash) and its keys. Keys never appear in logs or in errors. */
export interface StoreAccess {
  storeUrl: string
  /** The address the store signs with (`home` of its index); equals `storeUrl` until it was read. */
  homeUrl: string
  consumerKey: string
  consumerSecret: string
}

/** What is read from a store on connecting and again daily. */
export interface StoreProfile {
  homeUrl: string
  name: string
  currency: string
  /** IANA zone, or a fixed offset such as `+02:00` when the store declares only that. */
  timeZone: string
  version: string
  /** ISO 3166 alpha-2. */
  baseCountry: string | null
  /** Alpha-2 codes the store sells or ships to; null = not restricted. */
  sellingCountries: string[] | null
  /** The store's clock minus ours. */
  clockSkewMs: number
  /** `/checkout-link/` exists (WooCommerce ≥ 10). */
  hasCheckoutLink: boolean
  /** Drafts appear before "Place order" (WooCommerce < 10.9 with the block checkout). */
  hasEarlyDrafts: boolean
}

/** draft: never placed · pending: purchase in progress · purchase: every status engine rule S4 counts. */
export type OrderKind = 'draft' | 'pending' | 'failed' | 'cancelled' | 'trashed' | 'purchase'

export interface PlatformItem {
  productId: string
  /** null for simple products. */
  variationId: string | null
  name: string
  sku: string | null
  quantity: number
  unitPriceMinor: number
  imageUrl: string | null
}

export interface PlatformOrder {
  orderId: string
  kind: OrderKind
  /** The platform's own status word, e.g. `on-hold`. */
  status: string
  createdAt: string
  modifiedAt: string
  paidAt: string | null
  currency: string
  totalMinor: number
  refundedMinor: number
  /** null for guests. */
  customerId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  /** Shipping country, else billing country; alpha-2. */
  country: string | null
  coupons: string[]
  items: PlatformItem[]
  /** `checkout`, `store-api`, `admin`, `rest-api` …: tells shopper orders from staff orders (A2). */
  createdVia: string
  /** Where an unpaid order can still be paid. */
  paymentUrl: string | null
}

export interface PlatformCustomer {
  customerId: string
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  company: string | null
  country: string | null
  createdAt: string | null
  modifiedAt: string | null
}

export interface PlatformProduct {
  productId: string
  variationId: string | null
  name: string
  sku: string | null
  priceMinor: number
  currency: string
  imageUrl: string | null
  permalink: string | null
  /** Published, purchasable and in stock. */
  isAvailable: boolean
  stockQuantity: number | null
  modifiedAt: string | null
}

export interface Page<Row> {
  rows: Row[]
  page: number
  totalPages: number
  isLast: boolean
}

export interface OrderQuery {
  /** Inclusive; the client widens the platform's exclusive bound itself. */
  modifiedSince: string
  firstPage?: number
  pageSize?: number
  signal?: AbortSignal
}

/** Why a store could not be used. `code` selects words in `shared/stores.ts`; the codes are the doctor's findings too. */
export type StoreProblemCode =
  | 'unreachable'
  | 'timeout'
  | 'redirect_loop'
  | 'certificate'
  | 'private_address'
  | 'no_wordpress'
  | 'no_woocommerce'
  | 'plain_permalinks'
  | 'wrong_key'
  | 'wrong_secret'
  | 'read_only_key'
  | 'no_rights'
  | 'clock_skew'
  | 'needs_signing'
  | 'store_error'
  | 'rate_limited'
  | 'bad_answer'

export interface WebhookSubscription {
  id: string
  topic: string
  status: string
  deliveryUrl: string
}

/** A verified delivery. `orderId` alone (no order) means the record is gone: nothing may be concluded from it. */
export type StoreEvent =
  | { kind: 'ping' }
  | { kind: 'order'; topic: string; order: PlatformOrder; key: string }
  | { kind: 'gone'; topic: string; orderId: string | null; key: string }
  | { kind: 'other'; topic: string; key: string }

export interface RawDelivery {
  rawBody: Buffer
  headers: Record<string, string | string[] | undefined>
}

/** One store on one platform. Every method throws `StoreProblem` (see `store-problem.ts`) and nothing else for what a store does wrong. */
export interface StoreClient {
  /** Reads public index, then signs in and reads the profile. Throws the most specific problem it can prove. */
  readProfile(): Promise<StoreProfile>
  /** Pages in ascending order of modification; `rows` of every status incl. drafts. Ends after the last page. */
  orders(query: OrderQuery): AsyncIterable<Page<PlatformOrder>>
  order(orderId: string): Promise<PlatformOrder | null>
  customers(query: { firstPage?: number; signal?: AbortSignal }): AsyncIterable<Page<PlatformCustomer>>
  products(query: { modifiedSince?: string; firstPage?: number; signal?: AbortSignal }): AsyncIterable<Page<PlatformProduct>>
  webhooks(): Promise<WebhookSubscription[]>
  createWebhook(topic: string, deliveryUrl: string, secret: string): Promise<WebhookSubscription>
  deleteWebhook(id: string): Promise<void>
}
