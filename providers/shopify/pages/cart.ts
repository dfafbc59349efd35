// The cart: its page, the Ajax API of themes, and permalinks.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import { addToCart, CartProblem, fillCart, findVariant, resolveLines, setQuantity } from '../carts.ts'
import { buildPictureUrl } from '../graphql/products.ts'
import type { CartLine, Line } from '../model.ts'
import { buildFullToken } from '../payloads.ts'
import { sumLines } from '../pricing.ts'
import { find } from '../records.ts'
import { currency, type Shop } from '../shop.ts'
import { goToCheckout } from './checkout.ts'
import { formatMoney } from './layout.ts'
import { setCartCookie, setCookie, show, type View } from './visit.ts'

export function renderCartPage(view: View): FastifyReply {
  const { shop, cart } = view
  const lines = resolveLines(shop, cart?.lines ?? [])
  const empty = `<div class="empty"><p>Your cart is empty.</p><a class="button" href="/collections/all">Continue shopping</a></div>`
  const body = `<h1>Your cart</h1>${lines.length ? renderCartTable(shop, lines) : empty}`
  return show(view, { title: 'Your cart', body, path: 'cart' })
}

function renderCartTable(shop: Shop, lines: Line[]): string {
  return `<div class="two"><section aria-label="Items"><ul class="lines">${lines.map((line) => renderRow(shop, line)).join('')}</ul></section>
<aside class="panel" aria-label="Summary"><h2>Summary</h2><dl class="totals"><div class="grand"><dt>Estimated total</dt><dd>${formatMoney(sumLines(lines))}</dd></div></dl>
<p class="hint">Shipping and discounts are calculated at checkout.</p>
<a class="button wide-button" href="/checkout">Check out</a></aside></div>`
}

function renderRow(shop: Shop, line: Line): string {
  const name = line.variantTitle ? `${line.title} – ${line.variantTitle}` : line.title
  const id = `quantity-${line.variantId}`
  return `<li class="line"><img src="${buildPictureUrl(shop, line.picture)}" alt="" width="84" height="84">
<div class="line-name"><a href="${productLink(shop, line)}">${escapeHtml(name)}</a><span>${formatMoney(line.unitMinor)} each</span></div>
<form method="post" action="/cart/change" class="line-quantity"><input type="hidden" name="id" value="${line.variantId}">
<label class="hidden" for="${id}">Quantity of ${escapeHtml(name)}</label>
<input id="${id}" name="quantity" type="number" inputmode="numeric" min="0" max="999" value="${line.quantity}">
<button class="button small quiet" type="submit">Update</button></form>
<strong class="line-total">${formatMoney(line.unitMinor * line.quantity)}</strong>
<form method="post" action="/cart/change"><input type="hidden" name="id" value="${line.variantId}"><input type="hidden" name="quantity" value="0">
<button class="plain" type="submit" aria-label="Remove ${escapeHtml(name)}">Remove</button></form></li>`
}

const productLink = ({ db }: Shop, { productId }: Line) => `/products/${find(db, 'product', productId)?.handle ?? ''}`

/** Handles `/cart/add` and `/cart/change` forms and redirects to the cart. */
export function handleCartForm(view: View, what: 'add' | 'change'): FastifyReply {
  const { form, reply } = view
  try {
    change(view, what, [{ variantId: Number(form.get('id')), quantity: parseQuantity(form.get('quantity') ?? '1') }])
  } catch (error) {
    if (!(error instanceof CartProblem)) throw error
    view.error = error.message
    return renderCartPage(view)
  }
  return reply.redirect('/cart', 303)
}

const parseQuantity = (value: unknown) => Math.min(999, Math.max(0, Math.floor(Number(value)) || 0))

function change(view: View, what: 'add' | 'change', requested: CartLine[]) {
  if (what === 'add') {
    setCartCookie(
      view,
      addToCart(
        view,
        view.cart,
        requested.map((line) => ({ ...line, quantity: Math.max(1, line.quantity) })),
      ),
    )
    return
  }
  const [line] = requested
  if (view.cart && line) setCartCookie(view, setQuantity(view, view.cart, line.variantId, line.quantity))
}

interface CartRequest {
  id?: unknown
  quantity?: unknown
  items?: { id?: unknown; quantity?: unknown }[]
  updates?: Record<string, unknown>
}

