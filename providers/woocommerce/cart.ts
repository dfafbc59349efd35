// The cart: validates items and computes prices. Prices are recalculated from catalogue and coupons on each request.
import {
  buildFullName,
  findProduct,
  getOptionText,
  isInStock,
  listVariations,
  type Option,
  type Product,
  priceMinor,
} from './catalog.ts'
import { type CouponContext, checkCoupon, type Refusal } from './coupon-rules.ts'
import { type Coupon, findCouponByCode } from './coupons.ts'
import type { Entry } from './discounts.ts'
import { md5 } from './php.ts'
import { roundFloat, type TaxRate } from './pricing.ts'
import { RestError } from './rest-error.ts'
import type { CartItem, Session } from './sessions.ts'
import { listRates, type Rate } from './shipping.ts'
import type { Shop } from './shop.ts'
import { computeDisplayedPrice, computeTotals, createTaxContext, type LineSums } from './totals.ts'
import { announce } from './webhooks.ts'

export type Choice = { attribute: string; value: string }
export type PricedLine = LineSums & {
  item: CartItem
  product: Product
  parent: Product | undefined
  name: string
  /** As displayed, with or without tax; may have a fraction of a minor unit. */
  priceMinor: number
  regularMinor: number
}
export type PricedCoupon = { coupon: Coupon; discountMinor: number; discountTaxMinor: number }
export type PricedCart = {
  lines: PricedLine[]
  coupons: PricedCoupon[]
  rates: Rate[]
  taxRate: TaxRate | null
  count: number
  itemsMinor: number
  itemsTaxMinor: number
  discountMinor: number
  discountTaxMinor: number
  shippingMinor: number
  taxMinor: number
  totalMinor: number
  hash: string
}
type CartEntry = { item: CartItem; product: Product; parent: Product | undefined; name: string; entry: Entry }

const notFound = 'woocommerce_rest_cart_invalid_product'

export function addItem(
  shop: Shop,
  session: Session,
  productId: number,
  quantity: number,
  choices: Choice[] = [],
): string {
  const requested = findProduct(shop, productId)
  const isSold = requested && requested.status === 'publish'
  if (!isSold) {
    throw new RestError(
      400,
      notFound,
      `Product with ID &quot;${productId}&quot; was not found and cannot be added to the cart.`,
    )
  }
  const product = requested.type === 'variable' ? chooseVariation(shop, requested, choices) : requested
  const chosen = chooseOpenAttributes(shop, product, choices)
  const key = buildItemKey(product, chosen)
  const inCart = session.items.find((item) => item.key === key)
  checkStock(shop, product, quantity + (inCart?.quantity ?? 0))
  const ids = product.parentId ? [product.parentId, product.id] : [product.id, 0]
  if (inCart) inCart.quantity += quantity
  else
    session.items.push({
      key,
      productId: ids[0]!,
      variationId: ids[1]!,
      quantity,
      ...(chosen.length ? { chosen } : {}),
    })
  announce(shop, 'action.woocommerce_add_to_cart', key)
  return key
}

export function setQuantity(shop: Shop, session: Session, key: string, quantity: number) {
  const item = findItem(session, key)
  if (quantity <= 0) {
    removeItem(session, key)
    return
  }
  checkStock(shop, findProduct(shop, item.variationId || item.productId)!, quantity)
  item.quantity = quantity
}

export function removeItem(session: Session, key: string) {
  findItem(session, key)
  session.items = session.items.filter((item) => item.key !== key)
}

export function applyCoupon(shop: Shop, session: Session, code: string) {
  const normalized = code.trim().toLowerCase()
  if (session.coupons.includes(normalized))
    throw createCouponError({ message: `Coupon code &quot;${normalized}&quot; has already been applied.` })
  const refusal = checkCoupon(shop, normalized, buildCouponContext(shop, session))
  if (refusal) throw createCouponError(refusal)
  const { individualUse, freeShipping } = findCouponByCode(shop, normalized)!
  const alone = session.coupons.find((other) => findCouponByCode(shop, other)?.individualUse)
  if (alone && !individualUse) {
    const message = 'has already been applied and cannot be used in conjunction with other coupons.'
    throw createCouponError({ message: `&quot;${alone}&quot; ${message}` })
  }
  session.coupons = individualUse ? [normalized] : [...session.coupons, normalized]
  if (freeShipping) session.rateId = null
}

