import { z } from 'zod'

export const PlatformName = z.enum(['woocommerce', 'shopify'])
export type PlatformName = z.infer<typeof PlatformName>

/** As people write them. */
export const platformNames = { woocommerce: 'WooCommerce', shopify: 'Shopify' } as const satisfies Record<
  PlatformName,
  string
>
