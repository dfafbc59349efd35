import { type AccountDb, type StoreDb, sql } from '../../core/db/db.ts'
import type { TextChannelName } from '../../messages/channels/channel.ts'

// SQL for messages whose final price is not known yet.

/** Schedules a price look-up, only for a message of this account with this provider id. */
export async function insertPriceDue(
  { db, accountId }: AccountDb,
  due: { providerId: string; messageId: string; channel: TextChannelName; nextAt: Date },
): Promise<void> {
  await sql`insert into price_lookups (account_id, provider_id, channel, store_id, message_id, next_at)
    select ${accountId}, ${due.providerId}, ${due.channel}, m.store_id, m.id, ${due.nextAt}
    from stores s join messages m on m.store_id = s.id
    where s.account_id = ${accountId} and m.id = ${due.messageId} and m.channel = ${due.channel}
      and m.cost_micros is not null
    on conflict do nothing`.execute(db)
}

export interface PriceDue {
  account_id: string
  provider_id: string
  channel: TextChannelName
  store_id: string
  message_id: string
  tries: number
}

/** Takes due look-ups and postpones them first, so that two workers do not request the same price. */
export async function takePriceLookups({ db, storeId }: StoreDb, now: Date, limit: number): Promise<PriceDue[]> {
  const rows = await sql<PriceDue>`
    update price_lookups p set tries = p.tries + 1, next_at = ${now}::timestamptz + interval '4 minutes' * power(2, p.tries)
    from (select provider_id from price_lookups where store_id = ${storeId} and next_at <= ${now}
      order by next_at limit ${limit} for update skip locked) due
    where p.store_id = ${storeId} and p.provider_id = due.provider_id
    returning p.account_id, p.provider_id, p.channel, p.store_id, p.message_id, p.tries`.execute(db)
  return rows.rows
}

/** Returns false if another process has booked it. */
export async function deletePriceDue({ db, storeId }: StoreDb, providerId: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('price_lookups')
    .where('store_id', '=', storeId)
    .where('provider_id', '=', providerId)
    .returning('provider_id')
    .execute()
  return gone.length > 0
}

/** The booked cost and its month (UTC). */
export async function bookedCost({ db, storeId }: StoreDb, messageId: string) {
  const rows = await sql<{ micros: number; currency: string; month: string }>`
    select cost_micros as micros, cost_currency as currency,
      to_char(sending_at at time zone 'UTC', 'YYYY-MM-01') as month
    from messages where store_id = ${storeId} and id = ${messageId} and cost_micros is not null
      and sending_at is not null for update`.execute(db)
  return rows.rows[0]
}
