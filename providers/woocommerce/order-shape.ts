// Serializes orders for wc/v3: all keys of a real store, money as decimal text, names with HTML entities.
import { buildPictureUrl } from './catalog.ts'
import { formatBothTimes } from './clock.ts'
import {
  type CouponLine,
  listRefunds,
  type Meta,
  type Note,
  type Order,
  type OrderLine,
  type Refund,
} from './orders.ts'
import { findCurrency, formatAmount, rateCode, type TaxRate } from './pricing.ts'
import { buildLinks } from './rest.ts'
import type { Shop } from './shop.ts'

export function presentOrder(shop: Shop, order: Order) {
  return {
    id: order.id,
    parent_id: 0,
    status: order.status,
    currency: shop.pricing.currency,
    version: shop.version,
    prices_include_tax: shop.pricing.pricesIncludeTax,
    ...presentDates(order),
    ...presentTotals(shop, order),
    customer_id: order.customerId,
    order_key: order.orderKey,
    billing: order.billing,
    shipping: order.shipping,
    payment_method: order.paymentMethod,
    payment_method_title: order.paymentTitle,
    transaction_id: order.transactionId,
    customer_ip_address: order.ip,
    customer_user_agent: order.userAgent,
    created_via: order.createdVia,
    customer_note: order.customerNote,
    cart_hash: order.cartHash,
    number: String(order.id),
    meta_data: order.meta,
    ...presentLines(shop, order),
    refunds: listRefunds(shop, order.id).map(({ id, reason, amount_minor }) => ({
      id,
      reason,
      total: `-${formatAmount(shop, amount_minor)}`,
    })),
    payment_url: buildPaymentUrl(shop, order),
    is_editable: order.status === 'pending' || order.status === 'on-hold',
    needs_payment: ['pending', 'failed', 'checkout-draft'].includes(order.status) && order.totalMinor > 0,
    needs_processing: order.lines.length > 0,
    currency_symbol: findCurrency(shop).symbol,
    _links: presentLinks(shop, order),
  }
}

export function buildPaymentUrl(shop: Shop, { id, orderKey }: Order): string {
  return `${shop.home}/checkout/order-pay/${id}/?pay_for_order=true&key=${orderKey}`
}

export function buildReceivedUrl(shop: Shop, { id, orderKey }: Order): string {
  return `${shop.home}/checkout/order-received/${id}/?key=${orderKey}`
}

export function presentNote(shop: Shop, note: Note) {
  return {
    id: note.id,
    author: note.author,
    ...formatBothTimes('date_created', note.created),
    note: note.note,
    customer_note: false,
    _links: buildLinks(shop, `orders/${note.order_id}/notes`, note.id, `orders/${note.order_id}`, 'GET DELETE'),
  }
}

export function presentRefund(shop: Shop, refund: Refund) {
  return {
    id: refund.id,
    ...formatBothTimes('date_created', refund.created),
    amount: formatAmount(shop, refund.amount_minor),
    reason: refund.reason,
    refunded_by: 1,
    refunded_payment: false,
    meta_data: [{ id: refund.meta_id, key: '_refund_type', value: refund.is_full ? 'full' : 'partial' }],
    line_items: [],
    shipping_lines: [],
    tax_lines: [],
    fee_lines: [],
    _links: buildLinks(shop, `orders/${refund.order_id}/refunds`, refund.id, `orders/${refund.order_id}`, 'GET DELETE'),
  }
}

function presentDates(order: Order) {
  return {
    ...formatBothTimes('date_created', order.createdAt),
    ...formatBothTimes('date_modified', order.modifiedAt),
    ...formatBothTimes('date_completed', order.completedAt),
    ...formatBothTimes('date_paid', order.paidAt),
  }
}

function presentTotals(shop: Shop, order: Order) {
  return {
    discount_total: formatAmount(shop, order.discountMinor),
    discount_tax: formatAmount(shop, order.discountTaxMinor),
    shipping_total: formatAmount(shop, order.shippingMinor),
    shipping_tax: formatAmount(shop, 0),
    cart_tax: formatAmount(shop, order.taxMinor),
    total: formatAmount(shop, order.totalMinor),
    total_tax: formatAmount(shop, order.taxMinor),
  }
}

