import { z } from 'zod'
import { Check } from '../core/checks.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { PlatformName, StoreRights } from '../platforms/platforms.ts'
import { findSettingProblems } from './store-settings.ts'

// Stores: connection, checks, sync, and the settings for sending (A 2.4, 5, 7, 8).

export const storeTexts = {
  urlRequired: 'Store URL is required',
  keysRequired: 'Consumer key and secret are required for WooCommerce',
  keysSwapped: 'The consumer key and the consumer secret are swapped: a key begins with ck_, a secret with cs_.',
  replaceFailed: 'The keys could not be replaced. Please try again.',
  tokenRequired: 'Access token is required for Shopify',
  apiSecretRequired: 'API secret key is required for Shopify',
  clientRequired: 'Client ID and client secret are required for Shopify',
  connectFailed: 'Failed to connect to store. Please check your credentials and try again.',
  disconnectFailed: 'Failed to disconnect store. Please try again.',
} as const

/** The data copied from a store; each stream has its own progress. */
export const SYNC_STREAMS = [
  'order_check',
  'goods_check',
  'record_check',
  'import',
  'sweep',
  'customers',
  'products',
  'webhooks',
  'coupons',
  'coupon_codes',
  'coupon_tidy',
  'coupon_check',
  'checkouts',
] as const
export type SyncStream = (typeof SYNC_STREAMS)[number]

const Stream = z.object({
  completedAt: z.string().nullable(),
  failedAt: z.string().nullable(),
  problem: z.string().nullable(),
  rowsSeen: z.number(),
  isRunning: z.boolean(),
})

export const StoreView = z.object({
  id: z.uuid(),
  platform: PlatformName,
  store_url: z.string(),
  name: z.string(),
  currency: z.string(),
  timeZone: z.string(),
  /** Language and region, e.g. `de-AT`; null: unknown. */
  locale: z.string().nullable(),
  version: z.string(),
  baseCountry: z.string().nullable(),
  sellingCountries: z.array(z.string()).nullable(),
  isDemo: z.boolean(),
  canWrite: z.boolean(),
  /** Rights of its keys and plan; null if the platform has none. */
  rights: StoreRights.nullable(),
  captureKey: z.string(),
  captureSeenAt: z.string().nullable(),
  senderName: z.string(),
  senderEmail: z.string().nullable(),
  postalAddress: z.string(),
  abandonmentTimeoutMinutes: z.number(),
  quietFrom: z.string(),
  quietUntil: z.string(),
  capMessages: z.number(),
  capWindowHours: z.number(),
  textCooldownHours: z.number(),
  attributionWindowDays: z.number(),
  /**
   * Incremented at each save. A save with an older version is rejected, because it would overwrite another member's
   * changes.
   */
  settingsVersion: z.number(),
  /** More stores are connected than the plan allows, so this one sends nothing (decision 85). */
  isResting: z.boolean(),
  /**
   * How carts are reported. `limited` (decision 15): by the API alone; without capture script and plugin, only started
   * checkouts are detected.
   */
  mode: z.enum(['limited', 'capture', 'plugin']),
  /** A member chose the data stored before consent, or the store is newer than that setting. */
  isCaptureChosen: z.boolean(),
})
export type StoreView = z.infer<typeof StoreView>

export const connectStore = endpoint({
  method: 'POST',
  path: '/api/stores/connect-store',
  permission: 'stores:connect',
  scope: 'account',
  summary: 'Check the keys against the store, then connect it',
  body: z.object({
    platform: PlatformName,
    store_url: z.string().min(1, storeTexts.urlRequired).max(2_048),
    consumer_key: z.string().max(200).nullish(),
    consumer_secret: z.string().max(200).nullish(),
    client_id: z.string().max(200).nullish(),
    client_secret: z.string().max(200).nullish(),
    access_token: z.string().max(200).nullish(),
    api_secret: z.string().max(200).nullish(),
  }),
  reply: z.object({
    status: z.literal('success'),
    success: z.literal(true),
    message: z.string(),
    warnings: z.array(z.string()),
    store: StoreView,
  }),
})

export const disconnectedBy = ['recoup', 'shop', 'uninstall', 'other_account'] as const
/**
 * A member here, the owner in the shop's admin, the removal of plugin or app there, or an account that proved to own
 * the shop.
 */
export type DisconnectedBy = (typeof disconnectedBy)[number]

