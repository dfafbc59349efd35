// The inputs of a template. Everything from the store or shopper is unescaped here.

import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import type { MailBrandKit } from '../../../shared/messages/mail-theme.ts'
import type { MailProduct } from '../../../shared/messages/mail-values.ts'

export { cleanText, parseWebAddress } from '../../../shared/messages/clean-text.ts'

/** One saved version of a template; the text of an (id, version) never changes. Version 0 is an unsaved draft. */
export interface TemplateSource {
  id: string
  version: number
  subject: string
  /** Plain text or simple HTML, with Liquid. */
  body: string
  /** The email as a document; null: a text template. Subject and body are then its words. */
  design: MailDocument | null
}

/** A mail before it is stored. */
export type CheckedMail = Pick<TemplateSource, 'subject' | 'body'> & Partial<Pick<TemplateSource, 'design'>>

export interface TemplateItem {
  name: string
  quantity: number
  /** Formatted with currency, like every amount here. */
  unitPrice: string
  lineTotal: string
  imageUrl: string | null
  /** Sold out: shown by name, without a price. */
  isGone?: boolean
}

export interface TemplateCoupon {
  code: string
  /** "10%" or "$5.00"; empty when it has no short form. */
  amount: string
  /** "10% off", "free shipping", or "a discount" when nothing more is known. */
  offer: string
  isFreeShipping?: boolean
  /** "$25.00"; null: no minimum. */
  minimum: string | null
  /** Its end, in the store's zone; null: never. */
  expires: string | null
  /** The saving on this cart and the remaining total; null: no cart, or unknown. */
  saving: string | null
  total: string | null
}

/** A store's brand kit; the logo has the URL used in mails. */
export type MailBrand = MailBrandKit

export interface TemplateContext {
  /** Empty when unknown; the mail then says "there". */
  customerName: string
  items: TemplateItem[]
  /** Total of the goods. */
  cartTotal: string
  /** Link to the cart, or to the shop without a cart. */
  checkoutLink: string
  isWithoutCart?: boolean
  storeName: string
  /** null: no coupon. */
  coupon: TemplateCoupon | null
  /** The shopper's own coupon, still in the cart; no text mentions it. Only without a coupon of the message. */
  entered?: TemplateCoupon | null
  /** Of the document, by id. */
  products?: ReadonlyMap<string, MailProduct>
  unsubscribeLink: string
  preferencesLink?: string
  senderName: string
  postalAddress: string
  /** Omitted: the default brand. */
  brand?: MailBrand
  /** BCP 47: the language of the words that are not the owner's. Amounts and dates are formatted already. */
  locale: string
  /** Separates bots from people (visits/); omitted in mails whose visits are not counted. */
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

/** The variables of a template, by their specified names. */
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

/** Why a template cannot become a message. The message is a sentence for the store's owner. */
export class TemplateError extends Error {
  readonly code: TemplateProblem
  constructor(code: TemplateProblem, message: string) {
    super(message)
    this.name = 'TemplateError'
    this.code = code
  }
}

const SAMPLE_COUPON: TemplateCoupon = {
  code: 'WELCOME10',
  amount: '10%',
  offer: '10% off',
  minimum: '$25.00',
  expires: 'November 30, 2026',
  saving: '$8.00',
  total: '$72.00',
}

/** A sample cart for previews and render checks. */
export function buildSampleContext(changes: Partial<TemplateContext> = {}): TemplateContext {
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
