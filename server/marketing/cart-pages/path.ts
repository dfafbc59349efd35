import type { CartPath } from '../../../shared/carts/carts.ts'
import { explain } from '../../../shared/delivery/reasons.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import { isFailed, isHeld, isOpen, mayArrive } from '../../messages/messages/public.ts'

// The path of a page of carts: their messages and clicks, in one statement.

interface PathRow {
  id: string
  /** Messages of the cart's flow. */
  planned: number
  sent: number
  sent_at: Date | null
  next_at: Date | null
  is_held: boolean | null
  is_failed: boolean | null
  /** Why the next message is held, or the newest one was not sent. */
  reason: string | null
  channel: string | null
  count: number
  clicked_at: Date | null
}

/** By cart. Includes messages and clicks of the carts merged into it. */
export async function loadPaths(store: StoreDb, cartIds: readonly string[]): Promise<ReadonlyMap<string, CartPath>> {
  if (cartIds.length === 0) return new Map()
  const rows = await selectPaths(store, cartIds)
  return new Map(rows.map((row) => [row.id, presentPath(row)]))
}

const presentPath = (row: PathRow): CartPath => ({
  reminders: { sent: row.sent, planned: Math.max(row.planned, row.sent) },
  message: findMessageState(row),
  sentAt: row.sent_at?.toISOString() ?? null,
  nextAt: row.next_at?.toISOString() ?? null,
  explanation: row.sent_at ? '' : explain(row.reason, row.channel ?? undefined),
  clickedAt: row.clicked_at?.toISOString() ?? null,
})

function findMessageState(row: PathRow): CartPath['message'] {
  if (row.sent_at) return 'sent'
  if (row.next_at) return row.is_held ? 'on_hold' : 'waiting'
  if (row.is_failed) return 'failed'
  return row.count > 0 ? 'stopped' : 'none'
}

/** `messages_once_per_cart` and `touchpoints_by_cart` serve the lookups of each cart. */
async function selectPaths({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<PathRow[]> {
  const first = (what: ReturnType<typeof sql>) =>
    sql`(array_agg(${what} order by m.due_at, m.step) filter (where ${isOpen('m')}))[1]`
  const last = (what: ReturnType<typeof sql>) => sql`(array_agg(${what} order by m.due_at desc, m.step desc))[1]`
  const hasArrived = sql`m.sending_at is not null and ${mayArrive('m')}`
  const rows = await sql<PathRow>`
    select wanted.id, p.*, (select max(t.at) from touchpoints t
        where t.store_id = ${storeId} and t.cart_id = any(wanted.ids) and t.is_human
          and t.kind in ('click', 'restore')) as clicked_at
    from (select i.id, array(select i.id union all select j.id from carts j
        where j.store_id = i.store_id and j.shopper_id = i.shopper_id and j.merged_into = i.id) as ids
      from carts i where i.store_id = ${storeId} and i.id = any(${[...cartIds]}::uuid[])) wanted
    cross join lateral (
      select count(*)::int as count,
        (count(*) filter (where m.origin_kind = 'flow' and m.cart_id = wanted.id))::int as planned,
        (count(*) filter (where m.origin_kind = 'flow' and ${hasArrived}))::int as sent,
        max(m.sending_at) filter (where ${hasArrived}) as sent_at,
        min(m.due_at) filter (where ${isOpen('m')}) as next_at,
        ${first(sql`${isHeld('m')}`)} as is_held,
        bool_or(${isFailed('m')}) as is_failed,
        coalesce(${first(sql`m.reason`)}, ${last(sql`m.reason`)}) as reason,
        coalesce(${first(sql`m.channel`)}, ${last(sql`m.channel`)}) as channel
      from messages m where m.store_id = ${storeId} and m.cart_id = any(wanted.ids)) p`.execute(db)
  return rows.rows
}
