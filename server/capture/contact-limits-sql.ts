import { type StoreDb, sql } from '../core/db.ts'
// Limits on new contacts, and contacts above them: SQL and nothing else.

export async function countContact({ db, storeId }: StoreDb, hour: Date): Promise<void> {
  await sql`insert into capture_hours (store_id, hour, contacts) values (${storeId}, ${hour}, 1)
    on conflict (store_id, hour) do update set contacts = capture_hours.contacts + 1`.execute(db)
}

/** The median of the hours in which contacts came; 0 when there was none. */
export async function usualHour({ db, storeId }: StoreDb, since: Date, before: Date): Promise<number> {
  const rows = await sql<{ usual: number }>`
    select coalesce(percentile_cont(0.5) within group (order by contacts), 0)::float8 as usual from capture_hours
    where store_id = ${storeId} and hour >= ${since} and hour < ${before}`.execute(db)
  return rows.rows[0]!.usual
}

/** Whether an order or a draft of the store has named this address since. */
export async function isConfirmedSince(
  { db, storeId }: StoreDb,
  { kind, value }: { kind: 'email' | 'phone'; value: string },
  since: Date,
): Promise<boolean> {
  const rows = await sql<{ is_confirmed: boolean }>`
    select exists (select 1 from shopper_keys k join facts f on f.store_id = k.store_id and f.shopper_id = k.shopper_id
      where k.store_id = ${storeId} and k.kind = ${kind} and k.value = ${value}
        and f.kind = 'order' and f.at >= ${since} and f.payload #>> ${`{contact,${kind}}`}::text[] = ${value}) as is_confirmed`.execute(
    db,
  )
  return rows.rows[0]!.is_confirmed
}

/** Of the last day: how many new contacts were above a limit, and how many of them nothing has confirmed since. */
export async function unconfirmedSince({ db, storeId }: StoreDb, since: Date) {
  const rows = await sql<{ client: number; store: number; open: number }>`
    select count(*) filter (where u.reason = 'client')::int as client, count(*) filter (where u.reason = 'store')::int as store,
      count(*) filter (where not exists (select 1 from shopper_keys k where k.store_id = u.store_id and k.kind = u.kind
        and k.value = u.value and k.shopper_id = u.shopper_id))::int as open
    from unconfirmed_contacts u where u.store_id = ${storeId} and u.said_at >= ${since}`.execute(db)
  return rows.rows[0]!
}
