// Webhook bodies. Shopify publishes no schema for them; they have the form of its REST resources. Personal data that
// the app may not read is null.

import { buildRecoveryUrl } from './graphql/orders.ts'
import type { Address, Cart, Checkout, Consent, Customer, Line, Order } from './model.ts'
import { find, listByOwner } from './records.ts'
import type { ProtectedContent } from './schema/schema.ts'
import {
  buildGid,
  currency,
  formatAmount,
  formatLocalInstant,
  myshopifyDomain,
  readSetup,
  type Shop,
  shopId,
  storeName,
} from './shop.ts'

const formatTime = (at: number | null) => (at === null ? null : formatLocalInstant(at))

export function checkoutBody(shop: Shop, checkout: Checkout): Record<string, unknown> {
  const may = createRedaction(shop)
  const customer = checkout.customerId === null ? undefined : find(shop.db, 'customer', checkout.customerId)
  return {
    id: checkout.id,
    token: checkout.token,
    cart_token: checkout.cartToken,
    email: may.email(checkout.email),
    phone: may.phone(checkout.phone),
    gateway: null,
    buyer_accepts_marketing: checkout.acceptsEmail,
    buyer_accepts_sms_marketing: checkout.acceptsSms,
    sms_marketing_phone: checkout.acceptsSms ? may.phone(checkout.phone) : null,
    created_at: formatTime(checkout.createdAt),
    updated_at: formatTime(checkout.updatedAt),
    completed_at: formatTime(checkout.completedAt),
    landing_site: '/',
    referring_site: '',
    note: null,
    note_attributes: [],
    source_name: 'web',
    user_id: null,
    currency,
    presentment_currency: currency,
    customer_locale: checkout.locale,
    taxes_included: false,
    line_items: checkout.lines.map(buildLineBody),
    name: `#${checkout.id}`,
    abandoned_checkout_url: buildRecoveryUrl(shop.home, checkout),
    discount_codes: buildCodesBody(checkout),
    ...buildTotalsBody(checkout),
    customer: customer ? buildCustomerBody(shop, customer) : null,
    ...buildAddressesBody(shop, checkout.address),
  }
}

export function orderBody(shop: Shop, order: Order): Record<string, unknown> {
  const may = createRedaction(shop)
  const customer = order.customerId === null ? undefined : find(shop.db, 'customer', order.customerId)
  const email = may.email(order.email)
  return {
    id: order.id,
    admin_graphql_api_id: buildGid('Order', order.id),
    name: `#${order.number}`,
    number: order.number - 1000,
    order_number: order.number,
    token: order.key,
    test: order.isTest,
    checkout_token: order.checkoutToken,
    cart_token: order.cartToken,
    source_name: order.sourceName,
    email,
    contact_email: email,
    phone: may.phone(order.phone),
    customer_locale: order.locale,
    buyer_accepts_marketing: order.acceptsEmail,
    created_at: formatTime(order.createdAt),
    processed_at: formatTime(order.createdAt),
    updated_at: formatTime(order.updatedAt),
    cancelled_at: formatTime(order.cancelledAt),
    cancel_reason: order.cancelReason?.toLowerCase() ?? null,
    closed_at: formatTime(order.closedAt),
    financial_status: order.financialStatus.toLowerCase(),
    fulfillment_status: order.fulfillmentStatus === 'UNFULFILLED' ? null : order.fulfillmentStatus.toLowerCase(),
    currency,
    presentment_currency: currency,
    taxes_included: false,
    confirmed: true,
    note: null,
    tags: '',
    ...buildTotalsBody(order),
    current_total_price: formatAmount(order.totalMinor - order.refundedMinor),
    discount_codes: buildCodesBody(order),
    line_items: order.lines.map(buildLineBody),
    customer: customer ? buildCustomerBody(shop, customer) : null,
    ...buildAddressesBody(shop, order.address),
  }
}

export const buildFullToken = ({ token, key }: Cart) => `${token}?key=${key}`

export function buildCartBody(cart: Cart, lines: Line[]): Record<string, unknown> {
  return {
    id: buildFullToken(cart),
    token: buildFullToken(cart),
    note: cart.note || null,
    line_items: lines.map(buildLineBody),
    created_at: formatTime(cart.createdAt),
    updated_at: formatTime(cart.updatedAt),
  }
}

export function buildCustomerBody(shop: Shop, customer: Customer): Record<string, unknown> {
  const may = createRedaction(shop)
  return {
    id: customer.id,
    admin_graphql_api_id: buildGid('Customer', customer.id),
    email: may.email(customer.email),
    phone: may.phone(customer.phone),
    first_name: may.name(customer.firstName),
    last_name: may.name(customer.lastName),
    orders_count: customer.ordersCount,
    total_spent: formatAmount(customer.spentMinor),
    state: 'disabled',
    currency,
    verified_email: true,
    tags: '',
    note: null,
    last_order_id: customer.lastOrderId,
    created_at: formatTime(customer.createdAt),
    updated_at: formatTime(customer.updatedAt),
    email_marketing_consent: customer.email === null ? null : buildConsentBody(customer.emailConsent),
    sms_marketing_consent:
      customer.phone === null ? null : { ...buildConsentBody(customer.smsConsent), consent_collected_from: 'SHOPIFY' },
    default_address: customer.address && buildAddressBody(shop, customer.address),
  }
}

