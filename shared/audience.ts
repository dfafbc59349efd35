import { z } from 'zod'
import { CartBadge } from './carts.ts'
import { endpoint, storeQuery } from './endpoint.ts'
import { Money } from './reminders.ts'

// Whom a campaign is for (B 3, B 5; area decision 42): filters over abandoned carts, people chosen by hand, and sets of filters kept by a name.

/** The most people who can be chosen by hand. */
export const MOST_SELECTED = 1_000

/** The most sets of filters a store keeps. */
export const MOST_AUDIENCES = 100

export const audienceTexts = {
  none: 'Please select at least one customer to send the campaign to.',
  tooMany: `At most ${MOST_SELECTED.toLocaleString('en')} customers can be selected by hand. Choose all that match instead.`,
  phonesOfMail: 'Customers chosen by their number get SMS and WhatsApp campaigns only.',
  badRange: 'The minimum must not be above the maximum.',
  noNumber: 'Enter a number, such as 40 or 40.50.',
  wholeOnly: 'Enter a whole number.',
  negative: 'The number must not be below 0.',
  comma: 'Use a decimal point and no commas, such as 40.50.',
  begunSelected:
    'A run has begun, and its recipients are set. Customers you deselect get nothing that has not been sent yet. Customers you add get it when you press Send, or Play once the campaign has ended.',
  begunMatching:
    'A run has begun, and its recipients are set. A change here counts for runs that begin later, also those you begin with Send or Play.',
  nameTaken: 'There is an audience with this name already.',
  tooManyKept: `A store keeps at most ${MOST_AUDIENCES} audiences. Delete one to save another.`,
  noProducts: 'No product has this in its name or SKU.',
} as const

const money = z.number().min(0).max(1_000_000_000)
const hours = z.number().min(0).max(8_760)
const isInOrder = (least?: number | null, most?: number | null) => least == null || most == null || least <= most

/** Values in the store's currency; times in hours since the last activity. null or left out: any. */
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
    /** Carts with this product of the store in them, by its id. */
    productId: z.string().min(1).max(100).nullish(),
    /** `no`: nobody who has had a message of ours; `yes`: only those. */
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

/** The same in the address of a list, with the channel those listed can be reached by. Without any: all of the list. */
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

/** B 9. */
export const DEFAULT_FILTERS = { minAbandonTime: 1, maxAbandonTime: 72 } as const satisfies AudienceFilters

export const AudienceType = z.enum(['abandoned_carts', 'specific_customers'])
export type AudienceType = z.infer<typeof AudienceType>

/** `selected`: `customerEmails` and `customerPhones`, the filters only helped choosing; `matching`: the filters, evaluated at each run. */
export const AudienceMode = z.enum(['selected', 'matching'])
export type AudienceMode = z.infer<typeof AudienceMode>

export const customerEmails = z.array(z.string().max(320)).max(MOST_SELECTED, audienceTexts.tooMany)

export const TargetAudience = z
  .object({
    type: AudienceType.default('abandoned_carts'),
    mode: AudienceMode.default('selected'),
    filters: AudienceFilters.default({}),
    customerEmails: customerEmails.default([]),
    /** People chosen by their number, for SMS and WhatsApp: those of whom no email is known. With their country code: +431234567. */
    customerPhones: z.array(z.string().max(40)).max(MOST_SELECTED, audienceTexts.tooMany).default([]),
  })
  .refine((audience) => audience.customerEmails.length + audience.customerPhones.length <= MOST_SELECTED, {
    path: ['customerEmails'],
    error: audienceTexts.tooMany,
  })
export type TargetAudience = z.infer<typeof TargetAudience>

const channel = z.enum(['email', 'sms', 'whatsapp', 'push'])

/** Who matches, and who of them would get it now; what stands against the others is counted by reason. */
export const countAudience = endpoint({
  method: 'POST',
  path: '/api/campaigns/audience',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary:
    'How many people an audience has, and how many of them would get a message now, by reason; nothing is written',
  body: z.object({
    type: channel.default('email'),
    targetAudience: TargetAudience,
    couponId: z.uuid().nullish(),
    /** What becomes of a message for which the coupon is not valid. */
    couponFallback: z.enum(['without', 'skip']).default('without'),
    /** Of an SMS: what it costs is estimated of these words. */
    body: z.string().max(50_000).optional(),
    /** Not whoever had this campaign for the same cart. */
    campaignId: z.guid().optional(),
  }),
  reply: z.object({
    /** People, each once. */
    total: z.number(),
    eligible: z.number(),
    /** The most frequent first; with `eligible` they add up to `total`. */
    reasons: z.array(z.object({ reason: z.string(), explanation: z.string(), count: z.number() })),
    /** The people are too many to judge each: of so many of the newest was asked, and the figures are of them. null: of all. */
    judged: z.number().nullable(),
    /**
     * How long a run to those eligible (or, where not all were judged, to all) takes at the store's rate, that of its busiest minute lately;
     * null: it has not sent enough to know.
     */
    minutes: z.number().nullable(),
    /** Messages left in the plan's month; null: without a limit. */
    left: z.number().nullable(),
    /** Of 100 people of the audience, so many neither clicked nor bought in 90 days (area decision 50). */
    quietPercent: z.number(),
    /** Of SMS and WhatsApp, estimated of some messages that were made for real; null: of email, or nothing to make them of. */
    price: z
      .object({
        /** For so many people, of so many messages. */
        people: z.number(),
        sampled: z.number(),
        segments: z.number(),
        total: Money,
        /** What the month’s budget has left, and for how many of them it lasts; null: there is no budget. */
        budgetLeft: Money.nullable(),
        covered: z.number().nullable(),
      })
      .nullable(),
  }),
})
export type AudienceCount = z.infer<typeof countAudience.reply>

/** A set of filters with a name ("Customer Segmentation"). */
export const Audience = z.object({ id: z.uuid(), name: z.string(), filters: AudienceFilters })
export type Audience = z.infer<typeof Audience>

const audienceParams = z.object({ id: z.guid() })

export const listAudiences = endpoint({
  method: 'GET',
  path: '/api/audiences',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The sets of filters kept by a name',
  reply: z.object({ audiences: z.array(Audience) }),
})

export const createAudience = endpoint({
  method: 'POST',
  path: '/api/audiences',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Keep a set of filters by a name (Starter or higher)',
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
  summary: 'Forget a set of filters; campaigns made with it keep theirs',
  reply: z.object({ success: z.literal(true) }),
})

/** A product of the store's catalogue, as far as it is copied here. */
export const ProductChoice = z.object({ id: z.string(), name: z.string(), sku: z.string().nullable() })
export type ProductChoice = z.infer<typeof ProductChoice>

export const findProducts = endpoint({
  method: 'GET',
  path: '/api/products',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery.extend({ search: z.string().max(200).default('') }),
  summary:
    'Products of the store to choose from, at most 20: whose name or SKU begins with the search or has it anywhere, or with this id',
  reply: z.object({ products: z.array(ProductChoice) }),
})
