import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { groundLimits } from './consent.ts'

// What a store keeps of shoppers before consent (C9).

/** From the strictest to the loosest. */
export const captureModes = ['nothing', 'cart_only', 'cart_and_contact'] as const
const CaptureMode = z.enum(captureModes)
export type CaptureMode = z.infer<typeof CaptureMode>

/** True if nothing is left out. null: the store is older than the setting, and its owner has not chosen yet. */
export const isStoringEverything = (mode: CaptureMode | null): boolean => mode === null || mode === 'cart_and_contact'

/** True if `mode` keeps more than `than`, which requires a legal ground. */
export const isStoringMore = (mode: CaptureMode, than: CaptureMode): boolean =>
  captureModes.indexOf(mode) > captureModes.indexOf(than)

export const captureModeTexts: Readonly<Record<CaptureMode, { title: string; sentence: string }>> = {
  nothing: {
    title: 'Nothing',
    sentence:
      'Your shop’s pages send and store nothing, and Recoup stores nothing. Carts of people who never agree are not tracked, only their purchases.',
  },
  cart_only: {
    title: 'Only the cart',
    sentence:
      'The products in the cart, without name, address, number or a lasting ID. The contact is added when the person agrees, ' +
      'or if they have bought with that address and the law allows emails to customers.',
  },
  cart_and_contact: {
    title: 'Cart and contact',
    sentence: 'Also what shoppers type into the checkout’s contact fields, as they type it.',
  },
}

const Choice = z.object({
  mode: CaptureMode,
  legalGround: z.string().nullable(),
  at: z.string(),
  by: z.string(),
})

const View = z.object({
  mode: CaptureMode,
  /** false: the store is older than this setting, and its owner has not chosen yet. */
  isChosen: z.boolean(),
  /** The default of a new store that sells to these countries. */
  usual: CaptureMode,
  /**
   * The countries whose law causes that default (ISO 3166-1 alpha-2); null: the store sells everywhere, or does not
   * list countries.
   */
  strictCountries: z.array(z.string()).nullable(),
  /** Newest first. */
  choices: z.array(Choice),
})
export type CaptureModeView = z.infer<typeof View>

export const readCaptureMode = endpoint({
  method: 'GET',
  path: '/api/consent/capture',
  permission: 'stores:read',
  scope: 'store',
  summary: 'What is stored about shoppers before they agree, and who chose it',
  query: storeQuery,
  reply: View,
})

export const chooseCaptureMode = endpoint({
  method: 'PUT',
  path: '/api/consent/capture',
  permission: 'consent:write',
  scope: 'store',
  summary:
    'Choose what is stored about shoppers before they agree; more than usual needs a legal ground, which is recorded',
  query: storeQuery,
  body: z.object({
    mode: CaptureMode,
    legalGround: z.string().trim().max(groundLimits.max, `At most ${groundLimits.max} characters.`).optional(),
  }),
  reply: View,
})
