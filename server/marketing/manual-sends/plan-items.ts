import type { SendChannel } from '../../../shared/delivery/reminders.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { codesJob } from '../../carts/coupon-codes/public.ts'
import { isPersonal } from '../../carts/coupons/public.ts'
import type { StoreTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type PlannedMessage, planMessages, scheduleNextRun, sendDueMessages } from '../../messages/messages/public.ts'
import type { Offer } from './bulk-sends-sql.ts'
import { MANUAL_AGE_MS } from './manual.ts'
import { delayLoss, insertManualMessage } from './manual-sql.ts'

// Creates message rows for a manual request: about carts, and for people without one.

/** The fields that all items of a request share. */
export interface CommonFields extends Offer {
  /** null: a single message. */
  jobId: string | null
  channel: SendChannel
  requestedBy: string
  /** null: now. A temporary reason then fails the item (D11). */
  sendAt: Date | null
  /** Overrides the address of the cart or person. */
  toAddress?: string | null
  templateId: string | null
  subject: string | null
  body: string | null
  design: MailDocument | null
  overridesHoldout: boolean
  /** Priority over the store's other messages, in milliseconds. */
  aheadMs?: number
}

export interface Items {
  carts: readonly { id: string; cartId: string }[]
  lone?: CartlessRecipients
}

interface CartlessRecipients {
  people: readonly PlannedMessage[]
  /** Each person gets at most one message of an origin (D1). */
  originId: string
  purchasesSince: Date
}

/** Returns the carts and people for which a message exists. */
export async function planItems(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: StoreTx,
  { sendAt, toAddress = null, aheadMs = 0, ...texts }: CommonFields,
  { carts, lone }: Items,
): Promise<{ cartIds: string[]; shopperIds: string[] }> {
  const now = deps.now()
  const dueAt = sendAt && sendAt > now ? sendAt : now
  const expiresAt = new Date(dueAt.getTime() + MANUAL_AGE_MS)
  const when = { dueAt, expiresAt, wakeAt: new Date(dueAt.getTime() - aheadMs), now }
  const common = { ...texts, ...when, toAddress, isImmediate: dueAt === now }
  // Lock order: shoppers before carts.
  const shopperIds = lone ? await planCartless(tx, common, lone) : []
  const ids = carts.map(({ cartId }) => cartId)
  await delayLoss(tx, ids, dueAt)
  const cartIds = await insertManualMessage(tx, { rows: carts, ...common })
  await scheduleNextRun(tx)
  const { couponId } = texts
  // A member is waiting, so the codes are created at once.
  if (couponId && (await isPersonal(tx, couponId)))
    await deps.jobs.enqueue(tx.db, codesJob, { storeId: tx.storeId }, tx.storeId)
  await deps.jobs.enqueue(tx.db, sendDueMessages, { storeId: tx.storeId }, tx.storeId)
  return { cartIds, shopperIds }
}

async function planCartless(
  tx: StoreTx,
  common: Omit<Parameters<typeof insertManualMessage>[1], 'rows'>,
  { originId, people, purchasesSince }: CartlessRecipients,
): Promise<string[]> {
  const { channel, templateId, dueAt, expiresAt, wakeAt, now, ...request } = common
  const origin = { kind: 'manual' as const, id: originId, ...request }
  const plan = { origin, people, purchasesSince, channel, templateId, dueAt, expiresAt, wakeAt, now }
  return (await planMessages(tx, plan)).map(({ shopperId }) => shopperId)
}
