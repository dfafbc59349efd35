import { z } from 'zod'
import { ShopBrand } from '../carts/shop-brand.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// The preference page, where shoppers choose their messages (decision 27, C5), and the owner's texts for it.

export const languages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'] as const
export type Language = (typeof languages)[number]
export const Language = z.enum(languages)

/** Channels that the page can offer. */
export const preferenceChannels = ['email', 'sms', 'whatsapp'] as const
export type PreferenceChannel = (typeof preferenceChannels)[number]

export const preferenceReasons = ['too_many', 'not_interested', 'bought_elsewhere', 'never_asked', 'other'] as const
export const PreferenceReason = z.enum(preferenceReasons)
export type PreferenceReason = z.infer<typeof PreferenceReason>

export const wordingFields = ['headline', 'intro', 'email', 'sms', 'whatsapp'] as const
export type WordingField = (typeof wordingFields)[number]
/** `{store}` in a text is replaced by the store's name. */
export type Wording = Record<WordingField, string>

/** Maximum length of an owner's texts, in characters. */
export const wordingLengths: Record<WordingField, number> = {
  headline: 120,
  intro: 500,
  email: 300,
  sms: 300,
  whatsapp: 300,
}

/** Default texts per language. */
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
    intro: 'Wähle aus, wie {store} dir schreiben darf. Du kannst das jederzeit ändern.',
    email: 'Erinnerungen, wenn du etwas im Warenkorb lässt, und passende Angebote.',
    sms: 'Kurze Erinnerungen an deinen Warenkorb auf dem Handy. Dein Mobilfunkanbieter kann dafür Kosten berechnen.',
    whatsapp: 'Erinnerungen an deinen Warenkorb per WhatsApp.',
  },
  fr: {
    headline: 'Messages de {store}',
    intro: 'Choisissez comment {store} peut vous écrire. Vous pouvez changer d’avis à tout moment.',
    email: 'Des rappels quand vous laissez quelque chose dans votre panier, et des offres en rapport.',
    sms: 'De courts rappels par SMS à propos de votre panier. Votre opérateur peut facturer les messages.',
    whatsapp: 'Des rappels WhatsApp à propos de votre panier.',
  },
  es: {
    headline: 'Mensajes de {store}',
    intro: 'Elige cómo puede escribirte {store}. Puedes cambiarlo cuando quieras.',
    email: 'Recordatorios cuando dejas algo en el carrito, y ofertas relacionadas.',
    sms: 'Recordatorios breves por SMS sobre tu carrito. Tu operador puede cobrar los mensajes.',
    whatsapp: 'Recordatorios por WhatsApp sobre tu carrito.',
  },
  it: {
    headline: 'Messaggi da {store}',
    intro: 'Scegli come {store} può scriverti. Puoi cambiare idea in qualsiasi momento.',
    email: 'Promemoria quando lasci qualcosa nel carrello, e offerte collegate.',
    sms: 'Brevi promemoria via SMS sul tuo carrello. Il tuo operatore può addebitare i messaggi.',
    whatsapp: 'Promemoria su WhatsApp sul tuo carrello.',
  },
  nl: {
    headline: 'Berichten van {store}',
    intro: 'Kies hoe {store} je mag schrijven. Je kunt dit altijd wijzigen.',
    email: 'Herinneringen als je iets in je winkelwagen laat liggen, en aanbiedingen die daarbij passen.',
    sms: 'Korte herinneringen aan je winkelwagen op je telefoon. Je provider kan hiervoor kosten rekenen.',
    whatsapp: 'Herinneringen via WhatsApp aan je winkelwagen.',
  },
  pt: {
    headline: 'Mensagens de {store}',
    intro: 'Escolha como {store} pode entrar em contato. É possível mudar a escolha a qualquer momento.',
    email: 'Lembretes sobre itens deixados no carrinho e ofertas relacionadas.',
    sms: 'Lembretes curtos por SMS sobre o seu carrinho. A operadora pode cobrar pelas mensagens.',
    whatsapp: 'Lembretes no WhatsApp sobre o seu carrinho.',
  },
  pl: {
    headline: 'Wiadomości od {store}',
    intro: 'Wybierz, jak {store} może do Ciebie pisać. Możesz to zmienić w każdej chwili.',
    email: 'Przypomnienia o produktach zostawionych w koszyku i powiązane oferty.',
    sms: 'Krótkie przypomnienia SMS o Twoim koszyku. Operator może naliczyć opłatę za wiadomości.',
    whatsapp: 'Przypomnienia o Twoim koszyku w WhatsApp.',
  },
}

/** Fills in the store's name; empty texts fall back to the defaults. */
export function fillWording(own: Partial<Record<WordingField, string | null>>, language: Language, storeName: string) {
  const filled = wordingFields.map((field) => {
    const text = own[field]?.trim() || defaultWordings[language][field]
    return [field, text.replaceAll('{store}', () => storeName)]
  })
  return Object.fromEntries(filled) as Wording
}

/** Channel names for shoppers. */
export const channelNames: Record<Language, Record<PreferenceChannel, string>> = {
  en: { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' },
  de: { email: 'E-Mail', sms: 'SMS', whatsapp: 'WhatsApp' },
  fr: { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' },
  es: { email: 'Correo electrónico', sms: 'SMS', whatsapp: 'WhatsApp' },
  it: { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' },
  nl: { email: 'E-mail', sms: 'Sms', whatsapp: 'WhatsApp' },
  pt: { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' },
  pl: { email: 'E-mail', sms: 'SMS', whatsapp: 'WhatsApp' },
}

/**
 * Why a channel is off and cannot be enabled here. `undeliverable`: messages bounced; `complaint`: reported as spam;
 * `shop`: disabled by the shop.
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
  /** The person's earlier choice, or the browser's language. */
  language: Language,
  wordings: z.record(Language, WordingText),
  channels: z.array(
    z.object({
      channel: z.enum(preferenceChannels),
      /** Masked, but recognizable for its owner. */
      address: z.string(),
      isOn: z.boolean(),
      /** Enabled here; the phone still has to confirm by a reply to our SMS. */
      isPending: z.boolean(),
      lock: LockReason.nullable(),
    }),
  ),
  /** Number of the person's browsers with the shop's notifications enabled. */
  browsers: z.number(),
  /** The store's page “What we keep about you”. */
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
    /** Missing channels stay unchanged. */
    channels: z.object({ email: z.boolean(), sms: z.boolean(), whatsapp: z.boolean() }).partial().default({}),
    /**
     * Disables notifications in all browsers of the person. Only the shop's pages can ask for them again, because
     * browsers grant them there.
     */
    isPushOff: z.boolean().default(false),
    /** Opts out of all channels. */
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

/** `null`: the default texts. */
const OwnWordings = z.object({
  storeName: z.string(),
  /** The page's style, for its preview. */
  brand: ShopBrand,
  wordings: z.record(Language, OwnWording),
  /** Version of the last change. A save sends it back, so that it cannot overwrite another member's texts. */
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
  /** A missing language keeps its text. */
  body: z.object({ wordings: z.partialRecord(Language, OwnWording), version: z.string().max(60) }),
  reply: OwnWordings,
})
