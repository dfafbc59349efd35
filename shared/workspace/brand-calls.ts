import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { MessagePreview } from '../delivery/reminders.ts'
import { BrandFieldsSchema, requireContrast } from '../messages/brand.ts'

// Calls of a store's brand kit: read, save, upload a logo, and use the logo found in the store.

export const brandTexts = {
  changedMeanwhile: 'Someone else has changed the brand since you opened it. Nothing was saved.',
  logoTooLarge: 'This file is larger than 300 KB. Choose a smaller one.',
  demoLogo: 'The demo store keeps its own logo. Register to upload yours.',
  noneFound: 'No logo was found in your store.',
  anotherFound: 'The logo in your store has changed since you opened this page. Check it before you use it.',
  alreadyUsed: 'The logo in your store is the one you already use.',
} as const

/** Of an upload. */
export const LOGO_BYTES = 300 * 1024

const Logo = z.object({ path: z.string(), width: z.number(), height: z.number() })

export const BrandView = z.object({
  look: BrandFieldsSchema,
  logo: Logo.nullable(),
  /**
   * Incremented at each save. A save with an older version is rejected, because it would overwrite another member's
   * changes.
   */
  version: z.number(),
  /** A logo found in the store and not answered yet; null: none. */
  proposal: z.object({ source: z.enum(['site_logo', 'site_icon']), logo: Logo, hash: z.string() }).nullable(),
  /** The demo allows no uploads. */
  canUpload: z.boolean(),
})
export type BrandView = z.infer<typeof BrandView>

const path = '/api/stores/brand' as const
const spec = { scope: 'store', query: storeQuery, reply: BrandView } as const
const write = { ...spec, permission: 'flows:switch' } as const

export const readBrand = endpoint({
  ...spec,
  method: 'GET',
  path,
  permission: 'stores:read',
  summary: 'How the store’s emails look, and a logo found in the store',
})

export const saveBrand = endpoint({
  ...write,
  method: 'PUT',
  path,
  summary: 'Set colors, font, corners, social links and texts of the store’s emails',
  body: BrandFieldsSchema.extend({
    /** The `version` that was edited: an older one is rejected (409). Missing: saves in any case. */
    version: z.number().int().optional(),
  }).superRefine(requireContrast),
})

export const uploadLogo = endpoint({
  ...write,
  method: 'PUT',
  path: `${path}/logo`,
  summary: 'A PNG, JPEG or GIF of at most 300 KB becomes the logo of the store’s emails',
  body: z.object({
    /** The file in Base64. */
    content: z
      .base64('This is not a file in Base64.')
      .min(1, 'Choose a file.')
      .max(Math.ceil(LOGO_BYTES / 3) * 4, brandTexts.logoTooLarge),
  }),
})

export const removeLogo = endpoint({
  ...write,
  method: 'DELETE',
  path: `${path}/logo`,
  summary: 'The store’s emails have its name instead of a logo; those already sent keep theirs',
})

export const findLogo = endpoint({
  ...write,
  method: 'POST',
  path: `${path}/proposal`,
  summary: 'Look for a logo in the store, to be confirmed',
  reply: BrandView.extend({
    /** used: the emails already have this logo. */
    outcome: z.enum(['found', 'used', 'none']),
  }),
})

export const confirmLogo = endpoint({
  ...write,
  method: 'POST',
  path: `${path}/proposal/confirm`,
  summary: 'The logo found in the store becomes the logo of its emails',
  body: z.object({
    /** The `hash` of the displayed proposal: another one is rejected (409). */
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'Identify the logo by the hash of its proposal.'),
  }),
})

export const dismissLogo = endpoint({
  ...write,
  method: 'DELETE',
  path: `${path}/proposal`,
  summary: 'The logo found in the store is not used, and not proposed again',
})

export const previewBrand = endpoint({
  method: 'POST',
  path: `${path}/preview`,
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery,
  summary: 'An email for the sample cart, with a look that need not be saved',
  body: BrandFieldsSchema.superRefine(requireContrast),
  reply: MessagePreview,
})
