import { type AccountDb, sql } from '../../core/db/db.ts'

// Statements on trials.

export interface TrialHash {
  kind: 'account' | 'email' | 'card'
  hash: Buffer
}

/** The first claim of a key stays. */
export function insertClaims({ db, accountId }: AccountDb, keys: readonly TrialHash[], now: Date) {
  return db
    .insertInto('trial_claims')
    .values(keys.map(({ kind, hash }) => ({ kind, key_hash: hash, account_id: accountId, claimed_at: now })))
    .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doNothing())
    .execute()
}

/** Whether the account has claimed a trial with any key. */
export async function hasClaim({ db, accountId }: AccountDb): Promise<boolean> {
  const claim = await db
    .selectFrom('trial_claims')
    .select('kind')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return claim !== undefined
}

/** Claims of these keys, and whether each belongs to another account. */
export function readClaims({ db, accountId }: AccountDb, keys: readonly TrialHash[]) {
  return db
    .selectFrom('trial_claims')
    .select(['kind', sql<boolean>`account_id is distinct from ${accountId}`.as('isOthers')])
    .where((eb) => eb.or(keys.map(({ kind, hash }) => eb.and([eb('kind', '=', kind), eb('key_hash', '=', hash)]))))
    .execute()
}
