import type { Db, PageWindow } from '../../core/db/public.ts'

// SQL for the log of operator actions, which is append-only.

export async function countActions(db: Db): Promise<number> {
  const { total } = await db
    .selectFrom('operator_actions')
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

export function listActions(db: Db, { offset, limit }: PageWindow) {
  return db
    .selectFrom('operator_actions')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute()
}

export function listAccountActions(db: Db, accountId: string) {
  return db
    .selectFrom('operator_actions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
}
