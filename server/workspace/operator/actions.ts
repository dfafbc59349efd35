import { authTexts } from '../../../shared/access/auth.ts'
import type { PlanKey } from '../../../shared/billing/billing.ts'
import { MICROS } from '../../../shared/billing/credits.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import { type OperatorActionName, operatorTexts } from '../../../shared/workspace/operator.ts'
import { findUserById, type Session, startView } from '../../access/members/public.ts'
import * as suspension from '../../billing/billing/public.ts'
import { setPlanByOperator } from '../../billing/billing/public.ts'
import { adjustCredits } from '../../billing/credits/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import { type AccountTx, type Db, sql, type Tx, transactAccount } from '../../core/db/public.ts'
import type { OperatorActionsTable } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { createOwnedAccount, inviteOwner } from '../accounts/public.ts'

// Operator actions (decision 90). Each action and its log entry are one commit.

interface ActionRequest {
  session: Session
  accountId: string
}

export function setPlan(
  deps: Pick<Deps, 'db' | 'now'>,
  { plan, isUnlimited, note, ...request }: ActionRequest & { plan: PlanKey; isUnlimited: boolean; note: string },
): Promise<void> {
  const data = { plan, isUnlimited, note: note || null }
  return recordAction(deps, { ...request, action: 'set_plan', data }, async (tx, now) => {
    if (!(await setPlanByOperator(tx, { plan, isUnlimited, now })))
      throw new AppError('conflict', operatorTexts.paysByCard)
  })
}

export function changeCredits(
  deps: Pick<Deps, 'db' | 'now'>,
  { cents, reason, ...request }: ActionRequest & { cents: number; reason: string },
): Promise<void> {
  return recordAction(
    deps,
    { ...request, action: 'adjust_credits', data: { dollars: (cents / 100).toFixed(2), reason } },
    async (tx, now) => {
      const isAdjusted = await adjustCredits(tx, { micros: (cents * MICROS) / 100, note: reason, now })
      if (!isAdjusted) throw new AppError('conflict', operatorTexts.creditsMissing)
    },
  )
}

export function suspend(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  { reason, ...request }: ActionRequest & { reason: string },
): Promise<void> {
  return recordAction(deps, { ...request, action: 'suspend', data: { reason } }, async (tx, now) => {
    const suspendInput = { reason, operatorId: request.session.userId, support: deps.config.supportEmail, now }
    if (!(await suspension.suspendAccount(tx, suspendInput)))
      throw new AppError('conflict', operatorTexts.suspendedAlready)
  })
}

export function resume(
  deps: Pick<Deps, 'db' | 'now'>,
  { note, ...request }: ActionRequest & { note: string },
): Promise<void> {
  return recordAction(deps, { ...request, action: 'resume', data: { note: note || null } }, async (tx, now) => {
    if (!(await suspension.resumeAccount(tx, now))) throw new AppError('conflict', operatorTexts.notSuspended)
  })
}

/** Opens a session in that account with the rights of a viewer, for 30 minutes. */
export function view(
  deps: Pick<Deps, 'db' | 'now'>,
  { storeId, device, ...request }: ActionRequest & { storeId: string | null; device: string | null },
): Promise<{ token: string; until: Date }> {
  const { userId, secondFactorAt } = request.session
  return recordAction(deps, { ...request, action: 'view', data: { storeId } }, async (tx, now) => {
    if (storeId) requireFound(await isStoreInAccount(tx, storeId), 'Store')
    return startView(tx, { userId, storeId, device, secondFactorAt }, now)
  })
}

export async function resolve(
  deps: Pick<Deps, 'db' | 'now'>,
  { session, problemId, note }: { session: Session; problemId: string; note: string },
): Promise<void> {
  const problem = requireFound(await openProblem(deps.db, problemId), 'Problem')
  const data = { kind: problem.kind, note: note || null }
  const request = { session, accountId: problem.account_id }
  await recordAction(deps, { ...request, action: 'resolve_problem', data }, async (tx, now) => {
    requireFound((await closeProblem(tx, problemId, now)) || null, 'Problem')
  })
}

/** Idempotent by the owner's address. An owner who has not answered yet gets another link. */
export async function createAccount(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  { session, plan, isUnlimited, note, ...input }: NewAccount,
) {
  const email = normalizeEmail(input.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  const operator = requireFound(await findUserById(deps.db, session.userId), 'User')
  const owner = { email, name: input.name }
  const account = await createOwnedAccount(deps, owner, async (tx, { isInvited }) => {
    const now = deps.now()
    if (plan) await setPlanByOperator(tx, { plan, isUnlimited, now })
    const data = { plan, isUnlimited, isInvited, note: note || null }
    await insertAction(tx.db, {
      id: createId(),
      at: now,
      operator_id: operator.id,
      operator_email: operator.email,
      account_id: tx.accountId,
      account_name: owner.name,
      action: 'create_account',
      data,
    })
  })
  const isAwaited = account.isInvited || (await isInvitedOwner(deps.db, account.accountId, email))
  const link = isAwaited ? await inviteOwner(deps, email) : null
  return {
    accountId: account.accountId,
    isNew: account.isNew,
    invitationUrl: link?.url ?? null,
    isMailed: link?.isMailed ?? false,
  }
}

interface NewAccount {
  session: Session
  email: string
  name: string
  plan: PlanKey | null
  isUnlimited: boolean
  note: string
}

/** Whether an operator invited this owner, who has not set a password yet: that would confirm the address. */
async function isInvitedOwner(db: Db, accountId: string, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('operator_actions as o')
    .select('o.id')
    .where('o.account_id', '=', accountId)
    .where('o.action', '=', 'create_account')
    .where(sql<boolean>`o.data ->> 'isInvited' = 'true'`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users as u').select('u.id').where('u.email', '=', email).where('u.email_confirmed_at', 'is', null),
      ),
    )
    .executeTakeFirst()
  return row !== undefined
}

interface ActionInput extends ActionRequest {
  action: OperatorActionName
  data: OperatorActionsTable['data']
}

async function recordAction<T>(
  deps: Pick<Deps, 'db' | 'now'>,
  { session, accountId, action, data }: ActionInput,
  work: (tx: AccountTx, now: Date) => Promise<T>,
): Promise<T> {
  const now = deps.now()
  const operator = requireFound(await findUserById(deps.db, session.userId), 'User')
  return transactAccount({ accountId, db: deps.db }, async (tx) => {
    const account = requireFound(await lockAccount(tx), 'Account')
    const done = await work(tx, now)
    await insertAction(tx.db, {
      id: createId(),
      at: now,
      operator_id: operator.id,
      operator_email: operator.email,
      account_id: account.id,
      account_name: account.name,
      action,
      data,
    })
    return done
  })
}

type Data = OperatorActionsTable['data']

function insertAction(
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

/** Serializes actions on the account; undefined: unknown account. */
function lockAccount({ db, accountId }: AccountTx) {
  return db
    .selectFrom('accounts')
    .select(['id', 'name'])
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

function isStoreInAccount({ db, accountId }: AccountTx, storeId: string) {
  return db
    .selectFrom('stores')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', storeId)
    .executeTakeFirst()
}

/** Account and kind of an open problem. */
function openProblem(db: Db, problemId: string) {
  return db
    .selectFrom('operator_problems')
    .select(['account_id', 'kind'])
    .where('id', '=', problemId)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
}

/** Closes the problem. false: already closed. */
async function closeProblem({ db, accountId }: AccountTx, problemId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operator_problems')
    .set({ resolved_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', problemId)
    .where('resolved_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
