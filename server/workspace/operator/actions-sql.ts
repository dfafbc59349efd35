import type { AccountTx, Db, Tx } from '../../core/db/db.ts'
import type { PageWindow } from '../../core/db/paging.ts'
import type { OperatorActionsTable } from '../../core/schema/operator.ts'

// Statements for the log of operator actions, which is append-only.

type Data = OperatorActionsTable['data']

export function insertAction(
  tx: Tx,
  action: Omit<OperatorActionsTable, 'data' | 'operator_id' | 'account_id'> & {
    operator_id: string
    account_id: string
    data: Data
  },
) {
  return tx
    .insertInto('operator_actions')
    .values({ ...action, data: JSON.stringify(action.data) as unknown as Data })
    .execute()
}

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

export function actionsOf(db: Db, accountId: string) {
  return db
    .selectFrom('operator_actions')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
}

/** Serializes actions on the account; undefined: unknown account. */
export function lockAccount({ db, accountId }: AccountTx) {
  return db
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

export function isStoreOf({ db, accountId }: AccountTx, storeId: string) {
  return db
    .selectFrom('stores')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', storeId)
    .executeTakeFirst()
}

/** Account and kind of an open problem. */
export function openProblem(db: Db, problemId: string) {
  return db
    .selectFrom('operator_problems')
    .select(['account_id', 'kind'])
    .where('id', '=', problemId)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
}

/** Closes the problem. false: already closed. */
export async function closeProblem({ db, accountId }: AccountTx, problemId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operator_problems')
    .set({ resolved_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', problemId)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
