// The checkout: contact, delivery, discount, payment. It saves input when a field loses focus.
import type { FastifyReply } from 'fastify'
import { escapeHtml, stateOptions } from '../../shop-page.ts'
import { fillCart, resolveLines } from '../carts.ts'
import {
  applyCode,
  type CheckoutInput,
  fillCheckout,
  findCheckout,
  isRecoverable,
  openCheckout,
  removeCode,
} from '../checkouts.ts'
import { buildPictureUrl } from '../graphql/products.ts'
import type { Address, Checkout } from '../model.ts'
import { type Payment, placeOrder } from '../orders.ts'
import { priceShipping, rates } from '../pricing.ts'
import { find, findByKey } from '../records.ts'
import { readSetup, type Shop, storeName } from '../shop.ts'
import { formatMoney } from './layout.ts'
import { readCookie, setCartCookie, setCookie, show, type View } from './visit.ts'

export const checkoutPath = ({ token }: Checkout) => `/checkouts/cn/${token}`

export const startCheckout = (view: View) => goToCheckout(view, readCookie(view.request, 'discount_code') ?? null)

/** Opens the cart's checkout and applies the code if valid. */
export function goToCheckout(view: View, code: string | null): FastifyReply {
  const { shop, cart, reply } = view
  if (!cart || !resolveLines(shop, cart.lines).length) return reply.redirect('/cart', 302)
  if (readSetup(shop).plan === 'paused') return renderClosedPage(view)
  const checkout = openCheckout(view, cart)
  const problem = code ? applyCode(view, checkout, code).problem : null
  setCookie(view, 'discount_code', '', 0)
  return reply.redirect(`${checkoutPath(checkout)}${problem ? `?problem=${encodeURIComponent(problem)}` : ''}`, 302)
}

const renderClosedPage = (view: View) =>
  show(view, {
    title: 'Checkout closed',
    isOutsideTheme: true,
    body: `<h1>${escapeHtml(storeName)} isn’t taking orders right now</h1><p>Please come back later.</p>`,
  })

/** `/<shop id>/checkouts/ac/<token>/recover?key=…`: the recovery link. In a checkout's first ten minutes it leads to the home page. */
export function recoverCheckout(view: View, token: string): FastifyReply | null {
  const { shop, query, reply } = view
  const checkout = findCheckout(shop, token)
  if (!checkout || checkout.key !== query.get('key')) return null
  if (checkout.completedAt !== null) return reply.redirect(`${checkoutPath(checkout)}/thank-you`, 302)
  if (!isRecoverable(shop, checkout)) return reply.redirect('/', 302)
  const lines = checkout.lines.map(({ variantId, quantity }) => ({ variantId, quantity }))
  const existing = findByKey(shop.db, 'cart', checkout.cartToken)
  setCartCookie(view, fillCart(view, existing, lines, checkout.cartToken))
  return goToCheckout(view, query.get('discount'))
}

export function checkoutPage(view: View, token: string): FastifyReply | null {
  const checkout = findCheckout(view.shop, token)
  if (!checkout) return null
  if (checkout.completedAt !== null) return view.reply.redirect(`${checkoutPath(checkout)}/thank-you`, 302)
  view.error ??= view.query.get('problem') ?? ''
  const body = `<h1>Checkout</h1><div class="two checkout">
<form method="post" action="${checkoutPath(checkout)}" data-checkout>${renderContact(checkout)}${renderDelivery(checkout)}${renderShipping(checkout)}${payment}
<button class="button wide-button" type="submit" name="do" value="pay">Pay now</button></form>
<aside class="panel" aria-label="Order summary">${renderSummary(view.shop, checkout)}</aside></div>`
  return show(view, { title: 'Checkout', body, isOutsideTheme: true })
}

function renderContact(checkout: Checkout): string {
  return `<fieldset><legend>Contact</legend>
${renderField('email', 'Email', checkout.email ?? '', 'type="email" autocomplete="email" required')}
${renderBox('accepts_email', 'Email me with news and offers', checkout.acceptsEmail)}
${renderField('phone', 'Phone for news by text message (optional)', checkout.phone ?? '', 'type="tel" autocomplete="tel"')}
${renderBox('accepts_sms', 'Text me with news and offers', checkout.acceptsSms)}</fieldset>`
}

