// Serializes carts for wc/store/v1: money as text in minor units, with currency fields.
import { type DroppedCoupon, getStockLimit, type PricedCart, type PricedLine, priceCart } from './cart.ts'
import { buildPermalink, storeImage } from './catalog.ts'
import { findCurrency } from './pricing.ts'
import type { Session } from './sessions.ts'
import { gateways, type Shop } from './shop.ts'

function buildCurrencyFields(shop: Shop) {
  const { symbol } = findCurrency(shop)
  return {
    currency_code: shop.pricing.currency,
    currency_symbol: symbol,
    currency_minor_unit: shop.pricing.decimals,
    currency_decimal_separator: '.',
    currency_thousand_separator: ',',
    currency_prefix: symbol,
    currency_suffix: '',
  }
}

/** `errors`: coupons removed by this request. */
export function presentCart(shop: Shop, session: Session, errors: DroppedCoupon[] = []) {
  const cart = priceCart(shop, session)
  const currency = buildCurrencyFields(shop)
  const hasItems = cart.lines.length > 0
  return {
    items: cart.lines.map((line) => presentItem(shop, line)),
    coupons: cart.coupons.map(({ coupon, discountMinor, discountTaxMinor }) => ({
      code: coupon.code,
      discount_type: coupon.discountType,
      totals: { total_discount: String(discountMinor), total_discount_tax: String(discountTaxMinor), ...currency },
    })),
    fees: [],
    totals: presentTotals(shop, cart),
    shipping_address: session.shipping,
    billing_address: session.billing,
    needs_payment: cart.totalMinor > 0,
    needs_shipping: hasItems,
    payment_requirements: ['products'],
    has_calculated_shipping: hasItems,
    shipping_rates: hasItems ? [presentPackage(shop, session, cart)] : [],
    items_count: cart.count,
    items_weight: cart.lines.reduce((sum, { product, item }) => sum + Number(product.weight || 0) * item.quantity, 0),
    cross_sells: [],
    errors,
    payment_methods: gateways.map(({ id }) => id),
    extensions: {},
  }
}

function presentTotals(shop: Shop, cart: PricedCart) {
  const hasItems = cart.lines.length > 0
  const { taxRate, taxMinor } = cart
  return {
    total_items: String(cart.itemsMinor),
    total_items_tax: String(cart.itemsTaxMinor),
    total_fees: '0',
    total_fees_tax: '0',
    total_discount: String(cart.discountMinor),
    total_discount_tax: String(cart.discountTaxMinor),
    total_shipping: hasItems ? String(cart.shippingMinor) : null,
    total_shipping_tax: hasItems ? '0' : null,
    total_price: String(cart.totalMinor),
    total_tax: String(cart.taxMinor),
    tax_lines:
      taxRate && taxMinor ? [{ name: taxRate.label, price: String(taxMinor), rate: `${taxRate.percent}%` }] : [],
    ...buildCurrencyFields(shop),
  }
}

function presentItem(shop: Shop, line: PricedLine) {
  const { item, product, parent } = line
  return {
    key: item.key,
    id: product.id,
    type: product.type,
    quantity: item.quantity,
    quantity_limits: { minimum: 1, maximum: getStockLimit(product), multiple_of: 1, editable: true },
    name: (parent ?? product).name,
    short_description: product.shortDescription,
    sku: product.sku,
    low_stock_remaining: product.stock !== null && product.stock <= 2 ? product.stock : null,
    backorders_allowed: false,
    show_backorder_badge: false,
    sold_individually: false,
    permalink: buildPermalink(shop, product, parent),
    images: product.pictures.map((picture) => storeImage(shop, picture)),
    variation: [...product.options, ...(item.chosen ?? [])].map(({ name, slug, option }) => ({
      raw_attribute: `attribute_${slug}`,
      attribute: name,
      value: option,
    })),
    item_data: [],
    prices: presentPrices(shop, line),
    totals: {
      line_subtotal: String(line.subtotalMinor),
      line_subtotal_tax: String(line.subtotalTaxMinor),
      line_total: String(line.totalMinor),
      line_total_tax: String(line.totalTaxMinor),
      ...buildCurrencyFields(shop),
    },
    catalog_visibility: 'visible',
    extensions: {},
  }
}

function presentPrices(shop: Shop, { priceMinor, regularMinor }: PricedLine) {
  const precision = 6
  const raw = (minor: number) => String(Math.round(minor * 10 ** (precision - shop.pricing.decimals)))
  const precise = {
    precision,
    price: raw(priceMinor),
    regular_price: raw(regularMinor),
    sale_price: raw(priceMinor),
  }
  const [price, regular_price] = [priceMinor, regularMinor].map((minor) => String(Math.round(minor)))
  return {
    price,
    regular_price,
    sale_price: price,
    price_range: null,
    ...buildCurrencyFields(shop),
    raw_prices: precise,
  }
}

function presentPackage(shop: Shop, session: Session, cart: PricedCart) {
  const { address_1, address_2, city, state, postcode, country } = session.shipping
  const summary = cart.lines.map(({ name, item }) => `${name} &times; ${item.quantity}`).join(', ')
  return {
    package_id: 0,
    name: 'Shipment 1',
    destination: { address_1, address_2, city, state, postcode, country },
    items: cart.lines.map(({ item, name }) => ({ key: item.key, name, quantity: item.quantity })),
    shipping_rates: cart.rates.map((rate) => ({
      rate_id: rate.id,
      name: rate.name,
      description: '',
      delivery_time: '',
      price: String(rate.costMinor),
      taxes: '0',
      instance_id: rate.instance,
      method_id: rate.method,
      meta_data: [{ key: 'Items', value: summary }],
      selected: rate.isChosen,
      ...buildCurrencyFields(shop),
    })),
  }
}
