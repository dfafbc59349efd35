import type { AccountDb } from '../../core/db/db.ts'

// Statements on the payment history.

export async function countPayments({ db, accountId }: AccountDb): Promise<number> {
  const { count } = await db
    .selectFrom('payments')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Newest first. */
export function listPayments({ db, accountId }: AccountDb, { offset, limit }: { offset: number; limit: number }) {
  return db
    .selectFrom('payments')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}
