import { z } from 'zod'

export const PlatformName = z.enum(['woocommerce', 'shopify'])
export type PlatformName = z.infer<typeof PlatformName>
