// What a shop platform must do for us. One file per platform implements it; nothing else knows a platform's wire.
// Everything returned here has been parsed: names are decoded text (not HTML), instants UTC ISO 8601 strings, money minor units.

import type { ItemChoice } from '../../../shared/carts.ts'
import type { StoreRights } from '../../../shared/platforms.ts'
import type { CouponChange, CouponChanged, CouponDraft, CouponMade, CouponsRead, PlatformCoupon } from './coupon.ts'

export type { PlatformName, StoreRights } from '../../../shared/platforms.ts'
export type { StoreProblemCode } from '../../../shared/store-problems.ts'

/** What is read from a store on connecting and again daily. */
export interface StoreProfile {
  /** Where requests go from now on: the address entered, after the redirects it led through (http → https, www). Keep this one. */
  storeUrl: string
  homeUrl: string
  name: string
  currency: string
  /** IANA zone, or a fixed offset such as `+02:00` when the store declares only that. */
  timeZone: string
  version: string
  /** ISO 3166 alpha-2. */
  baseCountry: string | null
  /** Alpha-2 codes the store sells to; null = not restricted. */
  sellingCountries: string[] | null
  /** The store's clock minus ours. */
  clockSkewMs: number
  /** `/checkout-link/` exists (WooCommerce ≥ 10). */
  hasCheckoutLink: boolean
  /** Drafts appear before "Place order" (WooCommerce < 10.9 with the block checkout). */
  hasEarlyDrafts: boolean
  pricing: StorePricing
  /** The key may write coupons (WooCommerce: webhooks too). false: connect all the same and say so in a warning. */
  canWrite: boolean
  /** What its keys and plan allow; null where a platform has no such thing. */
  rights: StoreRights | null
}

/** How a store reckons discounts. null: it does not say. */
export interface StorePricing {
  pricesIncludeTax: boolean | null
  /** Its cart shows prices with tax. */
  showsTax: boolean | null
  decimals: number | null
  /** Each of several coupons counts from what the ones before it left. */
  isSequential: boolean | null
}

/** draft: never placed · pending: purchase in progress · purchase: every status engine rule S4 counts. */
export type OrderKind = 'draft' | 'pending' | 'failed' | 'cancelled' | 'trashed' | 'purchase'

/** renewal: made by a subscription or a payment plan, and paid without the shopper. */
export type OrderSource = 'shopper' | 'staff' | 'pos' | 'renewal'

export interface PlatformItem {
  productId: string
  /** null for simple products. */
  variationId: string | null
  name: string
  sku: string | null
  /** Whole and positive. A fractional quantity (sold by weight) is one of the whole line. */
  quantity: number
  /** Before coupons, as it was entered in the store's catalogue. */
  unitPriceMinor: number
  /** The same as a cart shows it, where tax makes a difference. */
  shown?: { withTaxMinor: number; withoutTaxMinor: number }
  imageUrl: string | null
  /** Of a variation: what the shopper chose, as far as the store's own attributes go. */
  choices?: ItemChoice[]
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
  /** Of a purchase: its amount is no revenue, or only if it was before (S4). A missing one counts. */
  amount?: 'none' | 'if_counted'
  /** null for guests. */
  customerId: string | null
  email: string | null
  phone: string | null
  firstName: string | null
  lastName: string | null
  /** Shipping country, else billing country; alpha-2. */
  country: string | null
  /** Of an address in the United States: two letters. */
  state?: string | null
  coupons: string[]
  /** What each of them took off. A missing one is unknown. */
  discounts?: OrderDiscount[]
  items: PlatformItem[]
  /** Who placed it: orders of staff and of tills are nobody's abandoned cart (A2), and renewals end none (S3). */
  source: OrderSource
  /** A renewal that the shopper paid in a checkout: it ends a cart with just that in it. */
  isPaidRenewal?: boolean
  /** The order that this one is a part of, such as that of one vendor. */
  parentId?: string | null
  /** Placed to try the shop's payments; left out like those of staff (A2). */
  isTest?: boolean
  /** Its contact was left out, because nobody agreed to keep it (C9). */
  isNameless?: boolean
  /** The checkout it came from. */
  checkoutToken?: string | null
  /** The cart that checkout came from. */
  cartToken?: string | null
  /** Where an unpaid order can still be paid. */
  paymentUrl: string | null
  /** What the shopper agreed to in this order's checkout. A missing one says nothing. */
  consents?: OrderConsent[]
}

