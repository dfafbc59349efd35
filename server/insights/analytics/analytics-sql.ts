import type { FunnelChannel, OrderSource } from '../../../shared/insights/analytics.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { Day } from './days.ts'
import type { RangeDays } from './ranges.ts'

// SQL of Advanced Analytics. Reads daily sums, never carts, messages or orders (Way D).

export interface CartSums {
  currency: string
  began: number
  began_over: number
  began_abandoned: number
  began_bought: number
  abandoned: number
  abandoned_minor: number
  unbought: number
  unbought_minor: number
  recovered: number
}

export const CARTS = sql`sum(began)::bigint as began, sum(began_over)::bigint as began_over, sum(began_abandoned)::bigint as began_abandoned,
  sum(began_bought)::bigint as began_bought, sum(abandoned)::bigint as abandoned, sum(abandoned_minor)::bigint as abandoned_minor,
  sum(unbought)::bigint as unbought, sum(unbought_minor)::bigint as unbought_minor, sum(recovered)::bigint as recovered`

/** Sums carts per currency, for the range and the same number of days before. */
export async function sumCarts({ db, storeId }: StoreDb, { before, first, last }: RangeDays) {
  const { rows } = await sql<CartSums & { isNow: boolean }>`
    select day >= ${first}::date as "isNow", currency, ${CARTS} from cart_figures
    where store_id = ${storeId} and dimension = 'all' and day >= ${before}::date and day <= ${last}::date
    group by 1, 2`.execute(db)
  return rows
}

export interface FunnelSums {
  channel: FunnelChannel
  sent: number
  opened: number
  clicked: number
  converted: number
}

export async function sumFunnels({ db, storeId }: StoreDb, { first, last }: RangeDays): Promise<FunnelSums[]> {
  const { rows } = await sql<FunnelSums>`
    select channel, sum(sent)::bigint as sent, sum(opened)::bigint as opened, sum(clicked)::bigint as clicked,
      sum(converted)::bigint as converted
    from funnel_figures where store_id = ${storeId} and channel in ('all', 'email', 'sms', 'whatsapp', 'push')
      and day >= ${first}::date and day <= ${last}::date group by channel`.execute(db)
  return rows
}

export interface OrderSums {
  currency: string
  source: OrderSource
  /** Orders in the range. */
  orders: number
  net_minor: number
  /** All-time figures of customers, up to the end of the range and up to its start. */
  net_until: number
  net_before: number
  firsts_until: number
  firsts_before: number
}

export async function sumOrders({ db, storeId }: StoreDb, { first, last }: RangeDays): Promise<OrderSums[]> {
  const { rows } = await sql<OrderSums>`
    select currency, source, coalesce(sum(orders) filter (where day >= ${first}::date), 0)::bigint as orders,
      coalesce(sum(net_minor) filter (where day >= ${first}::date), 0)::bigint as net_minor,
      sum(customers_minor)::bigint as net_until, coalesce(sum(customers_minor) filter (where day < ${first}::date), 0)::bigint as net_before,
      sum(firsts)::bigint as firsts_until, coalesce(sum(firsts) filter (where day < ${first}::date), 0)::bigint as firsts_before
    from order_figures where store_id = ${storeId} and day <= ${last}::date group by currency, source`.execute(db)
  return rows
}

/** Sums attributed orders and their net revenue per day and currency. */
export async function sumAttributedByDay({ db, storeId }: StoreDb, first: Day, last: Day) {
  const { rows } = await sql<{ day: Day; currency: string; orders: number; net_minor: number }>`
    select day, currency, orders, net_minor from order_figures
    where store_id = ${storeId} and source = 'attributed' and day >= ${first}::date and day <= ${last}::date`.execute(
    db,
  )
  return rows
}

/**
 * Until when everything is counted. null: all of it. `being counted`: nothing is counted yet, as after a first import.
 */
export async function readCountedUntil({ db, storeId }: StoreDb): Promise<Date | 'being counted' | null> {
  const { rows } = await sql<{ counted_at: Date | null; isPending: boolean }>`
    select (select counted_at from figure_counts where store_id = ${storeId} and (
        exists (select 1 from cart_figures where store_id = ${storeId})
        or exists (select 1 from order_figures where store_id = ${storeId})
        or exists (select 1 from message_figures where store_id = ${storeId}))) as counted_at,
      (exists (select 1 from figure_changes where store_id = ${storeId})
        or exists (select 1 from figure_days where store_id = ${storeId})) as "isPending"`.execute(db)
  const { counted_at, isPending } = rows[0]!
  return isPending ? (counted_at ?? 'being counted') : null
}
