import { chooseTextLocale, getLanguagePart, type LocaleSources } from '../../../shared/core/locale.ts'
import {
  type Language,
  type LockReason,
  languages,
  type PreferenceChannel,
} from '../../../shared/delivery/preferences.ts'

// Computes what a shopper receives per channel and what a decision changes. Pure.

export type SuppressionCause = 'unsubscribed' | 'complaint' | 'hard_bounce' | 'manual' | 'invalid' | 'erased'

export interface ChannelFacts {
  channel: PreferenceChannel
  /** The newest ledger entry (`selectEvidence`). */
  ledger: 'pending' | 'express_yes' | 'confirmed' | 'withdrawn' | null
  /** All suppressions of the address on this channel. */
  suppressed: readonly SuppressionCause[]
}

export interface ChannelState {
  channel: PreferenceChannel
  isOn: boolean
  /** Switched on here, but not confirmed by the number yet. */
  isPending: boolean
  /** Why the shopper cannot switch it on: they can lift only their own opt-out (C5). */
  lock: LockReason | null
}

/**
 * Email is on without a decision, because the mail with the link was sent lawfully. Texts are off without an opt-in.
 */
export function computeChannelState({ channel, ledger, suppressed }: ChannelFacts): ChannelState {
  const hasAgreed = ledger === null ? channel === 'email' : ledger !== 'withdrawn'
  const isOn = hasAgreed && suppressed.length === 0
  return { channel, isOn, isPending: isOn && ledger === 'pending', lock: findLock(suppressed) }
}

function findLock(suppressed: readonly SuppressionCause[]): LockReason | null {
  if (suppressed.includes('complaint')) return 'complaint'
  if (suppressed.includes('hard_bounce') || suppressed.includes('invalid')) return 'undeliverable'
  return suppressed.some((reason) => reason !== 'unsubscribed') ? 'shop' : null
}

export interface Choice {
  channels: { [channel in PreferenceChannel]?: boolean | undefined }
  isStopAll: boolean
}

/**
 * Returns the entries to write: only what the shopper changed, since an untouched preticked box is not a consent. "Stop
 * everything" is also written for channels that are off by default.
 */
export function computeChanges(facts: readonly ChannelFacts[], choice: Choice) {
  const on: PreferenceChannel[] = []
  const off: PreferenceChannel[] = []
  for (const fact of facts) {
    const { channel } = fact
    const { isOn, lock } = computeChannelState(fact)
    const isWanted = !choice.isStopAll && (choice.channels[channel] ?? isOn)
    if (isWanted && !isOn && lock === null) on.push(channel)
    if (!isWanted && (isOn || (choice.isStopAll && fact.ledger !== 'withdrawn'))) off.push(channel)
  }
  return { on, off }
}

/** The shopper's own choice, else the language of the shop's pages; null: unknown, or not one of ours. */
export function findPageLanguage({ language, locale }: { language: Language | null; locale: string | null }) {
  const shown = locale === null ? null : getLanguagePart(locale)
  return language ?? languages.find((each) => each === shown) ?? null
}

/**
 * The locale of a shopper's page: their own choice, the shop's pages, the browser, the shop, English. The page has texts
 * in its language.
 */
export function choosePageLocale(
  sources: LocaleSources & { language: Language | null },
  accepted: string | undefined,
): string {
  const language = findPageLanguage(sources) ?? detectLanguage(accepted, sources.store)
  return chooseTextLocale(language, sources)
}

/** Picks our best language by `Accept-Language` (RFC 9110), else the shop's, else English. */
export function detectLanguage(header: string | undefined, storeLocale: string | null = null): Language {
  const accepted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const weight = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
      return { language: tag.split('-')[0]!, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  const first = accepted.find(({ language }) => (languages as readonly string[]).includes(language))
  return (first?.language as Language | undefined) ?? findPageLanguage({ language: null, locale: storeLocale }) ?? 'en'
}