/** `/cart/add.js`, `/cart/change.js`, `/cart/update.js`, `/cart/clear.js`: the Ajax API of themes. */
export function handleCartScript(view: View, what: string): FastifyReply {
  const input = parseCartRequest(view)
  try {
    if (what === 'add') return view.reply.send(addLines(view, input))
    if (what === 'change') change(view, 'change', [toCartLine(input)])
    if (what === 'update') update(view, input)
    if (what === 'clear' && view.cart) setCartCookie(view, fillCart(view, view.cart, []))
  } catch (error) {
    if (!(error instanceof CartProblem)) throw error
    return view.reply.code(422).send({ status: 422, message: 'Cart Error', description: error.message })
  }
  return sendCart(view)
}

function update(view: View, { updates = {} }: CartRequest) {
  for (const [id, quantity] of Object.entries(updates))
    change(view, 'change', [{ variantId: Number(id), quantity: parseQuantity(quantity) }])
}

function parseCartRequest({ request, form }: View): CartRequest {
  if (typeof request.body === 'string') return { id: form.get('id'), quantity: form.get('quantity') ?? 1 }
  return (request.body ?? {}) as CartRequest
}

const toCartLine = ({ id, quantity = 1 }: CartRequest): CartLine => ({
  variantId: Number(id),
  quantity: parseQuantity(quantity),
})

function addLines(view: View, input: CartRequest) {
  const requested = (input.items ?? [input]).map(toCartLine)
  change(view, 'add', requested)
  const lines = resolveLines(view.shop, view.cart?.lines ?? []).filter(({ variantId }) =>
    requested.some((line) => line.variantId === variantId),
  )
  const items = lines.map((line) => itemJson(view.shop, line))
  return input.items ? { items } : items[0]
}

export function sendCart(view: View): FastifyReply {
  const { shop, cart } = view
  const lines = resolveLines(shop, cart?.lines ?? [])
  const total = sumLines(lines)
  return view.reply.header('cache-control', 'no-store').send({
    token: cart ? buildFullToken(cart) : '',
    note: cart?.note ?? '',
    attributes: cart?.attributes ?? {},
    currency,
    requires_shipping: true,
    original_total_price: total,
    total_price: total,
    total_discount: 0,
    total_weight: 0,
    item_count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    items: lines.map((line) => itemJson(shop, line)),
    items_subtotal_price: total,
    cart_level_discount_applications: [],
  })
}

function itemJson(shop: Shop, line: Line) {
  const total = line.unitMinor * line.quantity
  const found = findVariant(shop, line.variantId)
  return {
    id: line.variantId,
    variant_id: line.variantId,
    product_id: line.productId,
    key: `${line.variantId}:1`,
    quantity: line.quantity,
    sku: line.sku,
    product_title: line.title,
    variant_title: line.variantTitle,
    title: line.variantTitle ? `${line.title} - ${line.variantTitle}` : line.title,
    price: line.unitMinor,
    final_price: line.unitMinor,
    line_price: total,
    final_line_price: total,
    properties: {},
    gift_card: false,
    taxable: true,
    image: buildPictureUrl(shop, line.picture),
    url: `${productLink(shop, line)}?variant=${line.variantId}`,
    handle: found?.product.handle ?? '',
  }
}

/**
 * `/cart/<variant>:<quantity>,…?discount=CODE`: fills a cart and redirects to the checkout. Omits unavailable items.
 */
export function buildPermalink(view: View, text: string): FastifyReply | null {
  if (!/^\d{1,16}:\d{1,3}(,\d{1,16}:\d{1,3}){0,99}$/.test(text)) return null
  const lines = text.split(',').flatMap((part) => {
    const [variantId, quantity] = part.split(':').map(Number) as [number, number]
    return quantity > 0 && findVariant(view.shop, variantId) ? [{ variantId, quantity }] : []
  })
  if (!lines.length) return view.reply.redirect('/cart', 302)
  setCartCookie(view, fillCart(view, undefined, lines))
  return goToCheckout(view, view.query.get('discount'))
}

/** `/discount/CODE?redirect=/…`: applies the code at the next checkout. */
export function rememberDiscount(view: View, code: string): FastifyReply {
  setCookie(view, 'discount_code', code)
  const target = view.query.get('redirect') ?? '/'
  return view.reply.redirect(/^\/(?![/\\])/.test(target) ? target : '/', 302)
}
