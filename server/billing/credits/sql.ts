import type { CreditKind } from '../../../shared/credits.ts'
import { type AccountDb, type AccountTx, type Db, type StoreTx, sql } from '../../core/db/db.ts'
import type { SettledPayment } from './rules.ts'

// Statements on the credits ledger.

export interface Balance {
  micros: number
  entries: number
}

/** Locks the balance until the transaction ends; undefined: the account never had credits. */
export async function lockBalance({ db }: StoreTx | AccountTx, accountId: string): Promise<Balance | undefined> {
  const { rows } = await sql<Balance>`select micros, entries from credit_balances where account_id = ${accountId}
    for update`.execute(db)
  return rows[0]
}

export async function openBalance({ db, accountId }: AccountTx, now: Date): Promise<void> {
  await db
    .insertInto('credit_balances')
    .values({ account_id: accountId, micros: 0, entries: 0, updated_at: now })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute()
}

export interface NewEntry {
  seq: number
  kind: CreditKind
  micros: number
  balance: number
  owed: number
  paymentId: string | null
  messageId: string | null
  note: string | null
}

/** Inserts the entries and the balance after the last one. */
export async function insertEntries(
  { db }: StoreTx | AccountTx,
  accountId: string,
  entries: readonly NewEntry[],
  now: Date,
): Promise<void> {
  const last = entries.at(-1)
  if (!last) return
  await sql`
    with added as (
      insert into credit_entries (account_id, seq, at, kind, micros, balance_micros, owed_micros, payment_id, message_id, note)
      select ${accountId}, e.seq, ${now}, e.kind, e.micros, e.balance, e.owed, e."paymentId", e."messageId", e.note
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as e(seq int, kind text, micros bigint, balance bigint,
        owed bigint, "paymentId" text, "messageId" uuid, note text))
    update credit_balances set micros = ${last.balance}, entries = ${last.seq}, updated_at = ${now}
    where account_id = ${accountId}`.execute(db)
}

/** Amount paid for each of these messages and not returned yet. */
export async function selectPaid({ db }: StoreTx, accountId: string, messageIds: readonly string[]) {
  const { rows } = await sql<{ messageId: string; micros: number }>`
    select message_id as "messageId", (-sum(micros))::bigint as micros from credit_entries
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::uuid[])
    group by message_id having sum(micros) < 0 order by message_id`.execute(db)
  return rows
}

export async function selectSettledPayments(
  { db, accountId }: AccountTx,
  paymentIds: readonly string[],
): Promise<SettledPayment[]> {
  const { rows } = await sql<SettledPayment>`
    select payment_id as "paymentId", bool_or(kind = 'purchase') as "isGranted",
      coalesce(-sum(micros) filter (where kind = 'refund'), 0)::bigint as taken, sum(owed_micros)::bigint as owed
    from credit_entries where account_id = ${accountId} and payment_id = any(${[...paymentIds]}::text[])
    group by payment_id`.execute(db)
  return rows
}

/** Sum owed from refunds of used credits. */
export async function readOwed({ db, accountId }: AccountDb): Promise<number> {
  const { rows } = await sql<{ owed: number }>`
    select coalesce(sum(owed_micros), 0)::bigint as owed from credit_entries
    where account_id = ${accountId} and payment_id is not null`.execute(db)
  return rows[0]!.owed
}

export async function readBalance({ db, accountId }: AccountDb): Promise<number> {
  const row = await db
    .selectFrom('credit_balances')
    .select('micros')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.micros ?? 0
}

/** Credits used by messages since then, minus returns. */
export async function sumUsedSince({ db, accountId }: AccountDb, since: Date): Promise<number> {
  const { rows } = await sql<{ micros: number }>`
    select greatest(0, coalesce(-sum(micros), 0))::bigint as micros from credit_entries
    where account_id = ${accountId} and at >= ${since} and kind in ('use', 'give_back')`.execute(db)
  return rows[0]!.micros
}

export async function countEntries({ db, accountId }: AccountDb): Promise<number> {
  const row = await db
    .selectFrom('credit_balances')
    .select('entries')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.entries ?? 0
}

/** Newest first. */
export function listEntries({ db, accountId }: AccountDb, { offset, limit }: { offset: number; limit: number }) {
  return db
    .selectFrom('credit_entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

export interface LowBalance {
  accountId: string
  micros: number
  weekMicros: number
  lastUse: number
  /** Last entry that added credits: each notice is sent once until the next one. */
  filledBy: number
}

/** Accounts that used credits within the week and have less left than that. */
export async function selectLowBalances(db: Db, since: Date): Promise<LowBalance[]> {
  const { rows } = await sql<LowBalance>`
    select b.account_id as "accountId", b.micros, w.micros as "weekMicros", w.last_use as "lastUse", f.seq as "filledBy"
    from credit_balances b
    join accounts a on a.id = b.account_id and a.deleted_at is null
    cross join lateral (select (-sum(e.micros))::bigint as micros,
        (select -u.micros from credit_entries u where u.account_id = b.account_id and u.kind = 'use' and u.at >= ${since}
          order by u.at desc, u.seq desc limit 1) as last_use
      from credit_entries e where e.account_id = b.account_id and e.at >= ${since} and e.kind in ('use', 'give_back')) w
    cross join lateral (select max(e.seq) as seq from credit_entries e where e.account_id = b.account_id
      and e.kind in ('purchase', 'test', 'adjustment') and e.micros > 0) f
    where b.updated_at >= ${since} and w.micros > 0 and b.micros < w.micros`.execute(db)
  return rows
}

interface RequestKey {
  userId: string
  key: string
}

/**
 * Returns false if the key exists. A second request waits for the first's commit. Also deletes the account's expired
 * keys.
 */
export async function insertRequest(
  { db, accountId }: AccountTx,
  { userId, key, micros, now, until }: RequestKey & { micros: number; now: Date; until: Date },
): Promise<boolean> {
  await db.deleteFrom('credit_requests').where('account_id', '=', accountId).where('expires_at', '<=', now).execute()
  const kept = await db
    .insertInto('credit_requests')
    .values({ account_id: accountId, user_id: userId, key, micros, expires_at: until })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  return kept !== undefined
}

export async function saveReply({ db, accountId }: AccountTx, { userId, key }: RequestKey, balance: number) {
  await db
    .updateTable('credit_requests')
    .set({ balance_micros: balance })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .execute()
}

export function readRequest({ db, accountId }: AccountDb, { userId, key }: RequestKey, now: Date) {
  return db
    .selectFrom('credit_requests')
    .select(['micros', 'balance_micros'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}
