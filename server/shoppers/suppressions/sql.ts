import type { SuppressionChannel, SuppressionReason } from '../../../shared/shoppers/suppressions.ts'
import { type AccountDb, type AccountTx, type StoreDb, sql } from '../../core/db/public.ts'
import { isFailed } from '../../messages/messages/public.ts'

// SQL for the suppression list.

export interface EntryFilter {
  /** Entries with one of these hashes, or with this address prefix. */
  search: { hashes: readonly Buffer[]; prefix: string } | null
  reason: SuppressionReason | null
  channel: SuppressionChannel | null
}

export interface EntryRow {
  address_hash: Buffer
  channel: SuppressionChannel
  address: string | null
  reason: SuppressionReason
  source: string
  created_at: Date
  note: string | null
  added_by: string | null
}

/** Last entry of a page. */
export type EntryCursor = Pick<EntryRow, 'created_at' | 'address_hash' | 'channel' | 'reason'>

/** Newest first, along the filter's index, however long the list is. */
export async function selectPage(
  { db, accountId }: AccountDb,
  filter: EntryFilter,
  { after, limit }: { after: EntryCursor | null; limit: number },
): Promise<EntryRow[]> {
  const rows = await sql<EntryRow>`
    select p.address_hash, p.channel, p.address, p.reason, p.source, p.created_at, p.note, u.name as added_by
    from suppressions p left join users u on u.id = p.added_by
    where p.account_id = ${accountId} and ${matchFilter(filter)}
      ${
        after
          ? sql`and (p.created_at, p.address_hash, p.channel, p.reason)
              < (${after.created_at}::timestamptz, ${after.address_hash}::bytea, ${after.channel}, ${after.reason})`
          : sql``
      }
    order by p.created_at desc, p.address_hash desc, p.channel desc, p.reason desc limit ${limit}`.execute(db)
  return rows.rows
}

export async function countEntries({ db, accountId }: AccountDb, filter: EntryFilter): Promise<number> {
  const rows = await sql<{ n: number }>`
    select count(*) as n from suppressions p where p.account_id = ${accountId} and ${matchFilter(filter)}`.execute(db)
  return rows.rows[0]!.n
}

/** In byte order, so that an address prefix is a range of its index. */
const LAST = '\u{10ffff}'

function matchFilter({ search, reason, channel }: EntryFilter) {
  return sql`true
    ${reason ? sql`and p.reason = ${reason}` : sql``}
    ${channel ? sql`and p.channel = ${channel}` : sql``}
    ${
      search
        ? sql`and (p.address_hash = any(${[...search.hashes]}::bytea[]) or (p.address is not null
            and p.address collate "C" >= ${search.prefix} and p.address collate "C" < ${search.prefix + LAST}))`
        : sql``
    }`
}

/** The newest bounce entries, with the mail server's reply to the last failed mail. */
export async function selectBouncesWithReply({ db, accountId }: AccountDb, max: number) {
  const rows = await sql<EntryRow & { reply: string; status: string | null }>`
    with bounced as materialized (
      select p.*, u.name as by_name from suppressions p left join users u on u.id = p.added_by
      where p.account_id = ${accountId} and p.reason = 'hard_bounce' and p.address is not null and p.added_by is null
      order by p.created_at desc, p.address_hash desc, p.channel desc limit ${max})
    select b.address_hash, b.channel, b.address, b.reason, b.source, b.created_at, b.note, b.by_name as added_by, m.reply, m.status
    from bounced b
    cross join lateral (
      select coalesce(nullif(r.words, ''), m.provider_response) as reply, r.status
      from stores s
      join shopper_keys k on k.store_id = s.id and k.kind = 'email' and k.value = b.address
      join messages m on m.store_id = s.id and m.shopper_id = k.shopper_id and m.sending_at is not null
        and m.channel = 'email' and ${isFailed('m')} and m.to_address = b.address
      left join mail_reports r on r.store_id = m.store_id and r.message_id = m.id and r.kind = 'hard'
      where s.account_id = ${accountId}
      order by m.sending_at desc limit 1) m
    where m.reply is not null and m.reply <> ''
    order by b.created_at desc, b.address_hash desc`.execute(db)
  return rows.rows
}

