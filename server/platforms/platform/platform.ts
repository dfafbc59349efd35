// The contract of a shop platform. One file per platform implements it; no other code knows a platform's wire format.
// Everything returned is parsed: names are decoded text (not HTML), instants UTC ISO 8601 strings, money minor units.

import type { ItemChoice } from '../../../shared/carts/carts.ts'
import type { StoreRights } from '../../../shared/platforms/platforms.ts'
import type {
  CouponChange,
  CouponChangeResult,
  CouponDraft,
  CouponResult,
  CouponsById,
  PlatformCoupon,
} from './coupon.ts'

/** Read from a store on connecting and again daily. */
export interface StoreProfile {
  /** Base address for requests: the entered one after redirects (http → https, www). Store this one. */
  storeUrl: string
  homeUrl: string
  name: string
  currency: string
  /** IANA zone, or a fixed offset such as `+02:00` if the store has only that. */
  timeZone: string
  /** The shop's language, e.g. `de-AT`; null: unknown. */
  locale: string | null
  version: string
  /** ISO 3166 alpha-2. */
  baseCountry: string | null
  /** Alpha-2 codes of countries the store sells to; null = not restricted. */
  sellingCountries: string[] | null
  /** The store's clock minus ours. */
  clockSkewMs: number
  /** The store has `/checkout-link/` (WooCommerce ≥ 10). */
  hasCheckoutLink: boolean
  /** Drafts are created before "Place order" (WooCommerce < 10.9 with the block checkout). */
  hasEarlyDrafts: boolean
  pricing: StorePricing
  /** The key may write coupons (WooCommerce: webhooks too). If false, the store connects with a warning. */
  canWrite: boolean
  /** Permissions of its keys and plan; null where the platform has none. */
  rights: StoreRights | null
}

/** How a store computes discounts. null: unknown. */
export interface StorePricing {
  pricesIncludeTax: boolean | null
  /** The cart shows prices with tax. */
  showsTax: boolean | null
  decimals: number | null
  /** Several coupons apply one after the other, each to the remaining amount. */
  isSequential: boolean | null
}

/** draft: never placed · pending: purchase in progress · purchase: every status that engine rule S4 counts. */
export type OrderKind = 'draft' | 'pending' | 'failed' | 'cancelled' | 'trashed' | 'purchase'

/** renewal: created by a subscription or payment plan and paid without the shopper. */
export type OrderSource = 'shopper' | 'staff' | 'pos' | 'renewal'

export interface PlatformItem {
  productId: string
  /** null for simple products. */
  variationId: string | null
  name: string
  sku: string | null
  /** Whole and positive. A fractional quantity (sold by weight) becomes one. */
  quantity: number
  /** Before coupons, as entered in the store's catalogue. */
  unitPriceMinor: number
  /** The same as the cart shows it, where tax makes a difference. */
  displayed?: { withTaxMinor: number; withoutTaxMinor: number }
  imageUrl: string | null
  /** The shopper's choices for a variation, limited to the store's own attributes. */
  choices?: ItemChoice[]
}

export interface PlatformOrder {
  orderId: string
  kind: OrderKind
  /** The platform's own status, e.g. `on-hold`. */
  status: string
  createdAt: string
  modifiedAt: string
  paidAt: string | null
  currency: string
  totalMinor: number
  refundedMinor: number
  /** For a purchase: its amount is not revenue, or only if it was before (S4). Missing: the amount counts. */
  amount?: 'none' | 'if_counted'
  /** null for guests. */
  customerId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  /** Shipping country, else billing country; alpha-2. */
  country: string | null
  /** State of a US address: two letters. */
  state?: string | null
  /** Language of its checkout, e.g. `de-AT`. */
  locale?: string | null
  coupons: string[]
  /** Discount of each code. Missing: unknown. */
  discounts?: OrderDiscount[]
  items: PlatformItem[]
  /** Who placed it. Orders of staff and tills belong to no abandoned cart (A2), and renewals end none (S3). */
  source: OrderSource
  /** A renewal that the shopper paid in a checkout: it ends a cart with exactly that content. */
  isPaidRenewal?: boolean
  /** The parent order, such as the whole of one vendor's part. */
  parentId?: string | null
  /** A test of the shop's payments; ignored like orders of staff (A2). */
  isTest?: boolean
  /** The contact was removed because the shopper did not consent (C9). */
  isNameless?: boolean
  /** The checkout it came from. */
  checkoutToken?: string | null
  /** The cart of that checkout. */
  cartToken?: string | null
  /** Payment link of an unpaid order. */
  paymentUrl: string | null
  /** The shopper's consents in this checkout. Missing: nothing known. */
  consents?: OrderConsent[]
}

export interface OrderDiscount {
  /** Upper case. */
  code: string
  discountMinor: number
}

