import type { AccountDb } from '../../core/db/db.ts'

// The bounce address of an account’s mail: SQL and nothing else.

/** Envelope sender of an account's mail, while its mailbox can be read. */
export async function bounceAddressOf({ db, accountId }: AccountDb): Promise<string | null> {
  const row = await db
    .selectFrom('bounce_mailboxes')
    .select('address')
    .where('account_id', '=', accountId)
    .where('problem', 'is', null)
    .executeTakeFirst()
  return row?.address ?? null
}