export function removeCoupon(session: Session, code: string) {
  session.coupons = session.coupons.filter((held) => held !== code.trim().toLowerCase())
}

export function createCouponError(refusal: Refusal): RestError {
  const data = refusal.details ? { details: refusal.details } : {}
  return new RestError(400, 'woocommerce_rest_cart_coupon_error', refusal.message, data)
}

export type DroppedCoupon = { code: string; message: string }

/** Removes invalid coupons and returns the reasons. The next request does not repeat them. */
export function dropInvalidCoupons(shop: Shop, session: Session): DroppedCoupon[] {
  const dropped = session.coupons.flatMap((code) => {
    const refusal = checkCoupon(shop, code, buildCouponContext(shop, session))
    return refusal ? [{ code, why: refusal.message }] : []
  })
  for (const { code } of dropped) removeCoupon(session, code)
  return dropped.map(({ code, why }) => ({
    code: 'woocommerce_rest_cart_coupon_error',
    message: `The &quot;${code}&quot; coupon has been removed from your cart: ${why}`,
  }))
}

/** Computes the totals without deleted products and invalid coupons. */
export function priceCart(shop: Shop, session: Session): PricedCart {
  const held = resolveItems(shop, session)
  const facts = buildCouponContext(shop, session, held)
  const codes = session.coupons.filter((code) => !checkCoupon(shop, code, facts))
  const coupons = codes.map((code) => findCouponByCode(shop, code)!)
  const taxContext = createTaxContext(shop, session.shipping)
  const entries = held.map(({ entry }) => entry)
  const { lines: sums, coupons: discounts, goodsMinor, ...totals } = computeTotals(taxContext, entries, coupons)
  const lines = held.map(({ entry, ...line }, at) => {
    const regular = line.product.regularMinor ?? entry.unitMinor
    return {
      ...line,
      ...sums[at]!,
      priceMinor: computeDisplayedPrice(taxContext, entry.unitMinor),
      regularMinor: computeDisplayedPrice(taxContext, regular),
    }
  })
  const opensFree = coupons.some(({ freeShipping }) => freeShipping)
  const rates = lines.length ? listRates(shop, session, { goodsMinor, opensFree }) : []
  const shippingMinor = rates.find((rate) => rate.isChosen)?.costMinor ?? 0
  const totalMinor = goodsMinor + shippingMinor + totals.taxMinor
  const hash = lines.length ? md5(JSON.stringify([session.items, codes, totalMinor])) : ''
  const count = sum(lines, (line) => line.item.quantity)
  const priced = coupons.map((coupon, at) => ({ coupon, ...discounts[at]! }))
  return { ...totals, lines, coupons: priced, rates, taxRate: taxContext.rate, count, shippingMinor, totalMinor, hash }
}

function resolveItems(shop: Shop, session: Session): CartEntry[] {
  return session.items.flatMap((item) => resolveItem(shop, item) ?? [])
}

function buildCouponContext(shop: Shop, session: Session, held = resolveItems(shop, session)): CouponContext {
  const entries = held.map(({ entry, name, product, parent }) => {
    return { ...entry, name, shelves: (parent ?? product).categories }
  })
  const { itemsMinor, itemsTaxMinor } = computeTotals(createTaxContext(shop, session.shipping), entries, [])
  const displayedMinor = shop.pricing.showsTax ? itemsMinor + itemsTaxMinor : itemsMinor
  return { entries, displayedMinor, email: session.billing.email }
}

/** Checks the stock again, because other orders may have reduced it. */
export function checkCartStock(shop: Shop, session: Session) {
  for (const item of session.items) {
    const product = findProduct(shop, item.variationId || item.productId)
    if (product) checkStock(shop, product, item.quantity)
  }
}

export function getStockLimit(product: Product): number {
  return product.stock ?? 9999
}

