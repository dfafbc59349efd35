import { z } from 'zod'
import { firstEmail, normalizePhone } from '../../../shared/contact.ts'
import { capitals } from '../../../shared/coupons.ts'
import { parseCurrency, parseMinor } from '../../../shared/money.ts'
import type { OrderConsent, OrderDiscount, OrderSource, PlatformCustomer, PlatformOrder } from '../platform/platform.ts'
import {
  field,
  type RowReading,
  skip,
  wireId,
  wireList,
  wirePart,
  wireRaw,
  wireText,
  wireTime,
  wireUrl,
} from '../platform/row.ts'
import { parseCountryCode, parseUnixTime, plainText } from '../platform/text.ts'
import { readItems } from './order-lines.ts'
import { readStatus } from './order-status.ts'

// Reads the fields of orders and customers that we use. Every field may be missing or invalid and becomes null. Only a
// row without id, status, currency, time or total is skipped.

const Address = z.object({
  first_name: wireText(120),
  last_name: wireText(120),
  company: wireText(200),
  country: field(parseCountryCode),
  // Of the United States: two letters like a country's.
  state: field(parseCountryCode),
  email: field(firstEmail),
  phone: wireRaw,
})

const Order = z.object({
  id: wireId,
  parent_id: wireId,
  status: field((input) => plainText(input, 60)?.replace(/^wc-/, '') ?? null),
  currency: field(parseCurrency),
  date_created_gmt: wireTime,
  date_modified_gmt: wireTime,
  date_paid_gmt: wireTime,
  total: wireRaw,
  prices_include_tax: field((input) => input === true),
  customer_id: wireId,
  billing: wirePart.pipe(Address),
  shipping: wirePart.pipe(Address),
  line_items: wireList,
  refunds: wireList,
  coupon_lines: wireList,
  created_via: wireText(60),
  payment_url: wireUrl,
  meta_data: wireList,
})

/**
 * For `_fields`: exactly what `readOrder` uses; no street, IP, user agent or payment data is ever requested (S7).
 * WordPress filters inside objects (`billing.email`), but a nested name on a list (`line_items.sku`) empties it, so
 * lists are requested whole.
 */
export const ORDER_FIELDS = fieldNames(Order.shape)

export function fieldNames(shape: Record<string, unknown>): string {
  const inAddress = Object.keys(Address.shape)
  return Object.keys(shape)
    .flatMap((name) =>
      name === 'billing' || name === 'shipping' ? inAddress.map((part) => `${name}.${part}`) : [name],
    )
    .join(',')
}

type WireOrder = z.infer<typeof Order>

export function readOrder(raw: unknown): RowReading<PlatformOrder> {
  const parsed = Order.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not an order')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  if (!wire.status) return skip(raw, 'no status')
  if (!wire.currency) return skip(raw, 'no currency')
  if (!wire.date_modified_gmt) return skip(raw, 'no time of modification')
  const totalMinor = parseMinor(wire.total, wire.currency)
  if (totalMinor === null) return skip(raw, 'no total')
  const currency = wire.currency
  const source = readSource(wire)
  const { kind, amount } = readStatus(wire.status, wire.date_paid_gmt !== null)
  return {
    row: {
      orderId: wire.id,
      kind,
      status: wire.status,
      createdAt: wire.date_created_gmt ?? wire.date_modified_gmt,
      modifiedAt: wire.date_modified_gmt,
      paidAt: wire.date_paid_gmt,
      currency,
      totalMinor,
      refundedMinor: refundedMinor(wire.refunds, currency),
      ...(kind === 'purchase' && amount !== 'counts' && { amount }),
      customerId: wire.customer_id,
      ...readContact(wire.billing, wire.shipping),
      coupons: wire.coupon_lines.map((line) => plainText(line.code, 100)).filter((code) => code !== null),
      discounts: readDiscounts(wire.coupon_lines, currency),
      items: readItems(wire.line_items, { currency, hasTax: wire.prices_include_tax }),
      source,
      ...(source === 'renewal' && { isPaidRenewal: CHECKOUTS.has(wire.created_via ?? '') }),
      // Later instalments of a payment plan are added to the first order.
      ...(source !== 'renewal' && wire.parent_id && { parentId: wire.parent_id }),
      paymentUrl: wire.payment_url,
      consents: readConsents(wire.meta_data),
    },
  }
}

const TILLS = new Set(['pos', 'woocommerce-pos'])
const STAFF = new Set(['admin', 'bulk_edit'])
/** Created by a subscription or payment plan, not by the shopper (S3). */
const AUTOMATIC = new Set(['subscription', 'wc_deposits', 'yith_wcdp_balance_order'])
const CHECKOUTS = new Set(['checkout', 'store-api'])

/**
 * Renewal marks of WooCommerce Subscriptions, YITH Subscription, WP Swings Subscriptions, SUMO Subscriptions and
 * Subscriptio.
 */
