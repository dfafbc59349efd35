import { z } from 'zod'
import { fontStackNames } from '../messages/brand.ts'

/** The parts of a store's brand kit used on shopper pages. */
export const ShopBrand = z.object({
  logo: z.object({ path: z.string(), width: z.number(), height: z.number(), alt: z.string() }).nullable(),
  button: z.string(),
  text: z.string(),
  ground: z.string(),
  accent: z.string(),
  fontStack: z.enum(fontStackNames),
  radius: z.number(),
  /** One line on shipping and returns; '' for none. */
  promise: z.string(),
})
export type ShopBrand = z.infer<typeof ShopBrand>
