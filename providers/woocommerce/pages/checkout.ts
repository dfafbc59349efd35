// The block checkout: opening it creates the draft, leaving a field saves it, one button places the order.
import type { FastifyReply } from 'fastify'
import { computeWordingId, getDefaultBoxText } from '../../../shared/shoppers/consent-box.ts'
import { escapeHtml, stateOptions } from '../../shop-page.ts'
import { type PricedCart, priceCart } from '../cart.ts'
import { buildDraftOrder } from '../checkout.ts'
import { readBoxes } from '../plugin-boxes.ts'
import { formatPrice } from '../pricing.ts'
import type { Session } from '../sessions.ts'
import { createNonce } from '../sessions.ts'
import { type Shop, storeName } from '../shop.ts'
import { renderTotals, warnOfDroppedCoupons } from './cart.ts'
import { renderName } from './layout.ts'
import { show, type View } from './visit.ts'

export function checkoutPage(view: View): FastifyReply {
  const { shop, session, request, reply } = view
  warnOfDroppedCoupons(view)
  const cart = priceCart(shop, session)
  if (!cart.lines.length) return reply.redirect('/cart/', 302)
  buildDraftOrder(shop, session, { ip: request.ip, userAgent: request.headers['user-agent'] ?? '' })
  const body = `<h1>Checkout</h1><form class="two checkout" data-checkout novalidate method="post" action="/checkout/">
<div>${renderContact(shop, session)}${renderAddress(shop, session)}${renderShipping(shop, cart)}${renderPayment()}
<label for="order-note">Order note <span class="hint">(optional)</span></label><textarea id="order-note" name="note" rows="2"></textarea>
<p class="form-error" role="alert" data-form-error hidden></p>
<button class="button wide-button" type="submit" data-place>Place order</button>
<noscript><p class="form-error">The checkout needs JavaScript, as the block checkout of WooCommerce does.</p></noscript></div>
<aside class="panel" aria-label="Order summary"><h2>Order summary</h2><ul class="summary">${cart.lines
    .map(
      ({ name, item, subtotalMinor }) =>
        `<li><span>${renderName(name)} × ${item.quantity}</span><span>${formatPrice(shop, subtotalMinor)}</span></li>`,
    )
    .join('')}</ul><div data-totals>${renderTotals(shop, cart, dropButton)}</div></aside></form>`
  return show(view, { title: 'Checkout', body, facts: { nonce: createNonce(shop) } })
}

function renderContact(shop: Shop, session: Session): string {
  const { email } = session.billing
  return `<fieldset><legend>Contact information</legend>
${renderField('email', 'Email address', email, 'type="email" autocomplete="email" inputmode="email" required')}
${renderConsentBox(shop, session, 'email')}</fieldset>`
}

/** Recoup's default consent texts. */
export const consentWordings = {
  email: getDefaultBoxText('email', storeName),
  sms: getDefaultBoxText('sms', storeName),
  whatsapp: getDefaultBoxText('whatsapp', storeName),
} as const

/**
 * Never ticked by default: a preset tick is no consent. With the plugin the texts come from Recoup, and a tick is sent
 * at once.
 */
function renderConsentBox(shop: Shop, { said }: Session, channel: keyof typeof consentWordings): string {
  const boxes = readBoxes(shop)
  const box = boxes?.find((each) => each.channel === channel)
  if (boxes && !box) return ''
  const text = box?.words ?? consentWordings[channel]
  const field = box ? ` data-field="recoup/consent-${channel}"${said?.[channel]?.isGiven ? ' checked' : ''}` : ''
  return `<label class="choice agree"><input type="checkbox" id="recoup_consent_${channel}" data-recoup-wording="${box?.id ?? computeWordingId(text)}" data-agree="${channel}"${field}><span>${escapeHtml(text)}</span></label>`
}

