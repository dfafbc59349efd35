import { type StoreDb, sql } from '../core/db.ts'
import type { Day } from './days.ts'
import { isCustomer } from './fragments.ts'

// Distinct buyers of a range (decision 95): they cannot be added up from days.

export interface BuyerCounts {
  counted_at: Date
  buyers: number
  new_buyers: number
  returning_buyers: number
  repeat_buyers: number
  orders: number
}

export async function readBuyers({ db, storeId }: StoreDb, days: number, until: Day, since: Date) {
  const { rows } = await sql<BuyerCounts>`
    select counted_at, buyers, new_buyers, returning_buyers, repeat_buyers, orders from counted_figures
    where store_id = ${storeId} and days = ${days} and until = ${until}::date and counted_at > ${since}`.execute(db)
  return rows[0]
}

/** Reads every order of the store. */
export async function countBuyers(
  { db, storeId }: StoreDb,
  { days, until, from, to, now }: { days: number; until: Day; from: Date; to: Date; now: Date },
): Promise<BuyerCounts> {
  const { rows } = await sql<BuyerCounts>`
    with bought as (
      select shopper_id, count(*) filter (where purchased_at >= ${from}) as here, count(*) filter (where purchased_at < ${from}) as earlier
      from orders where store_id = ${storeId} and purchased_at is not null and purchased_at < ${to} and net_minor > 0 and shopper_id is not null
      group by shopper_id)
    insert into counted_figures (store_id, days, until, counted_at, buyers, new_buyers, returning_buyers, repeat_buyers, orders)
    select ${storeId}, ${days}, ${until}::date, ${now}, count(*), count(*) filter (where earlier = 0), count(*) filter (where earlier > 0),
      count(*) filter (where here + earlier > 1), coalesce(sum(here), 0)
    from bought where here > 0 and ${isCustomer(storeId, sql`bought.shopper_id`)}
    on conflict (store_id, days) do update set until = excluded.until, counted_at = excluded.counted_at, buyers = excluded.buyers,
      new_buyers = excluded.new_buyers, returning_buyers = excluded.returning_buyers, repeat_buyers = excluded.repeat_buyers,
      orders = excluded.orders
    returning counted_at, buyers, new_buyers, returning_buyers, repeat_buyers, orders`.execute(db)
  return rows[0]!
}
