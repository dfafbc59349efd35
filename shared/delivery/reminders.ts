import { z } from 'zod'
import { FlowCondition } from '../carts/flow-conditions.ts'
import { reachFields } from '../carts/reach.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { buildPageFields, Pagination } from '../core/paging.ts'
import { MailDocumentSchema, StoredMailDocument } from '../messages/mail-document.ts'

// Manual sends: single, bulk, scheduled (B 2, B 7, engine D9 and D11), with eligibility and preview.
// All accept an `Idempotency-Key` header: a repeat gets the first answer for 24 hours, and another body under the same
// key gets 409.

export const SendChannel = z.enum(['email', 'sms', 'whatsapp'])
export type SendChannel = z.infer<typeof SendChannel>

/** Instead of a cart's id: a sample cart for previews. */
export const SAMPLE_CART = 'sample'
/** Instead of a cart's id: a preview for a person without a cart. */
export const NO_CART = 'none'

/** Maximum number of carts in one request. */
export const MAX_CARTS = 10_000

export const reminderTexts = {
  smsPlan: 'SMS feature requires Starter or Growth plan. Please upgrade to send SMS messages.',
  whatsappPlan: 'WhatsApp feature requires Starter plan or higher. Please upgrade to send WhatsApp messages.',
  noCarts: 'Please select at least one cart to send WhatsApp reminders.',
  badDate: 'Please select a valid date and time.',
  emailSent: 'Email sent successfully!',
  emailScheduled: 'Email scheduled successfully!',
  smsSent: 'SMS sent successfully!',
  whatsappSent: 'WhatsApp message sent successfully!',
  onItsWay: 'Sending: no answer yet. The cart shows the result.',
  subject: 'Complete Your Purchase',
} as const

const storeUrl = z.string().max(2_048).optional()
/** Any UUID that PostgreSQL accepts. */
export const cartId = z.guid()
const subject = z.string().trim().min(1).max(200)
const body = z.string().min(1).max(50_000)
/** The email as a document, instead of subject and body. */
const design = MailDocumentSchema.nullable().optional()
/** A person of the control group may get a manual message after a confirmation (D11). */
const overrideHoldout = z.boolean().default(false)

/** `on_its_way`: sent or being sent, without an answer within the time a request waits. */
export const SendReply = z.object({
  success: z.literal(true),
  message: z.string(),
  state: z.enum(['sent', 'on_its_way', 'scheduled']),
  messageId: z.string(),
  /** For a scheduled message. */
  dueAt: z.string().optional(),
})
export type SendReply = z.infer<typeof SendReply>

export const sendEmail = endpoint({
  method: 'POST',
  path: '/api/email/send-email',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send one recovery email now; `to` is the cart’s contact or a customer of the store',
  body: z.object({
    to: z.string().max(320),
    subject: subject.default(reminderTexts.subject),
    cart_id: cartId,
    storeUrl,
    body: body.optional(),
    design,
    overrideHoldout,
  }),
  reply: SendReply,
})

export const scheduleReminder = endpoint({
  method: 'POST',
  path: '/api/email/schedule-reminder',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Schedule one recovery email in a number of hours, or at a time',
  body: z.object({
    cartId,
    platform: z.string().max(40).optional(),
    storeUrl,
    delayHours: z.number().int().min(1).max(8_760).optional(),
    reminderType: z.enum(['first', 'second', 'last']).default('first'),
    /** Instead of `delayHours`, with minute precision. */
    sendAt: z.iso.datetime({ offset: true, error: reminderTexts.badDate }).optional(),
    subject: subject.optional(),
    body: body.optional(),
    design,
    overrideHoldout,
  }),
  reply: SendReply,
})

export const sendSms = endpoint({
  method: 'POST',
  path: '/api/sms/send-reminder',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send one SMS now',
  body: z.object({ cartId, storeUrl, body: body.max(1_000).optional(), overrideHoldout }),
  reply: SendReply,
})

export const smsStatus = endpoint({
  method: 'GET',
  path: '/api/sms/status/:cartId',
  permission: 'carts:read',
  scope: 'store',
  params: z.object({ cartId }),
  query: storeQuery,
  summary: 'The status of the latest SMS of a cart',
  reply: z.object({
    /** null: none yet. */
    status: z.enum(['sending', 'sent', 'delivered', 'failed', 'unknown']).nullable(),
    /** Number of sent SMS of this cart, including rejected and retried ones. */
    attempts: z.number(),
    lastSent: z.string().nullable(),
    delivered: z.boolean(),
    error: z.string().nullable(),
  }),
})

