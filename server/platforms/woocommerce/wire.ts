import { z } from 'zod'
import { toCapitals } from '../../../shared/carts/coupons.ts'
import { findFirstEmail, normalizePhone } from '../../../shared/core/contact.ts'
import { parseLocale } from '../../../shared/core/locale.ts'
import { divideMinor, parseCurrency, parseMinor } from '../../../shared/core/money.ts'
import {
  addChoices,
  field,
  type OrderConsent,
  type OrderDiscount,
  type OrderKind,
  type OrderSource,
  type PlatformCustomer,
  type PlatformItem,
  type PlatformOrder,
  parseCountryCode,
  parseUnixTime,
  parseWebAddress,
  type RowReading,
  skip,
  toPlainText,
  wireId,
  wireList,
  wirePart,
  wireRaw,
  wireText,
  wireTime,
  wireUrl,
} from '../platform/public.ts'

// Reads the fields of orders and customers that we use. Every field may be missing or invalid and becomes null. Only a
// row without id, status, currency, time or total is skipped.

const Address = z.object({
  first_name: wireText(120),
  last_name: wireText(120),
  company: wireText(200),
  country: field(parseCountryCode),
  // Of the United States: two letters like a country's.
  state: field(parseCountryCode),
  email: field(findFirstEmail),
  phone: wireRaw,
})

