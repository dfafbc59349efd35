import { type RawBuilder, sql } from '../core/db.ts'

// SQL fragments on subscriptions.

/** What the engine calls the newest live subscription of a person; null: they have none. */
export const newestSubscription = (storeId: RawBuilder<unknown>, shopperId: RawBuilder<unknown>) => sql`
  (select 'push:' || p.id from push_subscriptions p where p.store_id = ${storeId} and p.shopper_id = ${shopperId}
    order by p.seen_at desc, p.id desc limit 1)`
