import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { reminderTexts, type SendChannel, type SendReply, type smsStatus } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { assertMayMail, takeOwnText } from '../../access/members/public.ts'
import { requireFeature } from '../../billing/billing/public.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import { loadAccountMailRoute } from '../../delivery/email/public.ts'
import { findTemplate } from '../../delivery/preview/preview.ts'
import type { Deps } from '../../deps.ts'
import {
  findProgress,
  findTextStatus,
  isClaimed,
  isFailedState,
  isOpen,
  isSending,
  scheduleNextRun,
  selectNewestSend,
  sendDueMessages,
  wasAttempted,
} from '../../messages/messages/public.ts'
import { type ContentChange, type EmailContent, resolveContent } from '../../messages/templates/public.ts'
import { type IdempotentRequest, withIdempotencyKey } from './idempotency.ts'
import { delayLoss, insertManualMessage } from './manual-sql.ts'

// Manual messages to one cart (D11). The message uses the common send path with priority, and the request waits for the
// result. A temporary reason is returned; the message is not held.

/** Age limit of a manual message (D7). */
export const MANUAL_AGE_MS = 3_600_000
/** Priority over the store's other messages, because a member is waiting. */
export const PRIORITY_MS = 3_600_000

export interface ManualRequest {
  cartId: string
  channel: SendChannel
  /** X5: the cart's contact or a customer of the store. Default: the cart's contact. */
  to?: string | undefined
  subject?: string | undefined
  body?: string | undefined
  /** Replaces subject and body. */
  design?: MailDocument | null | undefined
  templateKey?: string | undefined
  overrideHoldout: boolean
  /** null: now. */
  sendAt: Date | null
}

/** Throws an AppError with a message: the plan, the address, or the first rule that blocks the send. */
export async function sendManually(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  asked: ManualRequest,
): Promise<SendReply> {
  const manualRequest = { ...asked, ...resolveDesign(asked) }
  await assertMaySend(deps, request.account, manualRequest.channel)
  const cart = requireFound(await readContact(store, manualRequest.cartId), 'Cart')
  const toAddress = await otherAddress(store, cart, manualRequest)
  const owner = { accountId: request.session.accountId, store }
  await assertTextRenders(deps, owner, manualRequest)
  const reply = await withIdempotencyKey(deps, store, request, {
    make: async (tx, id) => {
      await countCustomText(deps, tx, request, { ...manualRequest, count: 1 })
      await planOne(deps, tx, { id, requestedBy: request.session.userId, toAddress }, manualRequest)
    },
    answer: (id) =>
      manualRequest.sendAt
        ? buildScheduledReply(id, manualRequest.sendAt)
        : waitForReply(store, id, manualRequest.channel),
  })
  return reply
}

/** The content of a request with a document; nothing without one, because a template may have the text. */
export const resolveDesign = ({ subject, body, design }: ContentChange): Partial<EmailContent> =>
  design ? resolveContent({ subject: subject === reminderTexts.subject ? undefined : subject, body, design }, null) : {}

/** Decision 6: manual SMS and WhatsApp are part of Starter and Growth. */
export async function assertPlanHas(deps: Pick<Deps, 'now'>, account: AccountDb, channel: SendChannel): Promise<void> {
  if (channel === 'email') return
  const sentence = channel === 'sms' ? reminderTexts.smsPlan : reminderTexts.whatsappPlan
  await requireFeature(account, deps.now(), { feature: 'manual_texts', sentence })
}

/** Mail without a mail server is rejected, not stored. */
async function assertMailRoute(deps: Pick<Deps, 'config'>, account: AccountDb, channel: SendChannel): Promise<void> {
  if (channel !== 'email' || (await loadAccountMailRoute(deps, account)) !== 'none') return
  const reason = 'mail_not_configured'
  throw new AppError('unprocessable', explain(reason), { fields: { reason } })
}

/** Checks the plan's channels, the mail server and the confirmed address. */
export async function assertMaySend(
  deps: Pick<Deps, 'config' | 'now'>,
  account: AccountDb,
  channel: SendChannel,
): Promise<void> {
  await assertPlanHas(deps, account, channel)
  await assertMailRoute(deps, account, channel)
  if (channel === 'email') await assertMayMail(account)
}

/**
 * Limits mails with custom text from young accounts. Counted in the transaction of the send, so a repeated request
 * counts nothing.
 */
export async function countCustomText(
  deps: Pick<Deps, 'config' | 'now' | 'secrets'>,
  { db }: StoreTx,
  { session }: IdempotentRequest,
  { channel, subject, body, count }: Pick<ManualRequest, 'channel' | 'subject' | 'body'> & { count: number },
): Promise<void> {
  if (channel !== 'email') return
  const hasOwnSubject = subject !== undefined && subject !== reminderTexts.subject
  if (hasOwnSubject || body !== undefined) await takeOwnText(deps, { accountId: session.accountId, db }, count)
}

