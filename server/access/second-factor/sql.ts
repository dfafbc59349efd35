import { type Db, sql, type Tx } from '../../core/db/db.ts'

// Statements for the second factor. It belongs to the user, across accounts.

export function saveSecret(db: Db | Tx, userId: string, encrypted: Buffer) {
  return db
    .updateTable('users')
    .set({ totp_encrypted: encrypted, totp_last_step: null })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
}

export function switchOn(tx: Tx, userId: string, { step, now }: { step: number; now: Date }) {
  return tx
    .updateTable('users')
    .set({ totp_confirmed_at: now, totp_last_step: String(step) })
    .where('id', '=', userId)
    .execute()
}

export function switchOff(tx: Tx, userId: string) {
  return tx
    .updateTable('users')
    .set({ totp_encrypted: null, totp_confirmed_at: null, totp_last_step: null })
    .where('id', '=', userId)
    .execute()
}

/** undefined: this code or a later one was already used. Of two concurrent calls one succeeds. */
export function spendStep(db: Db | Tx, userId: string, step: number) {
  return db
    .updateTable('users')
    .set({ totp_last_step: String(step) })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is not', null)
    .where(sql<boolean>`coalesce(totp_last_step < ${step}, true)`)
    .returning('id')
    .executeTakeFirst()
}

/** undefined: unknown or used code. Of two concurrent calls one succeeds. */
export function spendRecoveryCode(db: Db | Tx, userId: string, { hash, now }: { hash: Buffer; now: Date }) {
  return db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
}

export function deleteRecoveryCodes(tx: Tx, userId: string) {
  return tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

export function insertRecoveryCodes(tx: Tx, userId: string, hashes: readonly Buffer[]) {
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }))
  return tx.insertInto('recovery_codes').values(rows).execute()
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<string>().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(left)
}

/** Marks the session in which a code was shown; null: the session has ended. */
export function markSession(tx: Tx, userId: string, { sessionId, now }: { sessionId: string; now: Date }) {
  return tx
    .updateTable('sessions')
    .set({ second_factor_at: now })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .execute()
}

export function unmarkSessions(tx: Tx, userId: string) {
  return tx.updateTable('sessions').set({ second_factor_at: null }).where('user_id', '=', userId).execute()
}
