import { creditPrice } from '../../../shared/credits.ts'
import { formatMonth } from '../../billing/billing/rules.ts'
import { addUsage, lockUsage } from '../../billing/billing/usage.ts'
import { lockCredits, payWithCredits, refundCredits } from '../../billing/credits/credits.ts'
import type { StoreTx } from '../../core/db/db.ts'
import type { OutgoingText, TextChannel } from '../../messages/channels/channel.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Situation } from '../decide/situation.ts'

// Plan usage of opt-in requests. A request by the operator's SMS account uses a plan message or credits, as it costs
// the operator the same as any SMS. A request by the store's own provider uses none.

export interface Question {
  situation: Situation
  transport: TextChannel
  message: OutgoingText
}

/**
 * Takes a plan message or credits. Call in the transaction that takes the request, before booking its price. Returns
 * false if both are used up.
 */
export async function takeUsage(tx: StoreTx, { situation, transport, message }: Question, now: Date): Promise<boolean> {
  if (!transport.credits) return true
  const { account_id: accountId } = situation
  const month = formatMonth(now)
  const used = await lockUsage(tx, accountId, month, 'sms')
  const left = await lockCredits(tx, accountId)
  const limit = planLimitOf(situation, 'sms')
  if (limit < 0 || used < limit) {
    await addUsage(tx, accountId, month, 'sms', 1)
    return true
  }
  const micros = creditPrice(transport.estimate(message).cost.amountMicros, transport.credits.perMille)
  if (limit === 0 || micros > left) return false
  await payWithCredits(tx, accountId, [{ messageId: message.messageId, micros }], now)
  return true
}

/** Gives back the usage of an unsent request. `takenAt` selects the month it was counted in. */
export async function returnUsage(
  tx: StoreTx,
  { situation, transport, message }: Question,
  { takenAt, now }: { takenAt: Date; now: Date },
): Promise<void> {
  if (!transport.credits) return
  const { account_id: accountId } = situation
  await lockUsage(tx, accountId, formatMonth(takenAt), 'sms')
  const paid = await refundCredits(tx, accountId, [message.messageId], now)
  if (paid.size === 0) await addUsage(tx, accountId, formatMonth(takenAt), 'sms', -1)
}