function renderDelivery({ address }: Checkout): string {
  const readField = (name: keyof Address) => address?.[name] ?? ''
  return `<fieldset><legend>Delivery</legend><div class="pair">
${renderField('first_name', 'First name', readField('firstName'), 'autocomplete="given-name"')}
${renderField('last_name', 'Last name', readField('lastName'), 'autocomplete="family-name" required')}</div>
${renderField('address1', 'Address', readField('address1'), 'autocomplete="address-line1" required')}
<div class="pair">${renderField('city', 'City', readField('city'), 'autocomplete="address-level2" required')}
<div class="field"><label for="province">State</label><select id="province" name="province" autocomplete="address-level1">${stateOptions(readField('provinceCode') || 'OR')}</select></div></div>
${renderField('zip', 'ZIP code', readField('zip'), 'autocomplete="postal-code" required')}</fieldset>`
}

function renderShipping(checkout: Checkout): string {
  const options = (['standard', 'express'] as const).map((name) => {
    const cost = priceShipping(name, checkout.subtotalMinor - checkout.discountMinor, checkout.lines)
    return `<label class="choice"><input type="radio" name="shipping" value="${name}"${checkout.shipping === name ? ' checked' : ''}><span>${rates[name].name}</span><span>${cost ? formatMoney(cost) : 'Free'}</span></label>`
  })
  return `<fieldset><legend>Shipping method</legend>${options.join('')}</fieldset>`
}

const payment = `<fieldset><legend>Payment</legend>
<label class="choice"><input type="radio" name="payment" value="paid" checked><span>Card (test): charged</span></label>
<label class="choice"><input type="radio" name="payment" value="authorized"><span>Card (test): authorized, charged later</span></label>
<label class="choice"><input type="radio" name="payment" value="pending"><span>Bank deposit</span></label>
<label class="choice"><input type="radio" name="payment" value="declined"><span>Card (test): declined</span></label></fieldset>`

function renderSummary(shop: Shop, checkout: Checkout): string {
  const lines = checkout.lines.map(
    (line) =>
      `<li><span><img src="${buildPictureUrl(shop, line.picture)}" alt="" width="44" height="44">${escapeHtml(line.title)}${line.variantTitle ? ` – ${escapeHtml(line.variantTitle)}` : ''} × ${line.quantity}</span><span>${formatMoney(line.unitMinor * line.quantity)}</span></li>`,
  )
  const codes = checkout.reductions.map(
    ({ code, minor }) => `<div class="discount"><dt>Discount <code>${escapeHtml(code)}</code>
<form method="post" action="${checkoutPath(checkout)}" class="inline"><input type="hidden" name="code" value="${escapeHtml(code)}"><button class="plain" name="do" value="drop" aria-label="Remove discount ${escapeHtml(code)}">Remove</button></form></dt><dd>−${formatMoney(minor)}</dd></div>`,
  )
  return `<h2>Order summary</h2><ul class="summary">${lines.join('')}</ul>
<form method="post" action="${checkoutPath(checkout)}" class="coupon-form"><label for="discount">Discount code</label>
<div class="buy-row"><input id="discount" name="code" autocomplete="off" required><button class="button quiet" name="do" value="apply">Apply</button></div></form>
<dl class="totals" data-totals><div><dt>Subtotal</dt><dd>${formatMoney(checkout.subtotalMinor)}</dd></div>${codes.join('')}
<div><dt>Shipping</dt><dd>${checkout.shippingMinor ? formatMoney(checkout.shippingMinor) : 'Free'}</dd></div>
<div class="grand"><dt>Total</dt><dd>${formatMoney(checkout.totalMinor)}</dd></div></dl>`
}

function renderField(name: string, label: string, value: string, more: string): string {
  return `<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${escapeHtml(value)}" ${more}></div>`
}

/** Never ticked by default. */
const renderBox = (name: string, label: string, isOn: boolean) =>
  `<label class="choice agree"><input type="checkbox" name="${name}" value="1"${isOn ? ' checked' : ''}><span>${label}</span></label>`

