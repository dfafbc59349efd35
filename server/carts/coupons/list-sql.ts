import { type PageWindow, type StoreDb, sql } from '../../core/db/public.ts'
import { wasAttempted } from '../../messages/messages/public.ts'
import type { CouponRow, StepRow } from './sql.ts'

// SQL for the coupon list and its figures. Each reads the coupons of one page.

/** In byte order, so that a code prefix is a range of its index. */
const LAST = '\u{10ffff}'

export interface CouponFilter {
  /** Code prefix. */
  search: string
  /** Personal coupons whose codes match the search. */
  personalIds?: readonly string[]
  /** Only coupons that a message can use at this time; omit for all. */
  usableAt?: Date | undefined
}

const matchFilter = (
  storeId: string,
  { search, personalIds = [], usableAt }: CouponFilter,
) => sql`c.store_id = ${storeId} and c.gone_at is null
  ${search ? sql`and (${hasPrefix(search)} ${personalIds.length > 0 ? sql`or c.id = any(${[...personalIds]}::uuid[])` : sql``})` : sql``}
  ${usableAt ? usable(usableAt) : sql``}`

const hasPrefix = (search: string) => sql`c.code collate "C" >= ${search} and c.code collate "C" < ${search + LAST}`

/** Same condition as `isUsable` of the screens (web/kits/coupons/rules.ts). */
const usable = (at: Date) => sql`and c.is_active and coalesce((c.terms ->> 'isPublished')::boolean, true)
  and (c.made_by = 'store' or c.starts_at is null or c.starts_at <= ${at}) and (c.ends_at is null or c.ends_at > ${at})
  and (coalesce(c.usage_limit, 0) = 0 or c.usage_count < c.usage_limit)`

export async function countCoupons({ db, storeId }: StoreDb, filter: CouponFilter): Promise<number> {
  const rows = await sql<{
    n: number
  }>`select count(*) as n from coupons c where ${matchFilter(storeId, filter)}`.execute(db)
  return rows.rows[0]!.n
}

/** Newest first. A page in the second half is read from the end, in reverse order. */
export async function selectCouponPage(
  { db, storeId }: StoreDb,
  filter: CouponFilter,
  { offset, limit, isFromEnd }: PageWindow,
): Promise<CouponRow[]> {
  const order = isFromEnd ? sql`c.created_at, c.id` : sql`c.created_at desc, c.id desc`
  const rows = await sql<CouponRow>`
    select c.* from coupons c where ${matchFilter(storeId, filter)} order by ${order} limit ${limit} offset ${offset}`.execute(
    db,
  )
  return isFromEnd ? rows.rows.toReversed() : rows.rows
}

export async function selectSteps({ db, storeId }: StoreDb, couponIds: readonly string[]) {
  const rows = await sql<StepRow & { coupon_id: string }>`
    select s.coupon_id, f.id as flow_id, f.name as flow_name, s.step
    from flow_steps s join flows f on f.store_id = s.store_id and f.id = s.flow_id
    where s.store_id = ${storeId} and s.coupon_id = any(${[...couponIds]}::uuid[]) and s.removed_at is null
    order by f.created_at, f.id, s.step`.execute(db)
  return rows.rows
}

export interface FiguresRow {
  id: string
  issued: number
  /** Number of personal codes used by orders. */
  used_codes: number
  sent: number
  orders: number
  net_minor: number
  discount_minor: number
}

/**
 * Counts purchases in the store's currency (S4). Orders of an earlier coupon with the same shared code are excluded.
 */
export async function selectFigures({ db, storeId }: StoreDb, couponIds: readonly string[]): Promise<FiguresRow[]> {
  const rows = await sql<FiguresRow>`
    with asked as (select id, kind, code, currency, least(created_at, starts_at) as begins_at from coupons where store_id = ${storeId} and id = any(${[...couponIds]}::uuid[])),
    codes as (
      select k.coupon_id, count(*) filter (where k.made_at is not null) as issued, count(*) filter (where k.used_at is not null) as used
      from coupon_codes k where k.store_id = ${storeId} and k.coupon_id in (select id from asked where kind = 'personal')
      group by k.coupon_id),
    named as (
      select a.id, a.currency, a.begins_at, u.order_id, u.discount_minor from asked a
      join order_coupons u on u.store_id = ${storeId} and u.code = a.code where a.kind = 'shared'
      union all
      select a.id, a.currency, null, u.order_id, u.discount_minor from asked a
      join coupon_codes k on k.store_id = ${storeId} and k.coupon_id = a.id and k.used_at is not null
      join order_coupons u on u.store_id = ${storeId} and u.code = k.code where a.kind = 'personal'),
    earned as (
      select n.id, count(*) as orders, sum(o.net_minor)::bigint as net_minor, sum(n.discount_minor)::bigint as discount_minor
      from named n join orders o on o.store_id = ${storeId} and o.order_id = n.order_id
      -- same as isCountedOrder in orders/fragments.ts, which is a layer above
      where o.kind = 'purchase' and (o.net_minor > 0 or o.total_minor = 0 and not o.is_unproven) and o.purchased_at is not null and o.currency = n.currency
        and (n.begins_at is null or o.purchased_at >= n.begins_at) group by n.id),
    left_with as (
      select m.coupon_id, count(*) as sent from messages m
      where m.store_id = ${storeId} and m.coupon_id = any(${[...couponIds]}::uuid[]) and ${wasAttempted('m')}
      group by m.coupon_id)
    select a.id, coalesce(k.issued, 0) as issued, coalesce(k.used, 0) as used_codes, coalesce(l.sent, 0) as sent,
      coalesce(e.orders, 0) as orders, coalesce(e.net_minor, 0) as net_minor, coalesce(e.discount_minor, 0) as discount_minor
    from asked a left join codes k on k.coupon_id = a.id left join earned e on e.id = a.id left join left_with l on l.coupon_id = a.id`.execute(
    db,
  )
  return rows.rows
}