export interface OrderDiscount {
  /** Upper case. */
  code: string
  discountMinor: number
}

export interface OrderConsent {
  channel: 'email' | 'sms' | 'whatsapp'
  /** What was shown; null when the store did not keep it. */
  wording: string | null
}

/** A checkout that was begun, whether or not an order came of it. */
export interface PlatformCheckout {
  checkoutId: string
  checkoutToken: string | null
  cartToken: string | null
  createdAt: string
  modifiedAt: string
  /** When it became an order; null while it has not. */
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
  /** Of an address in the United States: two letters. */
  state?: string | null
  /** What the shopper reads, e.g. `de`. */
  language: string | null
  items: PlatformItem[]
  coupons: string[]
  /** Where the shop itself brings it back; hostile until its host was checked. */
  restoreUrl: string | null
  consents: PlatformConsent[]
}

/** A cart before any checkout, as a webhook tells it: there is no way to read one. */
export interface PlatformCart {
  cartToken: string
  modifiedAt: string
  items: PlatformItem[]
}

/** What a store keeps of a person's consent to one channel. */
export interface PlatformConsent {
  channel: 'email' | 'sms' | 'whatsapp'
  /** none: neither agreed nor withdrawn. */
  state: 'granted' | 'withdrawn' | 'none'
  /** How it was given; double: confirmed by a link or a reply. */
  level: 'single' | 'double' | 'unknown'
  at: string | null
  /** What was shown; null when the store did not keep it. */
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
  /** When they were last in the shop as themselves; null where the store does not say. */
  lastLoginAt: string | null
  /** A missing list says nothing. */
  consents?: PlatformConsent[]
  /** Of their whole life in the store, as it counts them itself; a missing one is unknown. */
  ordersCount?: number
  spentMinor?: number
  /** Whether they have ever paid for an order, where the store keeps this and no sum. */
  isPaying?: boolean
}

