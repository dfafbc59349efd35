import type { z } from 'zod'
import { isMailedAtOnce, listTopicTypes } from '../../../shared/workspace/notification-kinds.ts'
import type { NotificationType } from '../../../shared/workspace/notifications.ts'
import { type AccountDb, type AccountTx, type Db, sql, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { mailNotifications } from './jobs.ts'
import type { MailedRow } from './mail-rules.ts'
import { readTimeZone } from './mails-sql.ts'
import { readPreferences } from './preferences.ts'

// Mails members about notifications: problems at once, or a daily summary (decision 65).

const MEMBERS_AT_ONCE = 100
/** Maximum number of lines in a mail; it also names the number of further ones. */
const MAX_LINES = 20

/** Tick: turns each due mail into a job, in the transaction that records its end. */
export async function mailDueNotifications(deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now'>): Promise<void> {
  const now = deps.now()
  for (const { account_id: accountId, user_id: userId } of await listDueMails(deps.db, now, MEMBERS_AT_ONCE)) {
    await queueDueMail(deps, { accountId, userId }, now).catch((error) => {
      // One member's failure does not stop the others.
      deps.log.error({ err: error, accountId, userId }, 'notifications.mail_failed')
    })
  }
}

async function queueDueMail(
  deps: Pick<Deps, 'db' | 'jobs'>,
  member: { accountId: string; userId: string },
  now: Date,
): Promise<void> {
  await transactAccount({ accountId: member.accountId, db: deps.db as Db }, async (tx) => {
    const due = await lockDueMail(tx, member.userId, now)
    if (!due) return
    const base = { ...member, upTo: due.last_at }
    if (due.is_due) {
      const payload = { ...base, kind: 'at_once' as const, from: due.mailed_up_to }
      await deps.jobs.enqueue(tx.db, mailNotifications, payload)
    }
    if (due.is_digest_due) {
      await deps.jobs.enqueue(tx.db, mailNotifications, { ...base, kind: 'daily' as const, from: due.digest_up_to })
    }
    await settleMail(tx, member.userId, due, now)
  })
}

export interface MailRows {
  /** Oldest first, at most one mail's lines. */
  rows: MailedRow[]
  /** Total number of rows. */
  total: number
  /** Time zone of the times in the mail. */
  timeZone: string
}

/** The rows to mail to the member, by their current preferences. */
export async function readRowsToMail(
  { db }: Pick<Deps, 'db'>,
  { accountId, userId, kind, from, upTo }: z.infer<typeof mailNotifications.payload>,
): Promise<MailRows> {
  const account = { accountId, db }
  const member = await findMember(account, userId)
  const timeZone = await readTimeZone(account)
  if (!member) return { rows: [], total: 0, timeZone }
  const preferences = await readPreferences(account, { userId, role: member.role })
  const types = preferences
    .filter(({ mail }) => mail === kind)
    .flatMap(({ topic }) => listTopicTypes(topic))
    .filter((type) => kind === 'daily' || isMailedAtOnce(type))
  const between = { types, from, upTo }
  const rows = await listRowsBetween(account, between, MAX_LINES)
  const total = rows.length < MAX_LINES ? rows.length : await countBetween(account, between)
  return { rows, total, timeZone }
}

/** Members with a due mail; a member of several accounts can occur several times. */
async function listDueMails(db: Db, now: Date, limit: number): Promise<{ account_id: string; user_id: string }[]> {
  const { rows } = await sql<{ account_id: string; user_id: string }>`
    (select account_id, user_id from notification_mails where due_at <= ${now} order by due_at limit ${limit})
    union
    (select account_id, user_id from notification_mails where digest_due_at <= ${now} order by digest_due_at limit ${limit})`.execute(
    db,
  )
  return rows
}

/** undefined: another process has it. */
async function lockDueMail({ db, accountId }: AccountTx, userId: string, now: Date): Promise<DueMail | undefined> {
  const { rows } = await sql<Omit<DueMail, 'last_at'>>`
    select coalesce(due_at <= ${now}, false) as is_due, coalesce(digest_due_at <= ${now}, false) as is_digest_due,
      mailed_up_to, digest_up_to
    from notification_mails where account_id = ${accountId} and user_id = ${userId} for update skip locked`.execute(db)
  const [due] = rows
  if (!due) return undefined
  // A separate statement after the lock: it sees everything written until then, and nothing is added before this mail
  // is settled.
  const clock = await sql<{ last_at: Date }>`
    select last_at from notification_clocks where account_id = ${accountId}`.execute(db)
  return { ...due, last_at: clock.rows[0]?.last_at ?? due.mailed_up_to }
}

async function settleMail({ db, accountId }: AccountTx, userId: string, due: DueMail, now: Date): Promise<void> {
  await sql`
    update notification_mails set
      due_at = case when ${due.is_due} then null else due_at end, mailed_at = case when ${due.is_due} then ${now} else mailed_at end,
      digest_due_at = case when ${due.is_digest_due} then null else digest_due_at end
    where account_id = ${accountId} and user_id = ${userId}`.execute(db)
}

const isInRange = ({ types, from, upTo }: Between) =>
  sql`n.created_at > ${from} and n.created_at <= ${upTo} and n.type = any(${[...types]}::text[])`

interface Between {
  types: readonly NotificationType[]
  from: Date
  upTo: Date
}

/** Rows of the account and all its stores, oldest first. */
async function listRowsBetween({ db, accountId }: AccountDb, between: Between, limit: number): Promise<MailedRow[]> {
  const range = isInRange(between)
  const { rows } = await sql<MailedRow>`
    select n.id, n.type, n.data, n.created_at, s.id as store_id, s.name as store_name, s.platform
    from stores s cross join lateral (select * from notifications n where n.store_id = s.id and ${range}
      order by n.created_at limit ${limit}) n
    where s.account_id = ${accountId}
    union all
    select n.id, n.type, n.data, n.created_at, null, null, null from account_notifications n
    where n.account_id = ${accountId} and ${range}
    order by created_at, id limit ${limit}`.execute(db)
  return rows
}

/** The number of those rows. */
async function countBetween({ db, accountId }: AccountDb, between: Between): Promise<number> {
  const range = isInRange(between)
  const { rows } = await sql<{ count: number }>`
    select ((select count(*) from stores s join notifications n on n.store_id = s.id where s.account_id = ${accountId} and ${range})
      + (select count(*) from account_notifications n where n.account_id = ${accountId} and ${range}))::int as count`.execute(
    db,
  )
  return rows[0]!.count
}

function findMember({ db, accountId }: AccountDb, userId: string) {
  return db
    .selectFrom('members')
    .select(['role'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

interface DueMail {
  is_due: boolean
  is_digest_due: boolean
  mailed_up_to: Date
  digest_up_to: Date
  /** The account's newest notification. */
  last_at: Date
}
