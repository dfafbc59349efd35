// Orders and their lifecycle: checkout-draft (block checkout opened) -> pending -> processing | on-hold | failed ->
// completed | cancelled | refunded. Trash stores the previous status. Each save of an existing order sends
// order.updated.
import { randomBytes } from 'node:crypto'
import { countUse, releaseUse } from './coupons.ts'
import { readSeconds, type Shop } from './shop.ts'
import { run, selectAll, selectOne, takeNextId, transact } from './sqlite.ts'
import { announce } from './webhooks.ts'

export const orderStatuses = [
  'pending',
  'processing',
  'on-hold',
  'completed',
  'cancelled',
  'refunded',
  'failed',
  'checkout-draft',
] as const
export type OrderStatus = (typeof orderStatuses)[number] | 'trash'
export const statusNames: Record<string, string> = {
  pending: 'Pending payment',
  processing: 'Processing',
  'on-hold': 'On hold',
  completed: 'Completed',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  failed: 'Failed',
  'checkout-draft': 'Draft',
}

export type Address = {
  first_name: string
  last_name: string
  company: string
  address_1: string
  address_2: string
  city: string
  state: string
  postcode: string
  country: string
  phone: string
}
export type Billing = Address & { email: string }
export type Meta = { id: number; key: string; value: unknown; display_key?: string; display_value?: string }
export type OrderLine = {
  id: number
  productId: number
  variationId: number
  /** HTML, like the product's name. */
  name: string
  parentName: string | null
  quantity: number
  subtotalMinor: number
  subtotalTaxMinor: number
  totalMinor: number
  totalTaxMinor: number
  sku: string
  picture: { id: number; file: string } | null
  meta: Meta[]
}
export type CouponLine = {
  id: number
  code: string
  couponId: number
  discountMinor: number
  discountTaxMinor: number
  discountType: string
  nominalAmount: number
  freeShipping: boolean
}
export type ShippingLine = {
  id: number
  metaId: number
  title: string
  method: string
  instance: string
  totalMinor: number
}
export type Order = {
  id: number
  status: OrderStatus
  customerId: number
  orderKey: string
  createdAt: number
  modifiedAt: number
  paidAt: number | null
  completedAt: number | null
  billing: Billing
  shipping: Address
  paymentMethod: string
  paymentTitle: string
  transactionId: string
  ip: string
  userAgent: string
  createdVia: 'store-api' | 'checkout' | 'rest-api' | 'admin'
  customerNote: string
  cartHash: string
  meta: Meta[]
  lines: OrderLine[]
  taxLineId: number | null
  /** Id of the tax rate; missing in orders of early versions, when the store had one rate. */
  taxRateId?: number | null
  shippingLines: ShippingLine[]
  couponLines: CouponLine[]
  discountMinor: number
  discountTaxMinor: number
  shippingMinor: number
  taxMinor: number
  totalMinor: number
  isStockTaken: boolean
  /** Whether its coupons' usage counts include this order. */
  areUsesCounted?: boolean
}
export type FreshOrder = Omit<Order, 'id' | 'orderKey' | 'createdAt' | 'modifiedAt'> & {
  createdAt?: number
  modifiedAt?: number
}

export function isPaidStatus(status: string): boolean {
  return status === 'processing' || status === 'completed'
}

/** Adds an order. Drafts send order.updated, as in WooCommerce; others order.created. */
export function addOrder(shop: Shop, fresh: FreshOrder): Order {
  const order = insertOrder(shop, fresh)
  announce(shop, order.status === 'checkout-draft' ? 'order.updated' : 'order.created', order.id)
  return order
}

/** Inserts an order without webhooks, for history and seed data. */
export function insertOrder(shop: Shop, fresh: FreshOrder): Order {
  const now = readSeconds(shop)
  const id = takeNextId(shop.db, 'post')
  const orderKey = `wc_order_${randomBytes(16)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 13)}`
  const createdAt = fresh.createdAt ?? now
  const order: Order = { ...fresh, id, orderKey, createdAt, modifiedAt: fresh.modifiedAt ?? createdAt }
  const sql = 'insert into orders values (?, ?, ?, ?, ?, ?, ?)'
  const { status, customerId, billing, modifiedAt } = order
  run(shop.db, sql, id, status, customerId, billing.email.toLowerCase(), createdAt, modifiedAt, JSON.stringify(order))
  return order
}

export function saveOrder(shop: Shop, changed: Order): Order {
  const order = { ...changed, modifiedAt: readSeconds(shop) }
  const sql = 'update orders set status = ?, customer_id = ?, email = ?, modified = ?, doc = ? where id = ?'
  const { status, customerId, billing, modifiedAt, id } = order
  run(shop.db, sql, status, customerId, billing.email.toLowerCase(), modifiedAt, JSON.stringify(order), id)
  announce(shop, 'order.updated', id)
  return order
}

export function changeStatus(shop: Shop, order: Order, status: OrderStatus, note = ''): Order {
  if (order.status === status) return saveOrder(shop, order)
  return transact(shop.db, () => {
    const now = readSeconds(shop)
    const wasPaid = order.paidAt !== null || !isPaidStatus(status) || order.paymentMethod === 'cod'
    const paidAt = wasPaid && status !== 'completed' ? order.paidAt : (order.paidAt ?? now)
    const completedAt = status === 'completed' ? now : order.completedAt
    const statusNote = `Order status changed from ${statusNames[order.status]} to ${statusNames[status]}.`
    const saved = saveOrder(shop, countUses(shop, { ...order, status, paidAt, completedAt }))
    addNote(shop, order.id, [note, statusNote].filter(Boolean).join(' '))
    if (order.status === 'checkout-draft') announce(shop, 'order.created', order.id)
    return saved
  })
}

