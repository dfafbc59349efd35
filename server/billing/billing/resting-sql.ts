import { type AccountDb, type AccountTx, sql } from '../../core/db/db.ts'

// Statements on resting stores.

export interface FittedStore {
  id: string
  name: string
  url: string
  restsFirst: boolean
  restsSince: Date | null
  connectedAt: Date
}

/** Locks the account's plan and number of stores until the transaction ends. */
export function lockAccount({ db, accountId }: AccountTx) {
  return db.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().executeTakeFirst()
}

/** Connected stores, oldest first. */
export function selectConnectedStores({ db, accountId }: AccountDb): Promise<FittedStore[]> {
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

/** Sets exactly these of the account's connected stores to rest. */
export async function saveResting({ db, accountId }: AccountTx, ids: readonly string[], now: Date): Promise<void> {
  await sql`update stores set rests_since = case when id = any(${[...ids]}::uuid[]) then ${now}::timestamptz end
    where account_id = ${accountId} and is_active and (rests_since is not null) <> (id = any(${[...ids]}::uuid[]))`.execute(
    db,
  )
}

/** Marks exactly these as resting first, including disconnected ones. */
export async function saveRestsFirst({ db, accountId }: AccountTx, ids: readonly string[]): Promise<void> {
  await sql`update stores set rests_first = not rests_first
    where account_id = ${accountId} and rests_first <> (id = any(${[...ids]}::uuid[]))`.execute(db)
}
