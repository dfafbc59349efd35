import type { ChannelName } from '../channels/channel.ts'

// Who may be written to (C5, C6). One table by the recipient's country; what is not listed is the strictest. Pure.

export type ConsentRule = 'opt_out' | 'soft_opt_in' | 'opt_in'

/** Email: opt-in where the law asks for it (soft for people who bought before), opt-out in the US. */
const EMAIL_SOFT_OPT_IN = new Set(
  'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO CH GB CA AU'.split(' '),
)

export function consentRule(channel: ChannelName, country: string | null): ConsentRule {
  if (channel !== 'email') return 'opt_in'
  if (country === 'US') return 'opt_out'
  return country && EMAIL_SOFT_OPT_IN.has(country) ? 'soft_opt_in' : 'opt_in'
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

export interface ConsentInputs {
  rule: ConsentRule
  /** Newest word of the ledger for this address and channel. */
  ledger: 'granted' | 'withdrawn' | null
  hasBoughtBefore: boolean
}

/** null: may be written to; otherwise the reason why not. A withdrawal beats every rule. */
export function consentProblem({
  rule,
  ledger,
  hasBoughtBefore,
}: ConsentInputs): 'no_consent' | 'consent_withdrawn' | null {
  if (ledger === 'withdrawn') return 'consent_withdrawn'
  if (ledger === 'granted' || rule === 'opt_out') return null
  return rule === 'soft_opt_in' && hasBoughtBefore ? null : 'no_consent'
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
  /** Of this channel, handed over for this cart. */
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
