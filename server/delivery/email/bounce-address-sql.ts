import type { AccountDb } from '../../core/db/db.ts'

// SQL for the bounce address of an account's mail.

/** The envelope sender of an account's mail; null: no bounce mailbox that can be read. */
export async function bounceAddressOf({ db, accountId }: AccountDb): Promise<string | null> {
  const row = await db
    .selectFrom('bounce_mailboxes')
    .select('address')
    .where('account_id', '=', accountId)
    .where('problem', 'is', null)
    .executeTakeFirst()
  return row?.address ?? null
}
