import type { z } from 'zod'
import type { lastMessage } from '../../../shared/delivery/reminders.ts'
import { AppError } from '../../core/common/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { findResult, isSending } from './state-rules.ts'

// The last message to a shopper, for a user who is about to send another.

type Reply = z.infer<typeof lastMessage.reply>

export async function readLastMessage(store: StoreDb, cartId: string): Promise<Reply> {
  const last = await findLastMessage(store, cartId)
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
}: LastMessage): NonNullable<Reply['message']>['outcome'] {
  if (is_clicked) return 'clicked'
  if (is_opened) return 'opened'
  if (is_read) return 'read'
  return isSending(state) ? 'on_its_way' : findResult(state)
}

interface LastMessage {
  channel: 'email' | 'sms' | 'whatsapp' | 'push'
  at: Date
  subject: string | null
  state: string
  /** Opened or clicked by a person, as far as detectable. */
  is_opened: boolean
  is_clicked: boolean
  is_read: boolean
}

/** The newest message sent to the shopper of a cart, about any cart. No row: no such cart. */
async function findLastMessage({ db, storeId }: StoreDb, cartId: string): Promise<LastMessage | null | undefined> {
  const rows = await sql<{ last: Omit<LastMessage, 'at'> | null; at: Date | null }>`
    select to_jsonb(m) as last, m.at from carts c
    left join lateral (
      select m.channel, m.sending_at as at, m.subject, m.state,
        exists (select 1 from engagement_events v where v.store_id = m.store_id and v.message_id = m.id
          and v.kind = 'open' and v.class = 'human') as is_opened,
        exists (select 1 from engagement_events v where v.store_id = m.store_id and v.message_id = m.id
          and v.kind = 'click' and v.class = 'human') as is_clicked,
        exists (select 1 from delivery_reports d where d.account_id = s.account_id and d.channel = m.channel
          and d.provider_id = m.provider_id and d.status = 'read') as is_read
      from messages m join stores s on s.id = m.store_id
      where m.store_id = c.store_id and m.shopper_id = c.shopper_id and m.sending_at is not null
      order by m.sending_at desc limit 1) m on true
    where c.store_id = ${storeId} and c.id = ${cartId}`.execute(db)
  const [row] = rows.rows
  return row && (row.last && row.at ? { ...row.last, at: row.at } : null)
}
