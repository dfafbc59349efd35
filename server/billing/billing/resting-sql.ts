import { type AccountDb, type AccountTx, sql } from '../../core/db/db.ts'

// Which stores rest: SQL and nothing else.

export interface FittedStore {
  id: string
  name: string
  url: string
  restsFirst: boolean
  restsSince: Date | null
  connectedAt: Date
}

/** Until the end of the transaction nobody else changes the plan of the account or the number of its stores. */
export function lockAccount({ db, accountId }: AccountTx) {
  return db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().executeTakeFirst()
}

/** The connected ones, the oldest first. */
export function connectedStores({ db, accountId }: AccountDb): Promise<FittedStore[]> {
  return db
    .selectFrom('stores')
    .select(['id', 'name', 'url', 'rests_first as restsFirst', 'rests_since as restsSince'])
    .select('connected_at as connectedAt')
    .where('account_id', '=', accountId)
    .where('is_active', '=', true)
    .orderBy('connected_at')
    .orderBy('id')
    .execute()
}

/** Exactly these of the account's connected stores. */
export async function saveResting({ db, accountId }: AccountTx, ids: readonly string[], now: Date): Promise<void> {
  await sql`update stores set rests_since = case when id = any(${[...ids]}::uuid[]) then ${now}::timestamptz end
    where account_id = ${accountId} and is_active and (rests_since is not null) <> (id = any(${[...ids]}::uuid[]))`.execute(
    db,
  )
}

/** Exactly these, also of those that are not connected now. */
export async function saveRestsFirst({ db, accountId }: AccountTx, ids: readonly string[]): Promise<void> {
  await sql`update stores set rests_first = not rests_first
    where account_id = ${accountId} and rests_first <> (id = any(${[...ids]}::uuid[]))`.execute(db)
}
