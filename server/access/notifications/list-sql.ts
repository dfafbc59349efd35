import {
  MAX_NOTIFICATIONS_COUNTED,
  MAX_UNREAD_COUNTED,
  type NotificationFilter,
} from '../../../shared/workspace/notification-calls.ts'
import type { NotificationTopic } from '../../../shared/workspace/notification-kinds.ts'
import type { NotificationType } from '../../../shared/workspace/notifications.ts'
import { PLANNED_EACH_TIME, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import type { Data } from './group-rules.ts'

// A member's list: rows of the store and of its account, without deleted ones. Every statement searches at most the
// newest 10,000 rows of each by an index, so that the cost is bounded. Ids are found and counted in the index alone;
// whole rows are read only for display.

/** The bounds up to which a member has read and cleared one of the two tables. */
interface Bounds {
  readUpTo: Date
  clearedUpTo: Date
}

/** One member's view of one store's list. */
export interface MemberView {
  storeId: string
  accountId: string
  userId: string
  store: Bounds
  account: Bounds
  /** Topics that the member has switched off. */
  off: NotificationTopic[]
}

export async function readMemberView({ db, storeId }: StoreDb, userId: string): Promise<MemberView> {
  const rows = await sql<
    { account_id: string; off: NotificationTopic[] } & Record<`${'s' | 'a'}_${'read' | 'clear'}`, Date>
  >`
    select s.account_id,
      coalesce(r.read_up_to, 'epoch') as s_read, coalesce(r.cleared_up_to, 'epoch') as s_clear,
      coalesce(a.read_up_to, 'epoch') as a_read, coalesce(a.cleared_up_to, 'epoch') as a_clear,
      array(select topic from notification_preferences p
        where p.account_id = s.account_id and p.user_id = ${userId} and not p.bell) as off
    from stores s
    left join notification_reads r on r.store_id = s.id and r.user_id = ${userId}
    left join account_notification_reads a on a.account_id = s.account_id and a.user_id = ${userId}
    where s.id = ${storeId}`.execute(db)
  const row = rows.rows[0]!
  return {
    storeId,
    accountId: row.account_id,
    userId,
    off: row.off,
    store: { readUpTo: row.s_read, clearedUpTo: row.s_clear },
    account: { readUpTo: row.a_read, clearedUpTo: row.a_clear },
  }
}

export interface ListedNotification {
  id: string
  type: NotificationType
  data: Data
  zone: Record<string, string> | null
  created_at: Date
  is_read: boolean
}

export interface ListRequest {
  filter: NotificationFilter
  /** Matches title, message and data. */
  search: string
  /** Hidden types. */
  without: readonly NotificationType[]
  /** Only newer rows. */
  after: Date | null
  limit: number
  offset: number
}

export async function readPage(
  { db }: StoreDb,
  view: MemberView,
  request: ListRequest,
): Promise<{ rows: ListedNotification[]; total: number }> {
  const { rows } = await sql<
    ListedNotification & { total: number }
  >`${request.search ? searchPage(view, request) : readPageSql(view, request)}
    select t.total, l.* from counted t left join (${listedRows(view, 'page')}) l on true
    order by l.created_at desc, l.id desc`.execute(db)
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]!.total }
}

/** The first rows, without a total. */
export async function readNewest(
  { db }: StoreDb,
  view: MemberView,
  request: Omit<ListRequest, 'offset'>,
): Promise<ListedNotification[]> {
  const { rows } = await sql<ListedNotification>`
    with page as materialized (${newestIds(view, { ...request, offset: 0 })})
    ${listedRows(view, 'page')} order by created_at desc, id desc`.execute(db)
  return rows
}

/** The member's unread count, up to 100. */
export async function countUnread(
  { db }: StoreDb,
  view: MemberView,
  without: readonly NotificationType[],
): Promise<number> {
  const request = { filter: 'unread' as const, search: '', without, after: null }
  const { rows } = await sql<{ total: number }>`${countRows(view, request, MAX_UNREAD_COUNTED)}`.execute(db)
  return rows[0]!.total
}