/** Only the newest removals, shown as a note under the list. */
export async function selectRemoved({ db, accountId }: AccountDb, search: EntryFilter['search'], limit: number) {
  const rows = await sql<{
    id: string
    address: string | null
    channel: SuppressionChannel
    reason: SuppressionReason
    removed_by: string | null
    removed_at: Date
  }>`
    select r.id, r.address, r.channel, r.reason, u.name as removed_by, r.removed_at
    from suppression_removals r left join users u on u.id = r.removed_by
    where r.account_id = ${accountId} ${search ? sql`and r.address_hash = any(${[...search.hashes]}::bytea[])` : sql``}
    order by r.removed_at desc, r.id desc limit ${limit}`.execute(db)
  return rows.rows
}

export interface InsertedEntry {
  address: string
  /** Hex. */
  hash: string
  channel: SuppressionChannel
  reason: SuppressionReason
  note: string | null
}

/** Returns the number of new entries; existing ones are unchanged. */
export async function insertEntries(
  { db, accountId }: AccountTx,
  entries: readonly InsertedEntry[],
  by: { source: string; userId: string | null; at: Date },
): Promise<number> {
  const rows = await sql<{ n: number }>`
    with added as (
      insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at, note, added_by)
      select ${accountId}, decode(e.hash, 'hex'), e.channel, e.address, e.reason, ${by.source}, ${by.at}, e.note, ${by.userId}::uuid
      from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb)
        as e(address text, hash text, channel text, reason text, note text)
      order by 2, 3 on conflict do nothing returning 1)
    select count(*) as n from added`.execute(db)
  return rows.rows[0]!.n
}

/** Returns undefined if the entry does not exist or was removed meanwhile. */
export async function deleteEntry(
  { db, accountId }: AccountTx,
  entry: { hash: Buffer; channel: string; reason: string },
): Promise<Omit<EntryRow, 'note' | 'added_by'> | undefined> {
  const rows = await sql<Omit<EntryRow, 'note' | 'added_by'>>`
    delete from suppressions where account_id = ${accountId} and address_hash = ${entry.hash}
      and channel = ${entry.channel} and reason = ${entry.reason}
    returning address_hash, channel, address, reason, source, created_at`.execute(db)
  return rows.rows[0]
}

export async function recordRemoval(
  { db, accountId }: AccountTx,
  removal: { id: string; entry: Omit<EntryRow, 'note' | 'added_by'>; userId: string; at: Date },
): Promise<void> {
  await db
    .insertInto('suppression_removals')
    .values({
      account_id: accountId,
      id: removal.id,
      ...removal.entry,
      removed_by: removal.userId,
      removed_at: removal.at,
    })
    .execute()
}

/** Countries of the account's stores, for reading numbers without a country code. */
export async function selectCountries({ db, accountId }: AccountDb): Promise<string[]> {
  const rows = await db
    .selectFrom('stores')
    .select('base_country')
    .where('account_id', '=', accountId)
    .where('base_country', 'is not', null)
    .groupBy('base_country')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .limit(20)
    .execute()
  return rows.flatMap(({ base_country }) => base_country ?? [])
}

/** Those hashes, as hex, whose shopper was erased. */
export async function selectErased({ db, storeId }: StoreDb, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await sql<{ hash: string }>`
    select encode(p.address_hash, 'hex') as hash from suppressions p
    where p.account_id = (select account_id from stores where id = ${storeId}) and p.reason = 'erased'
      and p.address_hash = any(${[...hashes]}::bytea[])`.execute(db)
  return new Set(rows.rows.map((row) => row.hash))
}
