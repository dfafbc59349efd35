import { z } from 'zod'
import { endpoint, storeQuery } from './endpoint.ts'

// What became of a flow's messages (decision 57), and of the variants of its steps (decision 55).

export const ReportedVariant = z.object({
  variantId: z.uuid(),
  /** A, B …, in the order in which they began. */
  name: z.string(),
  isCurrent: z.boolean(),
  sharePercent: z.number(),
  /** Messages that were accepted; those clicked by a person, and with an order attributed. */
  people: z.number(),
  clicked: z.number(),
  bought: z.number(),
  revenue: z.number(),
  /**
   * How many more of 100 bought than with the first, of all messages since the split began, whatever the days of the report: the interval that
   * holds whenever one looks (decision 59), 95 % for all comparisons of the step together. null: of the first, or too few have bought yet.
   */
  comparison: z.object({ lower: z.number(), upper: z.number(), excludesZero: z.boolean() }).nullable(),
})
export type ReportedVariant = z.infer<typeof ReportedVariant>

export const reportDays = [7, 30, 90] as const

export const FlowReport = z.object({
  days: z.literal(reportDays),
  /** Days of the store's calendar, both included. */
  from: z.string(),
  to: z.string(),
  /** What happened since may be missing of what was sent; null: nothing was counted yet. */
  countedAt: z.string().nullable(),
  currency: z.string(),
  /** In their order, then those that were removed. */
  steps: z.array(
    z.object({
      stepId: z.uuid(),
      /** Its place; null: it was removed. */
      step: z.number().nullable(),
      name: z.string(),
      /** In these days, by the day it was planned. */
      planned: z.number(),
      /** Accepted by a provider, of those that left in these days; all that follows is of them. */
      sent: z.number(),
      /** Known to have arrived, of `reporting`; null: nothing left by a channel that reports it. */
      delivered: z.number().nullable(),
      /** Of `sent`: by SMS, WhatsApp or push, which report it; of email nobody does. */
      reporting: z.number(),
      /** By people. */
      clicked: z.number(),
      /** With an order attributed. */
      orders: z.number(),
      revenue: z.number(),
      /** Per message sent; null: none was. */
      revenuePerRecipient: z.number().nullable(),
      unsubscribed: z.number(),
      /** Closed in these days without being sent, by reason, the most frequent first; also of what was planned before them. */
      skipped: z.array(z.object({ reason: z.string(), explanation: z.string(), count: z.number() })),
      /** Of a step that is split, or was. */
      variants: z.array(ReportedVariant),
      /** Purchases that each variant needs for a comparison to be shown; null: it is, or there is none. */
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
    'What became of a flow’s messages in 7, 30 or 90 days: sent, clicked, orders, revenue, not sent by reason, by step and variant',
  reply: z.object({ report: FlowReport }),
})
