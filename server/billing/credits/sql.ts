import type { CreditKind } from '../../../shared/billing/credits.ts'
import { type AccountDb, type AccountTx, type StoreTx, sql } from '../../core/db/public.ts'
import type { SettledPayment } from './rules.ts'

// SQL for the credits ledger.

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
