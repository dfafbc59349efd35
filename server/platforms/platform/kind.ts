import type { StoreAccess, StoreKeys, StoreNet, TokenShelf } from './access.ts'
import type { StoreEvent } from './event.ts'
import type { ItemTerms, PlatformOrder, RawDelivery, StoreClient, StoreProfile } from './platform.ts'

// What a kind of shop system does for all its stores.

export interface RestoreItem {
  productId: string
  variationId: string | null
  quantity: number
}

/** Of the store and of its cart: what the address that brings it back is made of. */
export interface RestoreSource {
  homeUrl: string
  hasCheckoutLink: boolean
  /** The shop's own address of this very checkout, already known to be on a host of the store. */
  checkout?: { url: string; createdAt: string } | null
  now?: Date
}

export interface RestoreAlong {
  coupon?: string | null
  /** Other parameters that reach the checkout. */
  extra?: Readonly<Record<string, string>>
}

export interface RestoreLink {
  url: string
  /** What the link puts into the cart. */
  items: RestoreItem[]
}

/** A platform: what is the same for all its stores. */
export interface Platform {
  /** Keep one per store. */
  createClient(access: StoreAccess, net: StoreNet, shelf: TokenShelf): StoreClient
  /** null: this secret has not signed it. */
  readDelivery(delivery: RawDelivery, secret: string): StoreEvent | null
  /** What is subscribed to. */
  webhookTopics: readonly string[]
  /** What its deliveries are signed with; null: a secret that is made for each subscription. */
  webhookSecret(keys: StoreKeys): string | null
  /** Whether its deliveries can reach this server. */
  canDeliverTo(publicUrl: string): boolean
  /** The address that brings a cart back; null when none does. */
  restoreLink(source: RestoreSource, items: readonly RestoreItem[], along?: RestoreAlong): RestoreLink | null
  /** Where a member of the shop edits a coupon; null: it has no address of its own. */
  couponUrl(store: { storeUrl: string; homeUrl: string }, couponId: string): string | null
  /** What a shop's plugin tells us, and where it is reached; null: there is none. */
  plugin: PlatformPlugin | null
}

export interface PlatformPlugin {
  /** How its zip is called. */
  file: string
  /** Leads a shopper to the plugin, which asks us what the token stands for. */
  link(homeUrl: string, token: string): string
  /** Of two secrets that came by different ways: neither alone says what the keys are. */
  derivedKeys(codeKey: string, salt: string): { secret: string; keys: Extract<StoreKeys, { kind: 'woocommerce' }> }
  /** The profile as the plugin tells it; null: it names no currency. */
  profile(told: unknown): StoreProfile | null
  /** `refused` has the places of those that cannot be read; `latest` is the newest modification of all, read or refused. */
  orders(list: readonly unknown[]): {
    orders: PlatformOrder[]
    refused: { place: number; reason: string }[]
    latest: Date | null
  }
  /** Stock and prices as the plugin tells them; what cannot be read is left out. */
  terms(list: readonly unknown[], currency: string): ItemTerms[]
}