function renderAddress(shop: Shop, session: Session): string {
  const { shipping, billing } = session
  const value = (
    name: 'first_name' | 'last_name' | 'address_1' | 'address_2' | 'city' | 'state' | 'postcode' | 'country' | 'phone',
  ) => shipping[name] || billing[name]
  const country = value('country')
  return `<fieldset><legend>Shipping address</legend>
<label for="shipping-country">Country/Region</label><select id="shipping-country" name="country" autocomplete="country">${renderCountries(shop, country)}</select>
<div class="pair">${renderField('shipping-first_name', 'First name', value('first_name'), 'autocomplete="given-name" required')}
${renderField('shipping-last_name', 'Last name', value('last_name'), 'autocomplete="family-name" required')}</div>
${renderField('shipping-address_1', 'Address', value('address_1'), 'autocomplete="address-line1" required')}
${renderField('shipping-address_2', 'Apartment, suite, etc. (optional)', value('address_2'), 'autocomplete="address-line2"')}
<div class="pair">${renderField('shipping-city', 'City', value('city'), 'autocomplete="address-level2" required')}
<div data-state${country === 'US' ? '' : ' hidden'}><label for="shipping-state">State</label>
<select id="shipping-state" name="state" autocomplete="address-level1">${stateOptions(value('state'))}</select></div></div>
<div class="pair">${renderField('shipping-postcode', 'ZIP Code', value('postcode'), 'autocomplete="postal-code" required')}
${renderField('shipping-phone', 'Phone (optional)', value('phone'), 'type="tel" autocomplete="tel"')}</div>
${renderConsentBox(shop, session, 'sms')}${renderConsentBox(shop, session, 'whatsapp')}</fieldset>`
}

// Lists the store's countries, and two others to demonstrate the rejection.
function renderCountries(shop: Shop, chosen: string): string {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  const name = (code: string) => (code === 'US' ? 'United States (US)' : (names.of(code) ?? code))
  const others = ['DE', 'CA'].filter((code) => !shop.sellingCountries.includes(code))
  const option = (code: string, note = '') =>
    `<option value="${code}"${code === chosen ? ' selected' : ''}>${escapeHtml(name(code))}${note}</option>`
  return [
    ...shop.sellingCountries.map((code) => option(code)),
    ...others.map((code) => option(code, ' – on request')),
  ].join('')
}

function renderShipping(shop: Shop, cart: PricedCart): string {
  const rates = cart.rates.map(
    (
      rate,
    ) => `<label class="choice"><input type="radio" name="rate" value="${rate.id}"${rate.isChosen ? ' checked' : ''}>
<span>${escapeHtml(rate.name)}</span><span>${rate.costMinor ? formatPrice(shop, rate.costMinor) : 'Free'}</span></label>`,
  )
  return `<fieldset data-rates><legend>Shipping option</legend>${rates.join('')}</fieldset>`
}

export function renderPayment(): string {
  const mode = (value: string, label: string, on = '') =>
    `<label class="choice inner"><input type="radio" name="testcard_mode" value="${value}"${on}><span>${label}</span></label>`
  return `<fieldset><legend>Payment option</legend>
<label class="choice"><input type="radio" name="payment_method" value="cod" checked><span>Cash on delivery</span></label>
<label class="choice"><input type="radio" name="payment_method" value="bacs"><span>Direct bank transfer</span></label>
<label class="choice"><input type="radio" name="payment_method" value="testcard"><span>Credit card (test)</span></label>
<div class="modes" data-modes>${mode('success', 'The card is charged', ' checked')}${mode('decline', 'The card is declined')}${mode('pending', 'Payment stays pending')}</div></fieldset>`
}

function renderField(id: string, label: string, value: string, more: string): string {
  const name = id.replace('shipping-', '')
  const isRequired = more.includes('required')
  return `<div class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" value="${escapeHtml(value)}" ${more}${isRequired ? ` aria-describedby="${id}-error"` : ''}>
<p class="field-error" id="${id}-error" hidden></p></div>`
}

// Forms cannot be nested, so the checkout's script removes the coupon.
function dropButton(code: string): string {
  return `<button class="plain" type="button" data-drop-coupon="${escapeHtml(code)}" aria-label="Remove coupon ${escapeHtml(code)}">Remove</button>`
}