/** Resolves the attributes that the variation leaves open ("any"). Each needs a choice. */
function chooseOpenAttributes(shop: Shop, product: Product, choices: Choice[]): Option[] {
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const open = (parent?.attributes ?? []).filter(({ slug }) => product.options.every((fixed) => fixed.slug !== slug))
  return open.map(({ id, name, slug, options }) => {
    const input = choices.find(({ attribute }) =>
      [normalizeText(name), normalizeText(slug)].includes(normalizeText(attribute)),
    )
    const option = options.find((each) => input && normalizeText(each) === normalizeText(input.value))
    if (option) return { id, name, slug, option }
    const text = `Missing variation data for variable product. ${name} is a required field`
    throw new RestError(400, 'woocommerce_rest_missing_variation_data', text)
  })
}

function normalizeText(text: string): string {
  return text
    .toLowerCase()
    .replace(/^attribute_/, '')
    .replace(/^pa_/, '')
    .replace(/[^a-z0-9]+/g, '-')
}

function chooseVariation(shop: Shop, parent: Product, choices: Choice[]): Product {
  if (!choices.length) {
    throw new RestError(400, 'woocommerce_rest_missing_attributes', 'Missing attributes for variable product.')
  }
  const found = listVariations(shop, parent).find((variation) =>
    variation.options.every(({ name, slug, option }) =>
      choices.some(
        (choice) =>
          [normalizeText(name), normalizeText(slug)].includes(normalizeText(choice.attribute)) &&
          normalizeText(choice.value) === normalizeText(option),
      ),
    ),
  )
  if (found) return found
  throw new RestError(400, 'woocommerce_rest_variation_id_from_variation_data', 'No matching variation found.')
}

function checkStock(shop: Shop, product: Product, quantity: number) {
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const name = buildFullName(product, parent)
  if (!isInStock(shop, product)) {
    const text = `You cannot add &quot;${name}&quot; to the cart because the product is out of stock.`
    throw new RestError(400, 'woocommerce_rest_product_out_of_stock', text)
  }
  if (quantity <= getStockLimit(product)) return
  if (product.stock === null) {
    const limit = `The maximum quantity of &quot;${name}&quot; allowed in the cart is ${getStockLimit(product)}`
    throw new RestError(400, 'woocommerce_rest_product_invalid_quantity', limit)
  }
  const text = `You cannot add that amount of &quot;${name}&quot; to the cart because there is not enough stock (${product.stock} remaining).`
  throw new RestError(400, 'woocommerce_rest_product_partially_out_of_stock', text)
}

function buildItemKey(product: Product, open: Option[]): string {
  if (!product.parentId) return md5(String(product.id))
  const chosen = [...product.options, ...open].map(({ slug, option }) => `attribute_${slug}${option}`).join('')
  return md5([product.parentId, product.id, chosen].join('_'))
}

function findItem(session: Session, key: string): CartItem {
  const item = session.items.find((candidate) => candidate.key === key)
  if (item) return item
  throw new RestError(409, 'woocommerce_rest_cart_invalid_key', 'Cart item no longer exists or is invalid.')
}

function resolveItem(shop: Shop, item: CartItem): CartEntry | undefined {
  const product = findProduct(shop, item.variationId || item.productId)
  if (product?.status !== 'publish') return undefined
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const options = [...product.options, ...(item.chosen ?? [])]
  const name = parent ? `${parent.name} - ${getOptionText({ ...product, options })}` : product.name
  return { item, product, parent, name, entry: toPriceEntry(product, parent, priceMinor(shop, product), item.quantity) }
}

export function toPriceEntry(
  product: Product,
  parent: Product | undefined,
  unitMinor: number,
  quantity: number,
): Entry {
  const ids = parent ? [product.id, parent.id] : [product.id]
  const categoryIds = (parent ?? product).categories.map(({ id }) => id)
  return { unitMinor: roundFloat(unitMinor), quantity, ids, categoryIds, isOnSale: product.saleMinor !== null }
}

function sum<T>(list: T[], amount: (item: T) => number): number {
  return list.reduce((total, item) => total + amount(item), 0)
}
