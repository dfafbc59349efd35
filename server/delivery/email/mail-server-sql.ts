import type { Selectable } from 'kysely'
import { type AccountDb, sql } from '../../core/db/public.ts'
import type { MailServersTable } from '../../core/schema/public.ts'

// SQL for an account's mail server and the results of its tests.

export type MailServerRow = Selectable<MailServersTable>

export function readMailServer({ db, accountId }: AccountDb): Promise<MailServerRow | undefined> {
  return db.selectFrom('mail_servers').selectAll().where('account_id', '=', accountId).executeTakeFirst()
}

export async function readMailRoute({
  db,
  accountId,
}: AccountDb): Promise<{ is_demo: boolean; has_own: boolean } | undefined> {
  const rows = await sql<{ is_demo: boolean; has_own: boolean }>`
    select a.is_demo, exists (select 1 from mail_servers m where m.account_id = a.id) as has_own
    from accounts a where a.id = ${accountId}`.execute(db)
  return rows.rows[0]
}

type StoredMailServer = Pick<
  MailServerRow,
  'host' | 'port' | 'security' | 'user_name' | 'encrypted' | 'from_address' | 'check_answer' | 'checked_at'
>

/** Returns false if another change was saved since `version`; version 0 means that none existed. */
export async function saveMailServer(
  { db, accountId }: AccountDb,
  server: StoredMailServer,
  version: number,
): Promise<boolean> {
  const { host, port, security, user_name, encrypted, from_address, check_answer, checked_at } = server
  const saved = await sql`
    insert into mail_servers (account_id, host, port, security, user_name, encrypted, from_address, check_answer, checked_at)
    select ${accountId}, ${host}, ${port}, ${security}, ${user_name}, ${encrypted}, ${from_address}, ${check_answer}, ${checked_at}
    where ${version}::int = 0 or exists (select 1 from mail_servers where account_id = ${accountId})
    on conflict (account_id) do update set host = excluded.host, port = excluded.port, security = excluded.security,
      user_name = excluded.user_name, encrypted = excluded.encrypted, from_address = excluded.from_address,
      check_answer = excluded.check_answer, checked_at = excluded.checked_at, version = mail_servers.version + 1,
      problem = null, failing_since = null, failures = 0, rests_until = null
    where mail_servers.version = ${version} returning 1`.execute(db)
  return saved.rows.length > 0
}

export async function deleteMailServer({ db, accountId }: AccountDb): Promise<boolean> {
  const deleted = await db
    .deleteFrom('mail_servers')
    .where('account_id', '=', accountId)
    .returning('account_id')
    .execute()
  return deleted.length > 0
}

/** Identifies the settings a channel was made from; newer ones may have been saved since. */
export interface ServerKey {
  version: number
  checkedAt: Date
}

/** Pauses a server after a failure, longer each time. Several messages that failed together count once. */
export async function noteFailure(
  { db, accountId }: AccountDb,
  { key, problem, now, restsUntil }: { key: ServerKey; problem: string; now: Date; restsUntil: readonly Date[] },
): Promise<void> {
  await sql`update mail_servers set problem = ${problem}, failing_since = coalesce(failing_since, ${now}),
      failures = failures + 1,
      rests_until = (${[...restsUntil]}::timestamptz[])[least(failures + 1, ${restsUntil.length})]
    where account_id = ${accountId} and version = ${key.version} and checked_at = ${key.checkedAt}
      and (rests_until is null or rests_until <= ${now})`.execute(db)
}

export async function noteSuccess({ db, accountId }: AccountDb, key: ServerKey): Promise<void> {
  await sql`update mail_servers set problem = null, failing_since = null, failures = 0, rests_until = null
    where account_id = ${accountId} and version = ${key.version} and checked_at = ${key.checkedAt}
      and problem is not null`.execute(db)
}

export type ProofName = 'test_mail' | 'domain'

export interface Proof {
  what: ProofName
  subject: string
  is_good: boolean
  at: Date
}

export async function saveProof({ db, accountId }: AccountDb, proof: Proof): Promise<void> {
  const { what, subject, is_good, at } = proof
  await db
    .insertInto('sending_proofs')
    .values({ account_id: accountId, what, subject, is_good, at })
    .onConflict((conflict) => conflict.columns(['account_id', 'what']).doUpdateSet({ subject, is_good, at }))
    .execute()
}

export function readProofs({ db, accountId }: AccountDb): Promise<Proof[]> {
  return db
    .selectFrom('sending_proofs')
    .select(['what', 'subject', 'is_good', 'at'])
    .where('account_id', '=', accountId)
    .execute()
}
