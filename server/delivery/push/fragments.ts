import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on subscriptions.

/**
 * Whether browser `p` itself reported the contents of the cart. Only such a browser may show them: a person who types
 * another's email at the checkout counts as that shopper, but must not see their cart (decision 72).
 */
export const hasReportedCart = (fold: RawBuilder<unknown>) => sql`${fold} -> 'episode' -> 'toldBy' ?| p.marks`

/**
 * Address of the shopper's newest subscription that may show message `m` about cart `c`, or of the newest one without a
 * cart. null: none.
 */
export const newestSubscription = sql`
  (select 'push:' || p.id from push_subscriptions p where p.store_id = m.store_id and p.shopper_id = m.shopper_id
    and (m.cart_id is null or ${hasReportedCart(sql`c.fold`)})
    order by p.seen_at desc, p.id desc limit 1)`
