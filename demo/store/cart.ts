// The cart: what may go in, what it costs. Prices are worked out afresh each time from the catalogue and the coupons.
import {
  findProduct,
  fullName,
  isInStock,
  listVariations,
  type Option,
  optionText,
  type Product,
  priceMinor,
} from './catalog.ts'
import { type Coupon, findCouponByCode, type Refusal, refuseCoupon } from './coupons.ts'
import { md5 } from './php.ts'
import { RestError } from './rest-error.ts'
import type { CartItem, Session } from './sessions.ts'
import { flatRate, freeShipping, freeShippingFromMinor, type Shop, salesTax } from './shop.ts'
import { announce } from './webhooks.ts'

export type Choice = { attribute: string; value: string }
export type PricedLine = {
  item: CartItem
  product: Product
  parent: Product | undefined
  name: string
  priceMinor: number
  regularMinor: number
  subtotalMinor: number
  subtotalTaxMinor: number
  totalMinor: number
  totalTaxMinor: number
}
export type PricedCoupon = { coupon: Coupon; discountMinor: number; discountTaxMinor: number }
export type Rate = { id: string; method: string; instance: number; name: string; costMinor: number; isChosen: boolean }
export type PricedCart = {
  lines: PricedLine[]
  coupons: PricedCoupon[]
  rates: Rate[]
  isTaxed: boolean
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

const notFound = 'woocommerce_rest_cart_invalid_product'

export function addItem(
  shop: Shop,
  session: Session,
  productId: number,
  quantity: number,
  choices: Choice[] = [],
): string {
  const asked = findProduct(shop, productId)
  const isSold = asked && asked.status === 'publish'
  if (!isSold) {
    throw new RestError(
      400,
      notFound,
      `Product with ID &quot;${productId}&quot; was not found and cannot be added to the cart.`,
    )
  }
  const product = asked.type === 'variable' ? chooseVariation(shop, asked, choices) : asked
  const chosen = chooseOpen(shop, product, choices)
  const key = keyOf(product, chosen)
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
  const item = itemOf(session, key)
  if (quantity <= 0) {
    removeItem(session, key)
    return
  }
  checkStock(shop, findProduct(shop, item.variationId || item.productId)!, quantity)
  item.quantity = quantity
}

export function removeItem(session: Session, key: string) {
  itemOf(session, key)
  session.items = session.items.filter((item) => item.key !== key)
}

export function applyCoupon(shop: Shop, session: Session, code: string) {
  const wanted = code.trim().toLowerCase()
  if (session.coupons.includes(wanted))
    throw couponError({ message: `Coupon code &quot;${wanted}&quot; has already been applied.` })
  const { itemsMinor } = priceCart(shop, session)
  const refusal = refuseCoupon(shop, wanted, { itemsMinor, email: session.billing.email, codes: session.coupons })
  if (refusal) throw couponError(refusal)
  const held = session.coupons.find((other) => findCouponByCode(shop, other)?.individualUse)
  if (held) {
    const words = `&quot;${held}&quot; has already been applied and cannot be used in conjunction with other coupons.`
    throw couponError({ message: `Sorry, coupon ${words}` })
  }
  session.coupons = findCouponByCode(shop, wanted)!.individualUse ? [wanted] : [...session.coupons, wanted]
}

export function removeCoupon(session: Session, code: string) {
  session.coupons = session.coupons.filter((held) => held !== code.trim().toLowerCase())
}

export function couponError(refusal: Refusal): RestError {
  const data = refusal.details ? { details: refusal.details } : {}
  return new RestError(400, 'woocommerce_rest_cart_coupon_error', refusal.message, data)
}

/** Drops products that left the shop and coupons that no longer hold, then adds everything up. */
export function priceCart(shop: Shop, session: Session): PricedCart {
  const lines = session.items.flatMap((item) => priceLine(shop, item) ?? [])
  const itemsMinor = sum(lines, (line) => line.subtotalMinor)
  const isTaxed = session.shipping.country === 'US' && session.shipping.state === salesTax.state
  const tax = (minor: number) => (isTaxed ? Math.round((minor * salesTax.percent) / 100) : 0)
  const held = session.coupons.filter(
    (code) => !refuseCoupon(shop, code, { itemsMinor, email: session.billing.email, codes: [] }),
  )
  const coupons = held.map((code) => discount(findCouponByCode(shop, code)!, lines, tax))
  for (const line of lines) {
    line.subtotalTaxMinor = tax(line.subtotalMinor)
    line.totalTaxMinor = tax(line.totalMinor)
  }
  const discountMinor = sum(coupons, (coupon) => coupon.discountMinor)
  const rates = lines.length ? ratesFor(session, itemsMinor - discountMinor, coupons) : []
  const shippingMinor = rates.find((rate) => rate.isChosen)?.costMinor ?? 0
  const taxMinor = tax(itemsMinor - discountMinor)
  const totalMinor = itemsMinor - discountMinor + shippingMinor + taxMinor
  const amounts = { itemsMinor, itemsTaxMinor: tax(itemsMinor), discountMinor, discountTaxMinor: tax(discountMinor) }
  const hash = lines.length ? md5(JSON.stringify([session.items, held, totalMinor])) : ''
  const count = sum(lines, (line) => line.item.quantity)
  return { lines, coupons, rates, isTaxed, count, ...amounts, shippingMinor, taxMinor, totalMinor, hash }
}

/** Somebody else may have bought the last one since it went into this cart. */
export function checkCartStock(shop: Shop, session: Session) {
  for (const item of session.items) {
    const product = findProduct(shop, item.variationId || item.productId)
    if (product) checkStock(shop, product, item.quantity)
  }
}

export function stockLimit(product: Product): number {
  return product.stock ?? 9999
}

/** Attributes a variation stands for "any" of: without a choice for each of them it does not go into a cart. */
function chooseOpen(shop: Shop, product: Product, choices: Choice[]): Option[] {
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const open = (parent?.attributes ?? []).filter(({ slug }) => product.options.every((fixed) => fixed.slug !== slug))
  return open.map(({ id, name, slug, options }) => {
    const given = choices.find(({ attribute }) => [plain(name), plain(slug)].includes(plain(attribute)))
    const option = options.find((each) => given && plain(each) === plain(given.value))
    if (option) return { id, name, slug, option }
    const text = `Missing variation data for variable product. ${name} is a required field`
    throw new RestError(400, 'woocommerce_rest_missing_variation_data', text)
  })
}

function plain(text: string): string {
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
          [plain(name), plain(slug)].includes(plain(choice.attribute)) && plain(choice.value) === plain(option),
      ),
    ),
  )
  if (found) return found
  throw new RestError(400, 'woocommerce_rest_variation_id_from_variation_data', 'No matching variation found.')
}

