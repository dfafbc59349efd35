import { z } from 'zod'
import { FlowStepCoupon } from '../carts/coupons.ts'
import { FlowChannel, FlowConditions } from '../carts/flow-conditions.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { MessagePreview, PreviewCart } from '../delivery/reminders.ts'
import { MailDocumentSchema, StoredMailDocument } from '../messages/mail-document.ts'
import { LibraryKey } from './flow-library.ts'

// Flows, their steps and templates.

/** Per store. */
export const MAX_FLOWS = 20

const isOnce = (values: readonly string[]) => new Set(values).size === values.length

/** The coupon of a step's messages, and who gets it (decisions 35 and 36). */
export const StepCoupon = z.object({
  couponId: z.uuid(),
  /** What happens to a message whose coupon is invalid, or not for its shopper: sent without it, or not sent. */
  fallback: z.enum(['without', 'skip']),
  firstOrderOnly: z.boolean(),
  /** Excludes shoppers who used a coupon within this many days; null: no limit. */
  pauseDays: z.number().int().min(1).max(3_650).nullable(),
  /** Only for carts above this amount in the store's currency; null: for any. */
  aboveAmount: z.number().positive().max(1_000_000_000).nullable(),
})
export type StepCoupon = z.infer<typeof StepCoupon>

/** By channel; WhatsApp uses its approved template. */
export const StepTexts = z.object({
  email: z.object({
    subject: z.string(),
    body: z.string(),
    /** The email as a document. Replies always have it: the stored one, or the text as blocks. */
    design: StoredMailDocument.optional(),
  }),
  sms: z.object({ body: z.string() }),
  push: z.object({ title: z.string(), body: z.string() }),
})
export type StepTexts = z.infer<typeof StepTexts>

/** One text variant of a step; a split step has two to four (decision 55). */
export const FlowVariant = z.object({
  id: z.uuid(),
  /** A, B, C … in the order in which the step's variants began; unchanged when others end. */
  name: z.string(),
  sharePercent: z.number().int(),
  words: StepTexts,
})
export type FlowVariant = z.infer<typeof FlowVariant>

/** Name of the first, second … variant that a step has had. */
export const getVariantName = (index: number): string => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index] ?? String(index + 1)

export const FlowStep = z.object({
  /** Stable when the step moves. */
  id: z.uuid(),
  /** Position in the flow, from 1. */
  step: z.number().int(),
  /** Its original name, such as “First reminder”. */
  name: z.string(),
  delayMinutes: z.number().int().min(1).max(43_200),
  /** In the order in which they are tried (decision 54). */
  channels: z.array(FlowChannel),
  conditions: FlowConditions.nullable(),
  variants: z.array(FlowVariant),
  /** Includes ended variants; the next one is named after them. */
  variantsSoFar: z.number().int(),
  /** The first of its channels. */
  channel: FlowChannel,
  templateId: z.uuid(),
  templateKey: z.string(),
  templateName: z.string(),
  /** Text of the first variant. */
  subject: z.string(),
  body: z.string(),
  sms: z.string(),
  pushTitle: z.string(),
  pushBody: z.string(),
  coupon: StepCoupon.nullable(),
  /** Description of that coupon. */
  couponShown: FlowStepCoupon.nullable(),
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

/** Messages with a response. Opens are as reported by mail programs and affect nothing (decision 22). */
export const FlowResponses = z.object({
  /** A person clicked a link or restored the cart; counted as in the report (flow-report.ts). */
  clicked: z.number(),
  /** Reported opens that are attributed to people. */
  opened: z.number(),
  /** Opened only by machines. */
  openedByMachines: z.number(),
})

export const FlowView = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Position among the store's flows, from 1: a cart belongs to the first that matches it (decision 51). */
  position: z.number().int(),
  /** Which carts match; null: all. */
  conditions: FlowConditions.nullable(),
  isOn: z.boolean(),
  switchedOnAt: z.string().nullable(),
  holdoutPercent: z.number(),
  steps: z.array(FlowStep),
  counts: FlowCounts,
  responses: FlowResponses,
  /** What prevents activation, as sentences; empty: nothing. */
  missing: z.array(z.string()),
  minDelayMinutes: z.number(),
  /**
   * In the last `days` days: messages with an attributed order, and the revenue of these orders in the store's
   * currency.
   */
  brought: z.object({ days: z.number(), orders: z.number(), revenue: z.number() }),
  currency: z.string(),
})
export type FlowView = z.infer<typeof FlowView>

