import type { ProblemKind } from '../../../shared/operator.ts'
import { newId } from '../../core/common/ids.ts'
import type { AccountDb, AccountTx } from '../../core/db/db.ts'
import * as sql from './sql.ts'

// Problems of an account that its members cannot fix; operators see the open ones (decision 90).

const MAX_DETAIL_LENGTH = 1_000

/** Opens the problem once until it is resolved. */
export async function raiseProblem(
  account: AccountDb | AccountTx,
  { kind, detail, now }: { kind: ProblemKind; detail: string; now: Date },
): Promise<void> {
  await sql.insertProblem(account, { id: newId(), kind, detail: detail.slice(0, MAX_DETAIL_LENGTH), now })
}

/** Resolves the problem. */
export async function resolveProblem(account: AccountDb | AccountTx, kind: ProblemKind, now: Date): Promise<void> {
  await sql.resolveProblems(account, kind, now)
}
