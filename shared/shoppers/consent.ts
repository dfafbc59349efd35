import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// The store's country table of consent rules, and how its team overrides a rule (C6).

/** Maximum stored length of a consent box's text. */
export const maxConsentWording = 1_000

/** From the loosest to the strictest. */
const RuleName = z.enum(['opt_out', 'soft_opt_in', 'opt_in', 'confirmed_opt_in'])
export type RuleName = z.infer<typeof RuleName>

const Channel = z.enum(['email', 'sms', 'whatsapp'])
export type ConsentChannel = z.infer<typeof Channel>

/** ISO 3166-1 alpha-2; `*`: every country with the rule in question. */
const OverriddenCountry = z.string().regex(/^([A-Z]{2}|\*)$/)

const ConsentOverride = z.object({
  id: z.string(),
  channel: Channel,
  country: z.string(),
  from: RuleName,
  to: RuleName,
  legalGround: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  endedAt: z.string().nullable(),
  endedBy: z.string().nullable(),
})
export type ConsentOverrideView = z.infer<typeof ConsentOverride>

const SmsConfirmation = z.enum(['where_required', 'page_script', 'always'])

export const groundLimits = { min: 20, max: 2_000 } as const

export const consentTable = endpoint({
  method: 'GET',
  path: '/api/consent/table',
  permission: 'stores:read',
  scope: 'store',
  summary: 'Consent rules by country and channel, and the rules changed by the store’s team, newest first',
  query: storeQuery,
  reply: z.object({
    rules: z.array(z.object({ name: RuleName, title: z.string(), sentence: z.string() })),
    /** Countries with a rule of their own on some channel. */
    countries: z.array(z.object({ country: z.string(), rules: z.record(Channel, RuleName) })),
    /** All other countries, and unknown ones. */
    elsewhere: z.record(Channel, RuleName),
    /** Requirements of countries and providers beyond consent. */
    alsoAsked: z.array(z.object({ channel: Channel, countries: z.array(z.string()), sentence: z.string() })),
    /** Allowed relaxations per rule; rules not listed cannot be relaxed. */
    overridable: z.array(z.object({ channel: Channel, from: RuleName, to: z.array(RuleName) })),
    overrides: z.array(ConsentOverride),
    smsConfirmation: SmsConfirmation,
  }),
})
export type ConsentTable = z.infer<typeof consentTable.reply>

export const overrideRule = endpoint({
  method: 'POST',
  path: '/api/consent/overrides',
  permission: 'consent:write',
  scope: 'store',
  summary:
    'Make a rule less strict for one country, or for every country with that rule, with a legal ground that is kept',
  query: storeQuery,
  body: z.object({
    channel: Channel,
    country: OverriddenCountry,
    from: RuleName,
    to: RuleName,
    legalGround: z
      .string()
      .trim()
      .min(groundLimits.min, `Describe in at least ${groundLimits.min} characters which law or agreement allows it.`)
      .max(groundLimits.max, `At most ${groundLimits.max} characters.`),
  }),
  reply: ConsentOverride,
})

export const endConsentOverride = endpoint({
  method: 'POST',
  path: '/api/consent/overrides/:overrideId/end',
  permission: 'consent:write',
  scope: 'store',
  summary: 'Restore the original rule; it applies again from the next decision on',
  query: storeQuery,
  params: z.object({ overrideId: z.uuid() }),
  reply: ConsentOverride,
})

export const setSmsConfirmation = endpoint({
  method: 'PUT',
  path: '/api/consent/sms-confirmation',
  permission: 'consent:write',
  scope: 'store',
  summary: 'Whether SMS consent must be confirmed by everyone, or only where the rule requires it',
  query: storeQuery,
  body: z.object({ mode: SmsConfirmation }),
  reply: z.object({ mode: SmsConfirmation }),
})
