import { z } from 'zod'
import { CartBadge } from '../carts/carts.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { Money } from '../delivery/reminders.ts'

// Audience of a campaign (B 3, B 5; decision 42): filters on abandoned carts, selected people, and saved filter
// sets.

/** Maximum number of selected people. */
export const MAX_SELECTED = 1_000

/** Maximum number of saved filter sets per store. */
export const MAX_AUDIENCES = 100

export const audienceTexts = {
  none: 'Please select at least one customer to send the campaign to.',
  tooMany: `At most ${MAX_SELECTED.toLocaleString('en')} customers can be selected manually. Choose “All that match” instead.`,
  phonesOfMail: 'Customers selected by phone number get SMS and WhatsApp campaigns only.',
  badRange: 'The minimum must not be above the maximum.',
  noNumber: 'Enter a number, such as 40 or 40.50.',
  wholeOnly: 'Enter a whole number.',
  negative: 'The number must not be below 0.',
  comma: 'Use a decimal point and no commas, such as 40.50.',
  begunSelected:
    'A run has started with its recipients. Deselected customers get no further messages. Customers you add get it when you press Send, or Play after the campaign has ended.',
  begunMatching:
    'A run has started with its recipients. Changes here apply to later runs, including those you start with Send or Play.',
  nameTaken: 'There is an audience with this name already.',
  tooManyKept: `A store keeps at most ${MAX_AUDIENCES} audiences. Delete one to save another.`,
  noProducts: 'No product has this in its name or SKU.',
} as const

const money = z.number().min(0).max(1_000_000_000)
const hours = z.number().min(0).max(8_760)
const isInOrder = (min?: number | null, max?: number | null) => min == null || max == null || min <= max

/** Values in the store's currency; times in hours since the last activity. null or missing: no limit. */
export const AudienceFilters = z
  .object({
    minCartValue: money.nullish(),
    maxCartValue: money.nullish(),
    minAbandonTime: hours.nullish(),
    maxAbandonTime: hours.nullish(),
    badge: CartBadge.nullish(),
    /** ISO 3166-1 alpha-2, of the recipient. */
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .nullish(),
    /** Product id in the store; matches carts that contain it. */
    productId: z.string().min(1).max(100).nullish(),
    /** `no`: only people without an earlier message; `yes`: only people with one. */
    mailedBefore: z.enum(['yes', 'no']).nullish(),
  })
  .refine((f) => isInOrder(f.minCartValue, f.maxCartValue), {
    path: ['maxCartValue'],
    error: audienceTexts.badRange,
  })
  .refine((f) => isInOrder(f.minAbandonTime, f.maxAbandonTime), {
    path: ['maxAbandonTime'],
    error: audienceTexts.badRange,
  })
export type AudienceFilters = z.infer<typeof AudienceFilters>

/**
 * The same filters as list query parameters, with the channel that must reach the listed people. None: the whole list.
 */
export const audienceQuery = {
  minCartValue: z.coerce.number().min(0).max(1_000_000_000).optional(),
  maxCartValue: z.coerce.number().min(0).max(1_000_000_000).optional(),
  minAbandonTime: z.coerce.number().min(0).max(8_760).optional(),
  maxAbandonTime: z.coerce.number().min(0).max(8_760).optional(),
  badge: CartBadge.optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional(),
  productId: z.string().min(1).max(100).optional(),
  mailedBefore: z.enum(['yes', 'no']).optional(),
  channel: z.enum(['email', 'sms', 'whatsapp']).optional(),
}

/** Default filters (B 9). */
export const DEFAULT_FILTERS = { minAbandonTime: 1, maxAbandonTime: 72 } as const satisfies AudienceFilters

export const AudienceType = z.enum(['abandoned_carts', 'specific_customers'])
export type AudienceType = z.infer<typeof AudienceType>

/**
 * `selected`: exactly `customerEmails` and `customerPhones`; filters only helped to select. `matching`: the filters,
 * evaluated at each run.
 */
export const AudienceMode = z.enum(['selected', 'matching'])
export type AudienceMode = z.infer<typeof AudienceMode>

export const customerEmails = z.array(z.string().max(320)).max(MAX_SELECTED, audienceTexts.tooMany)

