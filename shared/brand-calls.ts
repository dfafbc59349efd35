import { z } from 'zod'
import { BrandLookParts, canBeRead } from './brand.ts'
import { endpoint, storeQuery } from './endpoint.ts'
import { MessagePreview } from './reminders.ts'

// The brand kit of a store: reading and saving it, its logo, and the logo found in the store.

export const brandTexts = {
  changedMeanwhile: 'Someone else has changed the brand since you opened it. Nothing was saved.',
  logoTooLarge: 'This file is larger than 300 KB. Choose a smaller one.',
  demoLogo: 'The demo store keeps its own logo. Register to upload yours.',
  noneFound: 'No logo was found in your store.',
  anotherFound: 'Another logo was found in your store since you opened this page. Look at it before you use it.',
  alreadyUsed: 'The logo in your store is the one you already use.',
} as const

/** Of an upload. */
export const LOGO_BYTES = 300 * 1024

const Logo = z.object({ path: z.string(), width: z.number(), height: z.number() })

export const BrandView = z.object({
  look: BrandLookParts,
  logo: Logo.nullable(),
  /** Counts the savings: who sends an older one saves over somebody else's. */
  version: z.number(),
  /** A logo found in the store and not used yet; null: none, or it was answered. */
  proposal: z.object({ source: z.enum(['site_logo', 'site_icon']), logo: Logo, hash: z.string() }).nullable(),
  /** In the demo nobody uploads. */
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
  summary: 'Colors, font, corners, social links and words of the store’s emails',
  body: BrandLookParts.extend({
    /** The `version` these changes were made on: an older one is refused (409). Left out: saved whatever was before. */
    version: z.number().int().optional(),
  }).superRefine(canBeRead),
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
    /** used: it is the logo the emails already have. */
    outcome: z.enum(['found', 'used', 'none']),
  }),
})

export const confirmLogo = endpoint({
  ...write,
  method: 'POST',
  path: `${path}/proposal/confirm`,
  summary: 'The logo found in the store becomes the logo of its emails',
  body: z.object({
    /** The `hash` of the proposal that was seen: another one is refused (409). */
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'Name the logo by the hash of its proposal.'),
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
  body: BrandLookParts.superRefine(canBeRead),
  reply: MessagePreview,
})
