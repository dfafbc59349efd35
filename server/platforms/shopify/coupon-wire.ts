import { z } from 'zod'
import { normalizeEmail } from '../../../shared/contact.ts'
import { currencyExponent } from '../../../shared/money.ts'
import type { CouponChange, CouponLimits, PlatformCoupon } from '../platform/coupon.ts'
import { field, type RowReading, skip, wirePart, wireText } from '../platform/row.ts'
import { plainText } from '../platform/text.ts'
import { at, connection, parseAmount, parseGid, toMinor, wireFlag, wireInstant } from './fields.ts'

// Reads and writes discounts with a code. Shoppers see the title, so our mark is stored in the tags, in chunks, because
// a tag is short.

const MARK_TAG = /^recoup-(\d{1,2}):([\x21-\x7e]{1,60})$/
const MARK_CHUNK = 25
const MAX_USES = 2_000_000_000
/** Stands for an unreadable restriction: no address matches two stars. */
const UNKNOWN_RECIPIENT = '*?*'

const uses = field((input) => (typeof input === 'number' && input > 0 ? Math.min(Math.trunc(input), MAX_USES) : null))

const Discount = z.object({
  __typename: wireText(60),
  title: wireText(300),
  status: wireText(40),
  startsAt: wireInstant,
  endsAt: wireInstant,
  createdAt: wireInstant,
  updatedAt: wireInstant,
  tags: field((input) => (Array.isArray(input) ? input.slice(0, 300) : [])),
  usageLimit: uses,
  asyncUsageCount: uses,
  appliesOncePerCustomer: wireFlag,
  codes: z.unknown().optional(),
  combinesWith: wirePart,
  context: wirePart,
  minimumRequirement: wirePart,
  customerGets: wirePart,
})

type WireDiscount = z.infer<typeof Discount>

/** null: an automatic discount without a code. `code`: the one it was found by. */
export function readCoupon(raw: unknown, currency: string, code?: string): RowReading<PlatformCoupon> | null {
  const id = parseGid(at(raw, 'id'))
  const parsed = Discount.safeParse(at(raw, 'codeDiscount'))
  if (!id || !parsed.success) return skip(raw, 'not a discount')
  const wire = parsed.data
  if (!wire.__typename?.startsWith('DiscountCode')) return null
  const without = (reason: string) => ({ skipped: { id, reason } })
  const first = code ?? plainText(at(connection(wire.codes).nodes[0], 'code'), 200)
  if (!first) return without('no code')
  const minSpendMinor = readMinimum(wire, currency)
  const terms =
    minSpendMinor === 'other' ? { ...NO_TERMS, platformType: 'minimum_quantity' } : readTerms(wire, currency)
  if (!terms) return without('no amount')
  const limits = readLimits(wire)
  if (!limits) return without('too many restrictions')
  const { orderDiscounts, productDiscounts, shippingDiscounts } = wire.combinesWith
  return {
    row: {
      couponId: id,
      code: first,
      ...terms,
      minSpendMinor: minSpendMinor === 'other' ? null : minSpendMinor,
      maxSpendMinor: null,
      expiresAt: wire.endsAt,
      usageLimit: wire.usageLimit,
      usageLimitPerUser: wire.appliesOncePerCustomer ? 1 : null,
      usageCount: wire.asyncUsageCount ?? 0,
      // `endsAt` expresses the end; a later start means not yet active.
      isPublished: wire.status !== 'SCHEDULED',
      isIndividual: orderDiscounts === false && productDiscounts === false && shippingDiscounts === false,
      excludesSaleItems: false,
      limits,
      createdAt: wire.createdAt,
      modifiedAt: wire.updatedAt,
      mark: readMark(wire.tags),
    },
  }
}

type Terms = Pick<PlatformCoupon, 'type' | 'platformType' | 'percent' | 'amountMinor'>

const NO_TERMS = { type: 'other', percent: null, amountMinor: null } as const

