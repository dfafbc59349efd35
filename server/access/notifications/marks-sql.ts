import { MAX_NOTIFICATIONS_COUNTED } from '../../../shared/workspace/notification-calls.ts'
import { type Db, type RawBuilder, type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { type MemberView, tableParts } from './list-sql.ts'

// SQL for a member's read and deleted marks. They lock no other member's rows.

export const BOTH = ['store', 'account'] as const
type RowKind = (typeof BOTH)[number]

const readsTable = (of: RowKind) => sql.table(of === 'store' ? 'notification_reads' : 'account_notification_reads')
const selectKeyColumn = (of: RowKind) => sql.ref(of === 'store' ? 'store_id' : 'account_id')
const getKeyValue = (view: MemberView, of: RowKind) => (of === 'store' ? view.storeId : view.accountId)

/** Marks the given ids that belong to this store or account; returns them. */
export async function markRows(
  { db }: StoreTx,
  view: MemberView,
  ids: readonly string[],
  what: { isRead: boolean } | { isDeleted: boolean },
): Promise<string[]> {
  const column = sql.ref('isRead' in what ? 'is_read' : 'is_deleted')
  const value = 'isRead' in what ? what.isRead : what.isDeleted
  const moved: string[] = []
  for (const of of BOTH) {
    if (moved.length === new Set(ids).size) break
    const { rows, key, marked } = tableParts(view, of)
    const result = await sql<{ notification_id: string }>`
      insert into ${marked} (${selectKeyColumn(of)}, user_id, notification_id, created_at, ${column})
      select ${getKeyValue(view, of)}, ${view.userId}, n.id, n.created_at, ${value}
      from ${rows} n where ${key('n')} and n.id = any(${[...ids]}::uuid[]) order by n.id
      on conflict (${selectKeyColumn(of)}, user_id, notification_id) do update set ${column} = excluded.${column}
      returning notification_id`.execute(db)
    moved.push(...result.rows.map((row) => row.notification_id))
  }
  return moved
}

/** Serialises a member's actions in the stores of an account. */
export async function lockMember({ db, storeId }: StoreTx, userId: string): Promise<void> {
  await sql`
    insert into account_notification_reads as r (account_id, user_id)
    select s.account_id, ${userId} from stores s where s.id = ${storeId}
    on conflict (account_id, user_id) do update set user_id = r.user_id`.execute(db)
}

/** Marks everything up to an instant as read; the bound only moves forward. Removes earlier single marks. */
export async function markReadUpTo({ db }: StoreTx, view: MemberView, of: RowKind, at: Date): Promise<void> {
  await moveBound(db, view, of, sql.ref('read_up_to'), at)
  await removeMarks(db, view, of, at, sql`k.is_read is not null`)
}

/** Marks everything up to an instant as read, except these. */
export async function markReadUpToExcept(
  { db }: StoreTx,
  view: MemberView,
  of: RowKind,
  { upTo, unread }: { upTo: Date; unread: string[] },
): Promise<void> {
  const { rows, key, marked } = tableParts(view, of)
  await sql`
    insert into ${marked} (${selectKeyColumn(of)}, user_id, notification_id, created_at, is_read)
    select ${getKeyValue(view, of)}, ${view.userId}, n.id, n.created_at, false
    from ${rows} n where ${key('n')} and n.id = any(${unread}::uuid[])
    on conflict (${selectKeyColumn(of)}, user_id, notification_id) do update set is_read = false`.execute(db)
  await moveBound(db, view, of, sql.ref('read_up_to'), upTo)
  await removeMarks(db, view, of, upTo, sql`k.is_read`)
}

/**
 * Clears everything up to an instant. Merges earlier single deletions into the bound, because only the newest deletion
 * can be undone.
 */
export async function clearUpTo({ db }: StoreTx, view: MemberView, of: RowKind, at: Date): Promise<void> {
  await moveBound(db, view, of, sql.ref('cleared_up_to'), at)
  await sql`delete from ${tableParts(view, of).marked} k
    where ${memberCondition(view, of)} and k.created_at <= ${view[of].clearedUpTo}`.execute(db)
}

const memberCondition = (view: MemberView, of: RowKind) =>
  sql`${tableParts(view, of).key('k')} and k.user_id = ${view.userId}`

/** Removes such marks up to an instant; deleted rows stay deleted. */
async function removeMarks(
  db: StoreTx['db'],
  view: MemberView,
  of: RowKind,
  at: Date,
  which: RawBuilder<unknown>,
): Promise<void> {
  const { marked } = tableParts(view, of)
  const some = sql`${memberCondition(view, of)} and k.created_at <= ${at} and ${which}`
  await sql`delete from ${marked} k where ${some} and not k.is_deleted`.execute(db)
  await sql`update ${marked} k set is_read = null where ${some}`.execute(db)
}

/** Creation time of the notification of the n-th oldest mark after an instant; null: there are fewer. */
export async function findMarkPosition(
  { db }: StoreTx,
  view: MemberView,
  of: RowKind,
  { after, nth }: { after: Date; nth: number },
): Promise<Date | null> {
  const { rows } = await sql<{ created_at: Date }>`
    select k.created_at from ${tableParts(view, of).marked} k where ${memberCondition(view, of)} and k.created_at > ${after}
    order by k.created_at, k.notification_id offset ${nth - 1} limit 1`.execute(db)
  return rows[0]?.created_at ?? null
}

/** The newest row beyond the lists; null: lists reach all. */
export async function findListEnd({ db }: StoreTx, view: MemberView, of: RowKind): Promise<Date | null> {
  const { rows, key } = tableParts(view, of)
  const result = await sql<{ created_at: Date }>`
    select n.created_at from ${rows} n where ${key('n')}
    order by n.created_at desc, n.id desc offset ${MAX_NOTIFICATIONS_COUNTED} limit 1`.execute(db)
  return result.rows[0]?.created_at ?? null
}

/** Ids between two instants that the member has not marked as read. */
export async function listUnreadBetween(
  { db }: StoreTx,
  view: MemberView,
  of: RowKind,
  { after, upTo, limit }: { after: Date; upTo: Date; limit: number },
): Promise<string[]> {
  const { rows, key, marked } = tableParts(view, of)
  const result = await sql<{ id: string }>`
    select n.id from ${rows} n where ${key('n')} and n.created_at > ${after} and n.created_at <= ${upTo}
      and n.id not in (select k.notification_id from ${marked} k
        where ${memberCondition(view, of)} and k.created_at > ${after} and k.created_at <= ${upTo} and k.is_read)
    limit ${limit}`.execute(db)
  return result.rows.map(({ id }) => id)
}

async function moveBound(
  db: StoreTx['db'],
  view: MemberView,
  of: RowKind,
  bound: ReturnType<typeof sql.ref>,
  at: Date,
) {
  await sql`
    insert into ${readsTable(of)} as r (${selectKeyColumn(of)}, user_id, ${bound})
    values (${getKeyValue(view, of)}, ${view.userId}, ${at})
    on conflict (${selectKeyColumn(of)}, user_id) do update set ${bound} = greatest(r.${bound}, excluded.${bound})`.execute(
    db,
  )
}

/** Restores the earlier bounds, unless the member has cleared again since. */
export async function restoreBounds(
  { db }: StoreTx,
  view: MemberView,
  back: { clearedUpTo: Date; store: Date; account: Date },
) {
  for (const of of BOTH) {
    const { key } = tableParts(view, of)
    await sql`
      update ${readsTable(of)} r set cleared_up_to = ${back[of]}
      where ${key('r')} and r.user_id = ${view.userId} and r.cleared_up_to = ${back.clearedUpTo}`.execute(db)
  }
}

/** Tells this member's open tabs, in any store. Words: `mine:<account>:<user>:<what>:<ids>`. */
export async function announceOwn({ db }: StoreDb, view: MemberView, announcements: readonly string[]): Promise<void> {
  const ownMarks = announcements.map((each) => `mine:${view.accountId}:${view.userId}:${each}`)
  await sql`
    select pg_notify('recoup_live', w) from unnest(${ownMarks}::text[]) as t(w)
    where exists (select 1 from live_watches l join stores s on s.id = l.store_id where s.account_id = ${view.accountId})`.execute(
    db as Db,
  )
}
