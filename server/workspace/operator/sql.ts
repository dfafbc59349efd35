import type { ProblemKind } from '../../../shared/workspace/operator.ts'
import { type ChosenPlan, selectChosenPlan } from '../../billing/billing/public.ts'
import { type Db, type PageWindow, type RawBuilder, sql } from '../../core/db/public.ts'
import { isOpen } from '../../messages/messages/public.ts'

// Read-only statements over all accounts, for operators.

export interface AccountRow {
  id: string
  name: string
  ownerEmail: string | null
  isDemo: boolean
  createdAt: Date
  suspendedAt: Date | null
  suspendedReason: string | null
  suspendedBy: string | null
  chosen: ChosenPlan | null
  stores: number
  messages: number
}

export interface AccountFilter {
  search: string
  isSuspended: boolean
}

export async function countAccounts(db: Db, filter: AccountFilter): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from accounts a where ${matchesFilter(filter)}`.execute(db)
  return rows[0]!.total
}

/** Newest first. */
export async function listAccounts(
  db: Db,
  { filter, month, window }: { filter: AccountFilter; month: string; window: PageWindow },
): Promise<AccountRow[]> {
  const { rows } = await sql<AccountRow>`
    select ${accountColumns(month)} from (
      select * from accounts a where ${matchesFilter(filter)}
      order by a.created_at desc, a.id desc limit ${window.limit} offset ${window.offset}) a
    order by a.created_at desc, a.id desc`.execute(db)
  return rows
}

export async function readAccount(db: Db, accountId: string, month: string): Promise<AccountRow | undefined> {
  const { rows } = await sql<AccountRow>`
    select ${accountColumns(month)} from accounts a
    where a.id = ${accountId} and a.deleted_at is null`.execute(db)
  return rows[0]
}

const accountColumns = (month: string) => sql`
  a.id, a.name, a.is_demo as "isDemo", a.created_at as "createdAt",
  a.suspended_at as "suspendedAt", a.suspended_reason as "suspendedReason",
  (select u.email from users u where u.id = a.suspended_by) as "suspendedBy",
  ${selectChosenPlan(sql`a.id`)} as chosen,
  (select u.email from members m join users u on u.id = m.user_id where m.account_id = a.id and m.role = 'owner'
    order by m.created_at, u.id limit 1) as "ownerEmail",
  (select count(*)::int from stores t where t.account_id = a.id and t.is_active) as stores,
  (select coalesce(sum(p.used), 0)::int from plan_usage p where p.account_id = a.id and p.month = ${month}::date) as messages`

function matchesFilter({ search, isSuspended }: AccountFilter): RawBuilder<boolean> {
  const suspended = isSuspended ? sql`a.suspended_at is not null` : sql`true`
  if (search === '') return sql`a.deleted_at is null and ${suspended}`
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`
  return sql`a.deleted_at is null and ${suspended} and (a.name ilike ${like} or a.id::text = ${search.toLowerCase()}
    or a.id in (select m.account_id from members m join users u on u.id = m.user_id where u.email ilike ${like})
    or a.id in (select t.account_id from stores t where t.url ilike ${like}))`
}

export function listMembers(db: Db, accountId: string) {
  return db
    .selectFrom('members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['u.name', 'u.email', 'm.role', 'u.email_confirmed_at'])
    .where('m.account_id', '=', accountId)
    .orderBy('m.created_at')
    .orderBy('u.id')
    .limit(100)
    .execute()
}

export function listStores(db: Db, accountId: string) {
  return db
    .selectFrom('stores')
    .select(['id', 'name', 'url', 'platform', 'is_active', 'sending_paused_at'])
    .where('account_id', '=', accountId)
    .orderBy('is_active', 'desc')
    .orderBy('connected_at', 'desc')
    .limit(100)
    .execute()
}

/** Number of an account's waiting messages, by the reason of their hold. */
export async function countWaiting(db: Db, accountId: string) {
  const { rows } = await sql<{ reason: string | null; count: number; oldestAt: Date }>`
    select m.reason, count(*)::int as count, min(m.due_at) as "oldestAt"
    from stores s join messages m on m.store_id = s.id and ${isOpen('m')}
    where s.account_id = ${accountId} group by m.reason order by count(*) desc, m.reason limit 50`.execute(db)
  return rows
}

export interface AlarmRow {
  stage: string
  cause: string
  since: Date
  storeId: string
  storeName: string
  accountId: string
  accountName: string
}

/** Open alarms, oldest first; null: of all accounts. */
export async function listOpenAlarms(db: Db, accountId: string | null): Promise<AlarmRow[]> {
  const { rows } = await sql<AlarmRow>`
    select l.stage, l.cause, l.raised_at as since, s.id as "storeId", s.name as "storeName",
      a.id as "accountId", a.name as "accountName"
    from alarms l join stores s on s.id = l.store_id join accounts a on a.id = s.account_id
    where l.resolved_at is null and (${accountId}::uuid is null or a.id = ${accountId}::uuid)
    order by l.raised_at, l.store_id, l.stage limit 100`.execute(db)
  return rows
}

export interface ProblemRow {
  id: string
  accountId: string
  accountName: string
  kind: ProblemKind
  detail: string
  raisedAt: Date
}

/** Open problems, newest first; null: of all accounts. */
export async function listOpenProblems(db: Db, accountId: string | null): Promise<ProblemRow[]> {
  const { rows } = await sql<ProblemRow>`
    select p.id, p.account_id as "accountId", a.name as "accountName", p.kind, p.detail, p.raised_at as "raisedAt"
    from operator_problems p join accounts a on a.id = p.account_id
    where p.resolved_at is null and (${accountId}::uuid is null or p.account_id = ${accountId}::uuid)
    order by p.raised_at desc, p.id desc limit 100`.execute(db)
  return rows
}

/** Stores with messages due before this instant. */
export async function countLateStores(db: Db, before: Date): Promise<{ stores: number; since: Date | null }> {
  const { rows } = await sql<{ stores: number; since: Date | null }>`
    select count(*)::int as stores, min(next_due_at) as since from send_schedule where next_due_at < ${before}`.execute(
    db,
  )
  return rows[0]!
}
