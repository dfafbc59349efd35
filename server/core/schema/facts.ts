import type { CapturePost } from '../../../shared/carts/capture.ts'
import type { ItemChoice } from '../../../shared/carts/carts.ts'
import type { KnownLocale } from '../../../shared/core/locale.ts'
import type { SignedForms } from '../../../shared/shoppers/consent-box.ts'
import type { Zone } from '../../../shared/workspace/notification-calls.ts'

// JSON stored in facts and carts.

export interface FoldItem {
  productId: string
  variationId: string | null
  quantity: number
  /** Only from the store's own records; a browser's names and prices are not trusted (X5). */
  name?: string
  sku?: string | null
  unitPriceMinor?: number
  imageUrl?: string | null
  choices?: ItemChoice[]
}

export interface Contact {
  email?: string
  phone?: string
  /** Entered above the limits on new contacts. Gets no messages until an order or draft confirms it (X5). */
  unconfirmedEmail?: string
  unconfirmedPhone?: string
  firstName?: string
  lastName?: string
  /** Alpha-2, with its source (C6). */
  country?: string
  countrySource?: 'address' | 'typed'
  /** State of a US address (T2); a change does not count as activity. */
  state?: string
  customerId?: string
}

export type OrderKind = 'draft' | 'pending' | 'failed' | 'cancelled' | 'trashed' | 'purchase'

interface OfPost {
  page?: string
  seq?: number
  /**
   * Marks of the browser (`hashBrowserTokens`). A browser changes only its own data, and a cart is shown to no other browser
   * (decision 72).
   */
  toldBy?: string[]
  /** Signed by the shop. */
  isSigned?: true
  /** The browser opened the cart's restore link, so it continues that cart. */
  isBack?: true
  /** Location of the post's address; the address itself is not stored (decision 69). */
  zone?: Zone
  deviceClass?: DeviceClass
  /** Language in which the shop showed itself. */
  locale?: KnownLocale
}

/** The only stored part of the user agent (decision 99). */
export type DeviceClass = 'phone' | 'desktop'

/** The shop's own checkout of a cart. It identifies the cart, and is erased with the person (C8). */
export interface CheckoutRef {
  id: string
  /** Restore link of the shop itself. */
  url: string | null
  /** UTC ISO 8601. */
  createdAt: string
}

interface Snapshot {
  type: 'snapshot'
  items: FoldItem[]
  coupons: string[]
  contact?: Contact
  currency?: string
  checkout?: CheckoutRef
  /** Marks of the tokens of a platform's own cart or checkout. */
  browsers?: string[]
  /** The checkout became an order, which arrives as its own fact. */
  isCompleted?: true
}

export type FactPayload =
  | (Snapshot & OfPost)
  | ({ type: 'contact'; contact: Contact } & OfPost)
  | {
      type: 'order'
      orderId: string
      orderKind: OrderKind
      isStaff: boolean
      /** The parent order, for a partial order. */
      parentId?: string
      /** Order of a subscription. `paid`: by the shopper in a checkout. */
      renewal?: 'automatic' | 'paid'
      items: FoldItem[]
      coupons: string[]
      contact: Contact
      currency: string
      locale?: KnownLocale
    }
  | { type: 'lost' }

/** The cart in another browser than the one that the episode shows. */
export interface OtherCart {
  browsers: string[]
  items: FoldItem[]
  coupons: string[]
  contact: Contact
  /** Last activity of its browser, in ms. */
  at?: number
  /** It was the shown cart before, so its contact is complete. */
  isWhole?: true
  toldBy?: string[]
  isProven?: true
}

export interface Episode {
  status: 'open' | 'purchased' | 'emptied' | 'lost'
  openingFactId: string
  startedAt: number
  lastActivityAt: number
  endedAt: number | null
  items: FoldItem[]
  coupons: string[]
  contact: Contact
  currency: string | null
  checkout?: CheckoutRef
  /** The first browser of the cart, when known. */
  deviceClass?: DeviceClass
  /**
   * Marks of the browsers that reported exactly these contents. Missing: they come from an order or from no browser.
   */
  toldBy?: string[]
  /** Marks of the browsers that the contents come from. Missing: the reporting browsers (`toldBy`). */
  browsers?: string[]
  /** Last report of these contents by browser or store, in ms. Missing in data of earlier versions. */
  toldAt?: number
  /** The store also reported these contents. */
  isProven?: true
  /** Carts in the person's other browsers, newest first. */
  others?: OtherCart[]
  /** A placed order awaits payment: no message is sent before `until` (S4). */
  pending: { orderId: string; until: number } | null
  /** The order that ended the episode. */
  orderId: string | null
}

/**
 * A shopper's state after the newest fact. Stored on the newest cart, so that the next fact need not read all facts.
 */
export interface Fold {
  episode: Episode | null
  contact: Contact
  /** The shopper's language. Missing: unknown. */
  locale?: KnownLocale
  /** Order id → its last known kind; a purchase stays a purchase. */
  orders: Record<string, OrderKind>
}

/** The exceeded limit on new contacts (X5): of one client, or of the whole store. */
export type ContactLimit = 'client' | 'store'

export type UnconfirmedContacts = Partial<Record<'email' | 'phone', ContactLimit>>

/** A cart as signed by the shop: its names and prices are trusted (X5). */
export interface SignedCart {
  items: FoldItem[]
  currency: string | null
  customerId: string | null
  /** State of a US address. */
  state: string | null
  /** Id of the checkout's draft order. */
  draftId: string | null
  locale?: KnownLocale
}

/** A post with what the server adds; none of it comes from the body of a page's post. */
export type ReceivedPost = CapturePost & {
  /** Derived from the address. */
  zone?: Zone
  /** Derived from the user agent. */
  deviceClass?: DeviceClass
  /** The shop's plugin sent the post, and `page` is the queue's name. */
  signed?: SignedCart
  /** Consent boxes that the shopper has seen, reported by a plugin. */
  forms?: SignedForms
  /** New contacts above a limit (`admitPost`). */
  unconfirmed?: UnconfirmedContacts
  /** The browser returns by a restore link (`redirectPosts`). */
  isBack?: true
}