export const lastMessage = endpoint({
  method: 'GET',
  path: '/api/carts/:id/last-message',
  permission: 'carts:read',
  scope: 'store',
  params: z.object({ id: cartId }),
  query: storeQuery,
  summary: 'The last message sent to the shopper of a cart, and its state',
  reply: z.object({
    /** null: none was sent. */
    message: z
      .object({
        channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
        at: z.string(),
        /** Email only. */
        subject: z.string().nullable(),
        /** The furthest known state; opens and clicks of people only. */
        outcome: z.enum(['on_its_way', 'sent', 'delivered', 'read', 'opened', 'clicked', 'failed', 'unknown']),
      })
      .nullable(),
  }),
})
export type LastMessage = z.infer<typeof lastMessage.reply>['message']

export const sendWhatsapp = endpoint({
  method: 'POST',
  path: '/api/whatsapp/send-reminder',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send one WhatsApp message now',
  body: z.object({ cartId, storeUrl, overrideHoldout }),
  reply: SendReply,
})

export const sendWhatsappBulk = endpoint({
  method: 'POST',
  path: '/api/whatsapp/send-bulk',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send WhatsApp messages to many carts; returns the results known after a short wait',
  body: z.object({ cartIds: z.array(cartId).min(1, reminderTexts.noCarts).max(MAX_CARTS), storeUrl }),
  reply: z.object({
    results: z.object({
      /** Accepted by the provider, or still being sent. */
      successful: z.array(
        z.object({ cartId: z.string(), messageId: z.string(), state: z.enum(['sent', 'on_its_way']) }),
      ),
      failed: z.array(z.object({ cartId: z.string(), reason: z.string(), error: z.string() })),
    }),
    /** The job that reports the rest. */
    jobId: z.string(),
  }),
})

export const Money = z.object({ amount: z.number(), currency: z.string() })

export const cartEligibility = endpoint({
  method: 'POST',
  path: '/api/carts/eligibility',
  permission: 'carts:read',
  scope: 'store',
  query: storeQuery,
  summary: 'Which of these carts would get a message now, with reasons; changes nothing',
  body: z.object({
    channel: SendChannel,
    cartIds: z.array(cartId).max(MAX_CARTS).optional(),
    /** Instead of ids: the carts of the list under this badge and search, at most 10,000. */
    status: z.string().max(40).optional(),
    search: z.string().max(200).optional(),
    ...reachFields,
    /** Custom text of an SMS or WhatsApp message, which determines its price. */
    body: z.string().max(1_000).optional(),
  }),
  reply: z.object({
    total: z.number(),
    eligible: z.array(z.string()),
    reasons: z.array(
      z.object({
        /** A code of `shared/delivery/reasons.ts`; `cart_missing` for ids that are not carts of the store. */
        reason: z.string(),
        explanation: z.string(),
        count: z.number(),
        cartIds: z.array(z.string()),
        /** When all of them can be retried; null: never or unknown. */
        until: z.string().nullable(),
        /** Control group: single carts may get a message nonetheless. */
        mayOverride: z.boolean(),
        /**
         * For missing consent, by cart: the country whose rule requires it, if known. Only for single carts requested
         * by id.
         */
        countries: z.record(z.string(), z.string()).optional(),
      }),
    ),
    /** Price of the eligible messages by the channel's price list; null for email. */
    price: z.object({ total: Money, segments: z.number(), budgetLeft: Money.nullable() }).nullable(),
  }),
})

export const sendToCarts = endpoint({
  method: 'POST',
  path: '/api/carts/send',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send to many carts now or at a time; returns the job immediately',
  body: z.object({
    channel: SendChannel,
    cartIds: z.array(cartId).min(1).max(MAX_CARTS),
    subject: subject.optional(),
    body: body.optional(),
    design,
    sendAt: z.iso.datetime({ offset: true, error: reminderTexts.badDate }).optional(),
    /** Only for a single cart. */
    overrideHoldout,
  }),
  reply: z.object({ jobId: z.string() }),
})

const jobParams = z.object({ jobId: z.uuid() })

export const BulkSendItem = z.object({
  /** null: an item of a discount mail, for a person without a cart. */
  cartId: z.string().nullable(),
  /** null: an item of a reminder whose cart was not found. */
  shopperId: z.string().nullable(),
  customer: z.string(),
  to: z.string().nullable(),
  messageId: z.string().nullable(),
  /** `waiting` includes messages in flight; `failed` is everything that was not and will not be sent. */
  outcome: z.enum(['waiting', 'sent', 'unknown', 'failed']),
  reason: z.string().nullable(),
  explanation: z.string(),
})
export type BulkSendItem = z.infer<typeof BulkSendItem>

