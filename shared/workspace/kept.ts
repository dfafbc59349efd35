// The page “What we keep of a shopper”: the contents of tables with shopper data, in the shopper's terms, and when each
// ends.
// The registry (server/core/database/tables.ts) assigns the tables; a new table with shopper data needs a text here.

export const dataKinds = [
  ...(['contact', 'carts', 'orders', 'coupons', 'messages', 'engagement', 'replies'] as const),
  ...(['consents', 'suppressions', 'browsers', 'groups', 'notices'] as const),
] as const
export type DataKind = (typeof dataKinds)[number]

/** `retention`: after the store's number of days; the others are fixed. */
export type DataKindEnd = 'retention' | 'days' | 'stays' | 'figures'

export const retentionEnds: Readonly<Record<DataKind, DataKindEnd>> = {
  contact: 'retention',
  carts: 'figures',
  orders: 'figures',
  coupons: 'figures',
  messages: 'figures',
  engagement: 'figures',
  replies: 'days',
  consents: 'stays',
  suppressions: 'stays',
  browsers: 'retention',
  groups: 'figures',
  notices: 'retention',
} as const satisfies Record<DataKind, DataKindEnd>

/** Languages of the page “What we keep about you” and of the privacy documents. */
export const keptLanguages = ['en', 'de'] as const
export type KeptLanguage = (typeof keptLanguages)[number]

export const toKeptLanguage = (language: string): KeptLanguage => (language === 'de' ? 'de' : 'en')

interface RetentionText {
  title: string
  text: string
}

export const retentionTexts: Readonly<Record<KeptLanguage, Readonly<Record<DataKind, RetentionText>>>> = {
  en: {
    contact: {
      title: 'Who you are',
      text: 'Name, email address, phone number, country, language, the number of your customer account, and when it was last used. A random number in your browser shows that two carts are yours.',
    },
    carts: {
      title: 'Your carts',
      text: 'Products, quantities, prices, what you chose for an item, coupon codes, times, whether it was a phone or a desktop, and an estimated city or region. Your IP address is not kept.',
    },
    orders: {
      title: 'Your orders',
      text: 'Number, status, items, amounts, times, email address and phone number. No street and no payment data.',
    },
    coupons: { title: 'Coupons', text: 'Codes that were made for you, and codes you used in an order.' },
    messages: {
      title: 'Messages to you',
      text: 'Text, address, time, whether each one arrived, and why it was or was not sent.',
    },
    engagement: { title: 'What you did with them', text: 'Whether you opened a message or clicked a link in it.' },
    replies: { title: 'Your answers', text: 'Texts such as STOP or YES that you sent to our number.' },
    consents: {
      title: 'Your consents',
      text: 'Whether and when you agreed to messages, where, and the words you saw.',
    },
    suppressions: {
      title: 'Your opt-outs',
      text: 'Your address and the reason, for example that you unsubscribed.',
    },
    browsers: {
      title: 'Notifications in your browser',
      text: 'The address at which your browser receives our notifications.',
    },
    groups: {
      title: 'Comparison groups',
      text: 'Some people get no reminders, so that we can see what reminders change. We keep which group you are in.',
    },
    notices: {
      title: 'Notes to our team',
      text: 'Short notes about your cart or a message to you, for the people who run this shop.',
    },
  },
  de: {
    contact: {
      title: 'Wer Sie sind',
      text: 'Name, E-Mail-Adresse, Telefonnummer, Land, Sprache, die Nummer Ihres Kundenkontos und wann es zuletzt benutzt wurde. Eine zufällige Nummer Ihres Browsers zeigt, dass zwei Warenkörbe Ihnen gehören.',
    },
    carts: {
      title: 'Ihre Warenkörbe',
      text: 'Produkte, Mengen, Preise, was Sie für einen Artikel gewählt haben, Gutscheincodes, Zeiten, ob es ein Telefon oder ein Computer war, und eine geschätzte Stadt oder Region. Ihre IP-Adresse wird nicht gespeichert.',
    },
    orders: {
      title: 'Ihre Bestellungen',
      text: 'Nummer, Status, Artikel, Beträge, Zeiten, E-Mail-Adresse und Telefonnummer. Keine Straße und keine Zahlungsdaten.',
    },
    coupons: { title: 'Gutscheine', text: 'Codes, die für Sie erstellt wurden, und Codes, die Sie eingelöst haben.' },
    messages: {
      title: 'Nachrichten an Sie',
      text: 'Text, Adresse, Zeit, ob sie angekommen ist, und warum sie gesendet oder nicht gesendet wurde.',
    },
    engagement: {
      title: 'Was Sie damit gemacht haben',
      text: 'Ob Sie eine Nachricht geöffnet oder einen Link darin angeklickt haben.',
    },
    replies: { title: 'Ihre Antworten', text: 'SMS wie STOP oder JA, die Sie an unsere Nummer gesendet haben.' },
    consents: {
      title: 'Ihre Einwilligungen',
      text: 'Ob und wann Sie Nachrichten zugestimmt haben, wo, und den Wortlaut, den Sie gesehen haben.',
    },
    suppressions: {
      title: 'Dass Sie keine Nachrichten möchten',
      text: 'Ihre Adresse und den Grund, zum Beispiel eine Abmeldung.',
    },
    browsers: {
      title: 'Mitteilungen in Ihrem Browser',
      text: 'Die Adresse, unter der Ihr Browser unsere Mitteilungen annimmt.',
    },
    groups: {
      title: 'Vergleichsgruppen',
      text: 'Manche Personen bekommen keine Erinnerungen, damit wir sehen, was Erinnerungen bewirken. Wir speichern, in welcher Gruppe Sie sind.',
    },
    notices: {
      title: 'Hinweise an unser Team',
      text: 'Kurze Hinweise zu Ihrem Warenkorb oder einer Nachricht an Sie, für die Menschen, die diesen Shop betreiben.',
    },
  },
}

