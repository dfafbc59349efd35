import { DEFAULT_LOCALE, getLanguagePart } from '../../../shared/core/locale.ts'
import { type Language, languages } from '../../../shared/delivery/preferences.ts'

// The language of the shopper's pages, and the formats of its region. Pure.

/** The page's language for a locale; English if there are no texts in it. */
export function getPageLanguage(locale: string): Language {
  const part = getLanguagePart(locale)
  return languages.find((language) => language === part) ?? 'en'
}

/** The browser's locale, used until the server returns the shopper's. */
export const chooseBrowserLocale = (preferred: readonly string[]): string =>
  preferred.find((tag) => languages.some((language) => language === getLanguagePart(tag))) ?? DEFAULT_LOCALE

/** The locale of a language chosen on the page, which has no region: the shopper's if it is in this language. */
export const toLocale = (language: Language, known: string): string =>
  getLanguagePart(known) === language ? known : language === 'en' ? DEFAULT_LOCALE : language

/** Unknown currencies are shown by their code. */
export function formatAmount(amount: number, currency: string, locale: string): string {
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount)
  } catch {
    return `${new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(amount)} ${currency}`
  }
}
