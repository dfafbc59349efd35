import { type StoreDb, sql } from '../../core/db/public.ts'
import { wasAccepted } from '../../messages/messages/public.ts'

// SQL for push statistics.

export interface PushCounts {
  /** Listed customers plus other subscribers. */
  total: number
  subscribed: number
  subscriptions: number
  /** Accepted by push services. */
  notifications: number
  /** Those clicked by people. */
  clicked: number
}

export async function readCounts({ db, storeId }: StoreDb): Promise<PushCounts> {
  const { rows } = await sql<PushCounts>`
    with subscribers as materialized (
      select shopper_id, count(*) as subscriptions from push_subscriptions where store_id = ${storeId} group by shopper_id),
    sent as materialized (
      select m.id from messages m where m.store_id = ${storeId} and m.channel = 'push' and ${wasAccepted('m')})
    select (coalesce((select sum(change) from customer_counts where store_id = ${storeId}), 0)
        + (select count(*) from subscribers b join shoppers s on s.store_id = ${storeId} and s.id = b.shopper_id
          where not s.is_customer))::int as total,
      (select count(*) from subscribers)::int as subscribed,
      coalesce((select sum(subscriptions) from subscribers), 0)::int as subscriptions,
      (select count(*) from sent)::int as notifications,
      (select count(*) from sent where exists (select 1 from touchpoints t where t.store_id = ${storeId} and t.message_id = sent.id
        and t.is_human and t.kind in ('click', 'restore')))::int as clicked`.execute(db)
  return rows[0]!
}
