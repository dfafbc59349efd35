import { channelTraits } from '../channels/traits.ts'
import { type RawBuilder, sql } from '../db.ts'

// What a cart's badge says of the newest hand-over (decision 11), in SQL.

const badged = Object.entries(channelTraits).flatMap(([channel, { badge }]) => (badge ? [{ channel, badge }] : []))

/** The badge a hand-over on this channel gives. */
const badgeOf = (channel: RawBuilder<unknown>) =>
  sql`case ${channel} ${sql.join(
    badged.map((each) => sql`when ${sql.lit(each.channel)} then ${sql.lit(each.badge)}`),
    sql` `,
  )} end`

/** Of a cart: when the newest message that counts left, and its badge; no row when none did. */
export const newestHandOver = (storeId: RawBuilder<unknown>, cartId: RawBuilder<unknown>) => sql`
  select b.handed_over_at as at, ${badgeOf(sql`b.channel`)} as badge from messages b
  where b.store_id = ${storeId} and b.cart_id = ${cartId} and b.handed_over_at is not null
    and b.state in ('handed_over', 'sent', 'delivered', 'unknown')
  order by b.handed_over_at desc, b.id desc limit 1`
