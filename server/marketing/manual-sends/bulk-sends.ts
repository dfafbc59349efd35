import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { explain } from '../../../shared/delivery/reasons.ts'
import type { BulkSend, BulkSendItem, SendChannel, sendWhatsappBulk } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type Db, describePage, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import { findTemplate } from '../../delivery/preview/preview.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './bulk-sends-sql.ts'
import { type IdempotentRequest, withIdempotencyKey } from './idempotency.ts'
import { assertMaySend, countCustomText, resolveDesign } from './manual.ts'
import { type Items, planItems } from './plan-items.ts'

// Bulk sends (D9): one request writes one row per message, and the rows are the job. After a crash, any process
// continues from them.

export interface JobRequest {
  channel: SendChannel
  cartIds: readonly string[]
  subject?: string | undefined
  body?: string | undefined
  /** Replaces subject and body. */
  design?: MailDocument | null | undefined
  /** null: now. A temporary reason then fails the item (D11). */
  sendAt: Date | null
  overrideHoldout: boolean
}

export async function startJob(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  asked: JobRequest,
): Promise<{ jobId: string }> {
  const jobRequest = { ...asked, ...(asked.channel === 'email' && resolveDesign(asked)) }
  const cartIds = [...new Set(jobRequest.cartIds)]
  await assertMaySend(deps, request.account, jobRequest.channel)
  await assertTextRenders(deps, { accountId: request.session.accountId, store }, jobRequest)
  if (jobRequest.overrideHoldout && cartIds.length > 1) {
    throw new AppError('unprocessable', 'People in the control group can only be messaged one at a time.')
  }
  const requestedBy = request.session.userId
  const job = await withIdempotencyKey(deps, store, request, {
    make: async (tx, jobId) => {
      await countCustomText(deps, tx, request, { ...jobRequest, count: cartIds.length })
      await planJob(deps, tx, { ...jobRequest, cartIds, jobId, requestedBy })
    },
    answer: async (jobId) => ({ jobId }),
  })
  await refreshLargeJobStatistics(deps, store, cartIds.length)
  return job
}

/** From this many rows on, a job outdates the planner statistics of its tables. */
const LARGE_JOB_ROWS = 1_000

export async function refreshLargeJobStatistics(
  deps: Pick<Deps, 'log'>,
  store: StoreDb<Db>,
  count: number,
): Promise<void> {
  if (count < LARGE_JOB_ROWS) return
  await sql.refreshStatistics(store).catch((error) => deps.log.warn({ err: error }, 'jobs.no-statistics'))
}

async function planJob(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: StoreTx,
  jobRequest: JobRequest & { jobId: string; requestedBy: string },
): Promise<void> {
  const { jobId, channel, requestedBy, sendAt, cartIds } = jobRequest
  const job = { id: jobId, channel, requestedBy, sendAt, couponId: null, cartUrl: null, now: deps.now() }
  await sql.insertJob(tx, job)
  const templateId = await findTemplate(tx, jobRequest)
  const { subject = null, body = null, design = null } = jobRequest
  const texts = { templateId, subject, body, design }
  const common = { ...job, ...texts, jobId, overridesHoldout: jobRequest.overrideHoldout }
  const planned = await planItems(deps, tx, common, { carts: cartIds.map((cartId) => ({ id: createId(), cartId })) })
  const known = new Set(planned.cartIds)
  const missing = cartIds.filter((id) => !known.has(id))
  if (missing.length > 0) await sql.recordMissing(tx, jobId, missing)
}

/** Retries failed items whose reason can pass, each as a new message. Of two concurrent requests, one finds none. */
export async function retryJob(
  deps: Pick<Deps, 'jobs' | 'now'>,
  store: StoreDb<Db>,
  jobId: string,
  requestedBy: string,
) {
  const job = requireFound(await sql.readJob(store, jobId), 'Job')
  const retried = await transact(store, async (tx) => {
    const failed = await sql.claimFailed(tx, jobId)
    const [first] = failed
    if (!first) return 0
    // All items of a job have the same text.
    const { subject, body, design, overrides_holdout: overridesHoldout } = first
    const texts = { subject, body, design, overridesHoldout }
    const offer = { couponId: job.coupon_id, cartUrl: job.cart_url, templateId: first.template_id }
    const common = { jobId, channel: job.channel, sendAt: job.send_at, requestedBy, ...offer, ...texts }
    const items = job.coupon_id ? keepOnePerPerson(failed) : failed
    const planned = await planItems(deps, tx, common, retryItems(items, job))
    const plannedIds = new Set([...planned.cartIds, ...planned.shopperIds])
    const tried = items.filter((item) => plannedIds.has(item.cart_id ?? item.shopper_id))
    // Carts that turned out to be none stay failed.
    const remaining = failed.filter((item) => !tried.includes(item)).map((item) => item.message_id)
    if (remaining.length > 0) await sql.releaseItems(tx, remaining)
    return tried.length
  })
  return { jobId, retried }
}