/** Handles a submitted form, or one saved field (`do=keep`). */
export function handleCheckoutForm(view: View, token: string): FastifyReply | null {
  const { form, shop, reply } = view
  const existing = findCheckout(shop, token)
  if (!existing || existing.completedAt !== null) return null
  const action = form.get('do') ?? 'keep'
  const back = (problem?: string | null) =>
    reply.redirect(`${checkoutPath(existing)}${problem ? `?problem=${encodeURIComponent(problem)}` : ''}`, 303)
  if (action === 'apply') return back(applyCode(view, existing, form.get('code')?.trim() ?? '').problem)
  if (action === 'drop') {
    removeCode(view, existing, form.get('code') ?? '')
    return back()
  }
  const wrong = findFormProblem(form, action === 'pay')
  const checkout = fillCheckout(view, existing, parseCheckoutForm(form))
  if (action === 'keep') return reply.send({ total: formatMoney(checkout.totalMinor) })
  if (wrong) return back(wrong)
  if (form.get('payment') === 'declined') return back('Your card was declined. Try another one.')
  placeOrder(view, checkout, parsePayment(form.get('payment')))
  if (view.cart) setCartCookie(view, fillCart(view, undefined, []))
  return reply.redirect(`${checkoutPath(checkout)}/thank-you`, 303)
}

const parsePayment = (text: string | null): Payment => (text === 'authorized' || text === 'pending' ? text : 'paid')

const isEmail = (text: string) => text.length <= 254 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)
const isPhone = (text: string) => /^\+?[\d\s().-]{7,20}$/.test(text)

function findFormProblem(form: URLSearchParams, isPaying: boolean): string | null {
  const has = (name: string) => Boolean(form.get(name)?.trim())
  if (!isPaying) return null
  if (!isEmail(form.get('email')?.trim() ?? '')) return 'Enter a valid email'
  if (has('phone') && !isPhone(form.get('phone')!.trim())) return 'Enter a valid phone number'
  if (!has('last_name')) return 'Enter a last name'
  return has('address1') && has('city') && has('zip') ? null : 'Enter an address, a city and a ZIP code'
}

/** Drops invalid addresses and numbers. */
function parseCheckoutForm(form: URLSearchParams): CheckoutInput {
  const readText = (name: string) => (form.get(name) ?? '').trim().slice(0, 120)
  const email = (form.get('email') ?? '').trim()
  const phone = readText('phone')
  return {
    email: isEmail(email) ? email : null,
    phone: isPhone(phone) ? addCountryPrefix(phone) : null,
    acceptsEmail: form.get('accepts_email') === '1',
    acceptsSms: form.get('accepts_sms') === '1',
    shipping: form.get('shipping') === 'express' ? 'express' : 'standard',
    address: parseAddress(readText, phone),
  }
}

function parseAddress(text: (name: string) => string, phone: string): Address | null {
  const address = {
    firstName: text('first_name'),
    lastName: text('last_name'),
    address1: text('address1'),
    address2: '',
    city: text('city'),
    provinceCode: text('province').slice(0, 2),
    zip: text('zip'),
    countryCode: 'US',
    phone: isPhone(phone) ? addCountryPrefix(phone) : '',
  }
  return address.firstName || address.lastName || address.address1 || address.city || address.zip ? address : null
}

/** Adds the country code, as Shopify stores numbers. */
function addCountryPrefix(phone: string): string {
  const digits = phone.replace(/\D/g, '')
  return phone.startsWith('+') ? `+${digits}` : `+1${digits.replace(/^1(?=\d{10}$)/, '')}`
}

export function thankYouPage(view: View, token: string): FastifyReply | null {
  const checkout = findCheckout(view.shop, token)
  if (!checkout) return null
  const order = checkout.orderId === null ? undefined : find(view.shop.db, 'order', checkout.orderId)
  if (!order) return view.reply.redirect(checkoutPath(checkout), 302)
  const body = `<section class="received"><h1>Thank you${checkout.address?.firstName ? `, ${escapeHtml(checkout.address.firstName)}` : ''}!</h1>
<p class="lead">Your order is confirmed.</p><dl class="facts"><div><dt>Order</dt><dd data-order-number>#${order.number}</dd></div>
<div><dt>Total</dt><dd>${formatMoney(order.totalMinor)}</dd></div><div><dt>Email</dt><dd>${escapeHtml(order.email ?? '')}</dd></div></dl>
<p><a class="button" href="/collections/all">Continue shopping</a></p></section>`
  return show(view, { title: 'Thank you', body, isOutsideTheme: true })
}
