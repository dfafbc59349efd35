import type { ProblemKind } from '../../../shared/workspace/operator.ts'
import { createId } from '../../core/common/public.ts'
import type { AccountDb, AccountTx } from '../../core/db/public.ts'

// Problems of an account that its members cannot fix; operators see the open ones (decision 90).

const MAX_DETAIL_LENGTH = 1_000

/** Opens the problem once until it is resolved. */
export async function raiseProblem(
  account: AccountDb | AccountTx,
  { kind, detail, now }: { kind: ProblemKind; detail: string; now: Date },
): Promise<void> {
  await insertProblem(account, { id: createId(), kind, detail: detail.slice(0, MAX_DETAIL_LENGTH), now })
}

/** Resolves the problem. */
export async function resolveProblem(account: AccountDb | AccountTx, kind: ProblemKind, now: Date): Promise<void> {
  await resolveProblems(account, kind, now)
}

// SQL for problems that only an operator can fix.

/** Does nothing while a problem of this kind is open. */
function insertProblem(
  { db, accountId }: AccountDb | AccountTx,
  problem: { id: string; kind: ProblemKind; detail: string; now: Date },
) {
  return db
    .insertInto('operator_problems')
    .values({
      id: problem.id,
      account_id: accountId,
      kind: problem.kind,
      detail: problem.detail,
      raised_at: problem.now,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'kind']).where('resolved_at', 'is', null).doNothing())
    .execute()
}

function resolveProblems({ db, accountId }: AccountDb | AccountTx, kind: ProblemKind, now: Date) {
  return db
    .updateTable('operator_problems')
    .set({ resolved_at: now })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('resolved_at', 'is', null)
    .execute()
}
