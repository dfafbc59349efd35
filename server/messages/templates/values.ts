// Cleans the values of a message: texts of the store or shopper on one line, bounded, and links as web addresses. Pure.
import { cleanBrand, DEFAULT_MAIL_BRAND } from './brand.ts'
import type { TemplateCoupon, TemplateItem } from './context.ts'
import { cleanText, parseWebAddress, type TemplateContext, TemplateError } from './context.ts'
import type { CleanItem } from './items.ts'
import { cleanImageUrl, type ShownCart, SOLD_OUT } from './items.ts'

export type Values = ReturnType<typeof cleanContext>

export function cleanContext(context: TemplateContext, storeHosts: ReadonlySet<string>) {
  const items = cleanItems(context.items, storeHosts)
  const senderName = cleanText(context.senderName, 100)
  const addressLines = cleanLines(context.postalAddress)
  if (!senderName || addressLines.length === 0) {
    throw new TemplateError('sender_missing', "The sender's name or postal address is missing.")
  }
  const storeName = cleanText(context.storeName, 100)
  return {
    items,
    storeHosts,
    brand: cleanBrand(context.brand ?? DEFAULT_MAIL_BRAND, storeName),
    checkoutLink: requiredLink(context.checkoutLink, 'checkout'),
    coupon: context.coupon && cleanCoupon(context.coupon),
    entered: context.entered ? cleanCoupon(context.entered) : null,
    customerName: cleanText(context.customerName, 80) || 'there',
    cartTotal: cleanText(context.cartTotal, 40),
    trackers: {
      honeypotLink: context.trackers ? requiredLink(context.trackers.honeypotLink, 'honeypot') : null,
      pixelUrl: context.trackers ? requiredLink(context.trackers.pixelUrl, 'pixel') : null,
    },
    isWithoutCart: context.isWithoutCart === true,
    linkLabel: context.isWithoutCart ? 'Visit the shop' : 'Return to your cart',
    footer: {
      why: context.isWithoutCart ? REASON_PERSON : WHY_CART,
      storeName,
      senderName,
      addressLines: removeName(addressLines, senderName),
      unsubscribeLink: requiredLink(context.unsubscribeLink, 'unsubscribe'),
      preferencesLink: context.preferencesLink ? requiredLink(context.preferencesLink, 'preferences') : null,
    },
  }
}

/** The cart as listed in a mail. */
export const toShownCart = ({ items, coupon, entered, cartTotal }: Values): ShownCart => ({
  items,
  cartTotal,
  coupon: coupon ?? entered,
})

/** An address as entered, line by line. */
const cleanLines = (text: string): string[] =>
  text
    .slice(0, MAX_ADDRESS)
    .split(/\r\n|\r|\n/)
    .map((line) => cleanText(line, 250))
    .filter((line) => line !== '')
    .slice(0, MAX_ADDRESS_LINES)

/** Removes the sender's name from the start of an address, because the name stands above it. */
function removeName([first = '', ...others]: readonly string[], name: string): string[] {
  const isNamed = first.slice(0, name.length).toLowerCase() === name.toLowerCase()
  const rest = isNamed ? first.slice(name.length) : first
  // "Maple" is not part of "Maple Street 1".
  if (!isNamed || !/^\s*([,;:|·–—-]|$)/.test(rest)) return [first, ...others]
  const addressParts = [rest.replace(/^[\s,;:|·–—-]+/, ''), ...others].filter(Boolean)
  return addressParts.length > 0 ? addressParts : [first]
}

const MAX_ADDRESS = 1_000
const MAX_ADDRESS_LINES = 8

function requiredLink(text: string, name: string): string {
  const url = parseWebAddress(text)
  if (!url) throw new TemplateError('invalid_link', `The ${name} link is not a web address.`)
  return url
}

const WHY_CART = 'You received this email because you left items in your cart at'
const REASON_PERSON = 'You received this email because you gave your email address to'

/** Pictures only over https or from the store itself: others would reveal readers to third parties or not load. */
function cleanItems(items: TemplateItem[], storeHosts: ReadonlySet<string>): CleanItem[] {
  return items.map((item) => ({
    name: cleanText(item.name, 120) || 'Item',
    quantity: Number.isFinite(item.quantity) ? item.quantity : 1,
    unitPrice: item.isGone ? SOLD_OUT : cleanText(item.unitPrice, 40),
    lineTotal: item.isGone ? SOLD_OUT : cleanText(item.lineTotal, 40),
    isGone: item.isGone === true,
    imageUrl: item.imageUrl === null ? null : cleanImageUrl(item.imageUrl, storeHosts),
  }))
}

const cleanCoupon = ({ code, amount, offer, ...of }: TemplateCoupon): TemplateCoupon => ({
  code: cleanText(code, 200),
  amount: cleanText(amount, 40),
  offer: cleanText(offer, 60),
  minimum: of.minimum === null ? null : cleanText(of.minimum, 40),
  expires: of.expires === null ? null : cleanText(of.expires, 60),
  saving: of.saving === null ? null : cleanText(of.saving, 40),
  total: of.total === null ? null : cleanText(of.total, 40),
})