async function otherAddress(
  store: StoreDb<Db>,
  cart: { email: string | null },
  { to, channel }: ManualRequest,
): Promise<string | null> {
  if (to === undefined || channel !== 'email') return null
  const email = normalizeEmail(to)
  if (email && email === cart.email) return null
  if (email && (await isCustomer(store, email))) return email
  throw new AppError('unprocessable', 'This address is neither this cart’s contact nor a customer of the store.')
}

async function planOne(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: StoreTx,
  { id, requestedBy, toAddress }: { id: string; requestedBy: string; toAddress: string | null },
  manualRequest: ManualRequest,
): Promise<void> {
  const now = deps.now()
  const dueAt = manualRequest.sendAt ?? now
  await delayLoss(tx, [manualRequest.cartId], dueAt)
  const cartIds = await insertManualMessage(tx, {
    rows: [{ id, cartId: manualRequest.cartId }],
    channel: manualRequest.channel,
    jobId: null,
    requestedBy,
    toAddress,
    templateId: await findTemplate(tx, manualRequest, manualRequest.templateKey),
    subject: manualRequest.subject ?? null,
    body: manualRequest.body ?? null,
    design: manualRequest.design ?? null,
    couponId: null,
    cartUrl: null,
    isImmediate: manualRequest.sendAt === null,
    overridesHoldout: manualRequest.overrideHoldout,
    dueAt,
    expiresAt: new Date(dueAt.getTime() + MANUAL_AGE_MS),
    wakeAt: manualRequest.sendAt ?? new Date(now.getTime() - PRIORITY_MS),
    now,
  })
  if (cartIds.length === 0) throw new AppError('not_found', 'Cart not found')
  await scheduleNextRun(tx)
  if (!manualRequest.sendAt) await deps.jobs.enqueue(tx.db, sendDueMessages, { storeId: tx.storeId }, tx.storeId)
}

async function buildScheduledReply(messageId: string, dueAt: Date): Promise<SendReply> {
  const message = reminderTexts.emailScheduled
  return { success: true, message, state: 'scheduled', messageId, dueAt: dueAt.toISOString() }
}

/** How long the request waits for a result; a slower provider finishes in the background. */
const PATIENCE_MS = 8_000
const POLL_MS = 100

/** Waits for a result and returns it. */
export async function waitForReply(store: StoreDb<Db>, messageId: string, channel: SendChannel): Promise<SendReply> {
  const started = performance.now()
  for (;;) {
    const row = requireFound(await readProgress(store, messageId), 'Message')
    const answer = buildReply(row, messageId, channel)
    if (answer) return answer
    if (performance.now() - started > PATIENCE_MS) {
      return { success: true, message: reminderTexts.onItsWay, state: 'on_its_way', messageId }
    }
    await sleep(POLL_MS)
  }
}

const sentTexts = {
  email: reminderTexts.emailSent,
  sms: reminderTexts.smsSent,
  whatsapp: reminderTexts.whatsappSent,
} as const

/** null: no result yet. Throws the rejection. */
function buildReply(row: Progress, messageId: string, channel: SendChannel): SendReply | null {
  const base = { success: true as const, messageId }
  const progress = findProgress(row.state)
  if (progress === 'refused') throw describeRejection(row, channel)
  if (progress === 'accepted') return { ...base, message: sentTexts[channel], state: 'sent' }
  if (progress === 'pending') return null
  return { ...base, message: explain(row.reason, channel, row.provider_response), state: 'on_its_way' }
}

/** The reason as text; `fields` has the reason's code and when to try again. */
export function describeRejection(
  row: Pick<Progress, 'state' | 'reason' | 'until' | 'provider_response'>,
  channel: SendChannel,
) {
  const reason = row.reason ?? row.state
  const sentence = explain(reason, channel)
  const answer = isFailedState(row.state) && row.provider_response ? ` (${row.provider_response})` : ''
  const fields = { reason, ...(row.until ? { until: row.until.toISOString() } : {}) }
  const code = reason === 'plan_limit' || reason === 'store_resting' ? 'plan_required' : 'unprocessable'
  return new AppError(code, `${sentence}${answer}`, { fields })
}

/** Status of the cart's newest SMS (B 7). */
export async function readSmsStatus(store: StoreDb<Db>, cartId: string): Promise<z.infer<typeof smsStatus.reply>> {
  const cart = requireFound(await readContact(store, cartId), 'Cart')
  const sms = (await textStates(store, [cart.id])).find((row) => row.channel === 'sms')
  const status = sms ? findTextStatus(sms.state) : null
  return {
    status,
    attempts: sms?.attempts ?? 0,
    lastSent: sms && status !== 'sending' ? sms.at.toISOString() : null,
    delivered: status === 'delivered',
    error: status === 'failed' ? explain(sms!.reason, 'sms') : null,
  }
}