const Order = z.object({
  id: wireId,
  parent_id: wireId,
  status: field((input) => toPlainText(input, 60)?.replace(/^wc-/, '') ?? null),
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
      coupons: wire.coupon_lines.map((line) => toPlainText(line.code, 100)).filter((code) => code !== null),
      discounts: readDiscounts(wire.coupon_lines, currency),
      items: readItems(wire.line_items, { currency, hasTax: wire.prices_include_tax }),
      source,
      ...(source === 'renewal' && { isPaidRenewal: CHECKOUTS.has(wire.created_via ?? '') }),
      // Later instalments of a payment plan are added to the first order.
      ...(source !== 'renewal' && wire.parent_id && { parentId: wire.parent_id }),
      paymentUrl: wire.payment_url,
      ...readOrderLocale(wire.meta_data),
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
    : value === true || !['', '0', 'no', 'false'].includes(toPlainText(value, 100)?.toLowerCase() ?? '')

/**
 * The shopper's consents stored by the checkout: `_recoup_consent_sms` = `yes` and, beside it,
 * `_recoup_consent_sms_wording`; the same for `email` and `whatsapp`. Any value but a yes means unknown
 * (docs/connecting-woocommerce.md).
 */
function readConsents(meta: readonly Record<string, unknown>[]): OrderConsent[] {
  const findMeta = (key: string) => meta.find((each) => each.key === key)?.value
  return (['email', 'sms', 'whatsapp'] as const)
    .filter((channel) => /^(yes|1|true|on)$/i.test(toPlainText(findMeta(`_recoup_consent_${channel}`), 10) ?? ''))
    .map((channel) => ({ channel, wording: toPlainText(findMeta(`_recoup_consent_${channel}_wording`), 1_000) }))
}

/** The language of the checkout, which WPML stores with the order. */
function readOrderLocale(meta: readonly Record<string, unknown>[]): { locale?: string } {
  const locale = parseLocale(meta.find(({ key }) => key === 'wpml_language')?.value)
  return locale ? { locale } : {}
}

/** The discount of each coupon, with its tax. One line per code. */
function readDiscounts(lines: readonly Record<string, unknown>[], currency: string): OrderDiscount[] {
  const byCode = new Map<string, OrderDiscount>()
  for (const line of lines) {
    const code = toCapitals(toPlainText(line.code, 200) ?? '')
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
  email: field(findFirstEmail),
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

// Reads the lines of an order: prices with and without tax, and each bundle as one line.

const Item = z.object({
  id: wireId,
  product_id: wireId,
  variation_id: wireId,
  name: wireText(300),
  parent_name: wireText(300),
  sku: wireText(100),
  quantity: field((input) => (typeof input === 'string' ? Number(input) : input)),
  subtotal: wireRaw,
  subtotal_tax: wireRaw,
  price: wireRaw,
  image: wirePart,
  meta_data: wireList,
})

interface Line {
  item: PlatformItem
  lineId: string | null
  /** Reference to its whole. */
  partOf: string[]
  /** Its cart keys. */
  cartKeys: string[]
  hasParts: boolean
  netMinor: number
  taxMinor: number
}

interface Prices {
  currency: string
  /** Prices were entered with tax. */
  hasTax: boolean
}

/** Omits the parts of bundles, composites, boxes and chained products: adding the whole to a cart adds its parts. */
export function readItems(rows: readonly Record<string, unknown>[], prices: Prices): PlatformItem[] {
  const lines = rows.map((raw) => readLine(raw, prices)).filter((line) => line !== null)
  const parents = findParents(lines)
  const parts = Map.groupBy(lines, (_, place) => findWhole(parents, place))
  return [...parts].map(([place, all]) => {
    const { item } = lines[place]!
    return all.length > 1 ? { ...item, ...readPrices(all, item.quantity, prices) } : item
  })
}

/** null for a line without a product (fees entered by staff, unknown products) or without a valid quantity. */
function readLine(raw: Record<string, unknown>, prices: Prices): Line | null {
  const wire = Item.parse(raw)
  const { quantity } = wire
  if (!wire.product_id || typeof quantity !== 'number' || !(quantity > 0) || quantity > 1_000_000) return null
  const units = Number.isInteger(quantity) ? quantity : 1
  const net = parseMinor(wire.subtotal, prices.currency)
  const one = parseMinor(wire.price, prices.currency) ?? 0
  const line = { netMinor: net ?? one * units, taxMinor: parseMinor(wire.subtotal_tax, prices.currency) ?? 0 }
  const entries = wire.variation_id ? readChoices(wire.meta_data) : {}
  const name = wire.name ?? wire.parent_name ?? wire.sku ?? `#${wire.product_id}`
  const item = {
    productId: wire.product_id,
    variationId: wire.variation_id,
    name: addChoices(name, entries.choices ?? []),
    sku: wire.sku,
    quantity: units,
    ...readPrices([line], units, prices),
    imageUrl: parseWebAddress(wire.image.src),
    ...entries,
  }
  const marks = [...Object.entries(raw), ...wire.meta_data.map(({ key, value }) => [key, value] as const)]
  return {
    item,
    ...line,
    lineId: wire.id,
    partOf: listValues(marks, PART).slice(0, 5),
    cartKeys: listValues(marks, CART_KEY).slice(0, 5),
    hasParts: listValues(marks, WHOLE).length > 0,
  }
}

/** Unit prices of lines that are sold as one. Without a known tax both are equal. */
function readPrices(
  lines: readonly Pick<Line, 'netMinor' | 'taxMinor'>[],
  units: number,
  { hasTax }: Prices,
): Pick<PlatformItem, 'unitPriceMinor' | 'displayed'> {
  const net = lines.reduce((sum, line) => sum + line.netMinor, 0)
  const gross = lines.reduce((sum, line) => sum + line.netMinor + line.taxMinor, 0)
  const [withoutTaxMinor, withTaxMinor] = [net, gross].map((minor) =>
    Number.isSafeInteger(minor) ? Math.max(divideMinor(minor, units), 0) : 0,
  ) as [number, number]
  return {
    unitPriceMinor: hasTax ? withTaxMinor : withoutTaxMinor,
    ...(withTaxMinor !== withoutTaxMinor && { displayed: { withTaxMinor, withoutTaxMinor } }),
  }
}

/** The shop's own attributes (`pa_size`). Other meta data may come from a plugin and concern a person (S7). */
function readChoices(meta: readonly Record<string, unknown>[]): Pick<PlatformItem, 'choices'> {
  const choices = meta.flatMap(({ key, display_key, display_value }) => {
    const [name, value] = [toPlainText(display_key, 100), toPlainText(display_value, 200)]
    return typeof key === 'string' && key.startsWith('pa_') && name && value ? [{ name, value }] : []
  })
  return choices.length > 0 ? { choices: choices.slice(0, 10) } : {}
}

// References from a part to its whole. Plugins name the whole by its line, its cart key or its product, in a field of
// the line or in its meta data, where the name begins with an underscore.

export const PART =
  /^_?(?:bundled_by|composite_parent|mnm_container|woo(?:s[bg]|co|fs)_parent_id|chained_(?:item|product)_of|asnp_wepb_parent_id|yith_wcp_child_component_data)$/
export const WHOLE =
  /^_?(?:bundled_items|composite_children|mnm_(?:config|data)|woo(?:s[bg]|co|fs)_ids|asnp_wepb_items|yith_wcp_component_data)$/
const CART_KEY = /^_\w+_cart_key$/
const MAX_NESTING = 10

/** Index of the line that contains this one; its own index if none does. */
function findWhole(parents: readonly (number | undefined)[], place: number): number {
  let at = place
  for (let depth = 0; depth < MAX_NESTING; depth++) {
    const above = parents[at]
    // In a cycle of parts the first line is the whole.
    if (above === undefined || above === place) return above === undefined ? at : Math.min(at, place)
    at = above
  }
  return at
}

/** undefined: no whole, or it no longer exists. */
function findParents(lines: readonly Line[]): (number | undefined)[] {
  const byKey = indexByName(lines, ({ cartKeys }) => cartKeys)
  const byId = indexByName(lines, ({ lineId, item }) => [lineId, item.productId, item.variationId])
  let whole: number | undefined
  return lines.map(({ partOf, hasParts }, place) => {
    // Parts follow their whole.
    const before = whole
    if (hasParts) whole = place
    if (partOf.length === 0) return undefined
    const named = [...partOf.flatMap((id) => byKey.get(id) ?? []), ...partOf.flatMap((id) => byId.get(id) ?? [])]
    return named.find((at) => at !== place) ?? before
  })
}

/** The first two lines of each name: at least one of them is another line. */
function indexByName(lines: readonly Line[], namesOf: (line: Line) => (string | null)[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [place, line] of lines.entries()) {
    for (const name of namesOf(line)) {
      const known = name === null ? undefined : (places.get(name) ?? [])
      if (known && known.length < 2 && !known.includes(place)) places.set(name!, [...known, place])
    }
  }
  return places
}

/** Texts and numbers as text; for other values only that they exist. */
function listValues(entries: readonly (readonly [unknown, unknown])[], name: RegExp): string[] {
  return entries.flatMap(([key, value]) => {
    if (typeof key !== 'string' || !name.test(key)) return []
    const isThere = value === true || (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    const text = isThere ? 'yes' : toPlainText(value, 100)
    return text && text !== '0' ? [text] : []
  })
}

// Interprets a WooCommerce order status (S4). Pure.

interface StatusMeaning {
  kind: OrderKind
  amount: 'counts' | 'if_counted' | 'none'
}

const KNOWN = new Map<string, StatusMeaning>([
  ['checkout-draft', { kind: 'draft', amount: 'none' }],
  ['auto-draft', { kind: 'draft', amount: 'none' }],
  ['draft', { kind: 'draft', amount: 'none' }],
  ['pending', { kind: 'pending', amount: 'none' }],
  ['failed', { kind: 'failed', amount: 'none' }],
  ['cancelled', { kind: 'cancelled', amount: 'none' }],
  ['trash', { kind: 'trashed', amount: 'none' }],
  // Cash on delivery is `processing` and bank transfer `on-hold`, both before payment.
  ['processing', { kind: 'purchase', amount: 'counts' }],
  ['on-hold', { kind: 'purchase', amount: 'counts' }],
  ['completed', { kind: 'purchase', amount: 'counts' }],
  ['refunded', { kind: 'purchase', amount: 'none' }],
])

/** Words and parts of words with which shops name a failed order. */
const FAILED_PATTERN =
  /cancel|stornier|annul|anulad|anulow|refus|reject|rechaz|rifiut|odrzuc|abgelehnt|declin|denied|void|expir|abgelaufen|fraud|betrug|charge-?back|disput|fail|fehlgeschl|fallid|return|retour|devuel|devol|zwrot|undeliver|lost|(?:^|-)rto(?:-|$)|refund|erstatt|rembours|reembols|rimbors|zwroc|estorn|terugbeta/

const REFUSED = 'cancel|annul|anul|reject|rechaz|rifiut|odrzuc|declin|denied|refus|abgelehnt|won'
/** Part of the order, or all of it, is still sold. */
const PARTIAL_PATTERN = new RegExp(
  [
    'parti[ae]l|parcial|parzial|teil',
    // a refused request, or a check
    '(?:req|anfrage|beantragt|demand|solicit|aangevr|richiest|zglosz)(?!.*(?:approv|accept|done|complet))',
    'check|review|await|pend|pruef|attente',
    // a withdrawn, refused or won return or dispute
    `(?:return|retour|retoure|refund|cancel|cancellation|storno|dispute|chargeback|exchange|rueckgabe|rembours|devoluc|zwrot)s?-(?:${REFUSED})`,
  ].join('|'),
)

/**
 * A custom status may mean anything from "packed" to "asks for a price". It ends the cart, because a message to a buyer
 * is worse than a missed cart. Its amount counts only with proof: a payment, or an earlier status that counted.
 */
export function readStatus(status: string, isPaid: boolean): StatusMeaning {
  const known = KNOWN.get(status)
  if (known) return known
  const lower = status.toLowerCase()
  if (FAILED_PATTERN.test(lower) && !PARTIAL_PATTERN.test(lower)) return { kind: 'purchase', amount: 'none' }
  return { kind: 'purchase', amount: isPaid ? 'counts' : 'if_counted' }
}
