import { z } from 'zod'
import { type AnalyticsChannel, analyticsChannels } from './analytics.ts'
import { endpoint, storeQuery } from './endpoint.ts'

// Which carts an email could be sent about now, and what stands against the others. What stops the whole store (no sender, paused
// sending) is no matter here. Badges of the list, its filter and the dashboard's count all rest on it.

/** What can stand against a cart, in a word or two. The codes are those of `reasons.ts`. */
export const reasonLabels = {
  no_contact: 'No email',
  contact_unconfirmed: 'Not confirmed',
  no_consent: 'No consent',
  consent_pending: 'Consent pending',
  consent_unconfirmed: 'Consent not confirmed',
  consent_withdrawn: 'Consent withdrawn',
  suppressed_unsubscribed: 'Unsubscribed',
  suppressed_complaint: 'Spam complaint',
  suppressed_hard_bounce: 'Bounced',
  suppressed_manual: 'Suppressed',
  suppressed_invalid: 'Invalid address',
  suppressed_erased: 'Erased',
  purchased: 'Bought',
  purchase_in_progress: 'Payment pending',
  cart_active: 'Still active',
  emptied: 'Emptied',
  merged: 'Merged',
  holdout: 'Control group',
  items_gone: 'Sold out',
  frequency_cap: 'Enough messages',
} as const
export type CartReason = keyof typeof reasonLabels

/** Of a missing consent the country is told whose rule asks for it. */
export const consentReasons: readonly string[] = ['no_consent', 'consent_pending', 'consent_unconfirmed']

export const REACHABLE = 'reachable'

/** `reachable`, a reason, or a reason of one country: `no_consent:DE`. */
export const reachFilter = z
  .string()
  .max(60)
  .refine((text) => readReachFilter(text) !== null, 'There is no filter like this.')

/** `reason` null: those that can be reached. `country` null: whatever the country. */
export interface Reach {
  reason: CartReason | null
  country: string | null
}

/** null: there is no such filter. */
export function readReachFilter(text: string): Reach | null {
  if (text === REACHABLE) return { reason: null, country: null }
  const [reason = '', country = null, ...more] = text.split(':')
  if (more.length > 0 || !Object.hasOwn(reasonLabels, reason)) return null
  if (country !== null && !(consentReasons.includes(reason) && /^[A-Z]{2}$/.test(country))) return null
  return { reason: reason as CartReason, country }
}

export const writeReachFilter = ({ reason, country }: Reach): string =>
  reason === null ? REACHABLE : country ? `${reason}:${country}` : reason

/** What of the conversion funnel a cart has come to, by messages of a channel or of any: `clicked`, `sent:sms`. */
export const cartStages = ['sent', 'opened', 'clicked', 'converted'] as const
export type CartStage = (typeof cartStages)[number]
const stagePattern = new RegExp(`^(${cartStages.join('|')})(:(${analyticsChannels.join('|')}))?$`)

export interface StageFilter {
  stage: CartStage
  /** null: any. */
  channel: AnalyticsChannel | null
}

/** null: not one. */
export function readStage(text: string): StageFilter | null {
  if (!stagePattern.test(text)) return null
  const [stage, channel = null] = text.split(':')
  return { stage: stage as CartStage, channel: channel as AnalyticsChannel | null }
}

/** Longer ones are no store's. */
export const MOST_OF_PRODUCT_ID = 100

/** The fields of a list that is filtered so. */
export const reachFields = {
  /** Added: carts an email can reach now (`reachable`), or those a reason stands against, among the newest 5,000 of the filter. */
  reach: reachFilter.optional(),
  /** Added: abandoned in so many days of the store's calendar, today included; among the newest 5,000 of them. */
  days: z.coerce.number().int().min(1).max(366).optional(),
  /** Added: of shoppers of this country, or of none that is known (`none`); among the newest 5,000 of the filter. */
  country: z
    .string()
    .regex(/^([A-Z]{2}|none)$/, 'There is no country like this.')
    .optional(),
  /** Added: that hold the product of this id in the store; among the newest 5,000 of the filter. */
  product: z.string().min(1).max(MOST_OF_PRODUCT_ID).optional(),
  /** Added: a stage of the conversion funnel that the cart has come to (`clicked`, `sent:sms`); among the newest 5,000 of the filter. */
  stage: z.string().regex(stagePattern, 'There is no stage like this.').optional(),
}

export const cartReach = endpoint({
  method: 'POST',
  path: '/api/carts/reach',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'How many carts of the list an email can reach now, and what stands against the others; nothing is written',
  body: z.object({
    /** These carts, whatever their state; else the newest 5,000 of the list under the fields below. */
    cartIds: z.array(z.guid()).max(1_000).optional(),
    status: z.string().max(40).optional(),
    search: z.string().max(200).optional(),
    days: reachFields.days,
    country: reachFields.country,
    product: reachFields.product,
    stage: reachFields.stage,
  }),
  reply: z.object({
    reachable: z.number(),
    /** The most frequent first. Recovered carts are in none of them. */
    reasons: z.array(
      z.object({
        reason: z.enum(Object.keys(reasonLabels) as [CartReason, ...CartReason[]]),
        /** Whose rule asks for consent, where it is known. */
        country: z.string().nullable(),
        explanation: z.string(),
        count: z.number(),
        /** Where carts were asked for by their ids. */
        cartIds: z.array(z.string()).optional(),
      }),
    ),
    /** There are more carts: only so many of the newest were looked at. */
    lookedThrough: z.number().optional(),
  }),
})
export type CartReach = z.output<typeof cartReach.reply>