function checkStock(shop: Shop, product: Product, quantity: number) {
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const name = fullName(product, parent)
  if (!isInStock(shop, product)) {
    const text = `You cannot add &quot;${name}&quot; to the cart because the product is out of stock.`
    throw new RestError(400, 'woocommerce_rest_product_out_of_stock', text)
  }
  if (quantity <= stockLimit(product)) return
  if (product.stock === null) {
    const most = `The maximum quantity of &quot;${name}&quot; allowed in the cart is ${stockLimit(product)}`
    throw new RestError(400, 'woocommerce_rest_product_invalid_quantity', most)
  }
  const text = `You cannot add that amount of &quot;${name}&quot; to the cart because there is not enough stock (${product.stock} remaining).`
  throw new RestError(400, 'woocommerce_rest_product_partially_out_of_stock', text)
}

function keyOf(product: Product, open: Option[]): string {
  if (!product.parentId) return md5(String(product.id))
  const chosen = [...product.options, ...open].map(({ slug, option }) => `attribute_${slug}${option}`).join('')
  return md5([product.parentId, product.id, chosen].join('_'))
}

function itemOf(session: Session, key: string): CartItem {
  const item = session.items.find((candidate) => candidate.key === key)
  if (item) return item
  throw new RestError(409, 'woocommerce_rest_cart_invalid_key', 'Cart item no longer exists or is invalid.')
}

function priceLine(shop: Shop, item: CartItem): PricedLine | undefined {
  const product = findProduct(shop, item.variationId || item.productId)
  if (product?.status !== 'publish') return undefined
  const parent = product.parentId ? findProduct(shop, product.parentId) : undefined
  const price = priceMinor(shop, product)
  const subtotalMinor = price * item.quantity
  const untaxed = { subtotalMinor, subtotalTaxMinor: 0, totalMinor: subtotalMinor, totalTaxMinor: 0 }
  const options = [...product.options, ...(item.chosen ?? [])]
  const name = parent ? `${parent.name} - ${optionText({ ...product, options })}` : product.name
  return { item, product, parent, name, priceMinor: price, regularMinor: product.regularMinor ?? price, ...untaxed }
}

function discount(coupon: Coupon, lines: PricedLine[], tax: (minor: number) => number): PricedCoupon {
  const eligible = lines.filter((line) => covers(coupon, line))
  const base = sum(eligible, (line) => line.totalMinor)
  let discountMinor = 0
  eligible.forEach((line, at) => {
    const left = Math.min(coupon.amountMinor, base) - discountMinor
    const fixed =
      at === eligible.length - 1 ? left : Math.floor((Math.min(coupon.amountMinor, base) * line.totalMinor) / base)
    const off = {
      percent: Math.round((line.totalMinor * coupon.amountMinor) / 10_000),
      fixed_cart: fixed,
      fixed_product: Math.min(coupon.amountMinor * line.item.quantity, line.totalMinor),
    }[coupon.discountType]
    line.totalMinor -= off
    discountMinor += off
  })
  return { coupon, discountMinor, discountTaxMinor: tax(discountMinor) }
}

function covers(coupon: Coupon, { item, product, parent }: PricedLine): boolean {
  const ids = [item.productId, item.variationId]
  const shelves = (parent ?? product).categories.map(({ id }) => id)
  if (coupon.productIds.length && !coupon.productIds.some((id) => ids.includes(id))) return false
  if (coupon.excludedProductIds.some((id) => ids.includes(id))) return false
  if (coupon.categoryIds.length && !coupon.categoryIds.some((id) => shelves.includes(id))) return false
  if (coupon.excludedCategoryIds.some((id) => shelves.includes(id))) return false
  return !(coupon.excludeSaleItems && product.saleMinor !== null)
}

function ratesFor(session: Session, goodsMinor: number, coupons: PricedCoupon[]): Rate[] {
  const isFree = goodsMinor >= freeShippingFromMinor || coupons.some(({ coupon }) => coupon.freeShipping)
  const rates: Rate[] = [{ ...flatRate, isChosen: false }]
  if (isFree) rates.push({ ...freeShipping, costMinor: 0, isChosen: false })
  const chosen = rates.find((rate) => rate.id === session.rateId) ?? rates[0]!
  chosen.isChosen = true
  return rates
}

function sum<T>(list: T[], amount: (item: T) => number): number {
  return list.reduce((total, item) => total + amount(item), 0)
}