export const TargetAudience = z
  .object({
    type: AudienceType.default('abandoned_carts'),
    mode: AudienceMode.default('selected'),
    filters: AudienceFilters.default({}),
    customerEmails: customerEmails.default([]),
    /**
     * People selected by phone number for SMS and WhatsApp, because their email is unknown. With country code:
     * +431234567.
     */
    customerPhones: z.array(z.string().max(40)).max(MAX_SELECTED, audienceTexts.tooMany).default([]),
  })
  .refine((audience) => audience.customerEmails.length + audience.customerPhones.length <= MAX_SELECTED, {
    path: ['customerEmails'],
    error: audienceTexts.tooMany,
  })
export type TargetAudience = z.infer<typeof TargetAudience>

const channel = z.enum(['email', 'sms', 'whatsapp', 'push'])

/** Counts the people who match, those eligible now, and the blockers of the others by reason. */
export const countAudience = endpoint({
  method: 'POST',
  path: '/api/campaigns/audience',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Count an audience, and how many of it would get a message now, with reasons; changes nothing',
  body: z.object({
    type: channel.default('email'),
    targetAudience: TargetAudience,
    couponId: z.uuid().nullish(),
    /** What happens to a message whose coupon is invalid. */
    couponFallback: z.enum(['without', 'skip']).default('without'),
    /** Text of an SMS, to estimate its price. */
    body: z.string().max(50_000).optional(),
    /** Excludes carts that already had this campaign. */
    campaignId: z.guid().optional(),
  }),
  reply: z.object({
    /** Distinct people. */
    total: z.number(),
    eligible: z.number(),
    /** Most frequent first; with `eligible` they add up to `total`. */
    reasons: z.array(z.object({ reason: z.string(), explanation: z.string(), count: z.number() })),
    /**
     * The audience is too large, so only this many of the newest members were evaluated and the figures are theirs.
     * null: all.
     */
    judged: z.number().nullable(),
    /**
     * Estimated minutes of a run to the eligible people (or to all, if only some were evaluated), at the pace of the
     * store's busiest recent minute.
     * null: too few sends to know.
     */
    minutes: z.number().nullable(),
    /** Messages left in the plan's month; null: unlimited. */
    left: z.number().nullable(),
    /** Percentage of the audience that neither clicked nor bought in 90 days (decision 50). */
    quietPercent: z.number(),
    /** SMS and WhatsApp only, estimated from a sample of rendered messages; null: email, or no sample. */
    price: z
      .object({
        /** Number of people priced, and number of sampled messages. */
        people: z.number(),
        sampled: z.number(),
        segments: z.number(),
        total: Money,
        /** The rest of the monthly budget, and how many people it covers; null: no budget. */
        budgetLeft: Money.nullable(),
        covered: z.number().nullable(),
      })
      .nullable(),
  }),
})
export type AudienceCount = z.infer<typeof countAudience.reply>

/** A saved filter set ("Customer Segmentation"). */
export const Audience = z.object({ id: z.uuid(), name: z.string(), filters: AudienceFilters })
export type Audience = z.infer<typeof Audience>

const audienceParams = z.object({ id: z.guid() })

export const listAudiences = endpoint({
  method: 'GET',
  path: '/api/audiences',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Saved audiences',
  reply: z.object({ audiences: z.array(Audience) }),
})

export const createAudience = endpoint({
  method: 'POST',
  path: '/api/audiences',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Save an audience (Starter or higher)',
  body: z.object({ name: z.string().trim().min(1).max(120), filters: AudienceFilters }),
  reply: z.object({ audience: Audience }),
})

export const deleteAudience = endpoint({
  method: 'DELETE',
  path: '/api/audiences/:id',
  permission: 'carts:write',
  scope: 'store',
  params: audienceParams,
  query: storeQuery,
  summary: 'Delete a saved audience; campaigns that use it keep their filters',
  reply: z.object({ success: z.literal(true) }),
})

/** A product in the local copy of the store's catalogue. */
export const ProductChoice = z.object({ id: z.string(), name: z.string(), sku: z.string().nullable() })
export type ProductChoice = z.infer<typeof ProductChoice>

export const findProducts = endpoint({
  method: 'GET',
  path: '/api/products',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery.extend({ search: z.string().max(200).default('') }),
  summary: 'At most 20 products of the store that match the search by name or SKU, or have this id',
  reply: z.object({ products: z.array(ProductChoice) }),
})