export const BulkSend = z.object({
  jobId: z.string(),
  channel: SendChannel,
  /** A discount mail to people; otherwise a reminder to carts. */
  isDiscount: z.boolean(),
  state: z.enum(['running', 'done']),
  createdAt: z.string(),
  /** The requested send time; null: at once. */
  sendAt: z.string().nullable(),
  total: z.number(),
  /** Items with a final result. */
  done: z.number(),
  counts: z.object({ waiting: z.number(), sent: z.number(), unknown: z.number(), failed: z.number() }),
  /** Failed items that a retry may reach: no bad addresses, no buyers. */
  retryable: z.number(),
  /** A page of the items, in a fixed order. */
  results: z.array(BulkSendItem),
  pagination: Pagination,
})
export type BulkSend = z.infer<typeof BulkSend>

export const readBulkSend = endpoint({
  method: 'GET',
  path: '/api/carts/send/:jobId',
  permission: 'carts:read',
  scope: 'store',
  params: jobParams,
  query: storeQuery.extend({
    ...buildPageFields({ limit: 100, maxPages: 10_000 }),
    outcome: z.enum(['waiting', 'sent', 'unknown', 'failed']).optional(),
  }),
  summary: 'The progress of a job, with a result for each cart or customer. Announced by `store-changed` (messages)',
  reply: BulkSend,
})

export const retryBulkSend = endpoint({
  method: 'POST',
  path: '/api/carts/send/:jobId/retry',
  permission: 'carts:write',
  scope: 'store',
  params: jobParams,
  query: storeQuery,
  summary: 'Retry the failed messages whose reason is temporary',
  reply: z.object({ jobId: z.string(), retried: z.number() }),
})

/** `sample`: a cart in memory, with products of the store if some are known. */
export const PreviewCart = z.union([cartId, z.literal(SAMPLE_CART)])

const UnmetConditions = z.object({
  of: z.enum(['flow', 'step']),
  conditionValues: z.record(z.string(), z.unknown()),
  conditionsUnmet: z.object({ currency: z.string(), conditions: z.array(FlowCondition) }),
})

export const MessagePreview = z.object({
  subject: z.string(),
  /** Empty for SMS and WhatsApp. */
  html: z.string(),
  text: z.string(),
  segments: z.number().nullable(),
  price: Money.nullable(),
  /** Picture of a push notification; null: none. */
  picture: z.string().nullable().optional(),
  /** The source text with its variables; null for WhatsApp, which uses its own templates. */
  words: z
    .object({
      subject: z.string(),
      body: z.string(),
      /** An email as a document: the stored one, or the text as blocks. null: not an email. Replies always have it. */
      design: StoredMailDocument.nullable().optional(),
    })
    .nullable(),
  /** Why it cannot be rendered, as a sentence. */
  problem: z.string().nullable(),
  /** A note on its coupon: the code is an example, or why there is none; null: no note. */
  couponNote: z.string().nullable(),
  /** A problem with the text about its coupon; null: none. */
  couponWarning: z.string().nullable(),
  /** null: the sample cart, for which nothing is decided. */
  decision: z
    .object({
      outcome: z.enum(['send', 'hold', 'skip']),
      reason: z.string(),
      /** "This cart would be skipped now because …" */
      explanation: z.string(),
      until: z.string().nullable(),
      /** The unmet conditions with the cart's values; null: no conditions, or all are met. */
      unmet: UnmetConditions.nullable(),
    })
    .nullable(),
})
export type MessagePreview = z.infer<typeof MessagePreview>

export const TestReply = z.object({
  isAccepted: z.boolean(),
  to: z.string(),
  response: z.string(),
  /** As in `MessagePreview`. */
  couponNote: z.string().nullable(),
})

/** The budget for SMS and WhatsApp of all stores together in a calendar month (UTC). */
export const Budget = z.object({
  /** null = no limit. */
  monthly: z.number().min(0).max(1_000_000).nullable(),
  currency: z.string(),
  spent: z.number(),
})

export const readBudget = endpoint({
  method: 'GET',
  path: '/api/account/sending-budget',
  permission: 'stores:read',
  scope: 'account',
  summary: 'The monthly budget for SMS and WhatsApp, and how much of it is used this month',
  reply: Budget,
})

export const saveBudget = endpoint({
  method: 'PUT',
  path: '/api/account/sending-budget',
  permission: 'billing:write',
  scope: 'account',
  summary: 'Set the monthly budget for SMS and WhatsApp; sending stops exactly there',
  body: z.object({ monthly: z.number().min(0).max(1_000_000).nullable() }),
  reply: Budget,
})
