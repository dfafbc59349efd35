import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for suppressions by shoppers and by providers.

export async function suppress(
  { db }: StoreTx,
  row: { accountId: string; hash: Buffer; address: string; channel: string; reason: string; source: string; at: Date },
): Promise<void> {
  await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${row.accountId}, ${row.hash}, ${row.channel}, ${row.address}, ${row.reason}, ${row.source}, ${row.at})
    on conflict do nothing`.execute(db)
}

/** Removes only the shopper's own unsubscribe. */
export async function unsuppress({ db }: StoreTx, accountId: string, hash: Buffer, channel: string): Promise<void> {
  await sql`delete from suppressions where account_id = ${accountId} and address_hash = ${hash} and channel = ${channel}
    and reason = 'unsubscribed'`.execute(db)
}

/** Replaces the shopper's own "all channels" by one entry per channel, so that one can be removed. */
export async function splitStopAll(
  { db }: StoreTx,
  accountId: string,
  hash: Buffer,
  channels: readonly string[],
): Promise<void> {
  await sql`
    with deleted as (
      delete from suppressions where account_id = ${accountId} and address_hash = ${hash} and channel = 'all'
        and reason = 'unsubscribed' returning *)
    insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    select account_id, address_hash, each, address, reason, source, created_at
    from deleted cross join unnest(${[...channels]}::text[]) as each
    on conflict do nothing`.execute(db)
}

export async function hasUnsubscribed(
  { db }: StoreDb,
  accountId: string,
  hash: Buffer,
  channel: string,
): Promise<boolean> {
  const rows = await sql`select 1 from suppressions where account_id = ${accountId} and address_hash = ${hash}
    and channel in ('all', ${channel})`.execute(db)
  return rows.rows.length > 0
}

export async function insertSuppression(
  { db }: StoreDb,
  row: {
    accountId: string
    hash: Buffer
    channel: string
    address: string | null
    reason: string
    source: string
    at: Date
  },
): Promise<void> {
  await sql`insert into suppressions (account_id, address_hash, channel, address, reason, source, created_at)
    values (${row.accountId}, ${row.hash}, ${row.channel}, ${row.address}, ${row.reason}, ${row.source}, ${row.at})
    on conflict do nothing`.execute(db)
}
