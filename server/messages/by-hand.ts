import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { normalizeEmail } from '../../shared/contact.ts'
import { explain } from '../../shared/reasons.ts'
import { reminderTexts, type SendChannel, type SendReply, type smsStatus } from '../../shared/reminders.ts'
import { planOf } from '../billing/billing.ts'
import type { Db, StoreDb, StoreTx } from '../db.ts'
import type { Deps } from '../deps.ts'
import { AppError, found } from '../errors.ts'
import * as sql from './by-hand-sql.ts'
import { sendDueMessages } from './jobs.ts'
import { scheduleNextLook } from './messages.ts'
import { templateFor } from './preview.ts'
import { once, type Repeatable } from './repeatable.ts'

// Messages a person sends to one cart (D11). The row goes the way of all messages, ahead of what else waits, and whoever asked waits
// for what becomes of it: a temporary reason is the answer, nothing is silently held.

/** How old a message by hand may become (D7). */
export const BY_HAND_AGE_MS = 3_600_000
/** So far ahead of the store's other messages: somebody is waiting. */
const AHEAD_MS = 3_600_000

export interface ByHandRequest {
  cartId: string
  channel: SendChannel
  /** X5: the cart's own contact, or a customer of the store. Left out: the cart's contact. */
  to?: string | undefined
  subject?: string | undefined
  body?: string | undefined
  templateKey?: string | undefined
  overrideHoldout: boolean
  /** null: now. */
  sendAt: Date | null
}

/** Throws an AppError in words: plan, address, or the first rule that stands in the way. */
export async function sendByHand(
  deps: Deps,
  store: StoreDb<Db>,
  request: Repeatable,
  wanted: ByHandRequest,
): Promise<SendReply> {
  await assertPlanHas(deps, request.session.accountId, wanted.channel)
  const cart = found(await sql.contactOfCart(store, wanted.cartId), 'Cart')
  const toAddress = await otherAddress(store, cart, wanted)
  const reply = await once(deps, store, request, {
    make: (tx, id) => planOne(deps, tx, { id, askedBy: request.session.userId, toAddress }, wanted),
    answer: (id) => (wanted.sendAt ? scheduled(id, wanted.sendAt) : answerOf(store, id, wanted.channel)),
  })
  return reply
}

/** Decision 6: SMS and WhatsApp by hand are part of Starter and Growth. */
export async function assertPlanHas(deps: Deps, accountId: string, channel: SendChannel): Promise<void> {
  if (channel === 'email') return
  const { key } = await planOf({ accountId, db: deps.db })
  if (key !== null && key !== 'free') return
  throw new AppError('plan_required', channel === 'sms' ? reminderTexts.smsPlan : reminderTexts.whatsappPlan)
}

async function otherAddress(
  store: StoreDb<Db>,
  cart: { email: string | null },
  { to, channel }: ByHandRequest,
): Promise<string | null> {
  if (to === undefined || channel !== 'email') return null
  const email = normalizeEmail(to)
  if (email && email === cart.email) return null
  if (email && (await sql.isCustomer(store, email))) return email
  throw new AppError('unprocessable', 'This address is neither the contact of this cart nor a customer of the store.')
}

async function planOne(
  deps: Deps,
  tx: StoreTx,
  { id, askedBy, toAddress }: { id: string; askedBy: string; toAddress: string | null },
  wanted: ByHandRequest,
): Promise<void> {
  const now = deps.now()
  const dueAt = wanted.sendAt ?? now
  await sql.keepFromLosing(tx, [wanted.cartId], dueAt)
  const cartIds = await sql.insertByHand(tx, {
    rows: [{ id, cartId: wanted.cartId }],
    channel: wanted.channel,
    jobId: null,
    askedBy,
    toAddress,
    templateId: await templateFor(tx, wanted, wanted.templateKey),
    subject: wanted.subject ?? null,
    body: wanted.body ?? null,
    isImmediate: wanted.sendAt === null,
    overridesHoldout: wanted.overrideHoldout,
    dueAt,
    expiresAt: new Date(dueAt.getTime() + BY_HAND_AGE_MS),
    wakeAt: wanted.sendAt ?? new Date(now.getTime() - AHEAD_MS),
    now,
  })
  if (cartIds.length === 0) throw new AppError('not_found', 'Cart not found')
  await scheduleNextLook(tx)
  if (!wanted.sendAt) await deps.jobs.enqueue(tx.db, sendDueMessages, { storeId: tx.storeId }, tx.storeId)
}

