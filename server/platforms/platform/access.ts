import type { PlatformName } from '../../../shared/platforms/platforms.ts'
import type { GuardedFetch } from '../../core/net/public.ts'
import type { Enqueue } from './request-queue.ts'

// How to call a store: its keys, and the access token made from them.

/** The credentials of a store; each platform has its own forms. */
export type StoreKeys =
  | { kind: 'woocommerce'; consumerKey: string; consumerSecret: string }
  /** An app of the owner's organization. Its token is made from these and lives for a day. */
  | { kind: 'shopify_app'; clientId: string; clientSecret: string }
  /** A permanent token of an app created in the admin before 2026. The secret signs webhooks. */
  | { kind: 'shopify_token'; accessToken: string; apiSecret: string }

/** Address (no trailing slash) and keys of one store. Keys never appear in logs or errors. */
export interface StoreAccess {
  platform: PlatformName
  /** Base of API requests. Shopify: `https://<shop>.myshopify.com`. */
  storeUrl: string
  /** The shoppers' address, with which WordPress also signs; equals `storeUrl` until it was read. */
  homeUrl: string
  keys: StoreKeys
}

/** A client's dependencies. */
export interface StoreNet {
  fetch: GuardedFetch
  now: () => Date
  /** Serialises the store's requests; by default the client's. */
  enqueue?: Enqueue
  /** Pause between pages of one list. */
  pauseMs?: number
  /** A failure after this time counts as a timeout. */
  lateAfterMs?: number
  /** Time limit of the public Store API. */
  storeApiLimitMs?: number
  /** Waits until a store accepts requests again; tests replace real time. Rejects when the signal aborts. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** A token made from keys. Instants are UTC ISO 8601. */
export interface StoreToken {
  accessToken: string
  scopes: string[]
  madeAt: string
  expiresAt: string
}

/** Stores one store's token across requests and processes. */
export interface TokenCache {
  read(): Promise<StoreToken | null>
  /**
   * Calls `make` under the store's lock. Returns another process's token if it has replaced `stale` meanwhile. Rethrows
   * what `make` throws.
   */
  renew(stale: StoreToken | null, make: () => Promise<StoreToken>): Promise<StoreToken>
}
