import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { buildPageFields, DownloadLink, Pagination } from '../core/paging.ts'
import { Money } from '../delivery/reminders.ts'
import { FlowCounts } from './flows.ts'

// The report of a campaign (decision 48). All figures are counts of its messages and their orders.

export const recipientStates = [
  'waiting',
  'held',
  'inFlight',
  'sent',
  'skipped',
  'failed',
  'unknown',
  'cancelled',
] as const
export type RecipientState = (typeof recipientStates)[number]

const params = z.object({ id: z.guid() })

export const CampaignReport = z.object({
  counts: FlowCounts,
  /** Accepted by the provider and confirmed as delivered. */
  delivered: z.number(),
  /** People, as reported by mail programs; opens never change what is sent (decision 22). */
  opened: z.number(),
  openedByMachines: z.number(),
  /** People who clicked or restored. */
  clicked: z.number(),
  /** Orders attributed to its messages, and their net revenue. */
  orders: z.number(),
  revenue: z.array(Money),
  unsubscribed: z.number(),
  bounced: z.number(),
  complained: z.number(),
  /** Clicks of people by link target. */
  links: z.array(z.object({ target: z.string(), clicks: z.number(), people: z.number() })),
  /** Newest first. */
  runs: z.array(
    z.object({
      run: z.number(),
      startedAt: z.string(),
      /** null: the rows are still being created. */
      plannedAt: z.string().nullable(),
      counts: FlowCounts,
      orders: z.number(),
      revenue: z.array(Money),
    }),
  ),
  /** Failed messages that a retry would send now, at most 10,000; never those with an unknown result. */
  retryable: z.number(),
  /** Held messages, the earliest time of the next attempt (`firstUntil`) and the most frequent reason; null: none. */
  held: z.object({ count: z.number(), firstUntil: z.string(), explanation: z.string() }).nullable(),
})
export type CampaignReport = z.infer<typeof CampaignReport>

export const readCampaignReport = endpoint({
  method: 'GET',
  path: '/api/campaigns/:id/report',
  permission: 'carts:read',
  scope: 'store',
  params,
  query: storeQuery,
  summary: 'A campaign’s report: counts by state, clicks, orders and revenue, by link and by run',
  reply: z.object({ report: CampaignReport }),
})

const filterFields = {
  state: z.enum(recipientStates).optional(),
  run: z.coerce.number().int().min(1).max(1_000_000).optional(),
}

export const CampaignRecipient = z.object({
  messageId: z.string(),
  shopperId: z.string(),
  cartId: z.string().nullable(),
  customer: z.string(),
  to: z.string().nullable(),
  run: z.number(),
  state: z.enum(recipientStates),
  reason: z.string().nullable(),
  explanation: z.string(),
  dueAt: z.string(),
  /** For a held message: the earliest time of its send. */
  heldUntil: z.string().nullable(),
  sentAt: z.string().nullable(),
})
export type CampaignRecipient = z.infer<typeof CampaignRecipient>

export const listCampaignRecipients = endpoint({
  method: 'GET',
  path: '/api/campaigns/:id/recipients',
  permission: 'carts:read',
  scope: 'store',
  params,
  query: storeQuery.extend({ ...filterFields, ...buildPageFields({ limit: 50, max: 100 }) }),
  summary: 'A campaign’s recipients, with the state of each message and its reason',
  reply: z.object({ recipients: z.array(CampaignRecipient), pagination: Pagination }),
})

export const exportCampaignRecipients = endpoint({
  method: 'GET',
  path: '/api/campaigns/:id/export',
  permission: 'account:export',
  scope: 'store',
  params,
  query: storeQuery.extend(filterFields),
  summary: 'A link, valid for two minutes, to a campaign’s recipients as a CSV file',
  reply: DownloadLink,
})

export const retryCampaign = endpoint({
  method: 'POST',
  path: '/api/campaigns/:id/retry',
  permission: 'carts:write',
  scope: 'store',
  params,
  query: storeQuery,
  summary: 'Retry a campaign’s failed messages, each as a new message; messages of unknown outcome are not retried',
  reply: z.object({ success: z.literal(true), retried: z.number() }),
})

export const cancelHeldMessages = endpoint({
  method: 'POST',
  path: '/api/campaigns/:id/drop-held',
  permission: 'carts:write',
  scope: 'store',
  stops: true,
  params,
  query: storeQuery,
  summary: 'Close a campaign’s messages on hold; other open messages continue',
  reply: z.object({ success: z.literal(true), dropped: z.number() }),
})
