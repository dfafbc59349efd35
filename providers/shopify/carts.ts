// Storefront carts, identified by the token in a cookie.
import { randomBytes } from 'node:crypto'
import { announce, type Desk } from './events.ts'
import { isForSale } from './graphql/products.ts'
import type { Cart, CartLine, Line, Product, Variant } from './model.ts'
import { buildCartBody } from './payloads.ts'
import { find, findByKey, save, takeNextId, transact } from './records.ts'
import type { Shop } from './shop.ts'

export const createToken = () => randomBytes(16).toString('hex')

export const findCart = ({ db }: Shop, key: string | undefined) =>
  key ? findByKey(db, 'cart', key.split('?')[0]!) : undefined

export class CartProblem extends Error {}

const MAX_QUANTITY = 999

/** Adds lines to the cart; throws a CartProblem with the page's message for unsellable items. */
export function addToCart(desk: Desk, existing: Cart | undefined, requested: CartLine[]): Cart {
  const cart = existing ?? createCart(desk.shop)
  const lines = [...cart.lines]
  for (const { variantId, quantity } of requested) {
    const at = lines.findIndex((line) => line.variantId === variantId)
    const sum = (lines[at]?.quantity ?? 0) + quantity
    refuseUnsellable(desk.shop, variantId, sum)
    if (at === -1) lines.push({ variantId, quantity: sum })
    else lines[at] = { variantId, quantity: sum }
  }
  return saveCart(desk, { ...cart, lines }, !existing)
}

export function setQuantity(desk: Desk, cart: Cart, variantId: number, quantity: number): Cart {
  if (quantity > 0) refuseUnsellable(desk.shop, variantId, quantity)
  const others = cart.lines.filter((line) => line.variantId !== variantId)
  const lines =
    quantity > 0 ? cart.lines.map((line) => (line.variantId === variantId ? { variantId, quantity } : line)) : others
  return saveCart(desk, { ...cart, lines }, false)
}

/** Replaces the cart's lines, for a permalink or a recovered checkout. */
export function fillCart(desk: Desk, existing: Cart | undefined, lines: CartLine[], name = createToken()): Cart {
  return saveCart(desk, { ...(existing ?? { ...createCart(desk.shop), token: name }), lines }, !existing)
}

function saveCart(desk: Desk, cart: Cart, isNew: boolean): Cart {
  const { shop } = desk
  return transact(shop.db, () => {
    const saved = save(shop.db, 'cart', { ...cart, updatedAt: shop.now() })
    announce(desk, isNew ? 'CARTS_CREATE' : 'CARTS_UPDATE', buildCartBody(saved, resolveLines(shop, saved.lines)))
    return saved
  })
}

function createCart(shop: Shop): Cart {
  const at = shop.now()
  const id = takeNextId(shop.db, 'cart')
  return {
    id,
    createdAt: at,
    updatedAt: at,
    token: createToken(),
    key: createToken(),
    lines: [],
    note: '',
    attributes: {},
  }
}

function refuseUnsellable(shop: Shop, variantId: number, quantity: number) {
  const found = findVariant(shop, variantId)
  if (!found) throw new CartProblem('Cannot find variant')
  const { product, variant } = found
  if (!isForSale(product, variant))
    throw new CartProblem(`The product '${formatName(product, variant)}' is already sold out.`)
  if (quantity > (variant.stock ?? MAX_QUANTITY))
    throw new CartProblem(`You can't add more ${formatName(product, variant)} to the cart.`)
}

const formatName = (product: Product, variant: Variant) =>
  product.optionName ? `${product.title} - ${variant.title}` : product.title

export function findVariant({ db }: Shop, variantId: number): { product: Product; variant: Variant } | undefined {
  const variant = find(db, 'variant', variantId)
  const product = variant && find(db, 'product', variant.productId)
  return product && { product, variant }
}

/** Resolves lines with current catalogue data and omits deleted products. */
export function resolveLines(shop: Shop, lines: readonly CartLine[]): Line[] {
  return lines.flatMap(({ variantId, quantity }) => {
    const found = findVariant(shop, variantId)
    if (!found) return []
    const { product, variant } = found
    return {
      id: variantId,
      variantId,
      quantity,
      productId: product.id,
      title: product.title,
      sku: variant.sku,
      variantTitle: product.optionName ? variant.title : null,
      unitMinor: variant.priceMinor,
      picture: variant.picture ?? product.picture,
    }
  })
}