async function scheduled(messageId: string, dueAt: Date): Promise<SendReply> {
  const message = reminderTexts.emailScheduled
  return { success: true, message, state: 'scheduled', messageId, dueAt: dueAt.toISOString() }
}

/** A person waits this long in front of a button; a provider that takes longer is on its own. */
const PATIENCE_MS = 8_000
const LOOK_EVERY_MS = 100

/** Waits until something is known, and says it. */
async function answerOf(store: StoreDb<Db>, messageId: string, channel: SendChannel): Promise<SendReply> {
  const started = performance.now()
  for (;;) {
    const row = found(await sql.progressOf(store, messageId), 'Message')
    const answer = settled(row, messageId, channel)
    if (answer) return answer
    if (performance.now() - started > PATIENCE_MS) {
      return { success: true, message: reminderTexts.onItsWay, state: 'on_its_way', messageId }
    }
    await sleep(LOOK_EVERY_MS)
  }
}

const sentTexts = {
  email: reminderTexts.emailSent,
  sms: reminderTexts.smsSent,
  whatsapp: reminderTexts.whatsappSent,
} as const

/** null: nothing to say yet. Throws the refusal. */
function settled(row: sql.Progress, messageId: string, channel: SendChannel): SendReply | null {
  const base = { success: true as const, messageId }
  if (row.state === 'sent' || row.state === 'delivered') return { ...base, message: sentTexts[channel], state: 'sent' }
  if (row.state === 'unknown' || row.state === 'held') {
    return { ...base, message: explain(row.reason, channel, row.provider_response), state: 'on_its_way' }
  }
  if (row.state === 'failed' || row.state === 'skipped' || row.state === 'cancelled') throw refusalOf(row, channel)
  return null
}

/** The reason in words; `fields` tell a screen which it was and when it could be tried again. */
export function refusalOf(
  row: Pick<sql.Progress, 'state' | 'reason' | 'until' | 'provider_response'>,
  channel: SendChannel,
) {
  const reason = row.reason ?? row.state
  const sentence = explain(reason, channel)
  const answer = row.state === 'failed' && row.provider_response ? ` (${row.provider_response})` : ''
  const fields = { reason, ...(row.until ? { until: row.until.toISOString() } : {}) }
  const code = reason === 'plan_limit' ? 'plan_required' : 'unprocessable'
  return new AppError(code, `${sentence}${answer}`, { fields })
}

const textStatus: Readonly<Record<string, 'sending' | 'sent' | 'delivered' | 'failed' | 'unknown'>> = {
  scheduled: 'sending',
  claimed: 'sending',
  held: 'sending',
  handed_over: 'sending',
  sent: 'sent',
  delivered: 'delivered',
  failed: 'failed',
  unknown: 'unknown',
}

/** What became of a cart's newest SMS (B 7). */
export async function readSmsStatus(store: StoreDb<Db>, cartId: string): Promise<z.infer<typeof smsStatus.reply>> {
  const cart = found(await sql.contactOfCart(store, cartId), 'Cart')
  const sms = (await sql.textStates(store, [cart.id])).find((row) => row.channel === 'sms')
  const status = sms ? (textStatus[sms.state] ?? null) : null
  return {
    status,
    attempts: sms?.handed_over ?? 0,
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

/** `sms_status`, `whatsapp_status` and when they were sent, of the carts of a page; by `channel:cart`. */
export async function textViews(store: StoreDb, cartIds: readonly string[]): Promise<Map<string, TextView>> {
  const rows = cartIds.length > 0 ? await sql.textStates(store, cartIds) : []
  return new Map(
    rows.map((row) => {
      const status = textStatus[row.state] ?? 'unknown'
      // What was refused starts no cooldown.
      const isOut = status !== 'sending' && status !== 'failed'
      return [`${row.channel}:${row.cart_id}`, { status, at: isOut ? row.at : null, readAt: row.read_at }]
    }),
  )
}
