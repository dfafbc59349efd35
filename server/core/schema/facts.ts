import type { CapturePost } from '../../../shared/capture.ts'
import type { ItemChoice } from '../../../shared/carts.ts'
import type { SignedForms } from '../../../shared/consent-box.ts'
import type { Zone } from '../../../shared/notification-calls.ts'

// What facts and carts keep as JSON.

export interface FoldItem {
  productId: string
  variationId: string | null
  quantity: number
  /** Only from the store's own records; a browser's word on names and prices is not taken (X5). */
  name?: string
  sku?: string | null
  unitPriceMinor?: number
  imageUrl?: string | null
  choices?: ItemChoice[]
}

export interface Contact {
  email?: string
  phone?: string
  /** Typed above the limits on new contacts: not written to until an order or a draft says the same (X5). */
  unconfirmedEmail?: string
  unconfirmedPhone?: string
  firstName?: string
  lastName?: string
  /** Alpha-2, with where it was read (C6). */
  country?: string
  countrySource?: 'address' | 'typed'
  /** Of an address in the United States (T2); no news of a person. */
  state?: string
  customerId?: string
}

export type OrderKind = 'draft' | 'pending' | 'failed' | 'cancelled' | 'trashed' | 'purchase'

interface OfPost {
  page?: string
  seq?: number
  /** The marks of the browser (`browserMarks`): it speaks for what it has told itself, and a cart is shown to no other (decision 72). */
  toldBy?: string[]
  /** The shop signed it. */
  isSigned?: true
  /** The browser came by the cart's restore link: it goes on with that cart. */
  isBack?: true
  /** Where the post came from; its address is not kept (decision 69). */
  zone?: Zone
  deviceClass?: DeviceClass
}

/** All that is kept of what the browser calls itself (decision 99). */
export type DeviceClass = 'phone' | 'desktop'

/** The shop's own checkout of a cart. It tells whose cart it is, and goes with the person (C8). */
export interface CheckoutRef {
  id: string
  /** Where the shop itself brings it back. */
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
  /** Of a platform's own cart or checkout: the marks of its tokens. */
  browsers?: string[]
  /** The checkout became an order, which is told by itself. */
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
      /** The order that this one is a part of. */
      parentId?: string
      /** Of a subscription; paid: by the shopper, in a checkout. */
      renewal?: 'automatic' | 'paid'
      items: FoldItem[]
      coupons: string[]
      contact: Contact
      currency: string
    }
  | { type: 'lost' }

/** Of another browser than the one whose contents an episode shows. */
export interface OtherCart {
  browsers: string[]
  items: FoldItem[]
  coupons: string[]
  contact: Contact
  /** When its browser told us something last, in ms. */
  at?: number
  /** It was shown before: the contact is all that was known then. */
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
  /** Of the browser in which it was filled first, as far as known. */
  deviceClass?: DeviceClass
  /** Marks of the browsers that have told of just these contents; missing: an order said them, or nobody's browser. */
  toldBy?: string[]
  /** Marks of the browsers that these contents are from; missing: of whoever told of them (`toldBy`). */
  browsers?: string[]
  /** When their browser, or the store about it, told us something last, in ms; missing in what an earlier version kept. */
  toldAt?: number
  /** The store has told of these contents as well. */
  isProven?: true
  /** What other browsers of the same person have in their carts, the newest first. */
  others?: OtherCart[]
  /** A placed order awaits its payment: nothing is sent before `until` (S4). */
  pending: { orderId: string; until: number } | null
  /** The order that ended it. */
  orderId: string | null
}

/** What is known of a shopper after the newest fact; kept on the newest cart, so that the next fact need not read them all. */
export interface Fold {
  episode: Episode | null
  contact: Contact
  /** Order id → its kind when last seen; a purchase stays one. */
  orders: Record<string, OrderKind>
}

/** Which limit on new contacts was reached (X5): of one client, or of the whole store. */
export type ContactLimit = 'client' | 'store'

export type Unconfirmed = Partial<Record<'email' | 'phone', ContactLimit>>

/** What the shop itself says of a cart: its names and prices count (X5). */
export interface SignedCart {
  items: FoldItem[]
  currency: string | null
  customerId: string | null
  /** Of an address in the United States. */
  state: string | null
  /** The draft order of the checkout. */
  draftId: string | null
}

/**
 * A post with what its address and its browser's name say; never from the post itself. `signed`: the shop's plugin has sent it, and its
 * `page` is the queue's name.
 */
export type PlacedPost = CapturePost & {
  zone?: Zone
  deviceClass?: DeviceClass
  signed?: SignedCart
  /** Which consent boxes the shopper has seen, by a plugin. */
  forms?: SignedForms
}

/** A post whose new contacts were counted; `unconfirmed` names those above a limit. `isBack`: of a browser on its way back (`alongWaysBack`). */
export type AdmittedPost = PlacedPost & { unconfirmed?: Unconfirmed; isBack?: true }