export function trashOrder(shop: Shop, order: Order): Order {
  const remembered = [
    { id: takeNextId(shop.db, 'meta'), key: '_wp_trash_meta_status', value: `wc-${order.status}` },
    { id: takeNextId(shop.db, 'meta'), key: '_wp_trash_meta_time', value: String(readSeconds(shop)) },
  ]
  // Trashing sends only order.deleted and keeps date_modified, so it bypasses saveOrder().
  const trashed = countUses(shop, { ...order, status: 'trash', meta: [...order.meta, ...remembered] })
  run(shop.db, `update orders set status = 'trash', doc = ? where id = ?`, JSON.stringify(trashed), order.id)
  announce(shop, 'order.deleted', order.id)
  return trashed
}

/**
 * Placed orders count as coupon uses; cancelled, failed and trashed ones release them, refunded ones do not
 * (coupon-status.json).
 */
export function countUses(shop: Shop, order: Order): Order {
  const { status, billing, couponLines, areUsesCounted = false } = order
  const counts = ['pending', 'processing', 'on-hold', 'completed'].includes(status)
  const givesBack = ['cancelled', 'failed', 'trash'].includes(status)
  if (areUsesCounted ? !givesBack : !counts) return order
  const change = counts ? countUse : releaseUse
  for (const { couponId } of couponLines) change(shop, couponId, billing.email)
  return { ...order, areUsesCounted: counts }
}

/** Deletes without webhooks, for forced deletion and draft clean-up. */
export function eraseOrder(shop: Shop, id: number) {
  run(shop.db, 'delete from orders where id = ?', id)
  run(shop.db, 'delete from order_notes where order_id = ?', id)
  run(shop.db, 'delete from refunds where order_id = ?', id)
}

export function findOrder(shop: Shop, id: number): Order | undefined {
  return readOrder(selectOne<{ doc: string }>(shop.db, 'select doc from orders where id = ?', id))
}

export function cleanDrafts(shop: Shop): number {
  const sql = `delete from orders where status = 'checkout-draft' and modified < ?`
  return run(shop.db, sql, readSeconds(shop) - 86_400)
}

export function cancelUnpaid(shop: Shop): number {
  if (!shop.holdStockMinutes) return 0
  const sql = `select doc from orders where status = 'pending' and modified < ?`
  const unpaid = selectAll<{ doc: string }>(shop.db, sql, readSeconds(shop) - shop.holdStockMinutes * 60)
  for (const row of unpaid)
    changeStatus(shop, readOrder(row)!, 'cancelled', 'Unpaid order cancelled - time limit reached.')
  return unpaid.length
}

export type Note = { id: number; order_id: number; created: number; author: string; note: string }

export function addNote(
  shop: Shop,
  orderId: number,
  note: string,
  author = 'WooCommerce',
  created = readSeconds(shop),
) {
  run(
    shop.db,
    'insert into order_notes values (?, ?, ?, ?, ?)',
    takeNextId(shop.db, 'note'),
    orderId,
    created,
    author,
    note,
  )
}

export function listNotes(shop: Shop, orderId: number): Note[] {
  return selectAll<Note>(shop.db, 'select * from order_notes where order_id = ? order by id desc', orderId)
}

export type Refund = {
  id: number
  order_id: number
  created: number
  amount_minor: number
  reason: string
  is_full: number
  meta_id: number
}

export function addRefund(shop: Shop, order: Order, amountMinor: number, reason: string): Refund {
  return transact(shop.db, () => {
    const remainingMinor = order.totalMinor - sumRefunds(shop, order.id)
    const id = takeNextId(shop.db, 'post')
    const isFull = amountMinor >= remainingMinor ? 1 : 0
    const sql = 'insert into refunds values (?, ?, ?, ?, ?, ?, ?)'
    run(shop.db, sql, id, order.id, readSeconds(shop), amountMinor, reason, isFull, takeNextId(shop.db, 'meta'))
    if (isFull) changeStatus(shop, order, 'refunded')
    else saveOrder(shop, order)
    return selectOne<Refund>(shop.db, 'select * from refunds where id = ?', id)!
  })
}

/** Inserts a refund at a given time without side effects, for history. */
export function insertRefund(shop: Shop, orderId: number, amountMinor: number, reason: string, created: number) {
  const sql = 'insert into refunds values (?, ?, ?, ?, ?, 1, ?)'
  run(shop.db, sql, takeNextId(shop.db, 'post'), orderId, created, amountMinor, reason, takeNextId(shop.db, 'meta'))
}

export function listRefunds(shop: Shop, orderId: number): Refund[] {
  return selectAll<Refund>(shop.db, 'select * from refunds where order_id = ? order by id desc', orderId)
}

export function sumRefunds(shop: Shop, orderId: number): number {
  return listRefunds(shop, orderId).reduce((sum, refund) => sum + refund.amount_minor, 0)
}

export function readOrder(row: { doc: string } | undefined): Order | undefined {
  return row && (JSON.parse(row.doc) as Order)
}