export interface TextView {
  status: string
  at: Date | null
  readAt: Date | null
}

/** Message states of a page of carts. */
export async function loadMessageViews(store: StoreDb, cartIds: readonly string[]) {
  const [texts, inMailbox] = await Promise.all([textViews(store, cartIds), cartsInMailbox(store, cartIds)])
  return { texts, inMailbox }
}

/** `sms_status`, `whatsapp_status` and their times, by `channel:cart`. */
async function textViews(store: StoreDb, cartIds: readonly string[]): Promise<Map<string, TextView>> {
  const rows = cartIds.length > 0 ? await textStates(store, cartIds) : []
  return new Map(
    rows.map((row) => {
      const status = findTextStatus(row.state)
      // A rejected message starts no cooldown.
      const isOut = status !== 'sending' && status !== 'failed'
      return [`${row.channel}:${row.cart_id}`, { status, at: isOut ? row.at : null, readAt: row.read_at }]
    }),
  )
}

// Statement for the mailbox mark of a cart's badge (decision 11).

/** Carts whose newest email went to the mailbox on this server instead of a mail server (decision 29). */
async function cartsInMailbox({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<Set<string>> {
  if (cartIds.length === 0) return new Set()
  const rows = await sql<{ id: string }>`
    select cb.cart_id as id from cart_badges cb cross join lateral (${selectNewestSend(sql`cb.store_id`, sql`cb.cart_id`)}) h
    where cb.store_id = ${storeId} and cb.cart_id = any(${[...cartIds]}::uuid[]) and cb.badge in ('Email Sent', 'No Response')
      and h.reason = 'accepted:mailbox'`.execute(db)
  return new Set(rows.rows.map(({ id }) => id))
}

/** The contact of the cart, or of the cart it was merged into. */
async function readContact({ db, storeId }: StoreDb, cartId: string) {
  const rows = await sql<{ id: string; email: string | null; phone: string | null }>`
    select c.id, c.email, c.phone from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${cartId}`.execute(db)
  return rows.rows[0]
}

async function isCustomer({ db, storeId }: StoreDb, email: string): Promise<boolean> {
  const rows =
    await sql`select 1 from customers where store_id = ${storeId} and lower(email) = ${email} limit 1`.execute(db)
  return rows.rows.length > 0
}

interface Progress {
  state: string
  reason: string | null
  provider_response: string | null
  due_at: Date
  /** When the newest decision allows the next attempt. */
  until: Date | null
}

async function readProgress({ db, storeId }: StoreDb, messageId: string): Promise<Progress | undefined> {
  const rows = await sql<Progress>`
    select m.state, m.reason, m.provider_response, m.due_at, (select d.until from decisions d where d.store_id = m.store_id
      and d.message_id = m.id order by d.at desc, d.id desc limit 1) as until
    from messages m where m.store_id = ${storeId} and m.id = ${messageId}`.execute(db)
  return rows.rows[0]
}

/**
 * The newest message per cart and text channel that is sent or being sent, with its send count. Excludes messages
 * rejected before sending and those waiting for a later day.
 */
async function textStates({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<TextState[]> {
  const rows = await sql<TextState>`
    select wanted.id as cart_id, t.channel, t.state, t.reason, t.at, t.attempts, t.provider_response, read.at as read_at
    from unnest(${[...cartIds]}::uuid[]) as wanted(id)
    cross join lateral (
      select distinct on (m.channel) m.channel, m.state, m.reason, coalesce(m.sending_at, m.updated_at) as at,
        m.provider_response, m.provider_id,
        (sum(m.attempts + case when ${isSending('m')} then 1 else 0 end) over (partition by m.channel))::int as attempts
      from messages m left join manual_messages r on r.store_id = m.store_id and r.message_id = m.id
      where m.store_id = ${storeId} and m.cart_id = wanted.id and m.channel in ('sms', 'whatsapp')
        and (${wasAttempted('m')} or (${isOpen('m')} and (r.is_immediate or ${isClaimed('m')})))
      order by m.channel, coalesce(m.sending_at, m.created_at) desc, m.id desc) t
    left join stores s on s.id = ${storeId}
    left join delivery_reports read on read.account_id = s.account_id and read.channel = t.channel
      and read.provider_id = t.provider_id and read.status = 'read'`.execute(db)
  return rows.rows
}

interface TextState {
  cart_id: string
  channel: 'sms' | 'whatsapp'
  state: string
  reason: string | null
  at: Date
  attempts: number
  /** Reported by WhatsApp, unless the shopper has disabled read receipts. */
  read_at: Date | null
  provider_response: string | null
}