/** null: an unreadable discount. */
function readTerms({ __typename: type, customerGets }: WireDiscount, currency: string): Terms | null {
  const value = at(customerGets, 'value')
  if (type !== 'DiscountCodeBasic') return { ...NO_TERMS, platformType: KINDS.get(type) ?? 'unknown' }
  if (at(value, '__typename') === 'DiscountPercentage') {
    const share = at(value, 'percentage')
    const percent = typeof share === 'number' ? Math.round(share * 10_000) : Number.NaN
    if (!(percent >= 0 && percent <= 10_000)) return null
    return { type: 'percentage', platformType: 'percentage', percent, amountMinor: null }
  }
  if (at(value, '__typename') !== 'DiscountAmount') return { ...NO_TERMS, platformType: 'on_quantity' }
  const amountMinor = toMinor(parseAmount(at(value, 'amount')), currency)
  if (amountMinor === null || amountMinor < 0) return null
  const isWhole = at(value, 'appliesOnEachItem') === false
  return {
    type: isWhole ? 'fixed' : 'other',
    platformType: isWhole ? 'fixed_amount' : 'fixed_each',
    percent: null,
    amountMinor,
  }
}

const KINDS = new Map<string | null, string>([
  ['DiscountCodeFreeShipping', 'free_shipping'],
  ['DiscountCodeBxgy', 'buy_x_get_y'],
  ['DiscountCodeApp', 'app'],
])

/** other: a minimum quantity, or an amount in another currency, so that the effect on a cart is unknown. */
function readMinimum({ minimumRequirement }: WireDiscount, currency: string): number | null | 'other' {
  if (minimumRequirement.__typename === undefined) return null
  const minor = toMinor(parseAmount(minimumRequirement.greaterThanOrEqualToSubtotal), currency)
  return minor === null ? 'other' : minor > 0 ? minor : null
}

/** null: more entries than were returned. A truncated restriction would be a different one. */
function readLimits({ customerGets, context }: WireDiscount): CouponLimits | null {
  const items = at(customerGets, 'items')
  const [products, variants, collections] = ['products', 'productVariants', 'collections'].map((name) =>
    connection(at(items, name)),
  )
  if (products!.hasNext || variants!.hasNext || collections!.hasNext) return null
  const ids = (nodes: readonly unknown[]) => nodes.map((node) => parseGid(at(node, 'id'))).filter((id) => id !== null)
  return {
    productIds: ids([...products!.nodes, ...variants!.nodes]),
    excludedProductIds: [],
    categoryIds: ids(collections!.nodes),
    excludedCategoryIds: [],
    emails: readEmails(context),
    items: null,
  }
}

/** For customers with a hidden address, segments and markets: unknown restricted recipients. */
function readEmails(context: Record<string, unknown>): string[] {
  const type = context.__typename
  if (type === undefined || type === 'DiscountBuyerSelectionAll') return []
  const customers = Array.isArray(context.customers) ? context.customers.slice(0, 500) : [null]
  return customers.map((each) => normalizeEmail(at(each, 'defaultEmailAddress', 'emailAddress')) ?? UNKNOWN_RECIPIENT)
}

/** Reassembles the mark from its numbered chunks; null: not ours. */
function readMark(tags: readonly unknown[]): string | null {
  const chunks = tags.flatMap((tag) => {
    const match = typeof tag === 'string' ? MARK_TAG.exec(tag) : null
    return match ? [[Number(match[1]), match[2]!] as const] : []
  })
  const ordered = chunks.sort(([a], [b]) => a - b)
  const isWhole = ordered.length > 0 && ordered.every(([place], index) => place === index + 1)
  return isWhole
    ? ordered
        .map(([, chunk]) => chunk)
        .join('')
        .slice(0, 200)
    : null
}

function toTags(mark: string): string[] {
  const chunks = mark.match(new RegExp(`.{1,${MARK_CHUNK}}`, 'g')) ?? []
  return ['Recoup', ...chunks.map((chunk, index) => `recoup-${index + 1}:${chunk}`)]
}

const HOUR_MS = 3_600_000
/** Shopify's clock may be behind ours, so a code for now starts a little earlier. */
const LEAD_MS = 5 * 60_000

