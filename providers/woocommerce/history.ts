// Inserts past orders for the demo's history, without webhooks, stock changes or delays.
import { toPriceEntry } from './cart.ts'
import { buildFullName, findProduct, priceMinor } from './catalog.ts'
import { type Coupon, computeNominalAmount, countUse, findCouponByCode, insertCoupon } from './coupons.ts'
import { noAddress } from './customers.ts'
import type { Entry } from './discounts.ts'
import { EMPTY_ORDER } from './order-blank.ts'
import {
  type Address,
  type Billing,
  insertOrder,
  insertRefund,
  isPaidStatus,
  type OrderLine,
  type OrderStatus,
} from './orders.ts'
import { flatRate, freeShipping, hasFreeShipping } from './shipping.ts'
import { gateways, type Shop } from './shop.ts'
import { takeNextId, transact } from './sqlite.ts'
import { computeTotals, createTaxContext, type LineSums } from './totals.ts'

/** Instants are seconds since the epoch. Lines without a price use the current catalogue price. */
export type HistoricOrder = {
  status: OrderStatus
  createdAt: number
  modifiedAt?: number
  paidAt?: number | null
  completedAt?: number | null
  billing: Partial<Billing>
  shipping?: Partial<Address>
  customerId?: number
  lines: { productId: number; quantity: number; priceMinor?: number }[]
  couponCode?: string
  /** The coupon of `couponCode` if it exists for this order alone. */
  ownCoupon?: OrderCoupon
  paymentMethod?: 'bacs' | 'cod' | 'testcard'
  createdVia?: 'store-api' | 'checkout'
  ip?: string
  userAgent?: string
  refund?: { amountMinor: number; reason: string; createdAt: number }
}

export type OrderCoupon = Omit<Partial<Coupon>, 'id' | 'code' | 'meta'> & { meta?: Record<string, string> }

export function insertHistory(shop: Shop, orders: HistoricOrder[]): number[] {
  return transact(shop.db, () => orders.map((order) => insertPast(shop, order)))
}

function insertPast(shop: Shop, past: HistoricOrder): number {
  const isDraft = past.status === 'checkout-draft'
  if (past.couponCode && past.ownCoupon) insertOrderCoupon(shop, past.couponCode, past.ownCoupon)
  const counts = !['checkout-draft', 'cancelled', 'failed', 'trash'].includes(past.status)
  const gateway = gateways.find(({ id }) => id === (past.paymentMethod ?? 'testcard'))!
  const paidAt = past.paidAt ?? (isPaidStatus(past.status) || past.status === 'refunded' ? past.createdAt + 20 : null)
  const order = insertOrder(shop, {
    ...EMPTY_ORDER,
    ...buildContents(shop, past),
    status: past.status,
    customerId: past.customerId ?? 0,
    createdAt: past.createdAt,
    modifiedAt: past.modifiedAt ?? past.completedAt ?? paidAt ?? past.createdAt,
    paidAt,
    completedAt: past.completedAt ?? (past.status === 'completed' ? past.createdAt + 86_400 : null),
    paymentMethod: gateway.id,
    paymentTitle: isDraft ? '' : gateway.title,
    ip: past.ip ?? '',
    userAgent: past.userAgent ?? '',
    createdVia: past.createdVia ?? 'store-api',
    meta: [{ id: takeNextId(shop.db, 'meta'), key: 'is_vat_exempt', value: 'no' }],
    isStockTaken: !isDraft,
    areUsesCounted: counts,
  })
  if (counts) for (const { couponId } of order.couponLines) countUse(shop, couponId, order.billing.email)
  if (past.refund) insertRefund(shop, order.id, past.refund.amountMinor, past.refund.reason, past.refund.createdAt)
  return order.id
}

function insertOrderCoupon(shop: Shop, code: string, { meta = {}, ...own }: OrderCoupon) {
  const entries = Object.entries(meta).map(([key, value]) => ({ id: takeNextId(shop.db, 'meta'), key, value }))
  insertCoupon(shop, { ...own, code, meta: entries })
}

function buildContents(shop: Shop, past: HistoricOrder) {
  const billing = { ...noAddress, ...shop.pricing.base, email: '', ...past.billing }
  const { email: _, ...ownAddress } = billing
  const shipping = { ...ownAddress, ...past.shipping }
  const taxContext = createTaxContext(shop, shipping)
  const coupon = past.couponCode ? findCouponByCode(shop, past.couponCode) : undefined
  const sold = past.lines.flatMap((line) => priceItem(shop, line) ?? [])
  const entries = sold.map(({ entry }) => entry)
  const {
    lines: sums,
    coupons: _own,
    itemsMinor: _i,
    itemsTaxMinor: _t,
    goodsMinor,
    ...added
  } = computeTotals(taxContext, entries, coupon ? [coupon] : [])
  const { discountMinor, discountTaxMinor, taxMinor } = added
  const isFree = hasFreeShipping(shop, { goodsMinor, opensFree: coupon?.freeShipping === true })
  const rate = isFree ? freeShipping : { ...flatRate, costMinor: shop.pricing.flatRateMinor }
  return {
    billing,
    shipping,
    ...added,
    shippingMinor: rate.costMinor,
    lines: sold.map(({ line }, at) => ({ ...line, ...sums[at]! })),
    taxLineId: taxContext.rate ? takeNextId(shop.db, 'item') : null,
    taxRateId: taxContext.rate?.id ?? null,
    shippingLines: [buildShippingLine(shop, rate)],
    couponLines: coupon ? [{ ...buildCouponLine(shop, coupon), discountMinor, discountTaxMinor }] : [],
    totalMinor: goodsMinor + taxMinor + rate.costMinor,
  }
}

function buildShippingLine(shop: Shop, rate: { name: string; method: string; instance: number; costMinor: number }) {
  const ids = { id: takeNextId(shop.db, 'item'), metaId: takeNextId(shop.db, 'meta') }
  return { ...ids, title: rate.name, method: rate.method, instance: String(rate.instance), totalMinor: rate.costMinor }
}

function buildCouponLine(shop: Shop, coupon: Coupon) {
  const { code, id: couponId, discountType, freeShipping: isFreeToo } = coupon
  const lineId = takeNextId(shop.db, 'item')
  return {
    id: lineId,
    code,
    couponId,
    discountType,
    nominalAmount: computeNominalAmount(shop, coupon),
    freeShipping: isFreeToo,
  }
}

type PricedItem = { entry: Entry; line: Omit<OrderLine, keyof LineSums> }

function priceItem(
  shop: Shop,
  { productId, quantity, priceMinor: price }: HistoricOrder['lines'][number],
): PricedItem | null {
  const product = findProduct(shop, productId)
  if (!product) return null
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const ids = {
    id: takeNextId(shop.db, 'item'),
    productId: parent?.id ?? product.id,
    variationId: parent ? product.id : 0,
  }
  const named = { name: buildFullName(product, parent), parentName: parent?.name ?? null, sku: product.sku }
  const line = { ...ids, ...named, quantity, picture: product.pictures[0] ?? null, meta: [] }
  return { entry: toPriceEntry(product, parent, price ?? priceMinor(shop, product), quantity), line }
}