export const RENEWAL_MARKS = new Set([
  '_subscription_renewal',
  '_subscription_renewal_early',
  'is_a_renew',
  'wps_sfw_renewal_order',
  'sumo_renewal_order_date',
  '_subscriptio_renewal',
])

function readSource({ created_via: via, meta_data: meta }: WireOrder): OrderSource {
  const isMarked = meta.some(({ key, value }) => typeof key === 'string' && RENEWAL_MARKS.has(key) && isSet(value))
  if (isMarked || AUTOMATIC.has(via ?? '')) return 'renewal'
  return TILLS.has(via ?? '') ? 'pos' : STAFF.has(via ?? '') ? 'staff' : 'shopper'
}

/** WordPress stores an id, a key or a yes. */
const isSet = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : value === true || !['', '0', 'no', 'false'].includes(plainText(value, 100)?.toLowerCase() ?? '')

/**
 * The shopper's consents stored by the checkout: `_recoup_consent_sms` = `yes` and, beside it,
 * `_recoup_consent_sms_wording`; the same for `email` and `whatsapp`. Any value but a yes means unknown
 * (docs/connecting-woocommerce.md).
 */
function readConsents(meta: readonly Record<string, unknown>[]): OrderConsent[] {
  const findMeta = (key: string) => meta.find((each) => each.key === key)?.value
  return (['email', 'sms', 'whatsapp'] as const)
    .filter((channel) => /^(yes|1|true|on)$/i.test(plainText(findMeta(`_recoup_consent_${channel}`), 10) ?? ''))
    .map((channel) => ({ channel, wording: plainText(findMeta(`_recoup_consent_${channel}_wording`), 1_000) }))
}

/** The discount of each coupon, with its tax. One line per code. */
function readDiscounts(lines: readonly Record<string, unknown>[], currency: string): OrderDiscount[] {
  const byCode = new Map<string, OrderDiscount>()
  for (const line of lines) {
    const code = capitals(plainText(line.code, 200) ?? '')
    const net = parseMinor(line.discount, currency)
    const tax = parseMinor(line.discount_tax, currency) ?? 0
    if (!code || net === null || byCode.has(code) || !Number.isSafeInteger(net + tax)) continue
    byCode.set(code, { code, discountMinor: Math.max(net + tax, 0) })
  }
  return [...byCode.values()]
}

type WireAddress = z.infer<typeof Address>

function readContact(billing: WireAddress, shipping: WireAddress) {
  const billed = billing.country ?? shipping.country
  const country = shipping.country ?? billing.country
  return {
    email: billing.email ?? shipping.email,
    phone: normalizePhone(billing.phone, billed) ?? normalizePhone(shipping.phone, country),
    firstName: billing.first_name ?? shipping.first_name,
    lastName: billing.last_name ?? shipping.last_name,
    country,
    state: country === 'US' ? (shipping.country ? shipping : billing).state : null,
  }
}

/** Refunds have negative totals ("-5.00"); an unreadable one counts as zero. */
function refundedMinor(refunds: Record<string, unknown>[], currency: string): number {
  const sum = refunds.reduce((total, refund) => total + Math.abs(parseMinor(refund.total, currency) ?? 0), 0)
  return Number.isSafeInteger(sum) ? sum : 0
}

const Customer = z.object({
  id: wireId,
  role: wireText(60),
  email: field(firstEmail),
  first_name: wireText(120),
  last_name: wireText(120),
  billing: wirePart.pipe(Address),
  shipping: wirePart.pipe(Address),
  date_created_gmt: wireTime,
  date_modified_gmt: wireTime,
  is_paying_customer: field((input) => input === true),
  meta_data: wireList,
})

export const CUSTOMER_FIELDS = fieldNames(Customer.shape)

export function readCustomer(raw: unknown): RowReading<PlatformCustomer & { role: string | null }> {
  const parsed = Customer.safeParse(raw)
  if (!parsed.success) return skip(raw, 'not a customer')
  const wire = parsed.data
  if (!wire.id) return skip(raw, 'no id')
  const contact = readContact(wire.billing, wire.shipping)
  return {
    row: {
      customerId: wire.id,
      role: wire.role,
      ...contact,
      email: wire.email ?? contact.email,
      firstName: wire.first_name ?? contact.firstName,
      lastName: wire.last_name ?? contact.lastName,
      company: wire.billing.company ?? wire.shipping.company,
      createdAt: wire.date_created_gmt,
      modifiedAt: wire.date_modified_gmt,
      isPaying: wire.is_paying_customer === true,
      // Changes with each page they view while signed in; date_modified does not.
      lastLoginAt: parseUnixTime(wire.meta_data.find(({ key }) => key === 'wc_last_active')?.value),
    },
  }
}