/** For an account without a store: the store disconnected last, while its data is kept (decision 24). */
export const EndedStore = z.object({
  id: z.string(),
  platform: PlatformName,
  store_url: z.string(),
  name: z.string(),
  at: z.string(),
  /** null: not recorded. */
  by: z.enum(disconnectedBy).nullable(),
  keptUntil: z.string(),
})
export type EndedStore = z.infer<typeof EndedStore>

export const checkConnection = endpoint({
  method: 'GET',
  path: '/api/stores/check-connection',
  permission: 'session',
  scope: 'account',
  query: storeQuery,
  summary: 'Whether the account has a connected store, and which',
  reply: z.object({
    hasConnection: z.boolean(),
    platform: PlatformName.nullable(),
    store_url: z.string().nullable(),
    store: StoreView.nullable(),
    /** Not in the specification. */
    ended: EndedStore.optional(),
  }),
})

export const disconnectStore = endpoint({
  method: 'DELETE',
  path: '/api/stores/disconnect',
  permission: 'stores:connect',
  scope: 'store',
  query: storeQuery,
  summary: 'Stop sending immediately and delete the keys; the data is deleted after 30 days',
  reply: z.object({ success: z.literal(true), message: z.string(), cancelled: z.number() }),
})

export const replaceKeys = endpoint({
  method: 'PUT',
  path: '/api/stores/keys',
  permission: 'stores:connect',
  scope: 'store',
  query: storeQuery,
  summary: 'Check other keys against the same store, then use them; messages, carts and flows stay as they are',
  body: z.object({
    consumer_key: z.string().max(200).nullish(),
    consumer_secret: z.string().max(200).nullish(),
    client_id: z.string().max(200).nullish(),
    client_secret: z.string().max(200).nullish(),
    access_token: z.string().max(200).nullish(),
    api_secret: z.string().max(200).nullish(),
  }),
  reply: z.object({ success: z.literal(true), message: z.string(), warnings: z.array(z.string()), store: StoreView }),
})

export const switchStore = endpoint({
  method: 'POST',
  path: '/api/stores/switch',
  permission: 'session',
  scope: 'account',
  body: z.object({ storeId: z.uuid() }),
  summary: 'Make another store of the account the current one of this session',
  reply: z.object({ success: z.literal(true), store: StoreView }),
})

export const syncStore = endpoint({
  method: 'POST',
  path: '/api/stores/sync',
  permission: 'stores:sync',
  scope: 'store',
  query: storeQuery,
  summary: 'Read orders, customers and products from the store now',
  reply: z.object({
    success: z.boolean(),
    message: z.string(),
    counts: z.object({ orders: z.number(), customers: z.number(), products: z.number() }),
    ageSeconds: z.number().nullable(),
  }),
})

export const storeHealth = endpoint({
  method: 'GET',
  path: '/api/stores/health',
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The sync status of each data type of the store, and its last error',
  reply: z.object({
    ageSeconds: z.number().nullable(),
    /** Only for a shop that Recoup cannot reach: whether its plugin reports new orders, stock and prices. */
    isReported: z.boolean().optional(),
    streams: z.partialRecord(z.enum(SYNC_STREAMS), Stream),
    counts: z.object({ orders: z.number(), customers: z.number(), products: z.number() }),
  }),
})

export const examineStore = endpoint({
  method: 'GET',
  path: '/api/stores/doctor',
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Check the store connection now: for each part, what is wrong and what to do',
  reply: z.object({ at: z.string(), checks: z.array(Check) }),
})

export const saveStoreSettings = endpoint({
  method: 'PUT',
  path: '/api/stores/settings',
  permission: 'flows:switch',
  scope: 'store',
  query: storeQuery,
  summary: 'Sender, postal address (C7) and recovery rules; only what is given changes',
  body: z
    .object({
      senderName: z.string().trim(),
      senderEmail: z.string().trim().nullable(),
      postalAddress: z.string().trim(),
      abandonmentTimeoutMinutes: z.number(),
      quietFrom: z.string(),
      quietUntil: z.string(),
      capMessages: z.number(),
      capWindowHours: z.number(),
      textCooldownHours: z.number(),
      attributionWindowDays: z.number(),
      /** The `settingsVersion` that was edited: an older one is rejected (409). Missing: saves in any case. */
      version: z.number().int(),
    })
    .partial()
    .superRefine((body, context) => {
      for (const [name, message] of Object.entries(findSettingProblems(body))) {
        context.addIssue({ code: 'custom', path: [name], message })
      }
    }),
  reply: z.object({ store: StoreView }),
})
