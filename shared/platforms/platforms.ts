import { z } from 'zod'

export const PlatformName = z.enum(['woocommerce', 'shopify'])
export type PlatformName = z.infer<typeof PlatformName>

/** The default platform (B 1). */
export const DEFAULT_PLATFORM: PlatformName = 'woocommerce'

/** Display names. */
export const platformNames = { woocommerce: 'WooCommerce', shopify: 'Shopify' } as const satisfies Record<
  PlatformName,
  string
>

/** What stores of a platform support, independent of plan and keys. */
export interface Capabilities {
  /** The stable address of a store: that of its pages, or that of its API. */
  identity: 'home' | 'address'
  /** How a cart is restored: by a link with its contents, or by the shop's checkout URL. */
  restore: 'link' | 'checkout_url'
  coupons: {
    /** A coupon may start in the future. */
    startDate: boolean
    /** A code can be tied to an email address, even if the shop does not know it. */
    personal: boolean
  }
  /** The secret that signs webhooks: ours per subscription, or that of the API keys. */
  webhooks: 'ours' | 'keys'
  /** A checkout appears as a draft order. */
  drafts: boolean
  /** Checkouts are separate from orders. */
  checkouts: boolean
  /** A push worker can be served from the root of a shop (decision 75). */
  pushHost: boolean
  /** The platform stores the consent of each customer. */
  consentObjects: boolean
  /** We have a plugin for its shops. */
  plugin: boolean
  /** Where the capture script is installed without a plugin. */
  snippet: 'php' | 'theme'
  /** How products are grouped, for flow conditions (decision 52). */
  groupsProductsBy: 'category' | 'product type'
}

export const capabilities: Readonly<Record<PlatformName, Capabilities>> = {
  woocommerce: {
    identity: 'home',
    restore: 'link',
    coupons: { startDate: false, personal: true },
    webhooks: 'ours',
    drafts: true,
    checkouts: false,
    pushHost: true,
    consentObjects: false,
    plugin: true,
    snippet: 'php',
    groupsProductsBy: 'category',
  },
  shopify: {
    identity: 'address',
    restore: 'checkout_url',
    coupons: { startDate: true, personal: false },
    webhooks: 'keys',
    drafts: false,
    checkouts: true,
    pushHost: false,
    consentObjects: true,
    plugin: false,
    snippet: 'theme',
    groupsProductsBy: 'product type',
  },
}

/** Rights of a store's keys and plan. Stored with the store and shown by the connection doctor. */
export const StoreRights = z.object({
  scopes: z.array(z.string()),
  /** Missing among the required ones. */
  missingScopes: z.array(z.string()),
  /** none: the platform withholds names, emails and phones of shoppers. */
  protectedData: z.enum(['full', 'none']),
  /** false: only orders of the last 60 days (decision 135). */
  hasAllOrders: z.boolean(),
  /** The platform's name of the plan, e.g. `Basic`. */
  planName: z.string(),
  /** Shoppers need a password to see the shop. */
  isPasswordProtected: z.boolean(),
})
export type StoreRights = z.infer<typeof StoreRights>
