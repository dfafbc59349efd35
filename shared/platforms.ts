import { z } from 'zod'

export const PlatformName = z.enum(['woocommerce', 'shopify'])
export type PlatformName = z.infer<typeof PlatformName>

/** Where nothing says another (B 1). */
export const DEFAULT_PLATFORM: PlatformName = 'woocommerce'

/** As people write them. */
export const platformNames = { woocommerce: 'WooCommerce', shopify: 'Shopify' } as const satisfies Record<
  PlatformName,
  string
>

/** What the stores of a platform can do, whatever their plan and keys. */
export interface Capabilities {
  /** Which of its addresses stays the same: where shoppers see it, or where requests go. */
  identity: 'home' | 'address'
  /** How a cart comes back: by an address made of its contents, or by the shop's own address of the checkout. */
  restore: 'link' | 'checkout_url'
  coupons: {
    /** A coupon can begin in the future. */
    startDate: boolean
    /** A code can be tied to the email of whoever it is for, whether the shop knows them or not. */
    personal: boolean
  }
  /** Whose secret its deliveries are signed with: ours, one for each subscription, or that of its keys. */
  webhooks: 'ours' | 'keys'
  /** A checkout shows as a draft order. */
  drafts: boolean
  /** It keeps checkouts beside its orders. */
  checkouts: boolean
  /** A worker for notifications can be served from the root of a shop (decision 75). */
  pushHost: boolean
  /** It keeps of each person what they agreed to. */
  consentObjects: boolean
  /** There is a plugin of ours for its shops. */
  plugin: boolean
  /** Where the capture script is put without a plugin. */
  snippet: 'php' | 'theme'
  /** What a product is put under, as conditions of flows name it (decision 52). */
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

/** What the keys and the plan of a store allow. Kept with the store, and shown by the doctor. */
export const StoreRights = z.object({
  scopes: z.array(z.string()),
  /** Of those we need. */
  missingScopes: z.array(z.string()),
  /** none: names, emails and phones of shoppers are withheld from us. */
  protectedData: z.enum(['full', 'none']),
  /** false: orders of the last 60 days alone (decision 135). */
  hasAllOrders: z.boolean(),
  /** The platform's own word, e.g. `Basic`. */
  planName: z.string(),
  /** Shoppers are asked for a password before they see the shop. */
  isPasswordProtected: z.boolean(),
})
export type StoreRights = z.infer<typeof StoreRights>
