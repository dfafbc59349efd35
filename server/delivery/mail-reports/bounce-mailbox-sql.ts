import { type AccountDb, type Db, sql } from '../../core/db/public.ts'

// SQL for accounts' bounce mailboxes.

export interface MailboxRow {
  account_id: string
  address: string
  host: string
  port: number
  user_name: string
  encrypted: Buffer
  version: number
  uid_validity: string | null
  last_uid: number
  reports: number
  read_at: Date | null
  problem: string | null
}

const COLUMNS = sql`account_id, address, host, port, user_name, encrypted, version, uid_validity, last_uid, reports, read_at,
  problem`

export async function readMailbox({ db, accountId }: AccountDb): Promise<MailboxRow | undefined> {
  const rows = await sql<MailboxRow>`select ${COLUMNS} from bounce_mailboxes where account_id = ${accountId}`.execute(
    db,
  )
  return rows.rows[0]
}

/** Returns false if another change was saved since `version`. Resets the reading position of the former mailbox. */
export async function saveMailbox(
  { db, accountId }: AccountDb,
  row: Pick<
    MailboxRow,
    'address' | 'host' | 'port' | 'user_name' | 'encrypted' | 'version' | 'uid_validity' | 'last_uid'
  >,
  now: Date,
): Promise<boolean> {
  const { address, host, port, user_name, encrypted, version, uid_validity, last_uid } = row
  const saved = await sql`
    insert into bounce_mailboxes (account_id, address, host, port, user_name, encrypted, uid_validity, last_uid, read_at, next_read_at)
    select ${accountId}, ${address}, ${host}, ${port}, ${user_name}, ${encrypted}, ${uid_validity}, ${last_uid}, ${now}, ${now}
    where ${version}::int = 0 or exists (select 1 from bounce_mailboxes where account_id = ${accountId})
    on conflict (account_id) do update set address = excluded.address, host = excluded.host, port = excluded.port,
      user_name = excluded.user_name, encrypted = excluded.encrypted, version = bounce_mailboxes.version + 1,
      uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, read_at = ${now}, problem = null,
      next_read_at = ${now}
    where bounce_mailboxes.version = ${version} returning 1`.execute(db)
  return saved.rows.length > 0
}

export async function deleteMailbox({ db, accountId }: AccountDb): Promise<void> {
  await db.deleteFrom('bounce_mailboxes').where('account_id', '=', accountId).execute()
}

/** Takes the mailboxes that are due, each for one process. */
export async function takeDueMailboxes(db: Db, now: Date, again: Date): Promise<MailboxRow[]> {
  const rows = await sql<MailboxRow>`
    update bounce_mailboxes set next_read_at = ${again}
    where account_id in (select account_id from bounce_mailboxes where next_read_at <= ${now}
      order by next_read_at limit 10 for update skip locked)
    returning ${COLUMNS}`.execute(db)
  return rows.rows
}

/** Records a reading, only if the settings have not changed since. */
export async function noteReading(
  { db, accountId }: AccountDb,
  version: number,
  read: {
    uidValidity: string | null
    lastUid: number
    reports: number
    problem: string | null
    now: Date
    again: Date
  },
): Promise<void> {
  await sql`update bounce_mailboxes set uid_validity = coalesce(${read.uidValidity}, uid_validity), last_uid = ${read.lastUid},
      reports = reports + ${read.reports}::int, problem = ${read.problem}, next_read_at = ${read.again},
      read_at = case when ${read.problem}::text is null then ${read.now}::timestamptz else read_at end
    where account_id = ${accountId} and version = ${version}`.execute(db)
}
