// The cart page. It works without scripts: each control is a form.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import {
  applyCoupon,
  dropInvalidCoupons,
  getStockLimit,
  type PricedCart,
  type PricedLine,
  priceCart,
  removeCoupon,
  removeItem,
  setQuantity,
} from '../cart.ts'
import { buildPermalink, buildPictureUrl } from '../catalog.ts'
import { syncDraft } from '../checkout.ts'
import { asText } from '../php.ts'
import { formatPrice } from '../pricing.ts'
import { RestError } from '../rest-error.ts'
import { saveSession } from '../sessions.ts'
import type { Shop } from '../shop.ts'
import { renderName } from './layout.ts'
import { show, type View } from './visit.ts'

export function renderCartPage(view: View): FastifyReply {
  const { shop, session, query } = view
  warnOfDroppedCoupons(view)
  const cart = priceCart(shop, session)
  const errorText = asText(query.wc_error)
  const error = errorText ? renderName(errorText) : undefined
  const empty = `<div class="empty"><p>Your cart is currently empty.</p><a class="button" href="/shop/">Browse the shop</a></div>`
  const body = `<h1>Cart</h1>${cart.lines.length ? renderCartTable(shop, cart) : empty}`
  return show(view, { title: 'Cart', body, path: 'cart', ...(error ? { error } : {}) })
}

/** Handles form posts for quantity, removal and coupons, and redirects to the cart. */
export function handleCartForm(view: View, form: URLSearchParams): FastifyReply {
  const { shop, session, reply } = view
  const action = form.get('do')
  try {
    if (action === 'quantity')
      setQuantity(shop, session, form.get('key') ?? '', Math.floor(Number(form.get('quantity'))) || 0)
    if (action === 'remove') removeItem(session, form.get('key') ?? '')
    if (action === 'coupon') applyCoupon(shop, session, form.get('code') ?? '')
    if (action === 'drop-coupon') removeCoupon(session, form.get('code') ?? '')
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    view.error = renderName(error.message)
    return renderCartPage(view)
  }
  saveSession(shop, session)
  syncDraft(shop, session)
  return reply.redirect('/cart/', 303)
}

function renderCartTable(shop: Shop, cart: PricedCart): string {
  return `<div class="two">
<section aria-label="Items"><ul class="lines">${cart.lines.map((line) => renderRow(shop, line)).join('')}</ul></section>
<aside class="panel" aria-label="Totals"><h2>Cart totals</h2>${renderTotals(shop, cart, dropForm)}
<form method="post" action="/cart/" class="coupon-form"><input type="hidden" name="do" value="coupon">
<label for="coupon">Coupon code</label><div class="buy-row"><input id="coupon" name="code" autocomplete="off" required>
<button class="button quiet" type="submit">Apply</button></div></form>
<a class="button wide-button" href="/checkout/">Proceed to checkout</a></aside></div>`
}

function renderRow(shop: Shop, { item, product, parent, name, priceMinor, subtotalMinor }: PricedLine): string {
  const id = `quantity-${item.key}`
  return `<li class="line"><img src="${buildPictureUrl(shop, product.pictures[0]!)}" alt="" width="84" height="84">
<div class="line-name"><a href="${buildPermalink(shop, product, parent)}">${renderName(name)}</a><span>${formatPrice(shop, priceMinor)} each</span></div>
<form method="post" action="/cart/" class="line-quantity" data-quantity><input type="hidden" name="do" value="quantity"><input type="hidden" name="key" value="${item.key}">
<label class="hidden" for="${id}">Quantity of ${renderName(name)}</label>
<input id="${id}" name="quantity" type="number" inputmode="numeric" min="0" max="${getStockLimit(product)}" value="${item.quantity}">
<button class="button small quiet" type="submit">Update</button></form>
<strong class="line-total">${formatPrice(shop, subtotalMinor)}</strong>
<form method="post" action="/cart/"><input type="hidden" name="do" value="remove"><input type="hidden" name="key" value="${item.key}">
<button class="plain" type="submit" aria-label="Remove ${renderName(name)}">Remove</button></form></li>`
}

/** `drop`: renders the control that removes a coupon. */
export function renderTotals(shop: Shop, cart: PricedCart, drop: (code: string) => string): string {
  const coupons = cart.coupons.map(
    ({ coupon, discountMinor }) =>
      `<div class="discount"><dt>Coupon <code>${escapeHtml(coupon.code)}</code> ${drop(coupon.code)}</dt><dd>−${formatPrice(shop, discountMinor)}</dd></div>`,
  )
  const { taxRate } = cart
  const tax = taxRate
    ? `<div><dt>${escapeHtml(taxRate.label)}</dt><dd>${formatPrice(shop, cart.taxMinor)}</dd></div>`
    : ''
  const shipping = cart.rates.find(({ isChosen }) => isChosen)
  return `<dl class="totals"><div><dt>Subtotal</dt><dd>${formatPrice(shop, cart.itemsMinor)}</dd></div>${coupons.join('')}
<div><dt>Shipping${shipping ? ` (${escapeHtml(shipping.name)})` : ''}</dt><dd>${formatPrice(shop, cart.shippingMinor)}</dd></div>${tax}
<div class="grand"><dt>Total</dt><dd>${formatPrice(shop, cart.totalMinor)}</dd></div></dl>`
}

function dropForm(code: string): string {
  return `<form method="post" action="/cart/" class="inline"><input type="hidden" name="do" value="drop-coupon"><input type="hidden" name="code" value="${escapeHtml(code)}">
<button class="plain" type="submit" aria-label="Remove coupon ${escapeHtml(code)}">Remove</button></form>`
}

/** Removes invalid coupons and shows one notice. */
export function warnOfDroppedCoupons(view: View) {
  const { shop, session } = view
  const dropped = dropInvalidCoupons(shop, session)
  if (!dropped.length) return
  saveSession(shop, session)
  syncDraft(shop, session)
  view.error ??= dropped.map(({ message }) => renderName(message)).join('<br>')
}