function presentLines(shop: Shop, order: Order) {
  const rate = order.taxLineId === null ? null : findTaxRate(shop, order)
  return {
    line_items: order.lines.map((line) => presentLine(shop, line, rate)),
    tax_lines: rate ? [presentTax(shop, order, rate)] : [],
    shipping_lines: order.shippingLines.map(({ id, metaId, title, method, instance, totalMinor }) => ({
      id,
      method_title: title,
      method_id: method,
      instance_id: instance,
      total: formatAmount(shop, totalMinor),
      total_tax: formatAmount(shop, 0),
      taxes: [],
      tax_status: 'taxable',
      meta_data: [
        displayMeta({
          id: metaId,
          key: 'Items',
          value: order.lines.map((line) => `${line.name} &times; ${line.quantity}`).join(', '),
        }),
      ],
    })),
    fee_lines: [],
    coupon_lines: order.couponLines.map((line) => presentCouponLine(shop, line)),
  }
}

function findTaxRate({ pricing }: Shop, { taxRateId }: Order): TaxRate | null {
  return pricing.taxRates.find(({ id }) => id === taxRateId) ?? pricing.taxRates[0] ?? null
}

function presentLine(shop: Shop, line: OrderLine, rate: TaxRate | null) {
  const image = line.picture && {
    id: line.variationId ? line.picture.id : String(line.picture.id),
    src: buildPictureUrl(shop, line.picture),
  }
  return {
    id: line.id,
    name: line.name,
    product_id: line.productId,
    variation_id: line.variationId,
    quantity: line.quantity,
    tax_class: '',
    subtotal: formatAmount(shop, line.subtotalMinor),
    subtotal_tax: formatAmount(shop, line.subtotalTaxMinor),
    total: formatAmount(shop, line.totalMinor),
    total_tax: formatAmount(shop, line.totalTaxMinor),
    taxes: rate
      ? [
          {
            id: rate.id,
            total: formatAmount(shop, line.totalTaxMinor),
            subtotal: formatAmount(shop, line.subtotalTaxMinor),
          },
        ]
      : [],
    meta_data: line.meta,
    sku: line.sku || null,
    global_unique_id: '',
    price: line.quantity ? line.totalMinor / line.quantity / 10 ** shop.pricing.decimals : 0,
    // Recorded behaviour: text for a product, a number for a variation, 0 for an unknown product.
    image: image ?? { id: line.productId ? '' : 0, src: '' },
    parent_name: line.parentName,
  }
}

function presentTax(shop: Shop, { taxLineId, taxMinor }: Order, rate: TaxRate) {
  const totals = { tax_total: formatAmount(shop, taxMinor), shipping_tax_total: formatAmount(shop, 0) }
  const { id: rate_id, label, percent: rate_percent } = rate
  const named = { id: taxLineId, rate_code: rateCode(rate), rate_id, label, compound: false }
  return { ...named, ...totals, rate_percent, meta_data: [] }
}

function presentCouponLine(shop: Shop, line: CouponLine) {
  const info = JSON.stringify([line.couponId, line.code, line.discountType, line.nominalAmount])
  return {
    id: line.id,
    code: line.code,
    discount: String(line.discountMinor / 10 ** shop.pricing.decimals),
    discount_tax: formatAmount(shop, line.discountTaxMinor),
    meta_data: [displayMeta({ id: line.id + 1_000_000, key: 'coupon_info', value: info })],
    discount_type: line.discountType,
    nominal_amount: line.nominalAmount,
    free_shipping: line.freeShipping,
  }
}

function displayMeta(meta: Meta): Meta {
  return { ...meta, display_key: meta.key, display_value: String(meta.value) }
}

function presentLinks(shop: Shop, { id, customerId }: Order) {
  const base = `${shop.home}/wp-json/wc/v3`
  return {
    ...buildLinks(shop, 'orders', id),
    email_templates: [{ embeddable: true, href: `${base}/orders/${id}/actions/email_templates` }],
    ...(customerId ? { customer: [{ href: `${base}/customers/${customerId}` }] } : {}),
  }
}