/** What prevents a step by SMS, WhatsApp or push, as a sentence; null: nothing. */
const FlowChannels = z.object({
  sms: z.object({ problem: z.string().nullable() }),
  /** `template`: the approved text chosen under Settings, Sending, with its variables. */
  whatsapp: z.object({ problem: z.string().nullable(), template: z.string().nullable() }),
  push: z.object({ problem: z.string().nullable() }),
})
export type FlowChannels = z.infer<typeof FlowChannels>

const flowParams = z.object({ flowId: z.uuid() })
const FlowReply = z.object({ flow: FlowView })

export const flowTexts = {
  rulesPlan: 'Multiple flows, conditions and A/B tests require the Starter plan. Please upgrade to use them.',
  switchOffFirst: 'Switch the flow off before you delete it.',
  tooMany: `A store has at most ${MAX_FLOWS} flows.`,
  listChanged: 'The list of flows has changed in the meantime. Please reload it.',
  stepAdded: 'Someone else added a message to this flow. Discard your changes to see it.',
} as const

/** Effect of an edit on unsent messages (decision 53). */
export const SaveEffect = z.object({
  /** Their due time changes. */
  moved: z.number(),
  /** Of these: due at once, because the new time has passed. */
  dueNow: z.number(),
  /** Not in `moved`: their new time precedes a later message that was sent or is due, so they are not sent. */
  overtaken: z.number(),
  /** Messages of removed steps. */
  cancelled: z.number(),
  /** Planned for added steps. */
  added: z.number(),
  /** Carts that miss an added step because its time has passed. */
  tooLate: z.number(),
  /** Decided again, because channels, text, coupon or conditions have changed. */
  changed: z.number(),
})
export type SaveEffect = z.infer<typeof SaveEffect>

export const listFlows = endpoint({
  method: 'GET',
  path: '/api/flows',
  permission: 'flows:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The store’s flows in order with their results, and the library for new flows',
  reply: z.object({
    flows: z.array(FlowView),
    channels: FlowChannels,
    /** What each library entry needs and the store lacks, as sentences. */
    library: z.array(z.object({ key: LibraryKey, missing: z.array(z.string()) })),
    /** Several flows, conditions and variants are in the plan (decision 52). */
    isRulesInPlan: z.boolean(),
  }),
})

export const createFlow = endpoint({
  method: 'POST',
  path: '/api/flows',
  permission: 'flows:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Create a flow from the library: switched off and last in order',
  body: z.object({
    from: LibraryKey,
    /** Coupon for the last step of `last_discount`. */
    couponId: z.uuid().optional(),
  }),
  reply: FlowReply,
})

export const copyFlow = endpoint({
  method: 'POST',
  path: '/api/flows/:flowId/copy',
  permission: 'flows:write',
  scope: 'store',
  params: flowParams,
  query: storeQuery,
  summary: 'Duplicate a flow: switched off and right after the original',
  reply: FlowReply,
})

export const orderFlows = endpoint({
  method: 'PUT',
  path: '/api/flows/order',
  permission: 'flows:write',
  scope: 'store',
  query: storeQuery,
  summary: 'Set the order in which flows are matched to carts',
  body: z.object({ flowIds: z.array(z.uuid()).min(1).max(MAX_FLOWS) }),
  reply: z.object({ flows: z.array(FlowView) }),
})

export const deleteFlow = endpoint({
  method: 'DELETE',
  path: '/api/flows/:flowId',
  permission: 'flows:write',
  scope: 'store',
  params: flowParams,
  query: storeQuery,
  summary: 'Delete a flow that is off; its open messages are cancelled',
  reply: z.object({ ok: z.literal(true), cancelled: z.number() }),
})

