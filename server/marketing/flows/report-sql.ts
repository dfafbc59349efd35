import { type Db, type StoreDb, sql, toSqlZone } from '../../core/db/public.ts'
import { NTH } from './variants-sql.ts'

// SQL that reads flow results from the daily figures of analytics.

export const ATTRIBUTED_DAYS = 30

export interface AttributedRow {
  flow_id: string
  orders: number
  revenue_minor: number
}

/** Messages sent in the last days of the store's calendar; revenue in the store's currency. */
export async function readAttributedRevenue(
  { db, storeId }: StoreDb,
  flowIds: readonly string[],
  { currency, now }: { currency: string; now: Date },
): Promise<AttributedRow[]> {
  const { rows } = await sql<AttributedRow>`
    select f.flow_id, sum(f.credited)::int as orders,
      coalesce(sum(f.attributed_minor) filter (where f.currency = ${currency}), 0)::bigint as revenue_minor
    from stores s join flow_figures f on f.store_id = s.id
    where s.id = ${storeId} and f.day > (${now}::timestamptz at time zone ${toSqlZone(sql`s.time_zone`)})::date - ${ATTRIBUTED_DAYS}::int
      and f.flow_id = any(${[...flowIds]}::uuid[])
    group by f.flow_id`.execute(db)
  return rows
}

export interface ReportDays {
  /** In the store's calendar, both inclusive. */
  first: string
  last: string
}

export interface SentRow {
  step_id: string
  /** nil UUID: the step was not split. */
  variant_id: string
  accepted: number
  delivered: number
  clicked: number
  credited: number
  unsubscribed: number
  revenue_minor: number
}

/** Sent messages by step and variant in these days, with their results; revenue in the given currency. */
export async function readSentBySteps(
  { db, storeId }: StoreDb,
  { flowId, first, last, currency }: ReportDays & { flowId: string; currency: string },
): Promise<SentRow[]> {
  const { rows } = await sql<SentRow>`
    select step_id, variant_id, sum(accepted)::int as accepted, sum(delivered)::int as delivered, sum(clicked)::int as clicked,
      sum(credited)::int as credited, sum(unsubscribed)::int as unsubscribed,
      coalesce(sum(attributed_minor) filter (where currency = ${currency}), 0)::bigint as revenue_minor
    from flow_figures
    where store_id = ${storeId} and flow_id = ${flowId} and day >= ${first}::date and day <= ${last}::date
    group by step_id, variant_id`.execute(db)
  return rows
}

export interface ReportingRow {
  step_id: string
  accepted: number
}

/** Messages by step in these days, sent through a channel that reports delivery. */
export async function readReportingBySteps(
  { db, storeId }: StoreDb,
  { flowId, first, last }: ReportDays & { flowId: string },
): Promise<ReportingRow[]> {
  const { rows } = await sql<ReportingRow>`
    select step_id, sum(accepted)::int as accepted from message_figures
    where store_id = ${storeId} and day >= ${first}::date and day <= ${last}::date and channel <> 'email'
      and origin_kind = 'flow' and origin_id = ${flowId}
    group by step_id`.execute(db)
  return rows
}

export interface VariantTotal {
  variant_id: string
  accepted: number
  credited: number
}

/** Per variant, since the variant began. */
export async function readVariantTotals({ db, storeId }: StoreDb, flowId: string): Promise<VariantTotal[]> {
  const { rows } = await sql<VariantTotal>`
    select variant_id, sum(accepted)::int as accepted, sum(credited)::int as credited from flow_figures
    where store_id = ${storeId} and flow_id = ${flowId}
      and variant_id in (select v.id from flow_variants v where v.store_id = ${storeId} and v.flow_id = ${flowId})
    group by variant_id`.execute(db)
  return rows
}

export interface CountRow {
  step_id: string
  /** '': planned. */
  reason: string
  count: number
}

/** Planned and unsent messages by step in these days, with the reason. */
export async function readCountsBySteps(
  { db, storeId }: StoreDb,
  { flowId, first, last }: ReportDays & { flowId: string },
): Promise<CountRow[]> {
  const { rows } = await sql<CountRow>`
    select step_id, reason, sum(change)::int as count from (
      select step_id, reason, change from flow_counts
      where store_id = ${storeId} and flow_id = ${flowId} and day >= ${first}::date and day <= ${last}::date and is_folded
      union all
      select step_id, reason, change from flow_counts
      where store_id = ${storeId} and flow_id = ${flowId} and day >= ${first}::date and day <= ${last}::date and not is_folded) c
    group by step_id, reason having sum(change) <> 0`.execute(db)
  return rows
}

export interface ReportedStep {
  id: string
  step: number
  name: string
  channels: string[]
  removed_at: Date | null
}

/** Includes removed steps. */
export async function readReportedSteps({ db, storeId }: StoreDb, flowId: string): Promise<ReportedStep[]> {
  const { rows } = await sql<ReportedStep>`
    select s.id, s.step, t.name, s.channel || s.fallback as channels, s.removed_at from flow_steps s
    join templates t on t.store_id = s.store_id and t.id = s.template_id
    where s.store_id = ${storeId} and s.flow_id = ${flowId} order by s.removed_at is not null, s.step, s.removed_at, s.id`.execute(
    db,
  )
  return rows
}

export interface ReportedVariant {
  step_id: string
  id: string
  share_percent: number
  ended_at: Date | null
  /** As in `variants-sql.ts`. */
  nth: number
}

/** Includes ended variants, in the order of their start. */
export async function readReportedVariants({ db, storeId }: StoreDb, flowId: string): Promise<ReportedVariant[]> {
  const { rows } = await sql<ReportedVariant>`
    select step_id, id, share_percent, ended_at, ${NTH} as nth from flow_variants where store_id = ${storeId} and flow_id = ${flowId}
    order by step_id, nth`.execute(db)
  return rows
}

export async function readCountedAt({ db, storeId }: StoreDb): Promise<Date | null> {
  const { rows } = await sql<{ counted_at: Date | null }>`
    select counted_at from figure_counts where store_id = ${storeId}`.execute(db)
  return rows[0]?.counted_at ?? null
}

/**
 * Folds new rows into one row per step, day and reason. Rows added concurrently stay for the next call; two calls at
 * once are safe.
 */
export async function foldCounts(db: Db): Promise<void> {
  await sql`
    with fresh as (
      delete from flow_counts where not is_folded returning store_id, flow_id, step_id, day, reason, change)
    insert into flow_counts (store_id, flow_id, step_id, day, reason, change, is_folded)
    select store_id, flow_id, step_id, day, reason, sum(change), true from fresh group by 1, 2, 3, 4, 5 having sum(change) <> 0
      order by 1, 2, 3, 4, 5
    on conflict (store_id, flow_id, day, step_id, reason) where is_folded do update set change = flow_counts.change + excluded.change`.execute(
    db,
  )
}
