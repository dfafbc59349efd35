import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { captureModes } from './capture-mode.ts'
import { type ConsentChannel, maxConsentWording } from './consent.ts'
import { boxCopy, type ReadyLanguage, readyLanguages } from './consent-box-copy.ts'

// Consent boxes on the shop's checkout: their texts, the HTML to paste, and whether the capture script has seen them
// (C5).

export const boxChannels = ['email', 'sms', 'whatsapp'] as const satisfies readonly ConsentChannel[]

/** Where a shopper sees a box: WooCommerce's two checkouts and My account, or a page with the capture script. */
export const boxPlaces = ['block', 'classic', 'account', 'page'] as const
export type BoxPlace = (typeof boxPlaces)[number]

/** Boxes in a signed report, by place and channel. */
export type SignedForms = Partial<
  Record<BoxPlace, Partial<Record<ConsentChannel, { id: string; isTicked?: boolean | undefined }>>>
>

/** The ready text of a box. SMS: what US carriers require. */
export const getReadyBoxText = (
  channel: (typeof boxChannels)[number],
  storeName: string,
  language: ReadyLanguage,
): string => boxCopy[language][channel].replaceAll('{store}', () => storeName)

/** The default text of a box. */
export const getDefaultBoxText = (channel: (typeof boxChannels)[number], storeName: string): string =>
  getReadyBoxText(channel, storeName, 'en')

/** Collapses whitespace, as a browser displays it. */
export const normalizeText = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** The id of a text in the page (FNV-1a); other texts have other ids. */
export function computeWordingId(text: string): string {
  let sum = 0x811c9dc5
  for (const char of normalizeText(text)) sum = Math.imul(sum ^ char.codePointAt(0)!, 0x01000193)
  return `w${(sum >>> 0).toString(36)}`
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (char) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[char]!)

/** Unticked: a box ticked in advance is not a consent. */
export function boxHtml(channel: ConsentChannel, text: string): string {
  return `<label><input type="checkbox" id="recoup_consent_${channel}" data-recoup-wording="${computeWordingId(text)}"> ${escapeHtml(normalizeText(text))}</label>`
}

/** Languages that can have a text of their own, beside the text for all others. */
export const boxLanguages = [
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'es',
  'et',
  'fi',
  'fr',
  'he',
  'hr',
  'hu',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'nb',
  'nl',
  'pl',
  'pt',
  'ro',
  'ru',
  'sk',
  'sl',
  'sv',
  'tr',
  'uk',
  'zh',
] as const

/** The English name of the language. */
export const getLanguageName = (code: string): string =>
  new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code

const Box = z.object({
  channel: z.enum(boxChannels),
  words: z.string(),
  /** The product's default; false: the store's own text. */
  isDefault: z.boolean(),
  html: z.string(),
  /** Last time the capture script saw the box on a checkout. */
  seenAt: z.string().nullable(),
  /** It named the current text of some language then; a box with other text is not counted. */
  isCurrent: z.boolean(),
  /** Texts of further languages, by language code. */
  languages: z.array(
    z.object({ language: z.enum(boxLanguages), words: z.string(), isDefault: z.boolean(), html: z.string() }),
  ),
  /** Ready texts in languages that have none. No page shows one before it is saved, which is its approval. */
  drafts: z.array(z.object({ language: z.enum(readyLanguages), words: z.string() })),
})
export type ConsentBox = z.infer<typeof Box>

export const consentBoxes = endpoint({
  method: 'GET',
  path: '/api/consent/boxes',
  permission: 'stores:read',
  scope: 'store',
  summary: 'A store’s consent boxes: text, HTML to paste into the checkout, and when the capture script last saw them',
  query: storeQuery,
  reply: z.object({ boxes: z.array(Box), checkoutSeenAt: z.string().nullable() }),
})
export type ConsentBoxes = z.infer<typeof consentBoxes.reply>

export const saveBoxText = endpoint({
  method: 'PUT',
  path: '/api/consent/boxes',
  permission: 'consent:write',
  scope: 'store',
  summary:
    'Change the text of a consent box, in one language or for all others. Boxes with the old text no longer count. An empty text restores the default, or removes the language, its default text included',
  query: storeQuery,
  body: z.object({
    channel: z.enum(boxChannels),
    /** Missing: the text for all languages without one of their own. */
    language: z.enum(boxLanguages).optional(),
    words: z.string().trim().max(maxConsentWording, `At most ${maxConsentWording} characters.`),
  }),
  reply: z.object({ box: Box }),
})

/** Days covered by the counts of shown and ticked boxes. */
export const boxCountDays = 30

const BoxCount = z.object({
  channel: z.enum(boxChannels),
  place: z.enum(boxPlaces),
  /** '': the text for all other languages; null: texts that the store no longer shows. */
  language: z.union([z.enum(boxLanguages), z.literal('')]).nullable(),
  /** Shoppers who saw the box in a form they filled in, and those who ticked it. A cart counts once. */
  shown: z.number().int(),
  ticked: z.number().int(),
  /**
   * Ticks while the store kept nothing before consent. Only agreeing shoppers are known then, so these ticks have no
   * rate.
   */
  tickedAlone: z.number().int(),
})
export type BoxCount = z.infer<typeof BoxCount>

export const consentBoxCounts = endpoint({
  method: 'GET',
  path: '/api/consent/boxes/counts',
  permission: 'stores:read',
  scope: 'store',
  summary: `How many shoppers saw each consent box and how many ticked it in the last ${boxCountDays} days, by place and language`,
  query: storeQuery,
  reply: z.object({
    /** The store's current setting. */
    mode: z.enum(captureModes).nullable(),
    counts: z.array(BoxCount),
  }),
})
export type ConsentBoxCounts = z.infer<typeof consentBoxCounts.reply>