/** Without a document, an email has a subject and a body. */
function requireContent(
  { design, ...texts }: { subject?: string | undefined; body?: string | undefined; design?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (design) return
  if (texts.subject === undefined)
    context.addIssue({ code: 'custom', path: ['subject'], message: 'Subject is required' })
  if (texts.body === undefined) context.addIssue({ code: 'custom', path: ['body'], message: 'Body is required' })
}

const subject = z.string().trim().max(200)
const body = z.string().max(50_000)
const SavedContent = z.object({
  email: z
    .object({
      subject: subject.optional(),
      body: body.optional(),
      /** Replaces subject and body. Missing: they replace it if they differ from the stored ones. */
      design: MailDocumentSchema.nullable().optional(),
    })
    .superRefine(requireContent)
    .optional(),
  sms: z.object({ body }).optional(),
  push: z.object({ title: subject, body }).optional(),
})

export const SaveFlow = z.object({
  name: z.string().trim().min(1).max(120),
  /** null: all carts. Missing: unchanged. */
  conditions: FlowConditions.nullable().optional(),
  /**
   * Ids of the stored steps that the member has seen; if another is stored, the save is rejected. Missing: no check.
   */
  seenSteps: z.array(z.uuid()).max(20).optional(),
  /** In order; stored steps that are missing here are removed. */
  steps: z
    .array(
      z.object({
        /** Missing: a new step. */
        id: z.uuid().optional(),
        delayMinutes: z.number().int().min(1).max(43_200),
        /** Missing: unchanged; email for a new step. */
        channels: z.array(FlowChannel).min(1).max(4).refine(isOnce, 'Each channel may be listed only once.').optional(),
        /** null: none. Missing: unchanged. */
        conditions: FlowConditions.nullable().optional(),
        /** null: none. Missing: unchanged. */
        coupon: StepCoupon.nullable().optional(),
        /** Missing: unchanged. A new variant fills missing texts from the first variant, or from the default text. */
        variants: z
          .array(
            z.object({
              id: z.uuid().optional(),
              sharePercent: z.number().int().min(1).max(100),
              words: SavedContent.default({}),
            }),
          )
          .min(1)
          .max(4)
          .optional(),
      }),
    )
    .min(1)
    .max(20),
})
export type SaveFlow = z.infer<typeof SaveFlow>

export const saveFlow = endpoint({
  method: 'PUT',
  path: '/api/flows/:flowId',
  permission: 'flows:write',
  scope: 'store',
  params: flowParams,
  query: storeQuery,
  summary: 'Change a flow and its steps; applies to messages not yet sent',
  body: SaveFlow,
  reply: z.object({ flow: FlowView, effect: SaveEffect }),
})

export const trySaveFlow = endpoint({
  method: 'POST',
  path: '/api/flows/:flowId/effect',
  permission: 'flows:write',
  scope: 'store',
  stops: true,
  params: flowParams,
  query: storeQuery,
  summary: 'What saving would do to messages not yet sent; nothing is changed',
  body: SaveFlow,
  reply: z.object({ effect: SaveEffect }),
})

export const searchCategories = endpoint({
  method: 'GET',
  path: '/api/flows/categories',
  permission: 'flows:read',
  scope: 'store',
  query: storeQuery.extend({
    /** Prefix of a name. */
    search: z.string().trim().max(100).default(''),
    /** Returns the categories with these ids instead, separated by commas. */
    ids: z.string().max(5_000).optional(),
  }),
  summary: 'Categories of the store’s products, for a condition; at most 50',
  reply: z.object({
    categories: z.array(z.object({ id: z.string(), name: z.string() })),
    /** The platform's term. */
    noun: z.enum(['category', 'product type']),
    /** The store's products have been read with their categories. */
    isKnown: z.boolean(),
  }),
})

export const chooseWinner = endpoint({
  method: 'POST',
  path: '/api/flows/:flowId/steps/:stepId/winner',
  permission: 'flows:write',
  scope: 'store',
  params: flowParams.extend({ stepId: z.uuid() }),
  query: storeQuery,
  summary: 'Use one variant for all further messages of a split step',
  body: z.object({ variantId: z.uuid() }),
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
  summary: 'Preview one step for a real cart or the sample cart, rendered by the sending code, with the send decision',
  body: z.object({
    /** Id or position of a stored step; neither: an unsaved step, given by channel and body. */
    stepId: z.uuid().optional(),
    step: z.number().int().optional(),
    variantId: z.uuid().optional(),
    cartId: PreviewCart,
    /** Unsaved channel, text, coupon and conditions, which replace the stored ones in the preview. */
    channel: z.enum(['email', 'sms', 'whatsapp', 'push']).optional(),
    subject: z.string().max(200).optional(),
    body: z.string().max(50_000).optional(),
    design: MailDocumentSchema.nullable().optional(),
    coupon: StepCoupon.nullable().optional(),
    conditions: FlowConditions.nullable().optional(),
    /** Unsaved conditions of the flow itself. */
    entry: FlowConditions.nullable().optional(),
  }),
  reply: MessagePreview,
})
