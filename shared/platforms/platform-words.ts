import type { PlatformName } from './platforms.ts'

// Texts that differ by platform, for server and browser.

interface DoctorTexts {
  version: string
  reachable: string
  keys: string
  /** Name of the permissions that the keys need. */
  permissions: string
  /** Who may have disabled the webhooks. */
  sender: string
  noDelivery: string
}

interface PlatformTexts {
  doctor: DoctorTexts
  /** The keys cannot create coupons; null: the text for read-only keys applies. */
  noCoupons: string | null
  /** How the owner grants the permission. */
  couponKey: string
}

export const platformCopy: Readonly<Record<PlatformName, PlatformTexts>> = {
  woocommerce: {
    doctor: {
      version: 'WooCommerce version',
      reachable: 'The store responds, and WooCommerce is active.',
      keys: 'The store knows the key and accepts its secret.',
      permissions: 'The key can read and write, so coupons and webhooks are possible.',
      sender: 'WooCommerce',
      noDelivery:
        'Change any order in WooCommerce, wait two minutes and run this check again. If none arrives, WordPress’s scheduled tasks are not running: see Tools → Site Health.',
    },
    noCoupons: null,
    couponKey:
      'in WooCommerce, open Settings → Advanced → REST API, and give the key the permission Read/Write; then choose “Sync now”. Or add a key with the permission Read/Write, and choose “Replace keys”.',
  },
  shopify: {
    doctor: {
      version: 'Admin API version',
      reachable: 'Shopify responds for this store.',
      keys: 'Shopify accepts the app’s credentials.',
      permissions: 'The app has all access scopes that Recoup needs.',
      sender: 'Shopify',
      noDelivery:
        'Change any order in Shopify, wait a minute and run this check again. If none arrives, look at the app’s webhook log in the Dev Dashboard.',
    },
    noCoupons: 'The app of this store lacks the access scope write_discounts, which coupons need.',
    couponKey:
      'in the Dev Dashboard, add the scope write_discounts in a new version of the app, release it and approve the update in the store; then choose “Sync now”.',
  },
}
