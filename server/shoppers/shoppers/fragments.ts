import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on shoppers.

/**
 * Whether the store's customer record of this shopper counts a paid order, including orders too old to be read
 * (decision 135). False if the store keeps no count.
 */
export const hasPaidByStore = (of: { storeId: RawBuilder<unknown>; shopperId: RawBuilder<unknown> }) => sql`exists (
  select 1 from shopper_keys ck join customers cc on cc.store_id = ck.store_id and cc.customer_id = ck.value
  where ck.store_id = ${of.storeId} and ck.shopper_id = ${of.shopperId} and ck.kind = 'customer'
    and cc.orders_count > 0 and cc.spent_minor > 0)`
