import { type Language, type LockReason, languages, type PreferenceChannel } from '../../../shared/preferences.ts'

// What a person gets by channel, and what a decision of theirs changes. Pure.

export type Suppressed = 'unsubscribed' | 'complaint' | 'hard_bounce' | 'manual' | 'invalid' | 'erased'

export interface ChannelFacts {
  channel: PreferenceChannel
  /** What the ledger says (`ledgerText`). */
  ledger: 'pending' | 'express_yes' | 'confirmed' | 'withdrawn' | null
  /** Why the address gets nothing of this channel, in all its rows. */
  suppressed: readonly Suppressed[]
}

export interface Standing {
  channel: PreferenceChannel
  isOn: boolean
  /** On as far as the person said here; the number has not confirmed it yet. */
  isPending: boolean
  /** Not the person's to switch on: their own act lifts their own word only (C5). */
  lock: LockReason | null
}

/**
 * Whoever got an email and said nothing was written to by right, so email is on without a word. Texts never are: unknown is no
 * opt-in.
 */
export function standingOf({ channel, ledger, suppressed }: ChannelFacts): Standing {
  const hasSaidYes = ledger === null ? channel === 'email' : ledger !== 'withdrawn'
  const isOn = hasSaidYes && suppressed.length === 0
  return { channel, isOn, isPending: isOn && ledger === 'pending', lock: lockOf(suppressed) }
}

function lockOf(suppressed: readonly Suppressed[]): LockReason | null {
  if (suppressed.includes('complaint')) return 'complaint'
  if (suppressed.includes('hard_bounce') || suppressed.includes('invalid')) return 'undeliverable'
  return suppressed.some((reason) => reason !== 'unsubscribed') ? 'shop' : null
}

export interface Choice {
  channels: { [channel in PreferenceChannel]?: boolean | undefined }
  isStopAll: boolean
}

/**
 * What has to be written. Only what the person changed: a box that stood ticked by itself and was left alone is no consent. "Stop
 * everything" is written for channels that are off without a word as well.
 */
export function changesOf(facts: readonly ChannelFacts[], choice: Choice) {
  const on: PreferenceChannel[] = []
  const off: PreferenceChannel[] = []
  for (const fact of facts) {
    const { channel } = fact
    const { isOn, lock } = standingOf(fact)
    const isWanted = !choice.isStopAll && (choice.channels[channel] ?? isOn)
    if (isWanted && !isOn && lock === null) on.push(channel)
    if (!isWanted && (isOn || (choice.isStopAll && fact.ledger !== 'withdrawn'))) off.push(channel)
  }
  return { on, off }
}

/** RFC 9110's `Accept-Language`: the first of ours by weight; English where none is. */
export function languageOf(header: string | undefined): Language {
  const wanted = (header ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const weight = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean)
      return { language: tag.split('-')[0]!, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
  const first = wanted.find(({ language }) => (languages as readonly string[]).includes(language))
  return (first?.language as Language | undefined) ?? 'en'
}
