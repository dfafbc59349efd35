import { z } from 'zod'
import { FlowStepCoupon } from '../carts/coupons.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'
import { Money } from '../delivery/reminders.ts'
import { MailDocumentSchema, StoredMailDocument } from '../messages/mail-document.ts'
import { customerEmails, DEFAULT_FILTERS, TargetAudience } from './audience.ts'
import { FlowCounts, StepCoupon } from './flows.ts'

// Campaigns (B 2, 3, 4, 5, 7, 8, 9; decisions 41 to 50 and 124 to 126): scheduled sends to people with an
// abandoned cart, or to chosen customers.

const LONGEST_BODY = 50_000

export const campaignTexts = {
  created: 'Campaign created.',
  saved: 'Campaign saved.',
  resumed: 'Campaign resumed.',
  paused: 'Campaign paused.',
  sentNow: 'Campaign sent immediately.',
  cancelled: 'Campaign cancelled.',
  deleted: 'Campaign deleted.',
  sent: 'Campaign sent successfully!',
  notCreated: 'Failed to create campaign. Please try again.',
  notSentToAll: 'Failed to send campaign. Please try again.',
  notResumed: 'Failed to resume campaign.',
  notPaused: 'Failed to pause campaign.',
  notSentNow: 'Failed to send campaign now.',
  notCancelled: 'Failed to cancel campaign.',
  notDeleted: 'Failed to delete campaign.',
  notSent: 'Failed to send campaign.',
  notLoaded: 'Failed to load campaigns',
  notFetched: 'Failed to fetch campaigns. Please try again later.',
  loading: 'Loading campaigns...',
  none: 'No active campaigns found. Create a new campaign to get started.',
  noWords: 'Please fill in both subject and message',
  onlyAbandoned: 'Only abandoned cart campaigns can be sent automatically.',
  deleteQuestion: 'Are you sure you want to delete this campaign?',
  noName: 'Enter a name.',
  noSubject: 'Enter a subject.',
  noBody: 'Enter a message.',
  longBody: `Text must have at most ${LONGEST_BODY.toLocaleString('en-US')} characters`,
  pastStart: 'Start date cannot be before today',
  recurringNeedsMatching:
    'A recurring campaign needs “All that match”. Selected customers would be the same each time.',
  noTitle: 'Enter a title.',
  scheduledPlan: 'Scheduled campaigns require the Starter plan or higher. Please upgrade to schedule campaigns.',
  filterPlan: 'Customer segmentation requires the Starter plan or higher. Please upgrade to filter the audience.',
  plannedSmsPlan: 'Planned and recurring SMS campaigns require the Growth plan. Please upgrade to schedule them.',
  whatsappPlan: 'All WhatsApp campaigns require the Growth plan. Please upgrade to send them.',
  smsPlan: 'SMS feature requires Starter or Growth plan. Please upgrade to send SMS messages.',
  paymentOverdue: 'Your last payment is overdue. Pay it to send campaigns again.',
  onlyCancel: 'Only the status “cancelled” can be set this way.',
  typeKept: 'The type cannot be changed after the first run.',
  sentKept: 'This campaign has been sent. Changes apply only to messages sent from now on.',
  badStep: 'The campaign’s current status does not allow this.',
  cartWords:
    'Some recipients have no cart, so the text cannot mention one. Remove cart_items, cart_total, checkout_link and discounted_total, and use custom text instead of a reminder template.',
  noOffer: 'This text promises a discount. Choose a coupon or another template.',
  cartTemplate:
    'Some recipients have no cart, but the approved WhatsApp template uses cart variables. Choose another type, or another template under Settings, Sending, WhatsApp.',
} as const

export const CampaignType = z.enum(['email', 'sms', 'push', 'whatsapp'])
export type CampaignType = z.infer<typeof CampaignType>

export const CampaignStatus = z.enum(['scheduled', 'active', 'paused', 'completed', 'sent', 'cancelled'])
export type CampaignStatus = z.infer<typeof CampaignStatus>

export const campaignTemplateIds = ['first_reminder', 'second_reminder', 'last_reminder', 'custom'] as const
export const quickTemplateIds = ['default', 'discount', 'urgency'] as const
/** The template that the text began as. */
export const TemplateChoice = z.enum([...campaignTemplateIds, ...quickTemplateIds, 'quick_send'])
export type TemplateChoice = z.infer<typeof TemplateChoice>

/** Variables about a cart. A campaign to chosen customers may not use them, because these may have no cart. */
export const CART_VARIABLES = ['cart_items', 'cart_total', 'checkout_link', 'discounted_total'] as const

export const hasCartVariable = (text: string): boolean => cartVariable.test(text)
const cartVariable = new RegExp(`\\b(${CART_VARIABLES.join('|')})\\b`)

