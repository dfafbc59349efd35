// The store's records. Instants are milliseconds since the epoch, money is minor units of the store's currency.

export interface StoredRecord {
  id: number
  createdAt: number
  updatedAt: number
}

export interface Product extends StoredRecord {
  handle: string
  title: string
  description: string
  productType: string
  status: 'ACTIVE' | 'DRAFT' | 'ARCHIVED'
  /** Name of the option that its variants differ in; null: one variant. */
  optionName: string | null
  picture: string
}

export interface Variant extends StoredRecord {
  productId: number
  /** "Default Title" for a product without options. */
  title: string
  sku: string
  priceMinor: number
  compareAtMinor: number | null
  /** null: not tracked. */
  stock: number | null
  position: number
  picture: string | null
}

export type ConsentState = 'NOT_SUBSCRIBED' | 'PENDING' | 'SUBSCRIBED' | 'UNSUBSCRIBED'

export interface Consent {
  state: ConsentState
  level: 'SINGLE_OPT_IN' | 'CONFIRMED_OPT_IN' | 'UNKNOWN' | null
  at: number | null
}

export interface Address {
  firstName: string
  lastName: string
  address1: string
  address2: string
  city: string
  /** Two letters. */
  provinceCode: string
  zip: string
  countryCode: string
  phone: string
}

export interface Customer extends StoredRecord {
  firstName: string | null
  lastName: string | null
  email: string | null
  phone: string | null
  locale: string
  emailConsent: Consent
  smsConsent: Consent
  whatsAppConsent: Consent
  ordersCount: number
  spentMinor: number
  lastOrderId: number | null
  address: Address | null
}

export interface CartLine {
  variantId: number
  quantity: number
}

export interface Cart extends StoredRecord {
  token: string
  /** Browsers see `<token>?key=<key>`; orders and checkouts contain the token alone. */
  key: string
  lines: CartLine[]
  note: string
  attributes: Record<string, string>
}

export interface Line extends CartLine {
  id: number
  productId: number
  title: string
  variantTitle: string | null
  sku: string
  unitMinor: number
  picture: string
}

/** A code's discount. */
export interface Reduction {
  code: string
  minor: number
}

export interface Totals {
  subtotalMinor: number
  discountMinor: number
  shippingMinor: number
  totalMinor: number
}

export interface Checkout extends StoredRecord, Totals {
  token: string
  cartToken: string
  /** Key of the recovery link. */
  key: string
  completedAt: number | null
  customerId: number | null
  email: string | null
  phone: string | null
  locale: string
  lines: Line[]
  codes: string[]
  reductions: Reduction[]
  shipping: 'standard' | 'express'
  address: Address | null
  acceptsEmail: boolean
  acceptsSms: boolean
  orderId: number | null
}

export type FinancialStatus =
  | 'AUTHORIZED'
  | 'EXPIRED'
  | 'PAID'
  | 'PARTIALLY_PAID'
  | 'PARTIALLY_REFUNDED'
  | 'PENDING'
  | 'REFUNDED'
  | 'VOIDED'

export interface Order extends StoredRecord, Totals {
  number: number
  customerId: number | null
  email: string | null
  phone: string | null
  locale: string
  checkoutToken: string | null
  cartToken: string | null
  lines: Line[]
  codes: string[]
  reductions: Reduction[]
  refundedMinor: number
  financialStatus: FinancialStatus
  fulfillmentStatus: 'FULFILLED' | 'UNFULFILLED' | 'PARTIALLY_FULFILLED' | 'RESTOCKED'
  cancelledAt: number | null
  cancelReason: 'CUSTOMER' | 'DECLINED' | 'FRAUD' | 'INVENTORY' | 'OTHER' | 'STAFF' | null
  closedAt: number | null
  /** `web`, `pos`, `shopify_draft_order`, an app's id. */
  sourceName: string
  isTest: boolean
  address: Address | null
  acceptsEmail: boolean
  /** Token of the order status page. */
  key: string
}

export interface Discount extends StoredRecord {
  title: string
  startsAt: number
  endsAt: number | null
  value: { kind: 'percentage'; fraction: number } | { kind: 'amount'; minor: number; isOnEachItem: boolean }
  usageLimit: number | null
  oncePerCustomer: boolean
  minSubtotalMinor: number | null
  minQuantity: number | null
  /** null: everybody. */
  customerIds: number[] | null
  /** null: everything. */
  productIds: number[] | null
  combinesWith: { orderDiscounts: boolean; productDiscounts: boolean; shippingDiscounts: boolean }
  tags: string[]
}

export interface Code extends StoredRecord {
  discountId: number
  code: string
  uses: number
}

export interface Webhook extends StoredRecord {
  topic: string
  uri: string
  /** Consecutive failures across deliveries. */
  failures: number
}

export interface Bulk extends StoredRecord {
  query: string
  status: 'CREATED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'CANCELING'
  errorCode: string | null
  completedAt: number | null
  objects: number
  roots: number
  /** JSONL; null until it exists, or if no rows were found. */
  lines: string | null
}

export interface Records {
  product: Product
  variant: Variant
  customer: Customer
  cart: Cart
  checkout: Checkout
  order: Order
  discount: Discount
  code: Code
  webhook: Webhook
  bulk: Bulk
}

export type Kind = keyof Records

/** First id of each kind, as large as Shopify's. Ids of different kinds never overlap. */
export const firstIds: Record<Kind | 'line', number> = {
  product: 8_120_000_000_001,
  variant: 44_100_000_000_001,
  customer: 7_310_000_000_001,
  cart: 1_001,
  checkout: 36_500_000_000_001,
  order: 5_600_000_000_001,
  discount: 1_210_000_000_001,
  code: 17_400_000_000_001,
  webhook: 1_390_000_000_001,
  bulk: 4_100_000_000_001,
  line: 13_900_000_000_001,
}