export interface OrderConsent {
  channel: 'email' | 'sms' | 'whatsapp'
  /** The wording shown; null when the store did not keep it. */
  wording: string | null
}

/** A started checkout, with or without an order. */
export interface PlatformCheckout {
  checkoutId: string
  checkoutToken: string | null
  cartToken: string | null
  createdAt: string
  modifiedAt: string
  /** When it became an order; null before. */
  completedAt: string | null
  currency: string
  totalMinor: number
  subtotalMinor: number
  discountMinor: number
  customerId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  /** Shipping country, else billing country; alpha-2. */
  country: string | null
  /** State of a US address: two letters. */
  state?: string | null
  /** The shopper's language, e.g. `de-AT`. */
  locale?: string | null
  items: PlatformItem[]
  coupons: string[]
  /** The shop's own restore link; untrusted until its host is checked. */
  restoreUrl: string | null
  consents: PlatformConsent[]
}

/** A cart before any checkout, from a webhook; the API cannot read it. */
export interface PlatformCart {
  cartToken: string
  modifiedAt: string
  items: PlatformItem[]
}

/** A person's stored consent to one channel. */
export interface PlatformConsent {
  channel: 'email' | 'sms' | 'whatsapp'
  /** none: neither given nor withdrawn. */
  state: 'granted' | 'withdrawn' | 'none'
  /** How it was given; double: confirmed by a link or reply. */
  level: 'single' | 'double' | 'unknown'
  at: string | null
  /** The wording shown; null when the store did not keep it. */
  wording: string | null
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
  /** Last signed-in visit; null where the store does not report it. */
  lastLoginAt: string | null
  /** Missing: nothing known. */
  consents?: PlatformConsent[]
  /** Lifetime totals as counted by the store. Missing: unknown. */
  ordersCount?: number
  spentMinor?: number
  /** Whether they ever paid for an order, where the store keeps this and no total. */
  isPaying?: boolean
}

export interface PlatformProduct {
  productId: string
  variationId: string | null
  name: string
  sku: string | null
  priceMinor: number
  /** The entered price, where the shop's pages show another: with tax, or without. */
  enteredMinor?: number
  /**
   * `priceMinor` is the entered price. The price on the shop's pages is unknown, because the shop was not asked or did
   * not answer.
   */
  isDisplayedUnknown?: true
  currency: string
  imageUrl: string | null
  permalink: string | null
  /** Published, purchasable and in stock. */
  isAvailable: boolean
  /** null: unknown. */
  isOnSale?: boolean | null
  /**
   * A variation for "any" value of an attribute, such as every size: no id in the store records the shopper's choice.
   */
  hasOpenChoice?: boolean
  stockQuantity: number | null
  /** Categories, or on Shopify the product type. Absent: unknown. */
  categories?: ProductCategory[]
  modifiedAt: string | null
}

export interface ProductCategory {
  id: string
  name: string
}

export interface ItemRef {
  productId: string
  variationId: string | null
}

/** An item's current price and availability. */
export interface ItemTerms extends ItemRef {
  isAvailable: boolean
  /** null: it has none. */
  priceMinor: number | null
  /** null: unknown. */
  isOnSale?: boolean | null
  stockQuantity: number | null
}

/** An unreadable row, which never costs the rest of its page. `id` is null when even that was unreadable. */
export interface SkippedRow {
  id: string | null
  reason: string
}

export interface Page<Row> {
  rows: Row[]
  skipped: SkippedRow[]
  /** Counted from 1 (or `firstPage`). */
  page: number
  /** The store's estimate; it changes during updates. */
  totalPages: number
  isLast: boolean
}

export interface OrderPage extends Page<PlatformOrder> {
  /**
   * The `modifiedSince` for continuing an interrupted pull: everything modified earlier was returned. null: no progress
   * known.
   */
  resumeFrom: string | null
}

export interface CheckoutPage extends Page<PlatformCheckout> {
  /** As for an order page; null where the store lists them in another order. */
  resumeFrom: string | null
}

export interface CheckoutQuery {
  /** Inclusive instant. */
  modifiedSince: string
  signal?: AbortSignal
}

export interface OrderQuery {
  /** Inclusive instant; the client adjusts the platform's exclusive bound. */
  modifiedSince: string
  /** 1 to 100, default 100. */
  pageSize?: number
  /**
   * Trashed orders are in no other list; read them separately (nightly). `pending`: orders that await payment. Default
   * `all`: every status but trash.
   */
  list?: 'all' | 'trash' | 'pending'
  signal?: AbortSignal
}

export interface WebhookSubscription {
  id: string
  topic: string
  status: string
  deliveryUrl: string
}

export interface RawDelivery {
  rawBody: Buffer
  headers: Record<string, string | string[] | undefined>
}

