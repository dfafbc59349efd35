import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'
import { FlowCondition } from './flow-conditions.ts'
import { Pagination, pageFields } from './paging.ts'
import { reachFields } from './reach.ts'

// Messages a person sends by hand: one, many, or later (B 2, B 7, engine D9 and D11); who may have one, and what it would look like.
// All of them take an `Idempotency-Key` header: the same request is answered with the first answer for 24 hours, another body under
// the same key with 409.

export const SendChannel = z.enum(['email', 'sms', 'whatsapp'])
export type SendChannel = z.infer<typeof SendChannel>

/** Instead of a cart's id: a cart nobody has left, to show a message with. */
export const SAMPLE_CART = 'sample'
/** In place of a cart: a preview for somebody who has none. */
export const NO_CART = 'none'

/** The most carts one request may name. */
export const MOST_CARTS = 10_000

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
/** Any the database takes for one. */
export const cartId = z.guid()
const subject = z.string().trim().min(1).max(200)
const body = z.string().min(1).max(50_000)
/** One held-out person may be written to after all, by confirmation (D11). */
const overrideHoldout = z.boolean().default(false)

/** `on_its_way`: sent or about to be, and not answered within the time a person waits. */
export const SendReply = z.object({
  success: z.literal(true),
  message: z.string(),
  state: z.enum(['sent', 'on_its_way', 'scheduled']),
  messageId: z.string(),
  /** Of a scheduled one. */
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
  summary: 'Send one recovery email in so many hours from now, or at an instant',
  body: z.object({
    cartId,
    platform: z.string().max(40).optional(),
    storeUrl,
    delayHours: z.number().int().min(1).max(8_760).optional(),
    reminderType: z.enum(['first', 'second', 'last']).default('first'),
    /** Instead of `delayHours`, which cannot say a minute. */
    sendAt: z.iso.datetime({ offset: true, error: reminderTexts.badDate }).optional(),
    subject: subject.optional(),
    body: body.optional(),
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
    /** How often SMS of this cart were sent, those refused or tried again included. */
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
  summary: 'The last message that left for the shopper of a cart, and what is known of it',
  reply: z.object({
    /** null: none has left. */
    message: z
      .object({
        channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
        at: z.string(),
        /** Of an email. */
        subject: z.string().nullable(),
        /** The farthest it is known to have come; opens and clicks of people alone. */
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
  summary: 'Send WhatsApp messages to many carts; an answer for each, as far as known after a short wait',
  body: z.object({ cartIds: z.array(cartId).min(1, reminderTexts.noCarts).max(MOST_CARTS), storeUrl }),
  reply: z.object({
    results: z.object({
      /** Accepted by the provider, or still on its way. */
      successful: z.array(
        z.object({ cartId: z.string(), messageId: z.string(), state: z.enum(['sent', 'on_its_way']) }),
      ),
      failed: z.array(z.object({ cartId: z.string(), reason: z.string(), error: z.string() })),
    }),
    /** Where the rest can be followed. */
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
  summary: 'Which of these carts would get a message now, and which not, by reason; nothing is sent or written',
  body: z.object({
    channel: SendChannel,
    cartIds: z.array(cartId).max(MOST_CARTS).optional(),
    /** Instead of ids: the carts of the list under this badge and search, 10,000 at most. */
    status: z.string().max(40).optional(),
    search: z.string().max(200).optional(),
    ...reachFields,
    /** Own words of a text, which its price depends on. */
    body: z.string().max(1_000).optional(),
  }),
  reply: z.object({
    total: z.number(),
    eligible: z.array(z.string()),
    reasons: z.array(
      z.object({
        /** A code of `shared/reasons.ts`; `cart_missing` for ids that are no cart of the store. */
        reason: z.string(),
        explanation: z.string(),
        count: z.number(),
        cartIds: z.array(z.string()),
        /** From when all of them may be tried again; null = never, or nobody knows. */
        until: z.string().nullable(),
        /** The control group: one cart at a time may be written to after all. */
        mayOverride: z.boolean(),
        /** Of a missing consent, by cart: the country whose rule asks for it, where it is known. For single carts asked for by id. */
        countries: z.record(z.string(), z.string()).optional(),
      }),
    ),
    /** What the eligible ones would cost, by the channel's price list; null for email. */
    price: z.object({ total: Money, segments: z.number(), budgetLeft: Money.nullable() }).nullable(),
  }),
})

export const sendToCarts = endpoint({
  method: 'POST',
  path: '/api/carts/send',
  permission: 'carts:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Send to many carts now or at an instant; answers at once with the job to follow',
  body: z.object({
    channel: SendChannel,
    cartIds: z.array(cartId).min(1).max(MOST_CARTS),
    subject: subject.optional(),
    body: body.optional(),
    sendAt: z.iso.datetime({ offset: true, error: reminderTexts.badDate }).optional(),
    /** Of one cart only. */
    overrideHoldout,
  }),
  reply: z.object({ jobId: z.string() }),
})

const jobParams = z.object({ jobId: z.uuid() })

export const BulkSendItem = z.object({
  /** null: of a discount mail, for a person and about no cart. */
  cartId: z.string().nullable(),
  /** null: of a reminder, a cart that was not found. */
  shopperId: z.string().nullable(),
  customer: z.string(),
  to: z.string().nullable(),
  messageId: z.string().nullable(),
  /** `waiting` includes what is in flight; `failed` is everything that was not sent and will not be. */
  outcome: z.enum(['waiting', 'sent', 'unknown', 'failed']),
  reason: z.string().nullable(),
  explanation: z.string(),
})
export type BulkSendItem = z.infer<typeof BulkSendItem>

export const BulkSend = z.object({
  jobId: z.string(),
  channel: SendChannel,
  /** To people, with a coupon; else to carts. */
  isDiscount: z.boolean(),
  state: z.enum(['running', 'done']),
  createdAt: z.string(),
  /** When it was asked to leave; null = at once. */
  sendAt: z.string().nullable(),
  total: z.number(),
  /** Those of which nothing more is expected. */
  done: z.number(),
  counts: z.object({ waiting: z.number(), sent: z.number(), unknown: z.number(), failed: z.number() }),
  /** Those of the failed ones that another try may reach: not a bad address, nor somebody who has bought. */
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
    ...pageFields({ limit: 100, mostPages: 10_000 }),
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
  summary: 'Retry only the failed ones whose reason may pass',
  reply: z.object({ jobId: z.string(), retried: z.number() }),
})

/** `sample`: a cart in memory alone, of products of the store where some are known. */
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
  /** Of a notification: the picture it shows; null: none. */
  picture: z.string().nullable().optional(),
  /** The words it was made from, with their variables; null for WhatsApp, whose templates are its own. */
  words: z.object({ subject: z.string(), body: z.string() }).nullable(),
  /** Why it cannot be rendered, in a sentence. */
  problem: z.string().nullable(),
  /** What is to be known of its coupon: its code is an example, or why it goes without; null: nothing. */
  couponNote: z.string().nullable(),
  /** What is amiss with what it says of its coupon; null: nothing. */
  couponWarning: z.string().nullable(),
  /** null: of the sample cart, about which nothing is decided. */
  decision: z
    .object({
      outcome: z.enum(['send', 'hold', 'skip']),
      reason: z.string(),
      /** "This cart would be skipped now because …" */
      explanation: z.string(),
      until: z.string().nullable(),
      /** Where conditions do not hold: whose, which of them, and what the cart had instead; null: none were asked, or they hold. */
      unmet: UnmetConditions.nullable(),
    })
    .nullable(),
})
export type MessagePreview = z.infer<typeof MessagePreview>

export const TestReply = z.object({
  isAccepted: z.boolean(),
  to: z.string(),
  response: z.string(),
  /** As of `MessagePreview`. */
  couponNote: z.string().nullable(),
})

/** What SMS and WhatsApp of all stores together may cost in a calendar month (UTC). */
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
  summary: 'The monthly budget for SMS and WhatsApp, and what this month has taken of it',
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