/** Shoppers may have been merged since. */
const keepOnePerPerson = (items: readonly sql.ClaimedItem[]) => [
  ...new Map(items.map((item) => [item.shopper_id, item] as const)).values(),
]

/** A new origin, because the first message of each person is kept. A purchase since the request still counts. */
function retryItems(items: readonly sql.ClaimedItem[], job: sql.JobRow): Items {
  const rows = items.map((item) => ({ id: createId(), cartId: item.cart_id, shopperId: item.shopper_id }))
  const carts = rows.flatMap(({ id, cartId }) => (cartId ? [{ id, cartId }] : []))
  const people = rows.filter(({ cartId }) => cartId === null)
  return { carts, lone: { people, originId: createId(), purchasesSince: job.created_at } }
}

export interface JobPage {
  page: number
  limit: number
  outcome?: z.infer<typeof BulkSendItem>['outcome'] | undefined
}

export async function readJob(
  store: StoreDb<Db>,
  jobId: string,
  { page, limit, outcome }: JobPage,
): Promise<z.infer<typeof BulkSend>> {
  const job = requireFound(await sql.readJob(store, jobId), 'Job')
  const counted = await sql.countOutcomes(store, jobId)
  const counts = {
    waiting: counted.waiting ?? 0,
    sent: counted.sent ?? 0,
    unknown: counted.unknown ?? 0,
    failed: (counted.failed ?? 0) + job.missing.length,
  }
  const total = counts.waiting + counts.sent + counts.unknown + counts.failed
  const listed = outcome ? counts[outcome] : total
  const items = await sql.listItems(store, jobId, { outcome: outcome ?? null, limit, offset: (page - 1) * limit })
  return {
    jobId,
    channel: job.channel,
    isDiscount: job.coupon_id !== null,
    state: counts.waiting > 0 ? 'running' : 'done',
    createdAt: job.created_at.toISOString(),
    sendAt: job.send_at?.toISOString() ?? null,
    total,
    done: total - counts.waiting,
    counts,
    retryable: counts.failed > 0 ? await sql.countRetryable(store, jobId) : 0,
    results: items.map((item) => presentItem(item, job.channel)),
    pagination: describePage({ page, limit }, listed),
  }
}

const waitingText = {
  waiting: 'The message is on its way.',
  sent: 'The message was sent.',
  unknown: '',
  failed: '',
} as const

function presentItem(item: sql.ItemRow, channel: SendChannel): z.infer<typeof BulkSendItem> {
  return {
    cartId: item.cart_id,
    shopperId: item.shopper_id,
    customer: item.customer ?? '',
    to: item.to_address,
    messageId: item.message_id,
    outcome: item.outcome,
    reason: item.reason,
    explanation: explain(item.reason, channel, item.response) || waitingText[item.outcome],
  }
}

/** How long the bulk call waits for all results; the rest is available from the job. */
const PATIENCE_MS = 10_000

/** B 7: WhatsApp messages to several carts with a result for each. */
export async function sendBulk(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  jobRequest: JobRequest,
): Promise<z.infer<typeof sendWhatsappBulk.reply>> {
  const { jobId } = await startJob(deps, store, request, jobRequest)
  const started = performance.now()
  while (performance.now() - started < PATIENCE_MS) {
    const counts = await sql.countOutcomes(store, jobId)
    if ((counts.waiting ?? 0) === 0) break
    await sleep(200)
  }
  const items = await sql.listItems(store, jobId, { outcome: null, limit: jobRequest.cartIds.length, offset: 0 })
  return { results: groupResults(items, jobRequest.channel), jobId }
}

function groupResults(items: readonly sql.ItemRow[], channel: SendChannel) {
  const successful = items.flatMap(({ cart_id, message_id, outcome }) =>
    outcome === 'failed' || !message_id
      ? []
      : [
          {
            cartId: cart_id!,
            messageId: message_id,
            state: outcome === 'sent' ? ('sent' as const) : ('on_its_way' as const),
          },
        ],
  )
  const failed = items
    .filter((item) => item.outcome === 'failed')
    .map((item) => ({ cartId: item.cart_id!, reason: item.reason ?? 'failed', error: explain(item.reason, channel) }))
  return { successful, failed }
}
