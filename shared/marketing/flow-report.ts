import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// The report of a flow (decision 57) and of the variants of its steps (decision 55).

export const ReportedVariant = z.object({
  variantId: z.uuid(),
  /** A, B …, in the order of their start. */
  name: z.string(),
  isCurrent: z.boolean(),
  sharePercent: z.number(),
  /** Accepted messages, those clicked by a person, and those with an attributed order. */
  people: z.number(),
  clicked: z.number(),
  bought: z.number(),
  revenue: z.number(),
  /**
   * Difference in purchases per 100 people to the first variant, since the split began and independent of the report's
   * days. The interval is valid at any time (decision 59), with 95 % for all comparisons of the step together.
   * null: the first variant, or too few purchases.
   */
  comparison: z.object({ lower: z.number(), upper: z.number(), excludesZero: z.boolean() }).nullable(),
})
export type ReportedVariant = z.infer<typeof ReportedVariant>

export const reportDays = [7, 30, 90] as const

export const FlowReport = z.object({
  days: z.literal(reportDays),
  /** Days of the store's calendar, both inclusive. */
  from: z.string(),
  to: z.string(),
  /** Later events may be missing; null: nothing was counted yet. */
  countedAt: z.string().nullable(),
  currency: z.string(),
  /** In flow order, then removed steps. */
  steps: z.array(
    z.object({
      stepId: z.uuid(),
      /** Position; null: removed. */
      step: z.number().nullable(),
      name: z.string(),
      /** Planned in these days. */
      planned: z.number(),
      /** Sent in these days and accepted by a provider; the following figures refer to these. */
      sent: z.number(),
      /** Confirmed as delivered, of `reporting`; null: no channel reported deliveries. */
      delivered: z.number().nullable(),
      /** Those of `sent` by SMS, WhatsApp or push, which report deliveries; email does not. */
      reporting: z.number(),
      /** By people. */
      clicked: z.number(),
      /** With an attributed order. */
      orders: z.number(),
      revenue: z.number(),
      /** Per sent message; null: none was sent. */
      revenuePerRecipient: z.number().nullable(),
      unsubscribed: z.number(),
      /** Closed in these days without a send, by reason, most frequent first; includes messages planned earlier. */
      skipped: z.array(z.object({ reason: z.string(), explanation: z.string(), count: z.number() })),
      /** For a step that is or was split. */
      variants: z.array(ReportedVariant),
      /** Purchases that each variant needs for a comparison; null: it is shown, or there is none. */
      purchasesNeeded: z.number().nullable(),
    }),
  ),
})
export type FlowReport = z.infer<typeof FlowReport>

export const flowReport = endpoint({
  method: 'GET',
  path: '/api/flows/:flowId/report',
  permission: 'flows:read',
  scope: 'store',
  params: z.object({ flowId: z.uuid() }),
  query: storeQuery.extend({ days: z.coerce.number().pipe(z.literal(reportDays)).default(30) }),
  summary:
    'A flow’s results of 7, 30 or 90 days by step and variant: sent, clicked, orders, revenue, and reasons for not sending',
  reply: z.object({ report: FlowReport }),
})
