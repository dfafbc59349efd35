import type { Language, LockReason, PreferenceReason } from '../../shared/preferences.ts'

// What the shopper's own pages say, per language. Pure. Names of stores and addresses are put in by whoever shows them.

export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' }

export interface ShopperWords {
  language: string
  isLoading: string
  linkBroken: string
  failedTitle: string
  failed: string
  retry: string
  unsubscribe: string
  isUnsubscribed: string
  /** Around the address and the store: `ask[0]` store `ask[1]` address `ask[2]`. */
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
  stopAll: string
  stopAllHint: string
  stopped: string
  to: string
}

export const shopperWords: Record<Language, ShopperWords> = {
  en: {
    language: 'Language',
    isLoading: 'Loading',
    linkBroken: 'This link is not complete. Please open it again from the message you received.',
    failedTitle: 'The page could not be loaded',
    failed: 'That did not work. Please try again in a moment.',
    retry: 'Retry',
    unsubscribe: 'Unsubscribe',
    isUnsubscribed: 'You are unsubscribed',
    ask: ['Stop reminders from ', ' to ', '?'],
    done: [' gets no more reminders from ', '.'],
    byMistake: 'Pressed by mistake?',
    subscribeAgain: 'Subscribe again',
    preferences: 'Choose what you get',
    title: 'Message preferences',
    channels: 'How we may write to you',
    pending: 'Not confirmed yet. We send you an SMS: answer YES to it.',
    lock: {
      undeliverable: 'Our messages came back from here, so we no longer send any. Ask the shop if that is wrong.',
      complaint: 'A message was reported as spam here, so we no longer send any. Ask the shop if that is wrong.',
      shop: 'The shop has stopped its messages here. Ask the shop if you want them again.',
    },
    why: 'Why? (optional)',
    whyNone: 'No answer',
    reasons: {
      too_many: 'Too many messages',
      not_interested: 'They do not interest me',
      bought_elsewhere: 'I bought it somewhere else',
      never_asked: 'I never asked for them',
      other: 'Something else',
    },
    note: 'Anything you want to tell the shop (optional)',
    noteHint: 'The shop reads this. Up to 500 characters.',
    save: 'Save',
    saved: 'Saved. Your choice counts from now on.',
    nothingChanged: 'Saved. Nothing about your messages has changed.',
    stopAll: 'Stop everything',
    stopAllHint: 'No more messages of any kind. You can switch them on again here.',
    stopped: 'Everything is stopped. You get no more messages.',
    to: 'To',
  },
  de: {
    language: 'Sprache',
    isLoading: 'Wird geladen',
    linkBroken: 'Dieser Link ist nicht vollständig. Bitte öffnen Sie ihn noch einmal aus der Nachricht.',
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
    stopAll: 'Alles abstellen',
    stopAllHint: 'Keine Nachrichten mehr, gleich welcher Art. Hier können Sie sie wieder anstellen.',
    stopped: 'Alles ist abgestellt. Sie bekommen keine Nachrichten mehr.',
    to: 'An',
  },
}
