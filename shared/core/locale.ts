// A shopper's language: which source counts, and which language a message gets. Pure.

/**
 * Where a shopper's locale comes from, worst first. `site`: the shop's language, where nothing translates the shop ·
 * `page`: the page's `lang` · `shop`: the shop reported it for this cart, checkout, order or customer. A choice on the
 * preference page is stored apart and counts before all of them.
 */
export const localeSources = ['site', 'page', 'shop'] as const
export type LocaleSource = (typeof localeSources)[number]

export interface KnownLocale {
  /** BCP 47: language, script and region. */
  tag: string
  source: LocaleSource
}

/** Used where nothing else is known. */
export const DEFAULT_LOCALE = 'en-US'
/** The longest tag that RFC 5646 asks programs to accept. */
const MAX_LOCALE_LENGTH = 35

const TAG = /^([a-z]{2,3})(?:[-_]([a-z]{4}))?(?:[-_]([a-z]{2}|\d{3}))?(?:[-_][a-z\d]{1,8})*$/i

/**
 * The canonical tag of a language as shops and browsers write it: `de_AT` and `de-at-1996` are `de-AT`. Variants and
 * extensions are dropped: `de_DE_formal` has the same formats. null for anything that is no known language.
 */
export function parseLocale(input: unknown): string | null {
  if (typeof input !== 'string' || input.length > MAX_LOCALE_LENGTH) return null
  const match = TAG.exec(input.trim())
  if (!match) return null
  try {
    const tag = Intl.getCanonicalLocales(match.slice(1).filter(Boolean).join('-'))[0]!
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0 ? tag : null
  } catch {
    return null
  }
}

/** The newer locale, unless the older one has a better source. */
export function chooseKnownLocale(before: KnownLocale | undefined, news: KnownLocale): KnownLocale {
  if (!before) return news
  return localeSources.indexOf(news.source) < localeSources.indexOf(before.source) ? before : news
}

export const getLanguagePart = (tag: string): string => tag.split('-', 1)[0]!.toLowerCase()

/** Countries where shops write in one language. Others, such as BE, CA and CH, say nothing about it. */
const COUNTRIES: Readonly<Record<string, string>> = {
  en: 'AU GB IE NZ US',
  de: 'AT DE LI',
  fr: 'FR MC',
  es: 'AR CL CO CR CU DO EC ES GT HN MX NI PA PE SV UY VE',
  it: 'IT SM VA',
  nl: 'NL SR',
  pt: 'AO BR MZ PT',
  pl: 'PL',
}

const byCountry = new Map(
  Object.entries(COUNTRIES).flatMap(([language, codes]) =>
    codes.split(' ').map((country) => [country, `${language}-${country}`] as const),
  ),
)

export const findCountryLocale = (country: string | null): string | null =>
  country === null ? null : (byCountry.get(country.trim().toUpperCase()) ?? null)

export interface LocaleSources {
  /** Chosen on the preference page. */
  language: string | null
  /** Of the message's cart, else of the shopper. */
  locale: string | null
  /** Alpha-2. */
  country: string | null
  /** Of the shop. */
  store: string | null
}

/** The locale of the shopper; null: nothing is known about their language. */
export function findShopperLocale({ language, locale, country }: Omit<LocaleSources, 'store'>): string | null {
  const tags = [locale, findCountryLocale(country)].filter((tag) => tag !== null)
  if (language === null) return tags[0] ?? null
  // The choice has no region: dates and amounts take that of a locale in the same language.
  return tags.find((tag) => getLanguagePart(tag) === language) ?? language
}

/**
 * The locale of a message whose own words are in one language: the shopper's or the store's in this language, so that
 * amounts and added words never are in another one.
 */
export const chooseTextLocale = (language: string, sources: LocaleSources): string =>
  [findShopperLocale(sources), sources.store].find((tag) => tag !== null && getLanguagePart(tag) === language) ??
  (language === getLanguagePart(DEFAULT_LOCALE) ? DEFAULT_LOCALE : language)

/** The locale of a shopper's page: words, amounts and dates. */
export const chooseLocale = (sources: LocaleSources): string =>
  findShopperLocale(sources) ?? sources.store ?? DEFAULT_LOCALE
