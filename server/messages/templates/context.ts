// What a template is made of and what it may speak about. Everything of the store or the shopper arrives here unescaped.

import type { BrandKit } from '../../../shared/brand.ts'

/** One saved version of a template; (id, version) never changes its text. Version 0 is a draft and never kept. */
export interface TemplateSource {
  id: string
  version: number
  subject: string
  /** Plain text or simple HTML, with Liquid. */
  body: string
}

export interface TemplateItem {
  name: string
  quantity: number
  /** Formatted, with its currency, like every amount here. */
  unitPrice: string
  lineTotal: string
  imageUrl: string | null
  /** Sold out: it is named, and has no price. */
  isGone?: boolean
}

export interface TemplateCoupon {
  code: string
  /** "10%" or "$5.00"; empty where it cannot be said in a few characters. */
  amount: string
  /** "10% off", "free shipping", or "a discount" where no more can be said. */
  offer: string
  /** "$25.00"; null: it has none. */
  minimum: string | null
  /** When it ends, in the store's zone; null: never. */
  expires: string | null
  /** What it takes off this cart, and what is left; null: there is no cart, or it cannot be known. */
  saving: string | null
  total: string | null
}

/** A store's brand kit; its logo has the address that mails show it by. */
export interface MailBrand extends Omit<BrandKit, 'logo'> {
  logo: { url: string; width: number; height: number; alt: string } | null
}

export interface TemplateContext {
  /** Empty when unknown; the mail then says "there". */
  customerName: string
  items: TemplateItem[]
  /** Of the goods. */
  cartTotal: string
  /** It leads back to the cart; to the shop where there is none. */
  checkoutLink: string
  isWithoutCart?: boolean
  storeName: string
  /** null: the message carries none. */
  coupon: TemplateCoupon | null
  /** Entered by the shopper, and in the cart still; no words are about it. Only where the message carries none. */
  entered?: TemplateCoupon | null
  unsubscribeLink: string
  preferencesLink?: string
  senderName: string
  postalAddress: string
  /** Left out: what comes along. */
  brand?: MailBrand
  locale: 'en-US'
  /** What tells machines from people (visits/); left out of mails that nobody is to be counted by. */
  trackers?: { honeypotLink: string; pixelUrl: string }
}

/** Added (decision 37). */
export const COUPON_VARIABLES = [
  'coupon_code',
  'coupon_amount',
  'coupon_offer',
  'coupon_minimum',
  'coupon_expires',
] as const

/** The variables a template may use, by their specified names. */
export const TEMPLATE_VARIABLES = [
  'customer_name',
  'cart_items',
  'cart_total',
  'checkout_link',
  'store_name',
  'discounted_total',
  ...COUPON_VARIABLES,
] as const

export type TemplateProblem =
  | 'parse_failed'
  | 'unknown_variable'
  | 'unknown_filter'
  | 'unknown_tag'
  | 'limit_exceeded'
  | 'render_failed'
  | 'leftover_placeholder'
  | 'empty_subject'
  | 'empty_body'
  | 'nothing_left'
  | 'too_large'
  | 'invalid_link'
  | 'sender_missing'
  | 'too_slow'

/** Why a template cannot become a message; the message is a sentence for the store's owner. */
export class TemplateError extends Error {
  readonly code: TemplateProblem
  constructor(code: TemplateProblem, message: string) {
    super(message)
    this.name = 'TemplateError'
    this.code = code
  }
}

const NEVER_IN_TEXT = /[\p{Cc}\p{Co}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

/** What nearly every text is: ASCII words with one space between them and no `{`. */
const HARMLESS = /^[!-z|}~]+(?: [!-z|}~]+)*$/

/**
 * One line of somebody else's text, made safe to place anywhere after escaping: no control or bidi characters (a name
 * must not turn a subject around), none of our own place marks (U+E000…), no Liquid, well-formed, at most `max` characters.
 */
export function cleanText(text: string, max: number): string {
  if (text.length <= max && HARMLESS.test(text)) return text
  const line = text
    .slice(0, max * 4)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .replace(NEVER_IN_TEXT, '')
    .trim()
  const safe = line.replace(/\{(?=[{%])/g, '{ ')
  const characters = [...safe]
  return characters.length <= max
    ? safe
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`
}

/** An absolute http(s) address without credentials, in its normal form; null for everything else. */
export function webAddress(text: string): string | null {
  const url = text.length <= 2_000 ? URL.parse(text) : null
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) return null
  // The query may hold braces and quotes as they are; a mail must not hold either.
  return url.href.replace(/[{}"'<>`\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

const SAMPLE_COUPON: TemplateCoupon = {
  ...{ code: 'WELCOME10', amount: '10%', offer: '10% off', minimum: '$25.00', expires: 'November 30, 2026' },
  ...{ saving: '$8.00', total: '$72.00' },
}

/** A cart to show a template with before a real one is chosen, and to check that it renders. */
export function sampleContext(changes: Partial<TemplateContext> = {}): TemplateContext {
  return {
    customerName: 'Ana',
    items: [
      { name: 'Linen shirt, sea blue', quantity: 1, unitPrice: '$48.00', lineTotal: '$48.00', imageUrl: null },
      { name: 'Canvas tote bag', quantity: 2, unitPrice: '$16.00', lineTotal: '$32.00', imageUrl: null },
    ],
    cartTotal: '$80.00',
    checkoutLink: 'https://shop.example/cart/recover?cart_id=sample',
    storeName: 'Harbour Goods',
    coupon: SAMPLE_COUPON,
    unsubscribeLink: 'https://shop.example/unsubscribe?token=sample',
    senderName: 'Harbour Goods',
    postalAddress: '1 Harbour Street, Portland, ME 04101, USA',
    locale: 'en-US',
    ...changes,
  }
}
