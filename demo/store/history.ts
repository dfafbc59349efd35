// Past orders for a demo with a history: written as if they had happened, without webhooks, stock or a wait.
import { findProduct, fullName, priceMinor } from './catalog.ts'
import { type Coupon, findCouponByCode } from './coupons.ts'
import { noAddress } from './customers.ts'
import { blankOrder } from './order-blank.ts'
import {
  type Address,
  type Billing,
  insertOrder,
  insertRefund,
  isPaidStatus,
  type OrderLine,
  type OrderStatus,
} from './orders.ts'
import { baseState, flatRate, freeShipping, freeShippingFromMinor, gateways, type Shop, salesTax } from './shop.ts'
import { nextId, transact } from './sqlite.ts'

/** Instants are seconds since the epoch. Prices are the catalogue's of today unless a line says otherwise. */
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
  paymentMethod?: 'bacs' | 'cod' | 'testcard'
  createdVia?: 'store-api' | 'checkout'
  ip?: string
  userAgent?: string
  refund?: { amountMinor: number; reason: string; createdAt: number }
}

export function insertHistory(shop: Shop, orders: HistoricOrder[]): number[] {
  return transact(shop.db, () => orders.map((order) => insertPast(shop, order)))
}

function insertPast(shop: Shop, past: HistoricOrder): number {
  const isDraft = past.status === 'checkout-draft'
  const gateway = gateways.find(({ id }) => id === (past.paymentMethod ?? 'testcard'))!
  const paidAt = past.paidAt ?? (isPaidStatus(past.status) || past.status === 'refunded' ? past.createdAt + 20 : null)
  const order = insertOrder(shop, {
    ...blankOrder,
    ...contentsOf(shop, past),
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
    meta: [{ id: nextId(shop.db, 'meta'), key: 'is_vat_exempt', value: 'no' }],
    isStockTaken: !isDraft,
  })
  if (past.refund) insertRefund(shop, order.id, past.refund.amountMinor, past.refund.reason, past.refund.createdAt)
  return order.id
}

function contentsOf(shop: Shop, past: HistoricOrder) {
  const billing = { ...noAddress, state: baseState, country: 'US', email: '', ...past.billing }
  const { email: _, ...ownAddress } = billing
  const shipping = { ...ownAddress, ...past.shipping }
  const isTaxed = shipping.country === 'US' && shipping.state === salesTax.state
  const tax = (minor: number) => (isTaxed ? Math.round((minor * salesTax.percent) / 100) : 0)
  const coupon = past.couponCode ? findCouponByCode(shop, past.couponCode) : undefined
  const priced = past.lines.flatMap((line) => lineOf(shop, line))
  const goods = priced.reduce((sum, line) => sum + line.subtotalMinor, 0)
  const off = coupon ? discountOf(coupon, goods) : 0
  const lines = spread(priced, off, goods).map((line) => ({
    ...line,
    subtotalTaxMinor: tax(line.subtotalMinor),
    totalTaxMinor: tax(line.totalMinor),
  }))
  const isFree = goods - off >= freeShippingFromMinor || coupon?.freeShipping === true
  const rate = isFree ? { ...freeShipping, costMinor: 0 } : flatRate
  const net = { taxMinor: tax(goods - off), shippingMinor: rate.costMinor }
  const discounts = { discountMinor: off, discountTaxMinor: tax(off) }
  return {
    ...{ billing, shipping, lines, ...discounts, ...net },
    taxLineId: isTaxed ? nextId(shop.db, 'item') : null,
    shippingLines: [shippingLine(shop, rate)],
    couponLines: coupon ? [{ ...couponLine(shop, coupon), ...discounts }] : [],
    totalMinor: goods - off + net.taxMinor + net.shippingMinor,
  }
}

function discountOf(coupon: Coupon, goods: number): number {
  if (coupon.discountType === 'percent') return Math.round((goods * coupon.amountMinor) / 10_000)
  return Math.min(goods, coupon.amountMinor)
}

function shippingLine(shop: Shop, rate: { name: string; method: string; instance: number; costMinor: number }) {
  const ids = { id: nextId(shop.db, 'item'), metaId: nextId(shop.db, 'meta') }
  return { ...ids, title: rate.name, method: rate.method, instance: String(rate.instance), totalMinor: rate.costMinor }
}

function couponLine(shop: Shop, { code, id, discountType, amountMinor, freeShipping: isFree }: Coupon) {
  const lineId = nextId(shop.db, 'item')
  return { id: lineId, code, couponId: id, discountType, nominalAmount: amountMinor / 100, freeShipping: isFree }
}

function lineOf(shop: Shop, line: HistoricOrder['lines'][number]): OrderLine[] {
  const product = findProduct(shop, line.productId)
  if (!product) return []
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const subtotalMinor = (line.priceMinor ?? priceMinor(shop, product)) * line.quantity
  const blank = { subtotalTaxMinor: 0, totalTaxMinor: 0, meta: [] }
  const ids = { id: nextId(shop.db, 'item'), productId: parent?.id ?? product.id, variationId: parent ? product.id : 0 }
  const named = { name: fullName(product, parent), parentName: parent?.name ?? null, sku: product.sku }
  return [
    {
      ...ids,
      ...named,
      ...blank,
      quantity: line.quantity,
      subtotalMinor,
      totalMinor: subtotalMinor,
      picture: product.pictures[0] ?? null,
    },
  ]
}

function spread(lines: OrderLine[], off: number, goods: number): OrderLine[] {
  let left = off
  return lines.map((line, at) => {
    const share = at === lines.length - 1 ? left : Math.round((off * line.subtotalMinor) / (goods || 1))
    left -= share
    return { ...line, totalMinor: line.subtotalMinor - share }
  })
}
