import { type Db, sql } from '../../core/db/db.ts'

// Statements across stores and accounts, for the connections of a process.

/** Announces changes of these stores from now on. Deleted stores are skipped. */
export async function watchStores(db: Db, storeIds: readonly string[], until: Date): Promise<void> {
  await sql`
    insert into live_watches (store_id, until)
    select id, ${until}::timestamptz from stores where id = any(${[...storeIds]}::uuid[]) order by id
    on conflict (store_id) do update set until = greatest(live_watches.until, excluded.until)`.execute(db)
}

/** Includes watches of crashed processes. */
export function forgetWatches(db: Db, now: Date) {
  return db.deleteFrom('live_watches').where('until', '<', now).execute()
}

/** The valid ones among these sessions, with their account, store and role. */
export function sessionsAlive(db: Db, sessionIds: readonly string[], now: Date) {
  return db
    .selectFrom('sessions as s')
    .leftJoin('members as m', (on) =>
      on.onRef('m.account_id', '=', 's.account_id').onRef('m.user_id', '=', 's.user_id'),
    )
    .select(['s.id', 's.account_id', 's.store_id'])
    .select((eb) =>
      eb.fn.coalesce(eb.case().when('s.viewed_until', 'is not', null).then('viewer').end(), 'm.role').as('role'),
    )
    .where((eb) => eb.or([eb('m.role', 'is not', null), eb('s.viewed_until', 'is not', null)]))
    .where('s.id', '=', sql<string>`any(${[...sessionIds]}::uuid[])`)
    .where('s.expires_at', '>', now)
    .execute()
}
