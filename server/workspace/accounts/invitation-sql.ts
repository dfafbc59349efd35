import type { Role } from '../../../shared/roles.ts'
import type { AccountDb, AccountTx, Db } from '../../core/db/db.ts'

// Statements for invitations.

export function invitations({ db, accountId }: AccountDb) {
  return db
    .selectFrom('invitations as i')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.role', 'i.sent_at', 'i.mail_problem', 'i.expires_at', 'u.name as invited_by'])
    .where('i.account_id', '=', accountId)
    .orderBy('i.created_at', 'desc')
    .orderBy('i.id', 'desc')
    .execute()
}

export function invitation({ db, accountId }: AccountDb, id: string) {
  return db
    .selectFrom('invitations')
    .select(['id', 'email', 'role'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Inviting the same person again renews the invitation with the new role, and invalidates the old link. */
export function upsertInvitation(
  { db, accountId }: AccountTx,
  asked: { id: string; email: string; role: Role; invitedBy: string; now: Date; expiresAt: Date },
) {
  const { email, role, invitedBy, now, expiresAt } = asked
  const news = { role, invited_by: invitedBy, token_hash: null, sent_at: null, mail_problem: null }
  return db
    .insertInto('invitations')
    .values({ account_id: accountId, id: asked.id, email, ...news, created_at: now, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'email']).doUpdateSet({ ...news, created_at: now, expires_at: expiresAt }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** The mail's data; undefined if the invitation was withdrawn or accepted. */
export function invitationToMail({ db, accountId }: AccountDb, id: string) {
  return db
    .selectFrom('invitations as i')
    .innerJoin('accounts as a', 'a.id', 'i.account_id')
    .leftJoin('users as u', 'u.id', 'i.invited_by')
    .select(['i.email', 'i.role', 'a.name as account_name', 'u.name as invited_by'])
    .where('i.account_id', '=', accountId)
    .where('i.id', '=', id)
    .executeTakeFirst()
}

export function saveInvitationToken(
  { db, accountId }: AccountDb,
  id: string,
  token: { hash: Buffer; expiresAt: Date },
): Promise<unknown> {
  return db
    .updateTable('invitations')
    .set({ token_hash: token.hash, expires_at: token.expiresAt })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export function markMailed(
  { db, accountId }: AccountDb,
  id: string,
  mailed: { at: Date | null; problem: string | null },
) {
  return db
    .updateTable('invitations')
    .set({ sent_at: mailed.at, mail_problem: mailed.problem })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export function deleteInvitation({ db, accountId }: AccountDb, id: string) {
  return db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
}

/** Consumes the token; of two concurrent requests, one gets it. undefined if it is used, replaced or expired. */
export function consumeInvitation({ db, accountId }: AccountTx, tokenHash: Buffer, now: Date) {
  return db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returning(['email', 'role', 'invited_by'])
    .executeTakeFirst()
}

/** Invitations that this member has sent for these roles. */
export function deleteInvitationsBy({ db, accountId }: AccountTx, userId: string, roles: readonly Role[]) {
  return db
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('invited_by', '=', userId)
    .where('role', 'in', [...roles])
    .execute()
}

export function deleteOldInvitations(db: Db, expiredBefore: Date) {
  return db.deleteFrom('invitations').where('expires_at', '<=', expiredBefore).execute()
}
