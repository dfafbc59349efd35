import type { ConsentRule } from '../../core/schema/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import {
  answers as allAnswers,
  type ConsentProblem,
  countryRules,
  type Evidence,
  floors,
  ruleNames,
} from './consent-table.ts'

// Decides whether a recipient may get messages and on which basis (C5, C6). The rules are in consent-table.ts. Pure.

/** The table's rule for a country; for unlisted or unknown countries the strictest of the channel. */
export function findConsentRule(channel: ChannelName, country: string | null, rules = countryRules): ConsentRule {
  const { listed, elsewhere } = rules[channel]
  const found = ruleNames.find((rule) => country && listed[rule]?.split(' ').includes(country))
  return found ?? elsewhere
}

export interface Recipient {
  /** From an address of the shopper or of an order. */
  country: string | null
  phone: string | null
}

export interface CountryFinding {
  country: string | null
  source: 'address' | 'phone' | 'store' | 'unknown'
}

/**
 * The recipient's country (C6): from the address, else the phone, else the store's own if all its selling countries
 * have one rule. `phoneCountry` returns the country of an E.164 number, or null.
 */
export function findRecipientCountry(
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
  const rule = findConsentRule(channel, store.baseCountry)
  const isOneClass = sells.every((country) => findConsentRule(channel, country) === rule)
  return isOneClass ? { country: store.baseCountry, source: 'store' } : { country: null, source: 'unknown' }
}

/** An owner's exemption from a rule, in force. */
export interface ConsentOverride {
  id: string
  channel: ChannelName
  /** '*': all countries with the rule `from`. */
  country: string
  from: ConsentRule
  to: ConsentRule
}

/** Whether the new rule is less strict, but not below the channel's floor. */
export function canOverride(channel: ChannelName, from: ConsentRule, to: ConsentRule): boolean {
  const [floor, target, start] = [floors[channel], to, from].map((rule) => ruleNames.indexOf(rule)) as number[]
  return target! < start! && target! >= floor!
}

/** The person's strongest evidence in the ledger since their last opt-out, and its row. */
export interface LedgerEvidence {
  evidence: Extract<Evidence, 'pending' | 'express_yes' | 'confirmed' | 'withdrawn'>
  id: string
  source: string
  /** ISO 8601. */
  at: string
}

export interface ConsentInputs {
  channel: ChannelName
  country: string | null
  word: LedgerEvidence | null
  hasBoughtBefore: boolean
  /** Overrides of the store, in force. */
  overrides: readonly ConsentOverride[]
}

/** Basis of a decision: a ledger row, a rule of the table, or an owner's override. */
export type ConsentBasis =
  | { kind: 'ledger'; id: string; source: string; at: string }
  | { kind: 'rule'; rule: ConsentRule }
  | { kind: 'override'; id: string; rule: ConsentRule }

export interface ConsentFinding {
  /** null: messages are allowed. */
  problem: ConsentProblem | null
  /** The table's rule. */
  rule: ConsentRule
  evidence: Evidence
  basis: ConsentBasis
}

export function decideConsent(inputs: ConsentInputs, table = { answers: allAnswers, countryRules }): ConsentFinding {
  const { channel, country, word } = inputs
  const rule = findConsentRule(channel, country, table.countryRules)
  const evidence = word?.evidence ?? (inputs.hasBoughtBefore ? 'bought_before' : 'none')
  const ask = (rule: ConsentRule) => {
    const answer = table.answers[rule][evidence]
    return answer === 'may' ? null : answer
  }
  const problem = ask(rule)
  const overridden = problem && evidence !== 'withdrawn' ? findOverride(inputs, rule) : null
  if (overridden && ask(overridden.to) === null) {
    const basis = { kind: 'override' as const, id: overridden.id, rule: overridden.to }
    return { problem: null, rule, evidence, basis }
  }
  return { problem, rule, evidence, basis: buildBasis(rule, word) }
}

/** An override for the country itself precedes one for all. One for a rule that has changed since does not apply. */
function findOverride({ channel, country, overrides }: ConsentInputs, rule: ConsentRule): ConsentOverride | null {
  const fitting = overrides.filter(
    (each) => each.channel === channel && each.from === rule && canOverride(channel, rule, each.to),
  )
  return fitting.find((each) => each.country === country) ?? fitting.find((each) => each.country === '*') ?? null
}

/** The rule that applies, with overrides. */
export function findRuleInForce(inputs: Pick<ConsentInputs, 'channel' | 'country' | 'overrides'>): ConsentRule {
  const rule = findConsentRule(inputs.channel, inputs.country)
  return findOverride({ ...inputs, word: null, hasBoughtBefore: false }, rule)?.to ?? rule
}

/** The person's own evidence, if there is any, else the rule. */
function buildBasis(rule: ConsentRule, word: LedgerEvidence | null): ConsentBasis {
  return word ? { kind: 'ledger', id: word.id, source: word.source, at: word.at } : { kind: 'rule', rule }
}

/** Requirements of a country for texts beyond consent (C6); unlisted countries have none. */
export interface TextLimits {
  /** Maximum number per cart, ever. */
  perCart: number | null
  /** Maximum time since the shopper's last activity. */
  withinMs: number | null
  /** Only what the shopper requested, no marketing. */
  hasNoMarketing: boolean
}

const NO_LIMITS: TextLimits = { perCart: null, withinMs: null, hasNoMarketing: false }

/**
 * SMS to the US: once per cart, within 48 hours of its abandonment (carrier rule for abandoned carts). WhatsApp
 * delivers no marketing to +1 numbers. If address and number are of different countries, the stricter limits apply.
 */
export function findTextLimits(channel: ChannelName, countries: readonly (string | null)[], phone: string): TextLimits {
  if (channel === 'sms' && countries.includes('US')) {
    return { perCart: 1, withinMs: 48 * 3_600_000, hasNoMarketing: false }
  }
  if (channel === 'whatsapp' && phone.startsWith('+1')) return { ...NO_LIMITS, hasNoMarketing: true }
  return NO_LIMITS
}

export interface TextFacts {
  /** Messages of this channel sent for this cart. */
  sentForCart: number
  sinceActivityMs: number
  isMarketing: boolean
}

export type TextRefusal = 'sms_once_per_cart' | 'sms_too_late' | 'whatsapp_marketing_refused'

/** null: within the limits. */
export function findTextProblem(limits: TextLimits, facts: TextFacts): TextRefusal | null {
  if (limits.perCart !== null && facts.sentForCart >= limits.perCart) return 'sms_once_per_cart'
  if (limits.withinMs !== null && facts.sinceActivityMs > limits.withinMs) return 'sms_too_late'
  return limits.hasNoMarketing && facts.isMarketing ? 'whatsapp_marketing_refused' : null
}
