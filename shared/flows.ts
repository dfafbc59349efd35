import { z } from 'zod'
import { CouponOfStep } from './coupons.ts'
import { endpoint, storeQuery } from './endpoint.ts'
import { MessagePreview, PreviewCart } from './reminders.ts'

// Flows: what is always on, its steps and templates, and what goes out next.

/** The coupon of a step's messages, and who gets it (decisions 35 and 36). */
export const StepCoupon = z.object({
  couponId: z.uuid(),
  /** What becomes of a message whose coupon is not valid, or not for its shopper: sent without it, or not sent. */
  fallback: z.enum(['without', 'skip']),
  firstOrderOnly: z.boolean(),
  /** Not for whoever used a coupon in so many days; null: that is not asked. */
  pauseDays: z.number().int().min(1).max(3_650).nullable(),
  /** Only for carts above this amount in the store's currency; null: for any. */
  aboveAmount: z.number().positive().max(1_000_000_000).nullable(),
})
export type StepCoupon = z.infer<typeof StepCoupon>

export const FlowStep = z.object({
  step: z.number().int(),
  delayMinutes: z.number().int().min(1).max(43_200),
  channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
  templateId: z.uuid(),
  templateKey: z.string(),
  templateName: z.string(),
  /** Of the mail it is, or would be. */
  subject: z.string(),
  body: z.string(),
  /** Of the SMS it is, or would be. */
  sms: z.string(),
  /** Of the notification it is, or would be. */
  pushTitle: z.string(),
  pushBody: z.string(),
  coupon: StepCoupon.nullable(),
  /** What that coupon is. */
  couponShown: CouponOfStep.nullable(),
})
export type FlowStep = z.infer<typeof FlowStep>

/** waiting, held, inFlight, sent, skipped, failed, unknown and cancelled add up to planned (D6). */
export const FlowCounts = z.object({
  planned: z.number(),
  waiting: z.number(),
  held: z.number(),
  inFlight: z.number(),
  sent: z.number(),
  skipped: z.number(),
  failed: z.number(),
  unknown: z.number(),
  cancelled: z.number(),
})

/** Messages that were answered. Opens are what mail programs report (decision 22); nothing is decided by them. */
export const FlowResponses = z.object({
  /** By people. */
  clicked: z.number(),
  /** As reported, by what is taken for people. */
  opened: z.number(),
  /** By machines, and by nobody else. */
  openedByMachines: z.number(),
})

export const FlowView = z.object({
  id: z.uuid(),
  name: z.string(),
  isOn: z.boolean(),
  switchedOnAt: z.string().nullable(),
  holdoutPercent: z.number(),
  steps: z.array(FlowStep),
  counts: FlowCounts,
  responses: FlowResponses,
  /** What keeps the flow from being switched on, in sentences; empty when nothing does. */
  missing: z.array(z.string()),
  minDelayMinutes: z.number(),
})
export type FlowView = z.infer<typeof FlowView>

/** What stands in the way of a step by SMS, WhatsApp or push, in a sentence; null: nothing. */
const FlowChannels = z.object({
  sms: z.object({ problem: z.string().nullable() }),
  /** `template`: the approved text chosen under Settings, Sending, with its places. */
  whatsapp: z.object({ problem: z.string().nullable(), template: z.string().nullable() }),
  push: z.object({ problem: z.string().nullable() }),
})
export type FlowChannels = z.infer<typeof FlowChannels>

const flowParams = z.object({ flowId: z.uuid() })
const FlowReply = z.object({ flow: FlowView })

export const listFlows = endpoint({
  method: 'GET',
  path: '/api/flows',
  permission: 'flows:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The store’s flows',
  reply: z.object({ flows: z.array(FlowView), channels: FlowChannels }),
})

export const saveFlow = endpoint({
  method: 'PUT',
  path: '/api/flows/:flowId',
  permission: 'flows:write',
  scope: 'store',
  params: flowParams,
  query: storeQuery,
  summary: 'Change delays, channels, subjects and bodies; reaches messages not yet handed over',
  body: z.object({
    name: z.string().trim().min(1).max(120),
    steps: z
      .array(
        z.object({
          step: z.number().int().min(1).max(20),
          delayMinutes: z.number().int().min(1).max(43_200),
          /** Left out: as it is. */
          channel: z.enum(['email', 'sms', 'whatsapp', 'push']).optional(),
          /** Of a mail; of a notification its title. */
          subject: z.string().trim().max(200).default(''),
          /** Of a mail, an SMS or a notification; WhatsApp has its approved template. */
          body: z.string().max(50_000).default(''),
          /** null: none. Left out: as it is. */
          coupon: StepCoupon.nullable().optional(),
        }),
      )
      .min(1)
      .max(20),
  }),
  reply: FlowReply,
})

export const switchFlow = endpoint({
  method: 'POST',
  path: '/api/flows/:flowId/switch',
  permission: 'flows:switch',
  scope: 'store',
  params: flowParams,
  query: storeQuery,
  summary: 'Switch a flow on or off',
  body: z.object({
    isOn: z.boolean(),
    holdoutPercent: z.number().min(0).max(50).default(0),
    includeLast24h: z.boolean().default(false),
  }),
  reply: FlowReply,
})

export const previewFlow = endpoint({
  method: 'POST',
  path: '/api/flows/:flowId/preview',
  permission: 'flows:read',
  scope: 'store',
  params: flowParams,
  query: storeQuery,
  summary: 'One step for a real cart, or the sample cart, by the code that sends, and whether it would be sent now',
  body: z.object({
    step: z.number().int(),
    cartId: PreviewCart,
    /** Unsaved channel, text and coupon to preview instead of what is stored. */
    channel: z.enum(['email', 'sms', 'whatsapp', 'push']).optional(),
    subject: z.string().max(200).optional(),
    body: z.string().max(50_000).optional(),
    coupon: StepCoupon.nullable().optional(),
  }),
  reply: MessagePreview,
})

export const upcomingMessages = endpoint({
  method: 'GET',
  path: '/api/flows/:flowId/upcoming',
  permission: 'flows:read',
  scope: 'store',
  params: flowParams,
  query: storeQuery.extend({ minutes: z.coerce.number().int().min(1).max(1_440).default(60) }),
  summary: 'What is sent in the next hour if nothing changes, and how many carts the last 24 hours would add',
  reply: z.object({
    total: z.number(),
    /** Due as well, but nothing will leave as things stand. */
    notSent: z.array(z.object({ explanation: z.string(), count: z.number() })),
    cartsOfLast24h: z.number(),
    messages: z.array(
      z.object({
        cartId: z.string(),
        customer: z.string(),
        /** Email address or phone number. */
        to: z.string().nullable(),
        step: z.number(),
        channel: z.enum(['email', 'sms', 'whatsapp', 'push']),
        dueAt: z.string(),
        state: z.string(),
        explanation: z.string(),
      }),
    ),
  }),
})