interface InputContext {
  now: Date
  /** The customer who may use the code; null: everyone. */
  customerId?: string | null
}

/** The mutation's input: only the given fields. A new discount has all of them. */
export function couponInput(draft: CouponChange['draft'], { now, customerId }: InputContext): Record<string, unknown> {
  const { code, currency, minSpendMinor, expiresAt, usageLimit, isIndividual, email, mark } = draft
  const value = discountInput(draft)
  const start = chooseStart(draft, now)
  return {
    // Shoppers see the title.
    ...(code !== undefined && { code, title: code }),
    ...(value && { customerGets: { value, ...(mark !== undefined && { items: { all: true } }) } }),
    ...(minSpendMinor !== undefined && { minimumRequirement: minimumInput(minSpendMinor, currency) }),
    ...(start && { startsAt: start }),
    ...(expiresAt !== undefined && { endsAt: expiresAt === null ? null : formatSeconds(Date.parse(expiresAt)) }),
    ...(usageLimit !== undefined && { usageLimit }),
    ...(isIndividual !== undefined && { combinesWith: combining(!isIndividual) }),
    ...(email !== undefined && {
      context: customerId ? { customers: { add: [toCustomerGid(customerId)] } } : { all: 'ALL' },
    }),
    ...(mark !== undefined && { appliesOncePerCustomer: false, tags: toTags(mark) }),
  }
}

const toCustomerGid = (id: string) => `gid://shopify/Customer/${id}`

const combining = (may: boolean) => ({ orderDiscounts: may, productDiscounts: may, shippingDiscounts: may })

function minimumInput(minor: number | null, currency: string) {
  return minor ? { subtotal: { greaterThanOrEqualToSubtotal: decimalText(minor, currency) } } : null
}

function discountInput({ type, percent, amountMinor, currency }: CouponChange['draft']) {
  const isPercentage = type === 'percentage' || (type === undefined && percent != null)
  if (isPercentage && percent != null) return { percentage: percent / 10_000 }
  if (amountMinor == null) return null
  return { discountAmount: { amount: decimalText(amountMinor, currency), appliesOnEachItem: false } }
}

/** Start of a new discount: as given, else now. An ended discount must start before its end. */
function chooseStart({ startsAt, expiresAt, mark }: CouponChange['draft'], now: Date): string | null {
  const end = expiresAt ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY
  const wanted = startsAt ? Date.parse(startsAt) : now.getTime() - LEAD_MS
  if (end <= wanted) return formatSeconds(end - HOUR_MS)
  return mark === undefined && startsAt === undefined ? null : formatSeconds(wanted)
}

const formatSeconds = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

/** The first value that the store changed; null: none. */
export function findChange(draft: CouponChange['draft'], stored: PlatformCoupon): string | null {
  const emails = draft.email === undefined ? undefined : draft.email === null ? [] : [draft.email.toLowerCase()]
  const expiry = draft.expiresAt ? formatSeconds(Date.parse(draft.expiresAt)) : draft.expiresAt
  const pairs: [string, unknown, unknown][] = [
    ['code', draft.code?.toLowerCase(), stored.code.toLowerCase()],
    ['type', draft.type, stored.type],
    ['amount', draft.percent ?? draft.amountMinor ?? undefined, stored.percent ?? stored.amountMinor],
    ['minimum spend', draft.minSpendMinor, stored.minSpendMinor],
    ['end date', expiry, stored.expiresAt],
    ['usage limit', draft.usageLimit, stored.usageLimit],
    ['individual use', draft.isIndividual, stored.isIndividual],
    ['customer', emails?.join(), stored.limits.emails.join()],
    ['tags', draft.mark, stored.mark],
    // A later start is intended, not a difference.
    ['status', draft.mark === undefined || draft.startsAt ? undefined : true, stored.isPublished],
  ]
  return pairs.find(([, sent, stands]) => sent !== undefined && sent !== stands)?.[0] ?? null
}

/** 1050 in a currency with cents: "10.50". */
function decimalText(minor: number, currency: string): string {
  const digits = currencyExponent(currency)
  const text = String(minor).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
