import { type Db, sql } from '../../core/db/db.ts'

// Across stores and accounts, as a process holds connections of many: SQL and nothing else.

/** From now on what changes in these stores is announced. Stores that have gone meanwhile are left out. */
export async function watchStores(db: Db, storeIds: readonly string[], until: Date): Promise<void> {
  await sql`
    insert into live_watches (store_id, until)
    select id, ${until}::timestamptz from stores where id = any(${[...storeIds]}::uuid[]) order by id
    on conflict (store_id) do update set until = greatest(live_watches.until, excluded.until)`.execute(db)
}

/** Of processes that went without a word too. */
export function forgetWatches(db: Db, now: Date) {
  return db.deleteFrom('live_watches').where('until', '<', now).execute()
}

/** Those of these sessions that still are, with what they are bound to. */
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