export interface PlatformProduct {
  productId: string
  variationId: string | null
  name: string
  sku: string | null
  priceMinor: number
  /** What its owner entered, where the shop's pages show another: with tax, or without. */
  enteredMinor?: number
  /** `priceMinor` is what its owner entered. Which price the shop's pages show is not known: it was not asked, or did not say. */
  isShownUnknown?: true
  currency: string
  imageUrl: string | null
  permalink: string | null
  /** Published, purchasable and in stock. */
  isAvailable: boolean
  /** null: the store does not say. */
  isOnSale?: boolean | null
  /** A variation for "any" of an attribute, such as every size: which one the shopper chose is in no id of the store. */
  hasOpenChoice?: boolean
  stockQuantity: number | null
  /** What the store puts it under: categories, or on Shopify its type. Absent: the store does not say. */
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

/** What an item costs now, and whether it can be bought. */
export interface ItemTerms extends ItemRef {
  isAvailable: boolean
  /** null: the store says none. */
  priceMinor: number | null
  /** null: the store does not say. */
  isOnSale?: boolean | null
  stockQuantity: number | null
}

/** A row that could not be read. One bad row never loses its page; `id` is null when not even that was readable. */
export interface SkippedRow {
  id: string | null
  reason: string
}

export interface Page<Row> {
  rows: Row[]
  skipped: SkippedRow[]
  /** Counted from 1 (or `firstPage`). */
  page: number
  /** What the store estimates; it moves while rows are being changed. */
  totalPages: number
  isLast: boolean
}

export interface OrderPage extends Page<PlatformOrder> {
  /** An interrupted pull goes on with `modifiedSince` = this: everything modified before it was delivered. null: nothing new known. */
  resumeFrom: string | null
}

export interface CheckoutPage extends Page<PlatformCheckout> {
  /** As of an order page; null where the store lists them in another order. */
  resumeFrom: string | null
}

export interface CheckoutQuery {
  /** Inclusive instant. */
  modifiedSince: string
  signal?: AbortSignal
}

export interface OrderQuery {
  /** Inclusive instant; the client widens the platform's exclusive bound itself. */
  modifiedSince: string
  /** 1 to 100, default 100. */
  pageSize?: number
  /**
   * Trashed orders are in no other list; ask for them apart (nightly). `pending`: those that await their payment. Default `all`: every status
   * but trash.
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

export interface RefillWish {
  items: readonly {
    productId: string
    variationId: string | null
    quantity: number
    choices?: ItemChoice[] | undefined
  }[]
  coupon: string | null
  /** Parameters that go along into the address of the checkout. */
  extra: Readonly<Record<string, string>>
}

export interface Refilled {
  /** Where the shopper finds it; null when the store took none of it. */
  checkoutUrl: string | null
  /** What the store put into it, by the id of the product or variation. */
  lines: { id: string; quantity: number }[]
  /** Of a coupon that was wished for: the store did not take it. */
  isCouponRefused?: boolean
}

/** A picture the shop shows of itself, as it came: hostile until it was decoded. */
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

/** As it came: hostile until its signature was checked. */
export interface PluginAnswer {
  status: number
  signature: string
  body: string
}

/** How the prices that the shop's pages show differ from the entered ones. 'unknown': the shop is not asked for them. */
export type ShownTax = 'none' | 'added' | 'taken_off' | 'unknown'

export interface ListQuery {
  modifiedSince?: string
  firstPage?: number
  signal?: AbortSignal
}

/** One store on one platform, one request at a time. What a store does wrong is thrown as `StoreProblem` (see `store-problem.ts`), nothing else. */
export interface StoreClient {
  /** Reads public index, then signs in and reads the profile. Throws the most specific problem it can prove. */
  readProfile(signal?: AbortSignal): Promise<StoreProfile>
  /** Pages in ascending order of modification; `rows` of every status incl. drafts. Ends after the last page; each change of an order comes once. */
  orders(query: OrderQuery): AsyncIterable<OrderPage>
  /** null when the store has no such order (any more). */
  order(orderId: string, signal?: AbortSignal): Promise<PlatformOrder | null>
  /** Checkouts begun, with those that became orders; nothing where a platform has none but its orders. */
  checkouts(query: CheckoutQuery): AsyncIterable<CheckoutPage>
  /** null when the store has no such checkout (any more). */
  checkout(checkoutId: string, signal?: AbortSignal): Promise<PlatformCheckout | null>
  /** null when the store has no such customer (any more). */
  customer(customerId: string, signal?: AbortSignal): Promise<PlatformCustomer | null>
  /** `modifiedSince`: only of a platform that keeps consents. */
  customers(query: ListQuery): AsyncIterable<Page<PlatformCustomer>>
  /** `shownTax` is called once, and only if there are products. */
  products(query: ListQuery & { shownTax?: () => Promise<ShownTax> }): AsyncIterable<Page<PlatformProduct>>
  /** Of those that are there; what the answer does not name is gone. One request for all, where the store can. */
  terms(query: { items: readonly ItemRef[]; currency: string; signal?: AbortSignal }): Promise<ItemTerms[]>
  /** Whatever their status, by ascending id. */
  coupons(query: ListQuery & { currency: string }): AsyncIterable<Page<PlatformCoupon>>
  /** What is neither among the rows nor skipped, which is there and cannot be read, is gone. */
  couponsById(query: { ids: readonly string[]; currency: string; signal?: AbortSignal }): Promise<CouponsRead>
  /** Whatever its status; null when no coupon has the code. */
  couponByCode(code: string, currency: string): Promise<PlatformCoupon | null>
  /** What the store keeps otherwise than it was sent is deleted again and reported as refused. */
  createCoupons(drafts: readonly CouponDraft[]): Promise<CouponMade[]>
  /** Changes what is named. What the store keeps otherwise is reported as refused, and stands. */
  updateCoupon(id: string, draft: CouponChange['draft']): Promise<CouponChanged>
  /** The same of many. Answers each, in the order given. */
  updateCoupons(changes: readonly CouponChange[]): Promise<CouponChanged[]>
  /** For good. Answers which are gone now; those that were gone before are among them. */
  deleteCoupons(ids: readonly string[]): Promise<string[]>
  /** Tries to fill a guest's cart as the shopper will; null when the store cannot be asked, or does not answer in time. */
  refillCart(wish: RefillWish): Promise<Refilled | null>
  /** Its logo in the sizes it keeps, then its icon: the first that can be used is the one to take. Never throws; a shop may have none. */
  logos(signal?: AbortSignal): AsyncIterable<StoreLogo>
  /** Calls the plugin in the shop, without a key; null when it does not answer within a few seconds. */
  callPlugin(call: PluginCall): Promise<PluginAnswer | null>
  webhooks(): Promise<WebhookSubscription[]>
  /** `secret` is what it shall sign with; ignored where it signs with the secret of its keys. */
  createWebhook(topic: string, deliveryUrl: string, secret: string): Promise<WebhookSubscription>
  deleteWebhook(id: string): Promise<void>
}
