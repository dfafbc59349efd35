import { type Db, type StoreDb, type StoreTx, sql } from '../core/db.ts'
import { parts, type Sight } from './list-sql.ts'

// What a member has read and deleted: SQL and nothing else. Nobody else's rows are touched, so nobody waits.

const BOTH = ['store', 'account'] as const
type Of = (typeof BOTH)[number]

const readsOf = (of: Of) => sql.table(of === 'store' ? 'notification_reads' : 'account_notification_reads')
const keyColumn = (of: Of) => sql.ref(of === 'store' ? 'store_id' : 'account_id')
const keyValue = (sight: Sight, of: Of) => (of === 'store' ? sight.storeId : sight.accountId)

/** Marks those of these ids that are of this store or account; answers which. */
export async function mark(
  { db }: StoreTx,
  sight: Sight,
  ids: readonly string[],
  what: { isRead: boolean } | { isDeleted: boolean },
): Promise<string[]> {
  const column = sql.ref('isRead' in what ? 'is_read' : 'is_deleted')
  const value = 'isRead' in what ? what.isRead : what.isDeleted
  const moved: string[] = []
  for (const of of BOTH) {
    if (moved.length === new Set(ids).size) break
    const { rows, key, marked } = parts(sight, of)
    const result = await sql<{ notification_id: string }>`
      insert into ${marked} (${keyColumn(of)}, user_id, notification_id, ${column})
      select ${keyValue(sight, of)}, ${sight.userId}, n.id, ${value}
      from ${rows} n where ${key('n')} and n.id = any(${[...ids]}::uuid[]) order by n.id
      on conflict (${keyColumn(of)}, user_id, notification_id) do update set ${column} = excluded.${column}
      returning notification_id`.execute(db)
    moved.push(...result.rows.map((row) => row.notification_id))
  }
  return moved
}

/** Everything up to an instant; it only moves forward. What was marked as read or unread before it no longer counts. */
export async function readUpTo({ db }: StoreTx, sight: Sight, at: Date): Promise<void> {
  for (const of of BOTH) {
    const { rows, key, marked } = parts(sight, of)
    await moveBound(db, sight, of, sql.ref('read_up_to'), at)
    const ofMine = sql`${key('k')} and k.user_id = ${sight.userId} and k.is_read is not null
      and ${key('n')} and n.id = k.notification_id and n.created_at <= ${at}`
    await sql`delete from ${marked} k using ${rows} n where ${ofMine} and not k.is_deleted`.execute(db)
    await sql`update ${marked} k set is_read = null from ${rows} n where ${ofMine}`.execute(db)
  }
}

export async function clearUpTo({ db }: StoreTx, sight: Sight, at: Date): Promise<void> {
  for (const of of BOTH) await moveBound(db, sight, of, sql.ref('cleared_up_to'), at)
}

async function moveBound(db: StoreTx['db'], sight: Sight, of: Of, bound: ReturnType<typeof sql.ref>, at: Date) {
  await sql`
    insert into ${readsOf(of)} as r (${keyColumn(of)}, user_id, ${bound})
    values (${keyValue(sight, of)}, ${sight.userId}, ${at})
    on conflict (${keyColumn(of)}, user_id) do update set ${bound} = greatest(r.${bound}, excluded.${bound})`.execute(
    db,
  )
}

/** Back to where it was, unless more was cleared since. */
export async function unclear({ db }: StoreTx, sight: Sight, back: { clearedUpTo: Date; store: Date; account: Date }) {
  for (const of of BOTH) {
    const { key } = parts(sight, of)
    await sql`
      update ${readsOf(of)} r set cleared_up_to = ${back[of]}
      where ${key('r')} and r.user_id = ${sight.userId} and r.cleared_up_to = ${back.clearedUpTo}`.execute(db)
  }
}

/** To this member's open tabs, whichever store they show. Words: `mine:<account>:<user>:<what>:<ids>`. */
export async function announceOwn({ db }: StoreDb, sight: Sight, words: readonly string[]): Promise<void> {
  const mine = words.map((each) => `mine:${sight.accountId}:${sight.userId}:${each}`)
  await sql`
    select pg_notify('recoup_live', w) from unnest(${mine}::text[]) as t(w)
    where exists (select 1 from live_watches l join stores s on s.id = l.store_id where s.account_id = ${sight.accountId})`.execute(
    db as Db,
  )
}
