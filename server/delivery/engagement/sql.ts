import type { OriginKind } from '../../../shared/carts/carts.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { EngagementEvent } from './burst.ts'
import type { EngagementClass, EngagementKind } from './classify.ts'

// SQL for visits to messages.

export interface EngagementEventRow {
  id: string
  message_id: string
  kind: EngagementKind
  link: string
  target: string | null
  class: EngagementClass
  class_reason: string
  at: Date
}

export async function insertEngagementEvent({ db, storeId }: StoreTx, visit: EngagementEventRow): Promise<void> {
  await db
    .insertInto('engagement_events')
    .values({ store_id: storeId, ...visit })
    .execute()
}

/** Counts the stored visits to a message. */
export async function countEngagementEvents({ db, storeId }: StoreTx, messageId: string): Promise<number> {
  const rows = await sql<{ n: number }>`select count(*)::int as n from engagement_events
    where store_id = ${storeId} and message_id = ${messageId}`.execute(db)
  return rows.rows[0]!.n
}

export async function listEngagementEventsSince(
  { db, storeId }: StoreTx,
  messageId: string,
  since: Date,
): Promise<EngagementEvent[]> {
  const rows = await db
    .selectFrom('engagement_events')
    .select(['id', 'kind', 'link', 'class', 'at'])
    .where('store_id', '=', storeId)
    .where('message_id', '=', messageId)
    .where('at', '>=', since)
    .execute()
  return rows.map((row) => ({ ...row, at: row.at.getTime() }))
}

/** Reclassifies visits as machine visits. Returns the ids of the touches that no longer count. */
export async function reclassify(
  { db, storeId }: StoreTx,
  changes: readonly { id: string; reason: string }[],
): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    with changed as (select * from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c(id uuid, reason text)),
    seen as (
      update engagement_events v set class = 'machine', class_reason = c.reason from changed c
      where v.store_id = ${storeId} and v.id = c.id)
    update touchpoints t set is_human = false, class_reason = c.reason from changed c
    where t.store_id = ${storeId} and t.id = c.id and t.kind = 'click' returning t.id`.execute(db)
  return rows.rows.map((row) => row.id)
}

/**
 * Groups visits to these messages by kind and class, with first time and count. Clicks are excluded, as they are shown
 * as touches.
 */
export async function groupedEngagementEvents({ db, storeId }: StoreDb, messageIds: readonly string[]) {
  if (messageIds.length === 0) return []
  const rows = await sql<{
    message_id: string
    kind: EngagementKind
    class: EngagementClass
    class_reason: string
    at: Date
    count: number
  }>`
    select message_id, kind, class, class_reason, min(at) as at, count(*)::int as count from engagement_events
    where store_id = ${storeId} and message_id = any(${[...messageIds]}::uuid[]) and kind <> 'click'
    group by message_id, kind, class, class_reason order by min(at)`.execute(db)
  return rows.rows
}

/** Counts shoppers of an origin's messages: opened, opened by machines only, and clicked or restored. */
export async function countPeople({ db, storeId }: StoreDb, kind: OriginKind, id: string) {
  const { rows } = await sql<{ opened: number; opened_by_machines: number; clicked: number }>`
    select count(*) filter (where is_opened)::int as opened,
      count(*) filter (where not is_opened and is_machine_opened)::int as opened_by_machines,
      count(*) filter (where is_clicked)::int as clicked
    from (
      select shopper_id, bool_or(is_opened) as is_opened, bool_or(is_machine_opened) as is_machine_opened, bool_or(is_clicked) as is_clicked
      from (
        select m.shopper_id, v.kind = 'open' and v.class = 'human' as is_opened, v.kind = 'open' and v.class <> 'human' as is_machine_opened,
          false as is_clicked
        from engagement_events v join messages m on m.store_id = v.store_id and m.id = v.message_id
        where v.store_id = ${storeId} and m.origin_kind = ${kind} and m.origin_id = ${id} and v.kind = 'open'
        union all
        select m.shopper_id, false, false, true
        from touchpoints t join messages m on m.store_id = t.store_id and m.id = t.message_id
        where t.store_id = ${storeId} and m.origin_kind = ${kind} and m.origin_id = ${id} and t.is_human
          and t.kind in ('click', 'restore')) visit
      group by shopper_id) person`.execute(db)
  return rows[0]!
}

/** Lists human clicks on an origin's messages by target (null: the restore page), most clicked first. */
export async function countClicksByTarget({ db, storeId }: StoreDb, kind: OriginKind, id: string, limit: number) {
  const { rows } = await sql<{ target: string | null; clicks: number; people: number }>`
    select v.target, count(*)::int as clicks, count(distinct m.shopper_id)::int as people
    from engagement_events v join messages m on m.store_id = v.store_id and m.id = v.message_id
    where v.store_id = ${storeId} and m.origin_kind = ${kind} and m.origin_id = ${id} and v.kind = 'click' and v.class = 'human'
    group by v.target order by clicks desc, v.target nulls first limit ${limit}`.execute(db)
  return rows
}
