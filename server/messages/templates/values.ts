// Cleans the values of a message: texts of the store or shopper on one line, bounded, and links as web addresses. Pure.
import { removeSenderName } from '../../../shared/messages/clean-text.ts'
import type { MailCoupon, MailItem, MailProduct, MailValues } from '../../../shared/messages/mail-values.ts'
import {
  cleanText,
  parseWebAddress,
  type TemplateContext,
  type TemplateCoupon,
  TemplateError,
  type TemplateItem,
} from './context.ts'

/** What does not depend on the document. */
export type CleanValues = Omit<MailValues, 'shopLink' | 'assetsUrl' | 'trackLink' | 'legacyTexts' | 'subject'>

export function cleanContext(context: TemplateContext, storeHosts: ReadonlySet<string>): CleanValues {
  const senderName = cleanText(context.senderName, 100)
  const addressLines = cleanLines(context.postalAddress)
  if (!senderName || addressLines.length === 0) {
    throw new TemplateError('sender_missing', "The sender's name or postal address is missing.")
  }
  const { trackers } = context
  return {
    customerName: cleanText(context.customerName, 80),
    storeName: cleanText(context.storeName, 100),
    items: cleanItems(context.items, storeHosts),
    cartTotal: cleanText(context.cartTotal, 40),
    isWithoutCart: context.isWithoutCart === true,
    coupon: context.coupon && cleanCoupon(context.coupon),
    entered: context.entered ? cleanCoupon(context.entered) : null,
    products: cleanProducts(context.products ?? new Map(), storeHosts),
    checkoutLink: requiredLink(context.checkoutLink, 'checkout'),
    unsubscribeLink: requiredLink(context.unsubscribeLink, 'unsubscribe'),
    preferencesLink: context.preferencesLink ? requiredLink(context.preferencesLink, 'preferences') : null,
    senderName,
    addressLines: removeSenderName(addressLines, senderName),
    trackers: {
      honeypotLink: trackers ? requiredLink(trackers.honeypotLink, 'honeypot') : null,
      pixelUrl: trackers ? requiredLink(trackers.pixelUrl, 'pixel') : null,
    },
    storeHosts,
  }
}

/** An address as entered, line by line. */
const cleanLines = (text: string): string[] =>
  text
    .slice(0, MAX_ADDRESS)
    .split(/\r\n|\r|\n/)
    .map((line) => cleanText(line, 250))
    .filter((line) => line !== '')
    .slice(0, MAX_ADDRESS_LINES)

const MAX_ADDRESS = 1_000
const MAX_ADDRESS_LINES = 8

function requiredLink(text: string, name: string): string {
  const url = parseWebAddress(text)
  if (!url) throw new TemplateError('invalid_link', `The ${name} link is not a web address.`)
  return url
}

/** Pictures only over https or from the store itself: others would reveal readers to third parties or not load. */
const cleanItems = (items: readonly TemplateItem[], storeHosts: ReadonlySet<string>): MailItem[] =>
  items.map((item) => ({
    name: cleanText(item.name, 120) || 'Item',
    quantity: Number.isFinite(item.quantity) ? item.quantity : 1,
    unitPrice: item.isGone ? '' : cleanText(item.unitPrice, 40),
    lineTotal: item.isGone ? '' : cleanText(item.lineTotal, 40),
    isGone: item.isGone === true,
    imageUrl: item.imageUrl === null ? null : cleanImageUrl(item.imageUrl, storeHosts),
  }))

/** Without those that have no page in the store. */
function cleanProducts(
  products: ReadonlyMap<string, MailProduct>,
  storeHosts: ReadonlySet<string>,
): Map<string, MailProduct> {
  const clean = new Map<string, MailProduct>()
  for (const [id, { name, price, imageUrl, url: address }] of products) {
    const url = parseWebAddress(address)
    if (!url || !storeHosts.has(new URL(url).host)) continue
    const picture = imageUrl === null ? null : cleanImageUrl(imageUrl, storeHosts)
    clean.set(id, { name: cleanText(name, 120) || 'Item', price: cleanText(price, 40), imageUrl: picture, url })
  }
  return clean
}

export function cleanImageUrl(text: string, storeHosts: ReadonlySet<string>): string | null {
  const url = text.length <= 1_000 ? parseWebAddress(text) : null
  if (!url) return null
  const { protocol, host } = new URL(url)
  return protocol === 'https:' || storeHosts.has(host) ? url : null
}

const cleanCoupon = ({ code, amount, offer, isFreeShipping = false, ...of }: TemplateCoupon): MailCoupon => ({
  code: cleanText(code, 200),
  amount: cleanText(amount, 40),
  offer: cleanText(offer, 60),
  isFreeShipping,
  minimum: of.minimum === null ? null : cleanText(of.minimum, 40),
  expires: of.expires === null ? null : cleanText(of.expires, 60),
  saving: of.saving === null ? null : cleanText(of.saving, 40),
  total: of.total === null ? null : cleanText(of.total, 40),
})
