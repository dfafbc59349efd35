// Order received, pay for order, and the list of this browser's orders.
import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../shop-page.ts'
import { payOrder } from '../checkout.ts'
import { formatLocalTime } from '../clock.ts'
import { buildPaymentUrl, buildReceivedUrl } from '../order-shape.ts'
import { findOrder, type Order, statusNames } from '../orders.ts'
import { asText } from '../php.ts'
import { formatPrice } from '../pricing.ts'
import { RestError } from '../rest-error.ts'
import { readSeconds, type Shop } from '../shop.ts'
import { renderPayment } from './checkout.ts'
import { renderName } from './layout.ts'
import { show, type View } from './visit.ts'

/** A guest paying an older order must enter its billing email first. */
const EMAIL_GRACE_S = 600

export function renderReceivedPage(view: View, id: number): FastifyReply | null {
  const order = findOrderByKey(view, id)
  if (!order) return null
  const isOpen = order.status === 'pending' || order.status === 'failed'
  const text = isOpen ? 'Your order is waiting for its payment.' : 'Thank you. Your order has been received.'
  const pay = isOpen
    ? `<p><a class="button" href="${buildPaymentUrl(view.shop, order)}">Pay for this order</a></p>`
    : ''
  const body = `<section class="received" data-order-id="${order.id}" data-order-status="${order.status}"><h1>Order received</h1><p class="lead">${text}</p>
<dl class="facts"><div><dt>Order number</dt><dd>${order.id}</dd></div><div><dt>Date</dt><dd>${formatLocalTime(order.createdAt).replace('T', ' ')}</dd></div>
<div><dt>Total</dt><dd>${formatPrice(view.shop, order.totalMinor)}</dd></div><div><dt>Status</dt><dd>${statusNames[order.status] ?? order.status}</dd></div>
<div><dt>Payment</dt><dd>${escapeHtml(order.paymentTitle || '–')}</dd></div></dl>${pay}${renderLines(view.shop, order)}
<p><a class="button quiet" href="/shop/">Keep browsing</a></p></section>`
  return show(view, { title: 'Order received', body, facts: { orderId: order.id } })
}

export function payPage(view: View, id: number, form?: URLSearchParams): FastifyReply | null {
  const order = findOrderByKey(view, id)
  if (!order) return null
  if (!['pending', 'failed', 'checkout-draft'].includes(order.status)) {
    const text = `This order's status is “${statusNames[order.status] ?? order.status}”—it cannot be paid for. Please contact us if you need assistance.`
    return show(view, {
      title: 'Pay for order',
      body: `<h1>Pay for order</h1>${renderLines(view.shop, order)}`,
      error: text,
    })
  }
  if (needsEmail(view, order, form)) return show(view, renderEmailForm(form?.get('email') != null))
  if (form?.get('payment_method')) return pay(view, order, form)
  const email = form?.get('email')
  const hiddenField = email ? `<input type="hidden" name="email" value="${escapeHtml(email)}">` : ''
  const body = `<h1>Pay for order</h1><form method="post" class="two checkout" data-order-id="${order.id}"><div>${hiddenField}${renderPayment()}
<button class="button wide-button" type="submit">Pay for order</button></div><aside class="panel"><h2>Order ${order.id}</h2>${renderLines(view.shop, order)}</aside></form>`
  return show(view, { title: 'Pay for order', body })
}

export function renderVisitsPage(view: View): FastifyReply {
  const { shop, session } = view
  const rows = session.orderIds.toReversed().flatMap((id) => findOrder(shop, id) ?? [])
  const list = rows.map(
    (
      order,
    ) => `<tr><td><a href="${buildReceivedUrl(shop, order)}">${order.id}</a></td><td>${formatLocalTime(order.createdAt).replace('T', ' ')}</td>
<td>${statusNames[order.status] ?? order.status}</td><td>${formatPrice(shop, order.totalMinor)}</td></tr>`,
  )
  const table = `<div class="scroll"><table><thead><tr><th>Order</th><th>Date</th><th>Status</th><th>Total</th></tr></thead><tbody>${list.join('')}</tbody></table></div>`
  const body = `<h1>My visits</h1><p>Orders placed in this browser. “New shopper” below clears them and the cart.</p>
${list.length ? table : '<p class="empty">No orders yet.</p>'}
<form method="post" action="/forget-me/"><button class="button" type="submit">New shopper (forget me)</button></form>`
  return show(view, { title: 'My visits', body })
}

function pay(view: View, order: Order, form: URLSearchParams): FastifyReply {
  const { shop, reply } = view
  try {
    const chosen = { method: form.get('payment_method') ?? '', mode: form.get('testcard_mode') ?? '' }
    const { order: paid } = payOrder(shop, order, chosen)
    if (paid.status !== 'failed') return reply.redirect(buildReceivedUrl(shop, paid).slice(shop.home.length), 303)
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    view.error = renderName(error.message)
    return payPage(view, order.id) ?? reply
  }
  view.error = 'Your card was declined.'
  const email = form.get('email')
  return payPage(view, order.id, email ? new URLSearchParams({ email }) : undefined) ?? reply
}

function needsEmail({ shop, session }: View, order: Order, form?: URLSearchParams): boolean {
  const isOwn = session.orderIds.includes(order.id) || session.orderId === order.id
  if (isOwn || order.billing.email === '' || order.createdAt > readSeconds(shop) - EMAIL_GRACE_S) return false
  return form?.get('email')?.trim().toLowerCase() !== order.billing.email.toLowerCase()
}

function renderEmailForm(isWrong: boolean) {
  const body = `<h1>Pay for order</h1><form method="post" class="panel narrow"><p>To view this page, please confirm the email address used for the order.</p>
<label for="email">Email address</label><input id="email" name="email" type="email" autocomplete="email" required>
<button class="button" type="submit">Confirm</button></form>`
  const error = 'We were unable to verify the email address you provided. Please try again.'
  return { title: 'Pay for order', body, ...(isWrong ? { error } : {}) }
}

function renderLines(shop: Shop, order: Order): string {
  const rows = order.lines.map(
    ({ name, quantity, subtotalMinor }) =>
      `<li><span>${renderName(name)} × ${quantity}</span><span>${formatPrice(shop, subtotalMinor)}</span></li>`,
  )
  const coupons = order.couponLines.map(
    ({ code, discountMinor }) =>
      `<li><span>Coupon <code>${escapeHtml(code)}</code></span><span>−${formatPrice(shop, discountMinor)}</span></li>`,
  )
  const tax = order.taxMinor ? `<li><span>Tax</span><span>${formatPrice(shop, order.taxMinor)}</span></li>` : ''
  const shipping = `<li><span>Shipping</span><span>${formatPrice(shop, order.shippingMinor)}</span></li>`
  return `<ul class="summary">${rows.join('')}${coupons.join('')}${shipping}${tax}<li class="grand"><span>Total</span><span>${formatPrice(shop, order.totalMinor)}</span></li></ul>`
}

function findOrderByKey({ shop, query }: { shop: Shop; query: View['query'] }, id: number): Order | null {
  const order = findOrder(shop, id)
  return order && order.orderKey === asText(query.key) && order.status !== 'trash' ? order : null
}
