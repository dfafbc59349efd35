import type { ConsentRule } from '../../core/schema/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'

// Who may get messages: country × channel × evidence (C5, C6). All rules are in this file; consent.ts only looks them
// up. Pure. Screens and timeline show these sentences.

/** From the least to the most strict. */
export const ruleNames = [
  'opt_out',
  'soft_opt_in',
  'opt_in',
  'confirmed_opt_in',
] as const satisfies readonly ConsentRule[]

/** Title and explanation of each rule for people. */
export const ruleTexts: Readonly<Record<ConsentRule, { title: string; sentence: string }>> = {
  opt_out: {
    title: 'Opt-out',
    sentence: 'You may contact people without asking first. Anyone who opts out is never contacted again.',
  },
  soft_opt_in: {
    title: 'Opt-in or existing customer',
    sentence: 'You may contact people who opted in, and people who have bought from your store before.',
  },
  opt_in: {
    title: 'Opt-in',
    sentence: 'You may contact only people who opted in to this kind of message. An earlier purchase is not enough.',
  },
  confirmed_opt_in: {
    title: 'Double opt-in',
    sentence:
      'An opt-in in your shop is not enough on its own. The person gets one SMS asking to confirm, and counts as opted in after replying YES.',
  },
}

/** Evidence on a channel: the strongest since the person's last opt-out. */
export const evidenceNames = ['none', 'bought_before', 'pending', 'express_yes', 'confirmed', 'withdrawn'] as const
export type Evidence = (typeof evidenceNames)[number]

/** Reason why a message may not be sent. */
export type ConsentProblem = 'no_consent' | 'consent_pending' | 'consent_unconfirmed' | 'consent_withdrawn'

const MAY = 'may'
const NO = 'no_consent'
const PENDING = 'consent_pending'
const UNCONFIRMED = 'consent_unconfirmed'
const WITHDRAWN = 'consent_withdrawn'

export type Answers = Readonly<Record<ConsentRule, Readonly<Record<Evidence, typeof MAY | ConsentProblem>>>>

/** Rule × evidence. A withdrawal beats everything; a consent that awaits its confirmation does not count yet. */
// biome-ignore format: it is read as a table
export const answers: Answers = {
  //                  no evidence    bought before       asked, no YES yet  said yes                  confirmed by YES
  // said no
  opt_out:          { none: MAY,     bought_before: MAY, pending: MAY,      express_yes: MAY,         confirmed: MAY,   withdrawn: WITHDRAWN },
  soft_opt_in:      { none: NO,      bought_before: MAY, pending: PENDING,    express_yes: MAY,         confirmed: MAY,   withdrawn: WITHDRAWN },
  opt_in:           { none: NO,      bought_before: NO,  pending: PENDING,    express_yes: MAY,         confirmed: MAY,   withdrawn: WITHDRAWN },
  confirmed_opt_in: { none: NO,      bought_before: NO,  pending: PENDING,    express_yes: UNCONFIRMED, confirmed: MAY,   withdrawn: WITHDRAWN },
}

const EU_AND_EEA = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE IS LI NO'

/**
 * Countries where nothing that identifies a person may be stored in the browser before consent (C9): ePrivacy
 * directive, PECR, Swiss law.
 */
export const strictCaptureCountries: ReadonlySet<string> = new Set(`${EU_AND_EEA} GB CH`.split(' '))

/** In these countries a typed number is not proof of who typed it. */
const PROOF_REQUIRED = 'DE AT'

export interface CountryRules {
  listed: Readonly<Partial<Record<ConsentRule, string>>>
  /** For other and unknown countries: the strictest rule of the channel. */
  elsewhere: ConsentRule
}

/** Country × channel. Codes are ISO 3166-1 alpha-2. */
export const countryRules: Readonly<Record<ChannelName, CountryRules>> = {
  email: { listed: { opt_out: 'US', soft_opt_in: `${EU_AND_EEA} CH GB CA AU` }, elsewhere: 'opt_in' },
  sms: {
    listed: { opt_in: `US CA GB AU NZ CH ${without(EU_AND_EEA, PROOF_REQUIRED)}`, confirmed_opt_in: PROOF_REQUIRED },
    elsewhere: 'confirmed_opt_in',
  },
  whatsapp: { listed: {}, elsewhere: 'opt_in' },
  push: { listed: {}, elsewhere: 'opt_in' },
}

/** The least strict rule an owner may set on a legal ground of their own. SMS and WhatsApp always need a consent. */
export const floors: Readonly<Record<ChannelName, ConsentRule>> = {
  email: 'opt_out',
  sms: 'opt_in',
  whatsapp: 'opt_in',
  push: 'opt_in',
}

function without(codes: string, removed: string): string {
  const out = new Set(removed.split(' '))
  return codes
    .split(' ')
    .filter((code) => !out.has(code))
    .join(' ')
}