export const Frequency = z.enum(['once', 'daily', 'weekly', 'monthly'])
export type Frequency = z.infer<typeof Frequency>

/** Delays in hours after abandonment (B 9), with their labels. */
export const delayNames = {
  0: 'Immediately',
  12: '12 hours',
  24: '24 hours',
  48: '48 hours',
  72: '72 hours',
  120: '5 days',
  168: '1 week',
} as const
const isDelay = (hours: number) => Object.hasOwn(delayNames, String(hours))

export const CampaignContent = z.object({
  /** For email, and the title of a push notification. */
  subject: z.string().trim().max(200).default(''),
  body: z.string().max(LONGEST_BODY, campaignTexts.longBody).default(''),
  /** An email as a document, instead of subject and body. Replies always have it: the stored one, or the text as blocks. */
  design: MailDocumentSchema.nullable().optional(),
  template: TemplateChoice.default('custom'),
  coupon: StepCoupon.nullable().default(null),
})
export type CampaignContent = z.infer<typeof CampaignContent>

/** An immediate campaign accepts any start date that the database can store. */
const FIRST_DAY = '2000-01-01'

export const CampaignSchedule = z.object({
  /** A day of the store's calendar, YYYY-MM-DD. */
  startDate: z.iso.date().refine((day) => day >= FIRST_DAY, campaignTexts.pastStart),
  /** In the store's time zone. */
  timeOfDay: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .default('10:00'),
  frequency: Frequency.default('once'),
  /** Hours after abandonment. */
  delay: z.number().refine(isDelay).default(0),
  /** Hours over which a run is spread; null: as fast as the rate allows. */
  spreadHours: z.number().int().min(1).max(72).nullable().default(null),
})
export type CampaignSchedule = z.infer<typeof CampaignSchedule>

/** Default schedule (B 9). `startDate`: today in the store's calendar. */
export const campaignDefaults = {
  filters: DEFAULT_FILTERS,
  timeOfDay: '10:00',
  frequency: 'once',
  delay: 0,
} as const

const nameFields = {
  name: z.string({ error: campaignTexts.noName }).trim().min(1, campaignTexts.noName).max(120),
  description: z.string().trim().max(500).default(''),
}

/**
 * Addresses are read beside `targetAudience`, then in it, then in its filters, and returned in it only (decision
 * 125).
 */
const CampaignSchema = z.object({
  ...nameFields,
  type: CampaignType.default('email'),
  targetAudience: z.preprocess(mergeFilterEmails, TargetAudience).default(TargetAudience.parse({})),
  customerEmails: customerEmails.optional(),
  content: CampaignContent,
  schedule: CampaignSchedule,
  /** Starts the campaign at once and ignores its start date. */
  sendNow: z.boolean().default(false),
  platform: z.string().max(40).optional(),
  storeId: z.string().max(2_048).optional(),
})
export type CampaignInput = z.output<typeof CampaignSchema>

function mergeFilterEmails(audience: unknown): unknown {
  if (typeof audience !== 'object' || audience === null) return audience
  const { filters, customerEmails: own } = audience as {
    filters?: { customerEmails?: unknown }
    customerEmails?: unknown
  }
  return own === undefined && filters?.customerEmails !== undefined
    ? { ...audience, customerEmails: filters.customerEmails }
    : audience
}

/** Both ids are equal (B 3). */
export const CampaignView = z.object({
  _id: z.string(),
  id: z.string(),
  name: z.string(),
  description: z.string(),
  type: CampaignType,
  status: CampaignStatus,
  createdAt: z.string(),
  updatedAt: z.string(),
  platform: z.string(),
  storeId: z.string(),
  targetAudience: TargetAudience,
  content: CampaignContent,
  /** Description of its coupon; null: none. */
  couponShown: FlowStepCoupon.nullable(),
  schedule: CampaignSchedule,
  /** Time of the next run; null: none. */
  nextRunAt: z.string().nullable(),
  /** Totals of all runs (D6). */
  counts: FlowCounts,
  /** Attributed revenue by currency. */
  revenue: z.array(Money),
  /**
   * Why it was paused automatically. `bounces` or `complaints`: decision 50. `plan` or `payment`: the plan or an
   * overdue payment did not allow a due run.
   * `cart_words`: a campaign to chosen customers mentions a cart. Missing: a member paused it.
   */
  pausedBy: z.enum(['bounces', 'complaints', 'plan', 'payment', 'cart_words']).nullable(),
  /**
   * Why the next run was delayed to `nextRunAt`: `own_words` is the custom text limit of a young account. null: not
   * delayed.
   */
  putOffBy: z.enum(['own_words']).nullable(),
})
export type CampaignView = z.infer<typeof CampaignView>

const CampaignReply = z.object({ success: z.literal(true), campaign: CampaignView })
const campaignParams = z.object({ id: z.guid() })

