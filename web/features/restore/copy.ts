import type { Language, LockReason, PreferenceReason } from '../../../shared/delivery/preferences.ts'

// Texts of the shopper's pages, per language. Pure. The caller inserts store names and addresses.

/** Below the specification's sentences: what to do next. */
export const brokenCartTexts = {
  noCartId: 'The link is incomplete. Open it again from the message you received.',
  notFound: 'Open the link in your newest message from the shop, or choose your items again on the shop’s website.',
} as const

export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' }

export interface ShopperCopy {
  language: string
  isLoading: string
  linkBroken: string
  isTest: string
  failedTitle: string
  failed: string
  retry: string
  unsubscribe: string
  isUnsubscribed: string
  /** Parts around address and store: `ask[0]` store `ask[1]` address `ask[2]`. */
  ask: [string, string, string]
  done: [string, string]
  byMistake: string
  subscribeAgain: string
  preferences: string
  title: string
  channels: string
  pending: string
  lock: Record<LockReason, string>
  why: string
  whyNone: string
  reasons: Record<PreferenceReason, string>
  note: string
  noteHint: string
  save: string
  saved: string
  nothingChanged: string
  /** Web push notifications: their name, what they are, and where they are enabled. */
  push: string
  pushAbout: string
  pushIn: (browsers: number) => string
  pushAgain: string
  stopAll: string
  stopAllHint: string
  stopped: string
  to: string
}

export const shopperCopy: Record<Language, ShopperCopy> = {
  en: {
    language: 'Language',
    isLoading: 'Loading',
    linkBroken: 'This link is not complete. Please open it again from the message you received.',
    isTest: 'This is a test; nothing changes.',
    failedTitle: 'The page could not be loaded',
    failed: 'Something went wrong. Please try again in a moment.',
    retry: 'Retry',
    unsubscribe: 'Unsubscribe',
    isUnsubscribed: 'You are unsubscribed',
    ask: ['Stop reminders from ', ' to ', '?'],
    done: [' will get no more reminders from ', '.'],
    byMistake: 'Pressed by mistake?',
    subscribeAgain: 'Subscribe again',
    preferences: 'Manage preferences',
    title: 'Message preferences',
    channels: 'How we may contact you',
    pending: 'Not confirmed yet. We will send you an SMS: reply YES to confirm.',
    lock: {
      undeliverable:
        'Our messages could not be delivered here, so we no longer send any. Contact the shop if this is a mistake.',
      complaint:
        'A message sent here was reported as spam, so we no longer send any. Contact the shop if this is a mistake.',
      shop: 'The shop has stopped sending messages here. Contact the shop if you want them again.',
    },
    why: 'Why? (optional)',
    whyNone: 'No answer',
    reasons: {
      too_many: 'Too many messages',
      not_interested: 'They are not relevant to me',
      bought_elsewhere: 'I bought it somewhere else',
      never_asked: 'I never signed up for them',
      other: 'Something else',
    },
    note: 'Anything you want to tell the shop (optional)',
    noteHint: 'Shared with the shop. Up to 500 characters.',
    save: 'Save',
    saved: 'Saved. Your choice applies from now on.',
    nothingChanged: 'Saved. Your message settings have not changed.',
    push: 'Notifications in your browser',
    pushAbout: 'Reminders on your screen about your cart.',
    pushIn: (browsers) =>
      browsers === 1 ? 'On in 1 browser.' : `On in ${browsers} browsers. This applies to all of them.`,
    pushAgain:
      'You can turn them off here. To turn them on again, go to the shop: your browser allows them only there.',
    stopAll: 'Unsubscribe from everything',
    stopAllHint: 'No more messages of any kind. You can turn them on again here.',
    stopped: 'You are unsubscribed from everything and will get no more messages.',
    to: 'To',
  },
  de: {
    language: 'Sprache',
    isLoading: 'Wird geladen',
    linkBroken: 'Dieser Link ist nicht vollständig. Bitte öffnen Sie ihn noch einmal aus der Nachricht.',
    isTest: 'Das ist ein Test; es ändert sich nichts.',
    failedTitle: 'Die Seite konnte nicht geladen werden',
    failed: 'Das hat nicht geklappt. Bitte versuchen Sie es gleich noch einmal.',
    retry: 'Noch einmal versuchen',
    unsubscribe: 'Abmelden',
    isUnsubscribed: 'Sie sind abgemeldet',
    ask: ['Keine Erinnerungen mehr von ', ' an ', '?'],
    done: [' bekommt keine Erinnerungen mehr von ', '.'],
    byMistake: 'Aus Versehen gedrückt?',
    subscribeAgain: 'Wieder anmelden',
    preferences: 'Auswählen, was Sie bekommen',
    title: 'Nachrichten auswählen',
    channels: 'Wie wir Ihnen schreiben dürfen',
    pending: 'Noch nicht bestätigt. Wir schicken Ihnen eine SMS: Antworten Sie mit JA.',
    lock: {
      undeliverable:
        'Unsere Nachrichten kamen von hier zurück, deshalb senden wir keine mehr. Fragen Sie den Shop, wenn das falsch ist.',
      complaint:
        'Hier wurde eine Nachricht als Spam gemeldet, deshalb senden wir keine mehr. Fragen Sie den Shop, wenn das falsch ist.',
      shop: 'Der Shop hat seine Nachrichten hier abgestellt. Fragen Sie den Shop, wenn Sie wieder welche möchten.',
    },
    why: 'Warum? (freiwillig)',
    whyNone: 'Keine Angabe',
    reasons: {
      too_many: 'Zu viele Nachrichten',
      not_interested: 'Sie interessieren mich nicht',
      bought_elsewhere: 'Ich habe woanders gekauft',
      never_asked: 'Ich wollte sie nie haben',
      other: 'Etwas anderes',
    },
    note: 'Was Sie dem Shop sagen möchten (freiwillig)',
    noteHint: 'Das liest der Shop. Bis zu 500 Zeichen.',
    save: 'Speichern',
    saved: 'Gespeichert. Ihre Auswahl gilt ab sofort.',
    nothingChanged: 'Gespeichert. An Ihren Nachrichten hat sich nichts geändert.',
    push: 'Benachrichtigungen im Browser',
    pushAbout: 'Erinnerungen auf Ihrem Bildschirm an einen Warenkorb.',
    pushIn: (browsers) => (browsers === 1 ? 'In 1 Browser an.' : `In ${browsers} Browsern an. Es gilt für alle.`),
    pushAgain: 'Hier können Sie sie abstellen. Anstellen können Sie sie nur im Shop: Ihr Browser erlaubt sie nur dort.',
    stopAll: 'Alles abstellen',
    stopAllHint: 'Keine Nachrichten mehr, gleich welcher Art. Hier können Sie sie wieder anstellen.',
    stopped: 'Alles ist abgestellt. Sie bekommen keine Nachrichten mehr.',
    to: 'An',
  },
}
