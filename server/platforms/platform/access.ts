import type { PlatformName } from '../../../shared/platforms.ts'
import type { GuardedFetch } from '../../core/net/guarded-fetch.ts'
import type { InTurn } from './turns.ts'

// How a store is reached: its keys, and the token that is made of them.

/** What a store is reached with; each platform has its own forms. */
export type StoreKeys =
  | { kind: 'woocommerce'; consumerKey: string; consumerSecret: string }
  /** An app of the owner's organization: its token is made from these, and lives for a day. */
  | { kind: 'shopify_app'; clientId: string; clientSecret: string }
  /** A token without end, of an app made in the admin before 2026. The secret signs webhooks. */
  | { kind: 'shopify_token'; accessToken: string; apiSecret: string }

/** How to reach one store: its address (no trailing slash) and its keys. Keys never appear in logs or in errors. */
export interface StoreAccess {
  platform: PlatformName
  /** Where requests go. Shopify: `https://<shop>.myshopify.com`. */
  storeUrl: string
  /** Where shoppers see it (WordPress also signs with it); equals `storeUrl` until it was read. */
  homeUrl: string
  keys: StoreKeys
}

/** What a client needs of the world. */
export interface StoreNet {
  fetch: GuardedFetch
  now: () => Date
  /** One request at a time of the store; where it is left out, of the client. */
  inTurn?: InTurn
  /** Pause between pages of one list. */
  pauseMs?: number
  /** A failure after this time counts as no answer. */
  lateAfterMs?: number
  /** How long the public Store API may take to answer. */
  storeApiLimitMs?: number
  /** Waits until a store takes requests again; real time unless a test says otherwise. Rejects when the signal aborts. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** A token made from keys. Instants are UTC ISO 8601. */
export interface StoreToken {
  accessToken: string
  scopes: string[]
  madeAt: string
  expiresAt: string
}

/** Where the token of one store is kept, between requests and between processes. */
export interface TokenShelf {
  read(): Promise<StoreToken | null>
  /** Calls `make` under a lock of the store, unless somebody else has replaced `stale` meanwhile: then their token is the answer. What `make` throws is thrown. */
  renew(stale: StoreToken | null, make: () => Promise<StoreToken>): Promise<StoreToken>
}