export const listCampaigns = endpoint({
  method: 'GET',
  path: '/api/campaigns',
  permission: 'carts:read',
  scope: 'store',
  summary: 'The campaigns of a store, newest first',
  query: storeQuery.extend({
    search: z.string().max(200).optional(),
    status: CampaignStatus.optional(),
    ...buildPageFields({ limit: 50, max: 100 }),
  }),
  reply: z.object({ campaigns: z.array(CampaignView), pagination: Pagination }),
})

export const readCampaign = endpoint({
  method: 'GET',
  path: '/api/campaigns/:id',
  permission: 'carts:read',
  scope: 'store',
  params: campaignParams,
  query: storeQuery,
  summary: 'One campaign',
  reply: z.object({ campaign: CampaignView }),
})

export const createCampaign = endpoint({
  method: 'POST',
  path: '/api/campaigns',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Create a campaign, which runs at its time. Takes an `Idempotency-Key`',
  body: CampaignSchema,
  reply: CampaignReply,
})

/** A status alone cancels; anything else replaces the whole campaign. */
export const saveCampaign = endpoint({
  method: 'PUT',
  path: '/api/campaigns/:id',
  permission: 'carts:write',
  scope: 'store',
  params: campaignParams,
  query: storeQuery,
  summary: 'Change a campaign, or cancel it with {"status": "cancelled"}; applies to messages not yet sent',
  body: z.union([
    z.strictObject({ status: z.literal('cancelled', { error: campaignTexts.onlyCancel }) }),
    CampaignSchema,
  ]),
  reply: CampaignReply,
})

export const playCampaign = endpoint({
  method: 'PATCH',
  path: '/api/campaigns/:id/play',
  permission: 'carts:write',
  scope: 'store',
  params: campaignParams,
  query: storeQuery,
  summary: 'Resume a paused campaign, or reopen an ended one for people who did not get it',
  reply: CampaignReply,
})

export const pauseCampaign = endpoint({
  method: 'PATCH',
  path: '/api/campaigns/:id/pause',
  permission: 'carts:write',
  scope: 'store',
  stops: true,
  params: campaignParams,
  query: storeQuery,
  summary: 'Pause a campaign: nothing is sent until it is resumed',
  reply: CampaignReply,
})

export const sendCampaignNow = endpoint({
  method: 'POST',
  path: '/api/campaigns/:id/send-now',
  permission: 'carts:write',
  scope: 'store',
  params: campaignParams,
  query: storeQuery,
  summary: 'Send a campaign now, which ends its schedule. Takes an `Idempotency-Key`',
  reply: CampaignReply,
})

export const deleteCampaign = endpoint({
  method: 'DELETE',
  path: '/api/campaigns/:id',
  permission: 'carts:write',
  scope: 'store',
  params: campaignParams,
  query: storeQuery,
  summary: 'Delete a campaign: unsent messages are cancelled, the report is kept',
  reply: z.object({ success: z.literal(true) }),
})

/** Sends the campaign `campaignId`; without it, creates 'Quick Send - {date}'. */
export const sendToAbandonedCarts = endpoint({
  method: 'POST',
  path: '/api/campaigns/send-to-abandoned-carts',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary:
    'Send one email to every shopper with an abandoned cart, or an existing campaign. Takes an `Idempotency-Key`',
  body: z.object({
    campaignId: z.guid().optional(),
    platform: z.string().max(40).optional(),
    storeId: z.string().max(2_048).optional(),
    subject: z.string().max(200).optional(),
    htmlContent: z.string().max(LONGEST_BODY, campaignTexts.longBody).optional(),
    /** The email as a document, instead of subject and text. */
    design: MailDocumentSchema.nullable().optional(),
    filters: TargetAudience.shape.filters.optional(),
    coupon: StepCoupon.nullable().optional(),
    /** The template of the text: `discount` needs a coupon. */
    template: z.enum(quickTemplateIds).optional(),
  }),
  reply: CampaignReply,
})

/** B 3. */
export const EmailTemplate = z.object({
  id: TemplateChoice,
  name: z.string(),
  subject: z.string(),
  body: z.string(),
  /** The text as blocks. Replies always have it. */
  design: StoredMailDocument.optional(),
})

const FlowEmail = z.object({ subject: z.string(), body: z.string(), design: StoredMailDocument })

export const listCampaignTemplates = endpoint({
  method: 'GET',
  path: '/api/campaigns/templates',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The templates of campaigns and "Send to All", and what added messages of a flow begin with',
  reply: z.object({
    campaign: z.array(EmailTemplate),
    quickSend: z.array(EmailTemplate),
    /** Of added messages of a flow, in the store's language. */
    flow: z.object({ first: FlowEmail, others: FlowEmail }),
    sms: z.string(),
    /** The approved WhatsApp template with its variables; null: none is chosen. */
    whatsapp: z.string().nullable(),
  }),
})