export const buildEmailConsentBody = (shop: Shop, customer: Customer) => ({
  customer_id: customer.id,
  email_address: createRedaction(shop).email(customer.email),
  email_marketing_consent: buildConsentBody(customer.emailConsent),
})

export const buildSmsConsentBody = (shop: Shop, customer: Customer) => ({
  id: customer.id,
  phone: createRedaction(shop).phone(customer.phone),
  sms_marketing_consent: { ...buildConsentBody(customer.smsConsent), consent_collected_from: 'SHOPIFY' },
})

export const buildWhatsAppConsentBody = (shop: Shop, customer: Customer) => ({
  id: customer.id,
  phone: createRedaction(shop).phone(customer.phone),
  whatsapp_marketing_consent: { ...buildConsentBody(customer.whatsAppConsent), consent_collected_from: 'SHOPIFY' },
})

const buildConsentBody = ({ state, level, at }: Consent) => ({
  state: state.toLowerCase(),
  opt_in_level: level?.toLowerCase() ?? null,
  consent_updated_at: formatTime(at),
})

export function buildProductBody(shop: Shop, id: number): Record<string, unknown> | null {
  const product = find(shop.db, 'product', id)
  if (!product) return null
  return {
    id,
    admin_graphql_api_id: buildGid('Product', id),
    title: product.title,
    handle: product.handle,
    status: product.status.toLowerCase(),
    vendor: storeName,
    product_type: product.productType,
    created_at: formatTime(product.createdAt),
    updated_at: formatTime(product.updatedAt),
    variants: listByOwner(shop.db, 'variant', id).map((variant) => ({
      id: variant.id,
      product_id: id,
      title: variant.title,
      sku: variant.sku,
      price: formatAmount(variant.priceMinor),
      inventory_quantity: variant.stock ?? 0,
    })),
  }
}

export const buildShopBody = (shop: Shop) => ({
  id: shopId,
  name: storeName,
  domain: new URL(shop.home).host,
  myshopify_domain: myshopifyDomain,
})

function createRedaction(shop: Shop): Record<ProtectedContent, <T>(value: T) => T | null> {
  const { plan, app } = readSetup(shop)
  const may =
    (content: ProtectedContent) =>
    <T>(value: T) =>
      plan !== 'basic' && app.protectedData.includes(content) ? value : null
  return { name: may('name'), email: may('email'), phone: may('phone'), address: may('address') }
}

function buildLineBody(line: Line): Record<string, unknown> {
  return {
    id: line.id,
    key: String(line.id),
    variant_id: line.variantId,
    product_id: line.productId,
    title: line.title,
    variant_title: line.variantTitle,
    sku: line.sku,
    quantity: line.quantity,
    price: formatAmount(line.unitMinor),
    price_set: buildMoneySet(line.unitMinor),
    line_price: formatAmount(line.unitMinor * line.quantity),
    line_price_set: buildMoneySet(line.unitMinor * line.quantity),
    properties: null,
    vendor: storeName,
    requires_shipping: true,
    taxable: true,
    gift_card: false,
  }
}

const buildMoneySet = (minor: number) => {
  const money = { amount: formatAmount(minor), currency_code: currency }
  return { shop_money: money, presentment_money: money }
}

const buildCodesBody = ({ reductions }: Pick<Order, 'reductions'>) =>
  reductions.map(({ code, minor }) => ({ code, amount: formatAmount(minor), type: 'fixed_amount' }))

function buildTotalsBody(sums: Pick<Order, 'subtotalMinor' | 'discountMinor' | 'shippingMinor' | 'totalMinor'>) {
  return {
    total_line_items_price: formatAmount(sums.subtotalMinor),
    total_discounts: formatAmount(sums.discountMinor),
    subtotal_price: formatAmount(sums.subtotalMinor - sums.discountMinor),
    total_price: formatAmount(sums.totalMinor),
    total_tax: '0.00',
  }
}

function buildAddressesBody(shop: Shop, address: Address | null) {
  const body = address && buildAddressBody(shop, address)
  return { shipping_address: body, billing_address: body }
}

function buildAddressBody(shop: Shop, address: Address): Record<string, unknown> {
  const may = createRedaction(shop)
  return {
    first_name: may.name(address.firstName),
    last_name: may.name(address.lastName),
    address1: may.address(address.address1),
    address2: may.address(address.address2),
    zip: may.address(address.zip),
    city: address.city,
    province_code: address.provinceCode,
    country_code: address.countryCode,
    phone: may.phone(address.phone || null),
  }
}