export interface RefillRequest {
  items: readonly {
    productId: string
    variationId: string | null
    quantity: number
    choices?: ItemChoice[] | undefined
  }[]
  coupon: string | null
  /** Further query parameters for the checkout. */
  extra: Readonly<Record<string, string>>
}

export interface RefillResult {
  /** Link for the shopper; null when the store accepted no item. */
  checkoutUrl: string | null
  /** Items the store accepted, by id of product or variation. */
  lines: { id: string; quantity: number }[]
  /** The store refused the requested coupon. */
  isCouponRefused?: boolean
}

/** An image from the shop's site, unmodified: untrusted until it is decoded. */
export interface StoreLogo {
  source: 'site_logo' | 'site_icon'
  content: Buffer
}

/** A signed call to the plugin in the shop. */
export interface PluginCall {
  name: 'wake'
  headers: Record<string, string>
  body: string
}

/** Untrusted until its signature is checked. */
export interface PluginAnswer {
  status: number
  signature: string
  body: string
}

/** How displayed prices differ from entered ones. 'unknown': the shop is not asked. */
export type DisplayedTax = 'none' | 'added' | 'taken_off' | 'unknown'

export interface ListQuery {
  modifiedSince?: string
  firstPage?: number
  signal?: AbortSignal
}

/** One store on one platform, one request at a time. Throws only `StoreProblem` (see `store-problem.ts`). */
export interface StoreClient {
  /** Reads the public index, then signs in and reads the profile. Throws the most specific problem it can prove. */
  readProfile(signal?: AbortSignal): Promise<StoreProfile>
  /**
   * Pages in ascending order of modification, with rows of every status including drafts. Ends after the last page;
   * each change of an order is returned once.
   */
  orders(query: OrderQuery): AsyncIterable<OrderPage>
  /** null when the store has no such order. */
  order(orderId: string, signal?: AbortSignal): Promise<PlatformOrder | null>
  /** Started checkouts, including those that became orders; empty on a platform without checkouts. */
  checkouts(query: CheckoutQuery): AsyncIterable<CheckoutPage>
  /** null when the store has no such checkout. */
  checkout(checkoutId: string, signal?: AbortSignal): Promise<PlatformCheckout | null>
  /** null when the store has no such customer. */
  customer(customerId: string, signal?: AbortSignal): Promise<PlatformCustomer | null>
  /** `modifiedSince`: only on a platform that stores consents. */
  customers(query: ListQuery): AsyncIterable<Page<PlatformCustomer>>
  /** `readDisplayedTax` is called once, and only if there are products. */
  products(query: ListQuery & { readDisplayedTax?: () => Promise<DisplayedTax> }): AsyncIterable<Page<PlatformProduct>>
  /**
   * Terms of existing items; an item missing from the result is gone. One request for all, where the store supports it.
   */
  terms(query: { items: readonly ItemRef[]; currency: string; signal?: AbortSignal }): Promise<ItemTerms[]>
  /** All statuses, by ascending id. */
  coupons(query: ListQuery & { currency: string }): AsyncIterable<Page<PlatformCoupon>>
  /** An id that is neither in the rows nor skipped is gone; skipped ones exist but are unreadable. */
  couponsById(query: { ids: readonly string[]; currency: string; signal?: AbortSignal }): Promise<CouponsById>
  /** In any status; null when no coupon has the code. */
  couponByCode(code: string, currency: string): Promise<PlatformCoupon | null>
  /** Creates coupons. If the store changes a value, the coupon is deleted again and reported as refused. */
  createCoupons(drafts: readonly CouponDraft[]): Promise<CouponResult[]>
  /** Changes the given fields. If the store changes a value, the change is reported as refused but stays. */
  updateCoupon(id: string, draft: CouponChange['draft']): Promise<CouponChangeResult>
  /** Does the same for several coupons. Returns one result each, in order. */
  updateCoupons(changes: readonly CouponChange[]): Promise<CouponChangeResult[]>
  /** Deletes permanently. Returns the ids that no longer exist, including those deleted before. */
  deleteCoupons(ids: readonly string[]): Promise<string[]>
  /** Fills a guest's cart as the shopper will; null when the store cannot be asked or does not answer in time. */
  refillCart(wish: RefillRequest): Promise<RefillResult | null>
  /**
   * The shop's logo in its stored sizes, then its icon; use the first valid one. Never throws; a shop may have none.
   */
  logos(signal?: AbortSignal): AsyncIterable<StoreLogo>
  /** Calls the plugin in the shop, without a key; null when it does not answer within a few seconds. */
  callPlugin(call: PluginCall): Promise<PluginAnswer | null>
  webhooks(): Promise<WebhookSubscription[]>
  /** `secret` signs its deliveries; ignored where the secret of the keys does. */
  createWebhook(topic: string, deliveryUrl: string, secret: string): Promise<WebhookSubscription>
  deleteWebhook(id: string): Promise<void>
}
