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
