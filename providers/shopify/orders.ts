// Orders: placed from a checkout or by staff, and their later changes.
import { randomBytes } from 'node:crypto'
import { saveCheckout } from './checkouts.ts'
import { announce, type Desk } from './events.ts'
import type { Checkout, FinancialStatus, Order } from './model.ts'
import { buildCustomerBody, buildProductBody, orderBody } from './payloads.ts'
import { find, findByKey, save, takeNextId, transact } from './records.ts'
import type { Shop } from './shop.ts'

export type Payment = 'paid' | 'authorized' | 'pending'

const FINANCIAL_STATUS: Record<Payment, FinancialStatus> = {
  paid: 'PAID',
  authorized: 'AUTHORIZED',
  pending: 'PENDING',
}

export function placeOrder(desk: Desk, checkout: Checkout, payment: Payment): Order {
  const { shop } = desk
  return transact(shop.db, () => {
    const priced = saveCheckout(desk, checkout)
    const at = shop.now()
    const order = insertOrder(shop, {
      createdAt: at,
      customerId: priced.customerId,
      email: priced.email,
      phone: priced.phone,
      locale: priced.locale,
      checkoutToken: priced.token,
      cartToken: priced.cartToken,
      lines: priced.lines,
      codes: priced.codes,
      reductions: priced.reductions,
      subtotalMinor: priced.subtotalMinor,
      discountMinor: priced.discountMinor,
      shippingMinor: priced.shippingMinor,
      totalMinor: priced.totalMinor,
      address: priced.address,
      financialStatus: FINANCIAL_STATUS[payment],
      acceptsEmail: priced.acceptsEmail,
    })
    saveCheckout(desk, { ...priced, completedAt: at, orderId: order.id })
    reduceStock(desk, order)
    announce(desk, 'ORDERS_CREATE', orderBody(shop, order))
    if (payment === 'paid') announce(desk, 'ORDERS_PAID', orderBody(shop, order))
    announceCustomer(desk, order)
    return order
  })
}

/** Inserts an order and updates its customer and codes, without webhooks. */
export function insertOrder(
  shop: Shop,
  input: Partial<Order> & Pick<Order, 'createdAt' | 'lines' | 'totalMinor'>,
): Order {
  const { db } = shop
  const order = save(db, 'order', {
    id: takeNextId(db, 'order'),
    number: takeNextId(db, 'order_number'),
    updatedAt: input.createdAt,
    customerId: null,
    email: null,
    phone: null,
    locale: 'en',
    checkoutToken: null,
    cartToken: null,
    codes: [],
    reductions: [],
    subtotalMinor: input.totalMinor,
    discountMinor: 0,
    shippingMinor: 0,
    refundedMinor: 0,
    financialStatus: 'PAID',
    fulfillmentStatus: 'UNFULFILLED',
    cancelledAt: null,
    cancelReason: null,
    closedAt: null,
    sourceName: 'web',
    isTest: false,
    address: null,
    acceptsEmail: false,
    key: randomBytes(16).toString('hex'),
    ...input,
  })
  for (const { code } of order.reductions) {
    const used = findByKey(db, 'code', code)
    if (used) save(db, 'code', { ...used, uses: used.uses + 1 })
  }
  const customer = order.customerId === null ? undefined : find(db, 'customer', order.customerId)
  if (customer) {
    const [ordersCount, spentMinor] = [customer.ordersCount + 1, customer.spentMinor + order.totalMinor]
    const updatedAt = Math.max(customer.updatedAt, order.createdAt)
    save(db, 'customer', { ...customer, ordersCount, spentMinor, lastOrderId: order.id, updatedAt })
  }
  return order
}

function reduceStock(desk: Desk, { lines }: Order) {
  const { shop } = desk
  for (const { variantId, quantity } of lines) {
    const variant = find(shop.db, 'variant', variantId)
    if (!variant || variant.stock === null) continue
    save(shop.db, 'variant', { ...variant, stock: Math.max(0, variant.stock - quantity), updatedAt: shop.now() })
    announce(desk, 'PRODUCTS_UPDATE', buildProductBody(shop, variant.productId))
  }
}

function announceCustomer(desk: Desk, { customerId }: Order) {
  const customer = customerId === null ? undefined : find(desk.shop.db, 'customer', customerId)
  if (customer) announce(desk, 'CUSTOMERS_UPDATE', buildCustomerBody(desk.shop, customer))
}

export type OrderAction = 'pay' | 'fulfil' | 'cancel' | 'refund' | 'void'

/** Applies a staff action. Returns the order, or null if its state does not allow the action. */
export function changeOrder(desk: Desk, id: number, action: OrderAction): Order | null {
  const { shop } = desk
  const existing = find(shop.db, 'order', id)
  const change = existing && computeChange(existing, action, shop.now())
  if (!existing || !change) return null
  return transact(shop.db, () => {
    const order = save(shop.db, 'order', { ...existing, ...change, updatedAt: shop.now() })
    if (action === 'pay') announce(desk, 'ORDERS_PAID', orderBody(shop, order))
    if (action === 'cancel') announce(desk, 'ORDERS_CANCELLED', orderBody(shop, order))
    announce(desk, 'ORDERS_UPDATED', orderBody(shop, order))
    return order
  })
}

function computeChange(order: Order, action: OrderAction, at: number): Partial<Order> | null {
  const isOpen = order.cancelledAt === null
  const isPaid = order.financialStatus === 'PAID'
  const isUnpaid = ['PENDING', 'AUTHORIZED', 'PARTIALLY_PAID'].includes(order.financialStatus)
  if (action === 'pay' && isOpen && isUnpaid) return { financialStatus: 'PAID' }
  if (action === 'void' && isOpen && isUnpaid) return { financialStatus: 'VOIDED' }
  if (action === 'fulfil' && isOpen && order.fulfillmentStatus === 'UNFULFILLED')
    return { fulfillmentStatus: 'FULFILLED', closedAt: at }
  if (action === 'refund' && (isPaid || order.financialStatus === 'PARTIALLY_REFUNDED'))
    return { financialStatus: 'REFUNDED', refundedMinor: order.totalMinor }
  if (action === 'cancel' && isOpen) {
    const money = isPaid
      ? { financialStatus: 'REFUNDED' as const, refundedMinor: order.totalMinor }
      : { financialStatus: 'VOIDED' as const }
    return { ...money, cancelledAt: at, closedAt: at, cancelReason: 'CUSTOMER' }
  }
  return null
}
