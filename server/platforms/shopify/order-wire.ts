import { z } from 'zod'
import { toCapitals } from '../../../shared/carts/coupons.ts'
import { findFirstEmail, normalizePhone } from '../../../shared/core/contact.ts'
import { parseLocale } from '../../../shared/core/locale.ts'
import { parseCurrency } from '../../../shared/core/money.ts'
import {
  field,
  type OrderDiscount,
  type OrderKind,
  type OrderSource,
  type PlatformItem,
  type PlatformOrder,
  parseWebAddress,
  type RowReading,
  skip,
  toPlainText,
  wirePart,
  wireText,
} from '../platform/public.ts'
import {
  connection,
  getPath,
  parseGid,
  parseShopMoney,
  toMinor,
  wireConnection,
  wireFlag,
  wireGid,
  wireInstant,
  wireMoney,
  wireStrings,
} from './fields.ts'
import { type Address, wireAddress, wirePerson } from './people.ts'

// Reads the fields of an order that we use. Only a row without id, time, currency or total is skipped.

/** Cart tokens of webhooks and browsers end with a key; the token alone identifies the cart. */
export const parseToken = (input: unknown): string | null =>
  typeof input === 'string' ? (/^([\w-]{8,200})(?:\?|$)/.exec(input)?.[1] ?? null) : null

export const wireToken = field(parseToken)

const Order = z.object({
  id: wireGid,
  createdAt: wireInstant,
  updatedAt: wireInstant,
  processedAt: wireInstant,
  cancelledAt: wireInstant,
  test: wireFlag,
  sourceName: wireText(60),
  displayFinancialStatus: wireText(40),
  currencyCode: field(parseCurrency),
  customerLocale: field(parseLocale),
  checkoutToken: wireToken,
  cartToken: wireToken,
  discountCodes: wireStrings,
  email: field(findFirstEmail),
  phone: z.unknown().optional(),
  totalPriceSet: wireMoney,
  totalRefundedSet: wireMoney,
  customer: wirePerson,
  shippingAddress: wireAddress,
  billingAddress: wireAddress,
  lineItems: wireConnection,
})

type WireOrder = z.infer<typeof Order>

export function readOrder(raw: unknown): RowReading<PlatformOrder> {
  const parsed = Order.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not an order')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  const without = (what: string) => ({ skipped: { id: wire.id, reason: `no ${what}` } })
  if (!wire.currencyCode) return without('currency')
  if (!wire.updatedAt) return without('time of modification')
  const totalMinor = toMinor(wire.totalPriceSet, wire.currencyCode)
  if (totalMinor === null) return without('total')
  const kind = orderKind(wire)
  const createdAt = wire.createdAt ?? wire.updatedAt
  return {
    row: {
      orderId: wire.id,
      kind,
      status: readStatus(wire),
      createdAt,
      modifiedAt: wire.updatedAt,
      // A Shopify order exists once it is placed; no field has the time of payment.
      paidAt: kind === 'purchase' ? (wire.processedAt ?? createdAt) : null,
      currency: wire.currencyCode,
      totalMinor,
      refundedMinor: Math.abs(toMinor(wire.totalRefundedSet, wire.currencyCode) ?? 0),
      customerId: wire.customer.id,
      ...readContact(wire),
      ...(wire.customerLocale && { locale: wire.customerLocale }),
      coupons: parseCodes(wire.discountCodes),
      items: readItems(wire.lineItems.nodes, wire.currencyCode),
      source: readSource(wire),
      isTest: wire.test,
      checkoutToken: wire.checkoutToken,
      cartToken: wire.cartToken,
      paymentUrl: null,
    },
  }
}

export const parseCodes = (strings: readonly unknown[]): string[] =>
  strings.map((code) => toPlainText(code, 200)).filter((code) => code !== null)

/** The store's status: `paid`, `partially_refunded` …; `cancelled` has priority. */
const readStatus = ({ cancelledAt, displayFinancialStatus }: WireOrder): string =>
  cancelledAt ? 'cancelled' : (displayFinancialStatus?.toLowerCase() ?? 'open')

/**
 * Engine rule S4. Every order is a purchase, paid or not: cash on delivery and bank transfer are `pending` here. A
 * voided or expired payment brings no revenue.
 */
function orderKind({ cancelledAt, displayFinancialStatus }: WireOrder): OrderKind {
  const isVoid = displayFinancialStatus === 'VOIDED' || displayFinancialStatus === 'EXPIRED'
  return cancelledAt || isVoid ? 'cancelled' : 'purchase'
}

