import { creditPrice } from '../../../shared/credits.ts'
import { monthOf } from '../../billing/billing/rules.ts'
import { addUsage, lockUsage } from '../../billing/billing/usage.ts'
import type { OutgoingText, TextChannel } from '../../messages/channels/channel.ts'
import type { StoreTx } from '../../core/db/db.ts'
import { giveBackCredits, lockCredits, payWithCredits } from '../../billing/credits/credits.ts'
import { planLimitOf } from '../decide/decision-inputs.ts'
import type { Situation } from '../decide/situation.ts'

// A question by the operator's account is one of the SMS that the plan includes, or is paid by credits: it costs the operator as much as any
// other. By one's own provider it takes nothing of the plan.

export interface Question {
  situation: Situation
  transport: TextChannel
  message: OutgoingText
}

/** In the transaction that takes the question, before its price is booked. False: neither has room. */
export async function takeRoom(tx: StoreTx, { situation, transport, message }: Question, now: Date): Promise<boolean> {
  if (!transport.credits) return true
  const { account_id: accountId } = situation
  const month = monthOf(now)
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

/** It was not put. `takenAt`: the month it was counted in. */
export async function giveRoomBack(
  tx: StoreTx,
  { situation, transport, message }: Question,
  { takenAt, now }: { takenAt: Date; now: Date },
): Promise<void> {
  if (!transport.credits) return
  const { account_id: accountId } = situation
  await lockUsage(tx, accountId, monthOf(takenAt), 'sms')
  const paid = await giveBackCredits(tx, accountId, [message.messageId], now)
  if (paid.size === 0) await addUsage(tx, accountId, monthOf(takenAt), 'sms', -1)
}