/** When each ends; `days` is the store's retention, null: off. */
export const retentionEndTexts: Readonly<Record<KeptLanguage, (end: DataKindEnd, days: number | null) => string>> = {
  en: (end, days) =>
    ({
      retention:
        days === null
          ? 'Kept until you ask us to erase it.'
          : `Erased ${days} days after your last cart, order or sign-in at the shop.`,
      figures:
        days === null
          ? 'Kept until you ask us to erase it. Amounts and times stay, without your name and contact details.'
          : `After ${days} days without a cart, an order or a sign-in, your name and contact details are erased. Amounts and times stay.`,
      days: 'Deleted after a few days or weeks. What follows from it is kept under “Your consents”.',
      stays:
        'Kept for as long as this shop is connected: it proves what you agreed to and protects you from unwanted messages. When your data is erased, a fingerprint stays from which your address cannot be read.',
    })[end],
  de: (end, days) =>
    ({
      retention:
        days === null
          ? 'Wird gespeichert, bis Sie die Löschung verlangen.'
          : `Wird ${days} Tage nach Ihrem letzten Warenkorb, Ihrer letzten Bestellung oder Anmeldung im Shop gelöscht.`,
      figures:
        days === null
          ? 'Wird gespeichert, bis Sie die Löschung verlangen. Danach bleiben Beträge und Zeiten ohne Bezug zu Ihnen.'
          : `Nach ${days} Tagen ohne Warenkorb, Bestellung oder Anmeldung werden Name und Kontaktdaten gelöscht. Beträge und Zeiten bleiben.`,
      days: 'Wird nach einigen Tagen oder Wochen gelöscht. Was daraus folgt, steht unter „Ihre Einwilligungen“.',
      stays:
        'Wird gespeichert, solange dieser Shop verbunden ist: Es belegt, wozu Sie zugestimmt haben, und verhindert unerwünschte Nachrichten. Nach einer Löschung bleibt ein Fingerabdruck, aus dem sich Ihre Adresse nicht ablesen lässt.',
    })[end],
}

export const retentionPageTexts = {
  en: {
    title: 'What we keep about you',
    intro: (store: string) =>
      `${store} uses Recoup to remind people of carts they left. This is everything that is kept for it.`,
    ends: 'How long',
    rights: 'Your rights',
    rightsText: (contact: string) =>
      `You can ask ${contact} for a copy of your data, to correct it, or to erase it. You can withdraw a consent at any time, with the link in every message. You may also complain to a data protection authority.`,
    other: 'Deutsch',
  },
  de: {
    title: 'Was wir über Sie speichern',
    intro: (store: string) =>
      `${store} nutzt Recoup, um an verlassene Warenkörbe zu erinnern. Das ist alles, was dafür gespeichert wird.`,
    ends: 'Wie lange',
    rights: 'Ihre Rechte',
    rightsText: (contact: string) =>
      `Sie können von ${contact} eine Kopie Ihrer Daten, eine Berichtigung oder die Löschung verlangen. Eine Einwilligung können Sie jederzeit widerrufen, mit dem Link in jeder Nachricht. Sie dürfen sich auch bei einer Datenschutzbehörde beschweren.`,
    other: 'English',
  },
} as const

/** Path of a store's page. */
export const buildRetentionPath = (captureKey: string): string => `/what-is-kept/${encodeURIComponent(captureKey)}`
