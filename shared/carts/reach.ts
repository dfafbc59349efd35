import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// Which carts email can reach now, and what blocks the others. Store-wide blockers (no sender, paused sending) are
// ignored. The list's badges and filter and the dashboard's count use it.

/** Short labels of the reasons that can block a cart; the codes are those of `reasons.ts`. */
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
  frequency_cap: 'Limit reached',
} as const
export type CartReason = keyof typeof reasonLabels

/** Reasons that are shown with the country whose rule requires consent. */
export const consentReasons: readonly string[] = ['no_consent', 'consent_pending', 'consent_unconfirmed']

export const REACHABLE = 'reachable'

/** `reachable`, a reason, or a reason of one country: `no_consent:DE`. */
export const reachFilter = z
  .string()
  .max(60)
  .refine((text) => readReachFilter(text) !== null, 'There is no filter like this.')

/** `reason` null: reachable carts. `country` null: any country. */
export interface Reach {
  reason: CartReason | null
  country: string | null
}

/** null: an invalid filter. */
export function readReachFilter(text: string): Reach | null {
  if (text === REACHABLE) return { reason: null, country: null }
  const [reason = '', country = null, ...more] = text.split(':')
  if (more.length > 0 || !Object.hasOwn(reasonLabels, reason)) return null
  if (country !== null && !(consentReasons.includes(reason) && /^[A-Z]{2}$/.test(country))) return null
  return { reason: reason as CartReason, country }
}

export const writeReachFilter = ({ reason, country }: Reach): string =>
  reason === null ? REACHABLE : country ? `${reason}:${country}` : reason

export const analyticsChannels = ['email', 'sms', 'whatsapp', 'push'] as const
export type AnalyticsChannel = (typeof analyticsChannels)[number]

/** The funnel stage that a cart has reached, by messages of one channel or any: `clicked`, `sent:sms`. */
export const cartStages = ['sent', 'opened', 'clicked', 'converted'] as const
export type CartStage = (typeof cartStages)[number]
const stagePattern = new RegExp(`^(${cartStages.join('|')})(:(${analyticsChannels.join('|')}))?$`)

export interface StageFilter {
  stage: CartStage
  /** null: any. */
  channel: AnalyticsChannel | null
}

/** null: invalid. */
export function readStage(text: string): StageFilter | null {
  if (!stagePattern.test(text)) return null
  const [stage, channel = null] = text.split(':')
  return { stage: stage as CartStage, channel: channel as AnalyticsChannel | null }
}

/** No store has longer ids. */
export const MAX_PRODUCT_ID_LENGTH = 100

/** Query fields of a filtered list. */
export const reachFields = {
  /**
   * Not in the specification: carts that email can reach now (`reachable`), or those blocked by a reason, among the
   * filter's newest 5,000.
   */
  reach: reachFilter.optional(),
  /**
   * Not in the specification: abandoned in this many days of the store's calendar, including today; among the newest
   * 5,000.
   */
  days: z.coerce.number().int().min(1).max(366).optional(),
  /**
   * Not in the specification: shoppers of this country, or with an unknown one (`none`); among the filter's newest
   * 5,000.
   */
  country: z
    .string()
    .regex(/^([A-Z]{2}|none)$/, 'There is no country like this.')
    .optional(),
  /** Not in the specification: carts with the product of this id; among the filter's newest 5,000. */
  product: z.string().min(1).max(MAX_PRODUCT_ID_LENGTH).optional(),
  /**
   * Not in the specification: a funnel stage that the cart has reached (`clicked`, `sent:sms`); among the filter's
   * newest 5,000.
   */
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
    /** These carts in any state; otherwise the newest 5,000 of the list under the fields below. */
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
    /** Most frequent first. Excludes recovered carts. */
    reasons: z.array(
      z.object({
        reason: z.enum(Object.keys(reasonLabels) as [CartReason, ...CartReason[]]),
        /** The country whose rule requires consent, if known. */
        country: z.string().nullable(),
        explanation: z.string(),
        count: z.number(),
        /** Value of these carts, by currency; not for requests by cart id. */
        amounts: z.array(z.object({ currency: z.string(), amount: z.number() })).optional(),
        /** Only for requests by cart id. */
        cartIds: z.array(z.string()).optional(),
      }),
    ),
    /** More carts exist: only this many of the newest were evaluated. */
    lookedThrough: z.number().optional(),
  }),
})
export type CartReach = z.output<typeof cartReach.reply>
