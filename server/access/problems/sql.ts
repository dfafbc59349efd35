import type { ProblemKind } from '../../../shared/operator.ts'
import type { AccountDb, AccountTx } from '../../core/db/db.ts'

// Statements for problems that only an operator can fix.

/** Does nothing while a problem of this kind is open. */
export function insertProblem(
  { db, accountId }: AccountDb | AccountTx,
  problem: { id: string; kind: ProblemKind; detail: string; now: Date },
) {
  return db
    .insertInto('operator_problems')
    .values({
      ...{ id: problem.id, account_id: accountId, kind: problem.kind },
      ...{ detail: problem.detail, raised_at: problem.now },
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'kind']).where('resolved_at', 'is', null).doNothing())
    .execute()
}

export function resolveProblems({ db, accountId }: AccountDb | AccountTx, kind: ProblemKind, now: Date) {
  return db
    .updateTable('operator_problems')
    .set({ resolved_at: now })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('resolved_at', 'is', null)
    .execute()
}
