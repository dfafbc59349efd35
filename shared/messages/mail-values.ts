// What a compiled mail is filled with, for one shopper. Texts are clean (cleanText), amounts and dates are formatted in
// the mail's language, and links are web addresses (parseWebAddress). Nothing is escaped.

export interface MailItem {
  name: string
  quantity: number
  /** Empty: no price, or sold out. */
  unitPrice: string
  lineTotal: string
  imageUrl: string | null
  isGone: boolean
}

export interface MailCoupon {
  code: string
  /** "10%" or "$5.00"; empty when it has no short form. */
  amount: string
  /** "10% off"; "a discount" when nothing more is known. */
  offer: string
  isFreeShipping: boolean
  minimum: string | null
  expires: string | null
  /** The saving on this cart and the remaining total; null: no cart, or unknown. */
  saving: string | null
  total: string | null
}

export interface MailProduct {
  name: string
  price: string
  imageUrl: string | null
  url: string
}

/** A legacy text as the server's sandbox and sanitizer leave it. */
export interface LegacyText {
  html: string
  text: string
  /** Its words for the preview line. */
  preview: string
  links: MailLink[]
  leftOut: string[]
}

export interface MailLink {
  url: string
  /** null: not tracked. */
  trackedUrl: string | null
}

export interface MailValues {
  /** Empty: unknown. */
  customerName: string
  storeName: string
  items: readonly MailItem[]
  /** Empty: unknown. */
  cartTotal: string
  isWithoutCart: boolean
  coupon: MailCoupon | null
  /** The shopper's own coupon, still in the cart. */
  entered: MailCoupon | null
  checkoutLink: string
  shopLink: string
  unsubscribeLink: string
  preferencesLink: string | null
  senderName: string
  addressLines: readonly string[]
  trackers: { honeypotLink: string | null; pixelUrl: string | null }
  /** Links to these hosts are tracked. */
  storeHosts: ReadonlySet<string>
  /** The address below which uploaded pictures are. */
  assetsUrl: string
  /** By id; a product that is missing is not shown. */
  products?: ReadonlyMap<string, MailProduct>
  /** By the block's id. */
  legacyTexts?: ReadonlyMap<string, LegacyText>
  /** Where the document has none of its own (`legacy_text`); null: it names a missing coupon value. */
  subject?: string | null
  /** The tracked form of a link, or null to keep it. Called once per link. */
  trackLink(url: string): string | null
}