/** The rows with these ids that the member sees, newest first. */
export async function readByIds(
  { db }: StoreDb,
  view: MemberView,
  ids: readonly string[],
): Promise<ListedNotification[]> {
  const { rows } = await sql<ListedNotification>`
    with page as (select distinct unnest(${[...ids]}::uuid[]) as id)
    ${listedRows(view, 'page')} order by created_at desc, id desc`.execute(db)
  return rows
}

/** Creation time of a notification, visible or not; null: not of this store or account. */
export async function findPosition({ db }: StoreDb, view: MemberView, id: string): Promise<Date | null> {
  const { rows } = await sql<{ created_at: Date }>`
    select created_at from notifications where store_id = ${view.storeId} and id = ${id}
    union all
    select created_at from account_notifications where account_id = ${view.accountId} and id = ${id}`.execute(db)
  return rows[0]?.created_at ?? null
}

type RowKind = 'store' | 'account'

/** Tables and keys of the two kinds of rows. */
export function tableParts({ storeId, accountId }: Pick<MemberView, 'storeId' | 'accountId'>, of: RowKind) {
  const isStore = of === 'store'
  const key = (alias: string) =>
    isStore ? sql`${sql.ref(alias)}.store_id = ${storeId}` : sql`${sql.ref(alias)}.account_id = ${accountId}`
  const marked = sql.table(isStore ? 'notification_marks' : 'account_notification_marks')
  return {
    key,
    rows: sql.table(isStore ? 'notifications' : 'account_notifications'),
    marked,
    zone: isStore ? sql`n.zone` : sql`null::jsonb`,
  }
}

type Filter = Pick<ListRequest, 'filter' | 'search' | 'without' | 'after'>

/** Whole rows for a table of ids, as the member sees them. */
function listedRows(view: MemberView, table: string): RawBuilder<unknown> {
  const one = (of: RowKind) => {
    const { rows, key, marked, zone } = tableParts(view, of)
    return sql`
      select n.id, n.type, n.data, ${zone} as zone, n.created_at,
        coalesce(k.is_read, n.created_at <= ${view[of].readUpTo}) as is_read
      from ${sql.table(table)} p
      cross join lateral (select * from ${rows} n where ${key('n')} and n.id = p.id limit 1) n
      left join lateral (select * from ${marked} k where ${key('k')} and k.user_id = ${view.userId}
        and k.notification_id = n.id limit 1) k on true
      where n.created_at > ${view[of].clearedUpTo} and k.is_deleted is not true`
  }
  return sql`${one('store')} union all ${one('account')}`
}

const ORDER = sql`order by created_at desc, id desc`

/** Counts in the index and reads the page from the list's beginning. */
const readPageSql = (view: MemberView, request: ListRequest) => sql`
  with page as materialized (${newestIds(view, request)}),
  counted as (${countRows(view, request, MAX_NOTIFICATIONS_COUNTED)})`

/**
 * A search reads texts, so it reads both kinds once. It is planned for each store, because a common plan may scan a
 * large store's rows for a small store.
 */
const searchPage = (view: MemberView, request: ListRequest) => sql`${PLANNED_EACH_TIME}
  with found as materialized (${unionKinds(request, (of) => visibleRows(view, of, request, 'at once'))}),
  page as materialized (select id from found ${ORDER} limit ${request.limit} offset ${request.offset}),
  counted as (select least(count(*), ${MAX_NOTIFICATIONS_COUNTED})::int as total from found)`

/** The ids of a page. Reads no more rows of each kind than the page needs. */
function newestIds(view: MemberView, request: ListRequest): RawBuilder<unknown> {
  const reach = request.offset + request.limit
  const first = (of: RowKind) => sql`(${visibleRows(view, of, request, chooseLookup(reach))} ${ORDER} limit ${reach})`
  return sql`
    select id, created_at from (${unionKinds(request, first)}) both_kinds
    ${ORDER} limit ${request.limit} offset ${request.offset}`
}

function countRows(view: MemberView, request: Filter, max: number): RawBuilder<unknown> {
  return sql`
    select least(count(*), ${max})::int as total from (
      ${unionKinds(request, (of) => sql`(${visibleRows(view, of, request, chooseLookup(max))} limit ${max})`)}) both_kinds`
}

