import type { SendChannel } from '../../../shared/reminders.ts'
import type { StoreTx } from '../../core/db/db.ts'
import { codesJob } from '../../carts/coupon-codes/codes-jobs.ts'
import { isPersonal } from '../../carts/coupons/for-messages.ts'
import type { Deps } from '../../deps.ts'
import { sendDueMessages } from '../../messages/messages/jobs.ts'
import { scheduleNextLook } from '../../messages/messages/messages.ts'
import { type Planned, planMessages } from '../../messages/messages/plan.ts'
import type { Offer } from './bulk-sends-sql.ts'
import { MANUAL_AGE_MS } from './manual.ts'
import { insertManualMessage, keepFromLosing } from './manual-sql.ts'

// Rows of what a member asked for: messages about carts, and for people without one.

/** What all items of a request have in common. */
export interface Common extends Offer {
  /** null: a single message. */
  jobId: string | null
  channel: SendChannel
  askedBy: string
  /** null: at once; then a temporary reason is an item's answer (D11). */
  sendAt: Date | null
  /** Another address than the cart's or person's own. */
  toAddress?: string | null
  templateId: string | null
  subject: string | null
  body: string | null
  overridesHoldout: boolean
  /** So far ahead of the store's other messages. */
  aheadMs?: number
}

export interface Items {
  carts: readonly { id: string; cartId: string }[]
  lone?: Lone
}

interface Lone {
  people: readonly Planned[]
  /** What one person gets at most one message of (D1). */
  originId: string
  purchasesSince: Date
}

/** Answers for which carts and people there is a message now. */
export async function planItems(
  deps: Deps,
  tx: StoreTx,
  { sendAt, toAddress = null, aheadMs = 0, ...words }: Common,
  { carts, lone }: Items,
): Promise<{ cartIds: string[]; shopperIds: string[] }> {
  const now = deps.now()
  const dueAt = sendAt && sendAt > now ? sendAt : now
  const expiresAt = new Date(dueAt.getTime() + MANUAL_AGE_MS)
  const when = { dueAt, expiresAt, wakeAt: new Date(dueAt.getTime() - aheadMs), now }
  const common = { ...words, ...when, toAddress, isImmediate: dueAt === now }
  // Shoppers are locked before carts.
  const shopperIds = lone ? await planLone(tx, common, lone) : []
  const asked = carts.map(({ cartId }) => cartId)
  await keepFromLosing(tx, asked, dueAt)
  const cartIds = await insertManualMessage(tx, { rows: carts, ...common })
  await scheduleNextLook(tx)
  const { couponId } = words
  // Somebody is waiting: their codes are made at once.
  if (couponId && (await isPersonal(tx, couponId)))
    await deps.jobs.enqueue(tx.db, codesJob, { storeId: tx.storeId }, tx.storeId)
  await deps.jobs.enqueue(tx.db, sendDueMessages, { storeId: tx.storeId }, tx.storeId)
  return { cartIds, shopperIds }
}

async function planLone(
  tx: StoreTx,
  common: Omit<Parameters<typeof insertManualMessage>[1], 'rows'>,
  { originId, people, purchasesSince }: Lone,
): Promise<string[]> {
  const { channel, templateId, dueAt, expiresAt, wakeAt, now, ...request } = common
  const origin = { kind: 'manual' as const, id: originId, ...request }
  const plan = { origin, people, purchasesSince, channel, templateId, dueAt, expiresAt, wakeAt, now }
  return (await planMessages(tx, plan)).map(({ shopperId }) => shopperId)
}