const STAFF_SOURCES = new Set(['shopify_draft_order', 'iphone', 'android'])

/**
 * A renewal has no checkout; a subscription's first order has one. Other channels and apps have free names, and their
 * buyers count as shoppers.
 */
function readSource({ sourceName, checkoutToken }: WireOrder): OrderSource {
  if (sourceName === 'pos') return 'pos'
  if (sourceName && STAFF_SOURCES.has(sourceName)) return 'staff'
  return sourceName?.startsWith('subscription_contract') && !checkoutToken ? 'renewal' : 'shopper'
}

function readContact({ email, phone, customer, shippingAddress, billingAddress }: WireOrder) {
  const place = choosePlace(shippingAddress, billingAddress)
  const numbers = [phone, shippingAddress.phone, billingAddress.phone]
  return {
    email,
    phone: numbers.map((number) => normalizePhone(number, place.country)).find((number) => number !== null) ?? null,
    firstName: customer.firstName ?? shippingAddress.firstName ?? billingAddress.firstName,
    lastName: customer.lastName ?? shippingAddress.lastName ?? billingAddress.lastName,
    ...place,
  }
}

/** Shipping address, else billing address. */
export function choosePlace(shipping: WireAddress, billing: WireAddress) {
  const place = shipping.countryCodeV2 ? shipping : billing
  return { country: place.countryCodeV2, state: readState(place) }
}

const Item = z.object({
  quantity: z.unknown().optional(),
  sku: wireText(100),
  title: wireText(300),
  variantTitle: wireText(200),
  image: wirePart,
  originalUnitPriceSet: field(parseShopMoney),
  product: wirePart,
  variant: wirePart,
})

export const readItems = (nodes: readonly unknown[], currency: string): PlatformItem[] =>
  nodes.map((node) => readItem(node, currency)).filter((item) => item !== null)

/** null for a line without a product: entered by staff, or deleted since. */
function readItem(raw: unknown, currency: string): PlatformItem | null {
  const line = Item.safeParse(raw)
  if (!line.success) return null
  const { quantity, title, sku, variantTitle, image, originalUnitPriceSet, product, variant } = line.data
  const [productId, variationId] = [parseGid(product.id), parseGid(variant.id)]
  if (!productId || typeof quantity !== 'number' || !Number.isInteger(quantity)) return null
  if (quantity < 1 || quantity > 1_000_000) return null
  const name = [title, variantTitle === DEFAULT_TITLE ? null : variantTitle].filter((part) => part !== null).join(' - ')
  return {
    productId,
    variationId,
    name: name || sku || `#${productId}`,
    sku,
    quantity,
    unitPriceMinor: Math.max(toMinor(originalUnitPriceSet, currency) ?? 0, 0),
    imageUrl: parseWebAddress(image.url),
  }
}

/** Title of a product's only variant. */
export const DEFAULT_TITLE = 'Default Title'

/** Discount of each code on the lines. A code for shipping has none. */
export function readDiscounts(raw: unknown, currency: string): OrderDiscount[] {
  const codes = new Map<unknown, string>()
  for (const node of connection(getPath(raw, 'discountApplications')).nodes) {
    const code = toCapitals(toPlainText(getPath(node, 'code'), 200) ?? '')
    if (code && getPath(node, 'targetType') !== 'SHIPPING_LINE') codes.set(getPath(node, 'index'), code)
  }
  const sums = new Map([...codes.values()].map((code) => [code, 0]))
  for (const line of connection(getPath(raw, 'lineItems')).nodes) {
    const allocations = getPath(line, 'discountAllocations')
    for (const allocation of Array.isArray(allocations) ? allocations.slice(0, 100) : []) {
      const code = codes.get(getPath(allocation, 'discountApplication', 'index'))
      const minor = toMinor(parseShopMoney(getPath(allocation, 'allocatedAmountSet')), currency)
      if (code && minor !== null) sums.set(code, sums.get(code)! + Math.max(minor, 0))
    }
  }
  return [...sums].flatMap(([code, discountMinor]) =>
    Number.isSafeInteger(discountMinor) ? [{ code, discountMinor }] : [],
  )
}

type WireAddress = z.infer<typeof Address>

const readState = ({ countryCodeV2, provinceCode }: WireAddress): string | null =>
  countryCodeV2 === 'US' ? provinceCode : null