/** The account has no carts, so cart filters skip its rows. */
const unionKinds = ({ filter }: Filter, select: (of: RowKind) => RawBuilder<unknown>): RawBuilder<unknown> =>
  filter === 'new-carts' ? select('store') : sql`${select('store')} union all ${select('account')}`

/** How marks are looked up: by the index, or in a hash table built first. */
type MarkLookup = 'one by one' | 'at once'
const MAX_INDEX_LOOKUPS = 1_000
const chooseLookup = (rows: number): MarkLookup => (rows <= MAX_INDEX_LOOKUPS ? 'one by one' : 'at once')

/** id and created_at of rows that this member has not deleted (or read) individually. */
function visibleRows(view: MemberView, of: RowKind, request: Filter, lookup: MarkLookup): RawBuilder<unknown> {
  const { marked, key } = tableParts(view, of)
  const ofMember = sql`${key('k')} and k.user_id = ${view.userId}`
  const hidden = sql`(k.is_deleted ${request.filter === 'unread' ? sql`or coalesce(k.is_read, false)` : sql``})`
  const like = `%${request.search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql`
    select c.id, c.created_at from (${candidateRows(view, of, request)}) c
    where c.type <> all(${[...request.without]}::text[])
      and ${
        lookup === 'one by one'
          ? sql`(select ${hidden} from ${marked} k where ${ofMember} and k.notification_id = c.id) is not true`
          : sql`c.id not in (select k.notification_id from (${memberMarks(view, of, request)}) k where ${hidden})`
      }
      ${request.search ? sql`and c.search collate "C" like ${like}` : sql``}`
}

/**
 * Marks that may belong to the candidates. Among the newest 10,000 rows at most that many are marked, by the newest
 * marks; filtered rows can be older.
 */
function memberMarks(view: MemberView, of: RowKind, { filter, after }: Filter): RawBuilder<unknown> {
  const { marked, key } = tableParts(view, of)
  const { readUpTo, clearedUpTo } = view[of]
  const since = chooseLater(filter === 'unread' ? chooseLater(readUpTo, clearedUpTo) : clearedUpTo, after)
  return sql`
    select * from ${marked} k where ${key('k')} and k.user_id = ${view.userId} and k.created_at > ${since}
    ${filter === 'all' || filter === 'unread' ? sql`order by k.created_at desc, k.notification_id desc limit ${MAX_NOTIFICATIONS_COUNTED}` : sql``}`
}

function candidateRows(view: MemberView, of: RowKind, { filter, search, after }: Filter): RawBuilder<unknown> {
  const { rows, key, marked } = tableParts(view, of)
  const { readUpTo, clearedUpTo } = view[of]
  const columns = sql`n.id, n.created_at, n.type ${search ? sql`, n.search` : sql``}`
  const inOrder = sql`order by n.created_at desc, n.id desc limit ${MAX_NOTIFICATIONS_COUNTED}`
  const since = (at: Date) => sql`
    select ${columns} from ${rows} n where ${key('n')} and n.created_at > ${chooseLater(at, after)}
      ${filter === 'problems' ? sql`and n.is_problem` : sql``}
      ${filter === 'new-carts' ? sql`and n.type = 'cart_abandoned'` : sql``}
    ${inOrder}`
  if (filter !== 'unread') return since(clearedUpTo)
  // Skips rows below `read_up_to`, except those marked as unread.
  return sql`(${since(chooseLater(readUpTo, clearedUpTo))}) union all (
    select ${columns} from ${marked} u
    cross join lateral (select * from ${rows} n where ${key('n')} and n.id = u.notification_id limit 1) n
    where ${key('u')} and u.user_id = ${view.userId} and u.is_read = false and not u.is_deleted
      and u.created_at > ${chooseLater(clearedUpTo, after)} and u.created_at <= ${readUpTo}
    order by u.created_at desc, u.notification_id desc limit ${MAX_NOTIFICATIONS_COUNTED})`
}

const chooseLater = (a: Date, b: Date | null): Date => (b && b > a ? b : a)
