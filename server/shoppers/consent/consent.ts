import type { ChannelName } from '../../messages/channels/channel.ts'
import type { ConsentRule } from '../../core/schema/consent.ts'
import {
  answers as allAnswers,
  type ConsentProblem,
  countryRules,
  type Evidence,
  floors,
  ruleNames,
} from './consent-table.ts'

// Looks up who may be written to, and what that rests on (C5, C6). The rules are in consent-table.ts. Pure.

/** The table's rule for a country; what is not listed, or not known, is the strictest of the channel. */
export function consentRule(channel: ChannelName, country: string | null, rules = countryRules): ConsentRule {
  const { listed, elsewhere } = rules[channel]
  const found = ruleNames.find((rule) => country && listed[rule]?.split(' ').includes(country))
  return found ?? elsewhere
}

export interface Recipient {
  /** From an address the shopper gave or an order's address. */
  country: string | null
  phone: string | null
}

export interface CountryFinding {
  country: string | null
  source: 'address' | 'phone' | 'store' | 'unknown'
}

/**
 * The recipient's country (C6): address, phone, else the store's own if all countries it sells to fall under one rule.
 * `phoneCountry` reads a country off an E.164 number (null when it can't).
 */
export function recipientCountry(
  channel: ChannelName,
  recipient: Recipient,
  store: { baseCountry: string | null; sellingCountries: readonly string[] | null },
  phoneCountry: (phone: string) => string | null,
): CountryFinding {
  if (recipient.country) return { country: recipient.country, source: 'address' }
  const byPhone = recipient.phone ? phoneCountry(recipient.phone) : null
  if (byPhone) return { country: byPhone, source: 'phone' }
  const sells = store.sellingCountries
  if (!store.baseCountry || !sells || sells.length === 0) return { country: null, source: 'unknown' }
  const rule = consentRule(channel, store.baseCountry)
  const isOneClass = sells.every((country) => consentRule(channel, country) === rule)
  return isOneClass ? { country: store.baseCountry, source: 'store' } : { country: null, source: 'unknown' }
}

/** An owner's word that a rule asks too much of them, in force. */
export interface ConsentOverride {
  id: string
  channel: ChannelName
  /** '*': every country whose rule is `from`. */
  country: string
  from: ConsentRule
  to: ConsentRule
}

/** Down, and no further than the channel's floor. */
export function mayOverride(channel: ChannelName, from: ConsentRule, to: ConsentRule): boolean {
  const [floor, target, start] = [floors[channel], to, from].map((rule) => ruleNames.indexOf(rule)) as number[]
  return target! < start! && target! >= floor!
}

/** What the ledger says of a person since they last said no, by the row that says it. */
export interface LedgerWord {
  evidence: Extract<Evidence, 'pending' | 'express_yes' | 'confirmed' | 'withdrawn'>
  id: string
  source: string
  /** An instant, as text. */
  at: string
}

export interface ConsentInputs {
  channel: ChannelName
  country: string | null
  word: LedgerWord | null
  hasBoughtBefore: boolean
  /** Of the store, in force. */
  overrides: readonly ConsentOverride[]
}

/** What a decision rests on: a row of the ledger, a rule of the table, or an owner's override of it. */
export type ConsentBasis =
  | { kind: 'ledger'; id: string; source: string; at: string }
  | { kind: 'rule'; rule: ConsentRule }
  | { kind: 'override'; id: string; rule: ConsentRule }

export interface ConsentFinding {
  /** null: may be written to. */
  problem: ConsentProblem | null
  /** The table's rule. */
  rule: ConsentRule
  evidence: Evidence
  basis: ConsentBasis
}

export function consentFinding(inputs: ConsentInputs, table = { answers: allAnswers, countryRules }): ConsentFinding {
  const { channel, country, word } = inputs
  const rule = consentRule(channel, country, table.countryRules)
  const evidence = word?.evidence ?? (inputs.hasBoughtBefore ? 'bought_before' : 'none')
  const ask = (asked: ConsentRule) => {
    const answer = table.answers[asked][evidence]
    return answer === 'may' ? null : answer
  }
  const problem = ask(rule)
  const overridden = problem && evidence !== 'withdrawn' ? overrideOf(inputs, rule) : null
  if (overridden && ask(overridden.to) === null) {
    const basis = { kind: 'override' as const, id: overridden.id, rule: overridden.to }
    return { problem: null, rule, evidence, basis }
  }
  return { problem, rule, evidence, basis: basisOf(rule, word) }
}

/** One for the country itself goes before one for all; for a rule that is not the table's any more there is none. */
function overrideOf({ channel, country, overrides }: ConsentInputs, rule: ConsentRule): ConsentOverride | null {
  const fitting = overrides.filter(
    (each) => each.channel === channel && each.from === rule && mayOverride(channel, rule, each.to),
  )
  return fitting.find((each) => each.country === country) ?? fitting.find((each) => each.country === '*') ?? null
}

/** The rule a person is held to, relaxed or not. */
export function ruleInForce(inputs: Pick<ConsentInputs, 'channel' | 'country' | 'overrides'>): ConsentRule {
  const rule = consentRule(inputs.channel, inputs.country)
  return overrideOf({ ...inputs, word: null, hasBoughtBefore: false }, rule)?.to ?? rule
}

/** A person's own word, where there is one. */
function basisOf(rule: ConsentRule, word: LedgerWord | null): ConsentBasis {
  return word ? { kind: 'ledger', id: word.id, source: word.source, at: word.at } : { kind: 'rule', rule }
}

/** What a country asks of a channel beyond consent (C6); what is not listed asks nothing more. */
export interface TextLimits {
  /** At most so many per cart, ever. */
  perCart: number | null
  /** No later than this after the shopper was last active. */
  withinMs: number | null
  /** Only what the shopper asked for, no advertising. */
  hasNoMarketing: boolean
}

const NO_LIMITS: TextLimits = { perCart: null, withinMs: null, hasNoMarketing: false }

/**
 * An SMS to the US: once per cart, within 48 hours of the cart being left (the carriers' rule for abandoned carts). WhatsApp delivers
 * no marketing to numbers of +1. Where address and number name different countries, the stricter of the two.
 */
export function textLimits(channel: ChannelName, countries: readonly (string | null)[], phone: string): TextLimits {
  if (channel === 'sms' && countries.includes('US')) {
    return { perCart: 1, withinMs: 48 * 3_600_000, hasNoMarketing: false }
  }
  if (channel === 'whatsapp' && phone.startsWith('+1')) return { ...NO_LIMITS, hasNoMarketing: true }
  return NO_LIMITS
}

export interface TextFacts {
  /** Of this channel, sent for this cart. */
  sentForCart: number
  sinceActivityMs: number
  isMarketing: boolean
}

export type TextRefusal = 'sms_once_per_cart' | 'sms_too_late' | 'whatsapp_marketing_refused'

/** null: the limits let it pass. */
export function textProblem(limits: TextLimits, facts: TextFacts): TextRefusal | null {
  if (limits.perCart !== null && facts.sentForCart >= limits.perCart) return 'sms_once_per_cart'
  if (limits.withinMs !== null && facts.sinceActivityMs > limits.withinMs) return 'sms_too_late'
  return limits.hasNoMarketing && facts.isMarketing ? 'whatsapp_marketing_refused' : null
}
