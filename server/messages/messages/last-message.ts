import type { z } from 'zod'
import type { lastMessage } from '../../../shared/reminders.ts'
import { AppError } from '../../core/common/errors.ts'
import type { StoreDb } from '../../core/db/db.ts'
import * as sql from './last-message-sql.ts'
import { findResult, isSending } from './state-rules.ts'

// The last message to a shopper, for a user who is about to send another.

type Reply = z.infer<typeof lastMessage.reply>

export async function readLastMessage(store: StoreDb, cartId: string): Promise<Reply> {
  const last = await sql.findLastMessage(store, cartId)
  if (last === undefined) throw new AppError('not_found', 'Cart not found')
  if (last === null) return { message: null }
  const { channel, at, subject } = last
  return { message: { channel, at: at.toISOString(), subject, outcome: describeOutcome(last) } }
}

/** The furthest known state. */
function describeOutcome({
  state,
  is_clicked,
  is_opened,
  is_read,
}: sql.LastMessage): NonNullable<Reply['message']>['outcome'] {
  if (is_clicked) return 'clicked'
  if (is_opened) return 'opened'
  if (is_read) return 'read'
  return isSending(state) ? 'on_its_way' : findResult(state)
}
