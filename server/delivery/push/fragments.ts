import { type RawBuilder, sql } from '../../core/db/db.ts'

// SQL fragments on subscriptions.

/**
 * Whether browser `p` has told of what is in cart `c`, which no other may show: whoever types somebody's address at the checkout is taken
 * for that person, and their browser must not learn what the person has in the cart (decision 72).
 */
export const hasToldOf = (fold: RawBuilder<unknown>) => sql`${fold} -> 'episode' -> 'toldBy' ?| p.marks`

/**
 * What the engine calls the newest live subscription that may show message `m` about cart `c`; about none, the newest of the person. null:
 * there is none.
 */
export const newestSubscription = sql`
  (select 'push:' || p.id from push_subscriptions p where p.store_id = m.store_id and p.shopper_id = m.shopper_id
    and (m.cart_id is null or ${hasToldOf(sql`c.fold`)})
    order by p.seen_at desc, p.id desc limit 1)`
