import type { StoreAccess, StoreKeys, StoreNet, TokenCache } from './access.ts'
import type { StoreEvent } from './event.ts'
import type { ItemTerms, PlatformOrder, RawDelivery, StoreClient, StoreProfile } from './platform.ts'

// The contract of a shop system, for all its stores.

export interface RestoreItem {
  productId: string
  variationId: string | null
  quantity: number
}

/** Data of the store and its cart for a restore link. */
export interface RestoreSource {
  homeUrl: string
  hasCheckoutLink: boolean
  /** The shop's own restore link for this checkout, with a verified host. */
  checkout?: { url: string; createdAt: string } | null
  now?: Date
}

export interface RestoreOptions {
  coupon?: string | null
  /** Further query parameters for the checkout. */
  extra?: Readonly<Record<string, string>>
}

export interface RestoreLink {
  url: string
  /** The items that the link puts into the cart. */
  items: RestoreItem[]
}

/** A platform: everything that does not depend on one store. */
export interface Platform {
  /** Creates a client. Keep one per store. */
  createClient(access: StoreAccess, net: StoreNet, shelf: TokenCache): StoreClient
  /** null: not signed with this secret. */
  readDelivery(delivery: RawDelivery, secret: string): StoreEvent | null
  /** Webhook topics to subscribe to. */
  webhookTopics: readonly string[]
  /** The secret that signs deliveries; null: a secret made for each subscription. */
  webhookSecret(keys: StoreKeys): string | null
  /** Whether the platform can deliver to this server. */
  canDeliverTo(publicUrl: string): boolean
  /** The link that restores a cart; null when there is none. */
  restoreLink(source: RestoreSource, items: readonly RestoreItem[], along?: RestoreOptions): RestoreLink | null
  /** The admin page of a coupon; null: it has none. */
  couponUrl(store: { storeUrl: string; homeUrl: string }, couponId: string): string | null
  /** The protocol of the shop's plugin; null: the platform has none. */
  plugin: PlatformPlugin | null
}

export interface PlatformPlugin {
  /** File name of the plugin's zip. */
  file: string
  /** Sends a shopper to the plugin, which asks us to resolve the token. */
  link(homeUrl: string, token: string): string
  /** Keys from two secrets that arrived separately: neither alone reveals the keys. */
  derivedKeys(codeKey: string, salt: string): { secret: string; keys: Extract<StoreKeys, { kind: 'woocommerce' }> }
  /** The profile reported by the plugin; null: it has no currency. */
  profile(told: unknown): StoreProfile | null
  /** `refused` lists the indexes of unreadable orders; `latest` is the newest modification of all, readable or not. */
  orders(list: readonly unknown[]): {
    orders: PlatformOrder[]
    refused: { place: number; reason: string }[]
    latest: Date | null
  }
  /** Stock and prices reported by the plugin, without unreadable entries. */
  terms(list: readonly unknown[], currency: string): ItemTerms[]
}
