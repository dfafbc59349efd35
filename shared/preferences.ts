import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'
import { ShopBrand } from './shop-brand.ts'

// What a shopper decides about messages to them, on a page of their own (decision 27, C5), and the words its owner gives it.

export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
export const Language = z.enum(languages)

/** What a person can be asked about on the page. */
export const preferenceChannels = ['email', 'sms', 'whatsapp'] as const
export type PreferenceChannel = (typeof preferenceChannels)[number]

export const preferenceReasons = ['too_many', 'not_interested', 'bought_elsewhere', 'never_asked', 'other'] as const
export const PreferenceReason = z.enum(preferenceReasons)
export type PreferenceReason = z.infer<typeof PreferenceReason>

export const wordingFields = ['headline', 'intro', 'email', 'sms', 'whatsapp'] as const
export type WordingField = (typeof wordingFields)[number]
/** `{store}` in any of them becomes the store's name. */
export type Wording = Record<WordingField, string>

/** Longest texts an owner may give, in characters. */
export const wordingLengths: Record<WordingField, number> = {
  headline: 120,
  intro: 500,
  email: 300,
  sms: 300,
  whatsapp: 300,
}

/** What comes along, per language. */
export const defaultWordings: Record<Language, Wording> = {
  en: {
    headline: 'Messages from {store}',
    intro: 'Choose how {store} may contact you. You can change this at any time.',
    email: 'Reminders when you leave something in your cart, and related offers.',
    sms: 'Short reminders on your phone about a cart you left. Message rates may apply.',
    whatsapp: 'WhatsApp reminders about a cart you left.',
  },
  de: {
    headline: 'Nachrichten von {store}',
    intro: 'Wählen Sie, wie {store} Ihnen schreiben darf. Sie können das jederzeit ändern.',
    email: 'Erinnerungen, wenn Sie etwas im Warenkorb liegen lassen, und Angebote dazu.',
    sms: 'Kurze Erinnerungen auf Ihr Telefon an einen Warenkorb. Ihr Mobilfunktarif kann dafür Kosten berechnen.',
    whatsapp: 'Erinnerungen an einen Warenkorb, in WhatsApp.',
  },
}

/** The words with the store's name in them; what is empty falls back to what comes along. */
export function fillWording(own: Partial<Record<WordingField, string | null>>, language: Language, storeName: string) {
  const filled = wordingFields.map((field) => {
    const text = own[field]?.trim() || defaultWordings[language][field]
    return [field, text.replaceAll('{store}', () => storeName)]
  })
  return Object.fromEntries(filled) as Wording
}

/** What a channel is called, to shoppers. */
export const channelNames: Record<Language, Record<PreferenceChannel, string>> = {
  en: { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' },
  de: { email: 'E-Mail', sms: 'SMS', whatsapp: 'WhatsApp' },
}

/**
 * Why a channel is off and cannot be switched on here. `undeliverable`: messages came back; `complaint`: reported as spam; `shop`: the
 * shop's own decision.
 */
export const LockReason = z.enum(['undeliverable', 'complaint', 'shop'])
export type LockReason = z.infer<typeof LockReason>

const WordingText = z.object({
  headline: z.string(),
  intro: z.string(),
  email: z.string(),
  sms: z.string(),
  whatsapp: z.string(),
})

export const PreferencesView = z.object({
  storeName: z.string(),
  brand: ShopBrand,
  /** What the person chose before, else what their browser asks for. */
  language: Language,
  wordings: z.object({ en: WordingText, de: WordingText }),
  channels: z.array(
    z.object({
      channel: z.enum(preferenceChannels),
      /** Masked: enough to recognise one's own. */
      address: z.string(),
      isOn: z.boolean(),
      /** On here; the phone has still to confirm it by an answer to our SMS. */
      isPending: z.boolean(),
      lock: LockReason.nullable(),
    }),
  ),
  /** In so many of the person's browsers the shop's notifications are on. */
  browsers: z.number(),
  /** “What we keep about you”, of the store. */
  keptPath: z.string(),
})
export type PreferencesView = z.infer<typeof PreferencesView>

export const readPreferences = endpoint({
  method: 'GET',
  path: '/api/preferences/:token',
  permission: 'public',
  summary: 'The current preferences of the shopper of this link; changes nothing',
  params: z.object({ token: z.string().max(200) }),
  reply: PreferencesView,
})

export const savePreferences = endpoint({
  method: 'POST',
  path: '/api/preferences/:token',
  permission: 'public',
  summary: 'The shopper’s own decision per channel; applies to every message not yet sent',
  params: z.object({ token: z.string().max(200) }),
  body: z.object({
    language: Language,
    /** Channels left out stay as they are. */
    channels: z.object({ email: z.boolean(), sms: z.boolean(), whatsapp: z.boolean() }).partial().default({}),
    /** No notifications in any of the person's browsers. Only the shop's own pages can ask for them again: a browser allows them there. */
    isPushOff: z.boolean().default(false),
    /** Nothing any more, whatever the channel. */
    isStopAll: z.boolean().default(false),
    reason: PreferenceReason.nullable().default(null),
    note: z.string().max(500).default(''),
  }),
  reply: PreferencesView,
})

const OwnWording = z.object({
  headline: z.string().trim().max(wordingLengths.headline).nullable(),
  intro: z.string().trim().max(wordingLengths.intro).nullable(),
  email: z.string().trim().max(wordingLengths.email).nullable(),
  sms: z.string().trim().max(wordingLengths.sms).nullable(),
  whatsapp: z.string().trim().max(wordingLengths.whatsapp).nullable(),
})
export type OwnWording = z.infer<typeof OwnWording>

/** `null`: the words that come along. */
const OwnWordings = z.object({
  storeName: z.string(),
  /** How the page looks, for its preview. */
  brand: ShopBrand,
  wordings: z.object({ en: OwnWording, de: OwnWording }),
  /** Of the last change; to be sent back, so that nobody's words are lost. */
  version: z.string(),
})

export const readPreferenceWording = endpoint({
  method: 'GET',
  path: '/api/consent/wording',
  permission: 'stores:read',
  scope: 'store',
  summary: 'The store’s own text on the preference page',
  query: storeQuery,
  reply: OwnWordings,
})

export const savePreferenceWording = endpoint({
  method: 'PUT',
  path: '/api/consent/wording',
  permission: 'flows:switch',
  scope: 'store',
  summary: 'Text of the preference page; null restores the default text',
  query: storeQuery,
  body: z.object({ wordings: z.object({ en: OwnWording, de: OwnWording }), version: z.string().max(60) }),
  reply: OwnWordings,
})
