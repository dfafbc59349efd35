// Orders written through REST. Lines without totals use catalogue prices.
import { buildFullName, findProduct, priceMinor } from '../catalog.ts'
import { noAddress } from '../customers.ts'
import { EMPTY_ORDER } from '../order-blank.ts'
import {
  type Address,
  addOrder,
  type FreshOrder,
  isPaidStatus,
  type Order,
  type OrderLine,
  type OrderStatus,
} from '../orders.ts'
import { parseAmount } from '../pricing.ts'
import { type Body, listObjects } from '../rest.ts'
import { gateways, readSeconds, type Shop } from '../shop.ts'
import { takeNextId } from '../sqlite.ts'
import { computeNetPrice, createTaxContext, type TaxContext } from '../totals.ts'

export function createOrder(shop: Shop, body: Body): Order {
  const billing = mergeAddress({ ...noAddress, email: '' }, body.billing)
  const shipping = mergeAddress(noAddress, body.shipping)
  const taxContext = createTaxContext(shop, findTaxPlace(shop, shipping, billing))
  const lines = listObjects(body.line_items).map((item) => buildLine(shop, taxContext, item))
  const isTaxed = taxContext.rate !== null && lines.some((line) => line.totalMinor > 0)
  const tax = (minor: number) => (isTaxed ? Math.round((minor * taxContext.rate!.percent) / 100) : 0)
  const goods = lines.reduce((sum, line) => sum + line.totalMinor, 0)
  const gateway = gateways.find(({ id }) => id === body.payment_method)
  const isPaid = body.set_paid === true
  const status = (isPaid ? 'processing' : (body.status ?? 'pending')) as OrderStatus
  const fresh: FreshOrder = {
    ...EMPTY_ORDER,
    status,
    customerId: Number(body.customer_id ?? 0),
    paidAt: isPaid || isPaidStatus(status) ? readSeconds(shop) : null,
    completedAt: status === 'completed' ? readSeconds(shop) : null,
    billing,
    shipping,
    paymentMethod: String(body.payment_method ?? ''),
    paymentTitle: String(body.payment_method_title ?? gateway?.title ?? ''),
    transactionId: String(body.transaction_id ?? ''),
    createdVia: 'rest-api',
    customerNote: String(body.customer_note ?? ''),
    lines: lines.map((line) => ({
      ...line,
      subtotalTaxMinor: tax(line.subtotalMinor),
      totalTaxMinor: tax(line.totalMinor),
    })),
    taxLineId: isTaxed ? takeNextId(shop.db, 'item') : null,
    taxRateId: isTaxed ? taxContext.rate!.id : null,
    taxMinor: tax(goods),
    totalMinor: goods + tax(goods),
  }
  return addOrder(shop, fresh)
}

/** Without an address WooCommerce applies the tax of the shop's base. */
function findTaxPlace({ pricing: { base } }: Shop, shipping: Address, billing: Address) {
  const country = shipping.country || billing.country || base.country
  return { country, state: shipping.state || billing.state || base.state }
}

export function mergeOrder(order: Order, body: Body): Order {
  return {
    ...order,
    billing: mergeAddress(order.billing, body.billing),
    shipping: mergeAddress(order.shipping, body.shipping),
    customerId: body.customer_id === undefined ? order.customerId : Number(body.customer_id),
    customerNote: body.customer_note === undefined ? order.customerNote : String(body.customer_note),
    transactionId: body.transaction_id === undefined ? order.transactionId : String(body.transaction_id),
  }
}

/** Copies known address fields and ignores others. */
export function mergeAddress<T extends Address>(existing: T, changes: unknown): T {
  if (!changes || typeof changes !== 'object') return existing
  const fields = Object.entries(changes).filter(
    ([field, value]) => field in existing && value !== null && typeof value !== 'object',
  )
  return { ...existing, ...Object.fromEntries(fields.map(([field, value]) => [field, String(value)])) }
}

function buildLine(shop: Shop, taxContext: TaxContext, item: Body): OrderLine {
  const product = findProduct(shop, Number(item.variation_id) || Number(item.product_id))
  const parent = product?.parentId ? findProduct(shop, product.parentId) : undefined
  const quantity = Number(item.quantity ?? 1)
  const priced = product ? computeNetPrice(taxContext, priceMinor(shop, product) * quantity) : 0
  const subtotalMinor = parseAmount(shop, item.subtotal) ?? priced
  return {
    id: takeNextId(shop.db, 'item'),
    productId: product ? (parent?.id ?? product.id) : 0,
    variationId: parent ? product!.id : 0,
    name: product ? buildFullName(product, parent) : String(item.name ?? ''),
    parentName: parent?.name ?? null,
    quantity,
    subtotalMinor,
    subtotalTaxMinor: 0,
    totalMinor: parseAmount(shop, item.total) ?? subtotalMinor,
    totalTaxMinor: 0,
    sku: product?.sku ?? '',
    picture: product?.pictures[0] ?? null,
    meta: [],
  }
}
