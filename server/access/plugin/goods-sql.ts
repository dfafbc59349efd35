import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { ItemRef } from '../../platforms/platform/public.ts'

// SQL for stock and prices that plugins report. `variation_id` is '' for the product itself.

export interface ReportedRow {
  product_id: string
  variation_id: string
  is_available: boolean
  price_minor: number | null
  is_on_sale: boolean | null
  stock_quantity: number | null
}

const toJson = (items: readonly ItemRef[]) => JSON.stringify(items)
const columns = sql`r("productId" text, "variationId" text)`

/** In key order, so that two processes cannot deadlock. */
export async function requestGoods({ db, storeId }: StoreDb, items: readonly ItemRef[], now: Date): Promise<void> {
  await sql`
    insert into plugin_goods (store_id, product_id, variation_id, wanted_at)
    select distinct ${storeId}::uuid, r."productId", coalesce(r."variationId", ''), ${now}::timestamptz
    from jsonb_to_recordset(${toJson(items)}::jsonb) as ${columns} order by 2, 3
    on conflict (store_id, product_id, variation_id) do update set wanted_at = excluded.wanted_at`.execute(db)
}

export async function readReported(
  { db, storeId }: StoreDb,
  items: readonly ItemRef[],
  span: { from: Date; to: Date },
): Promise<(ReportedRow & { read_at: Date })[]> {
  const { rows } = await sql<ReportedRow & { read_at: Date }>`
    select g.product_id, g.variation_id, g.is_available, g.price_minor, g.is_on_sale, g.stock_quantity, g.read_at
    from (select distinct r."productId" as product_id, coalesce(r."variationId", '') as variation_id
      from jsonb_to_recordset(${toJson(items)}::jsonb) as ${columns}) i
    join plugin_goods g on g.store_id = ${storeId} and g.product_id = i.product_id and g.variation_id = i.variation_id
    where g.read_at between ${span.from} and ${span.to}`.execute(db)
  return rows
}

/** Items that messages needed lately and the shop has not reported since `readBefore`, longest waiting first. */
export async function listUnreported(
  { db, storeId }: StoreDb,
  { requestedSince, readBefore, max }: { requestedSince: Date; readBefore: Date; max: number },
): Promise<ItemRef[]> {
  const { rows } = await sql<ItemRef>`
    select product_id as "productId", nullif(variation_id, '') as "variationId" from plugin_goods
    where store_id = ${storeId} and wanted_at >= ${requestedSince} and (read_at is null or read_at < ${readBefore})
    order by read_at nulls first, wanted_at, product_id, variation_id limit ${max}`.execute(db)
  return rows
}

/** Stores requested items only, and keeps the data of a later report. */
export async function saveReported(
  { db, storeId }: StoreDb,
  rows: readonly ReportedRow[],
  readAt: Date,
): Promise<void> {
  await sql`
    with said as (
      select distinct on (product_id, variation_id) * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(product_id text,
        variation_id text, is_available boolean, price_minor bigint, is_on_sale boolean, stock_quantity integer)
      order by product_id, variation_id),
    locked as materialized (
      select g.product_id, g.variation_id from plugin_goods g
      join said s on s.product_id = g.product_id and s.variation_id = g.variation_id
      where g.store_id = ${storeId} order by g.product_id, g.variation_id for update of g)
    update plugin_goods g set read_at = ${readAt}, is_available = s.is_available, price_minor = s.price_minor,
      is_on_sale = s.is_on_sale, stock_quantity = s.stock_quantity
    from said s, locked l
    where g.store_id = ${storeId} and g.product_id = l.product_id and g.variation_id = l.variation_id
      and s.product_id = g.product_id and s.variation_id = g.variation_id
      and (g.read_at is null or g.read_at < ${readAt})`.execute(db)
}

/** After the clock was set back by `ms`, data keeps its age (T4). For all stores. */
export async function ageGoods(db: Db, ms: number): Promise<void> {
  await sql`update plugin_goods set read_at = read_at - ${`${ms} milliseconds`}::interval where read_at is not null`.execute(
    db,
  )
}
