import { type RawBuilder, sql } from '../../core/db/db.ts'

// Parts of statements about shoppers, for the statements of others.

/**
 * Whether the store itself has counted a paid order of this shopper, in the customer record that is theirs: of their whole life, also of
 * times whose orders cannot be read (decision 135). False where a store counts none.
 */
export const hasPaidByStore = (of: { storeId: RawBuilder<unknown>; shopperId: RawBuilder<unknown> }) => sql`exists (
  select 1 from shopper_keys ck join customers cc on cc.store_id = ck.store_id and cc.customer_id = ck.value
  where ck.store_id = ${of.storeId} and ck.shopper_id = ${of.shopperId} and ck.kind = 'customer'
    and cc.orders_count > 0 and cc.spent_minor > 0)`
