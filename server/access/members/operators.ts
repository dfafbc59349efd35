import { AppError } from '../../core/common/public.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from './session.ts'
import { findUserById } from './users-sql.ts'

// Operators run this server: their address is in OPERATOR_EMAILS and confirmed (decision 90).

/** `factor_missing`: two-factor sign-in is off; `code_missing`: this session has shown no code. */
export type OperatorStatus = 'none' | 'factor_missing' | 'code_missing' | 'ready'

type OperatorSession = Pick<Session, 'userId' | 'secondFactorAt'>
type WorkingSession = OperatorSession & Pick<Session, 'isDemo' | 'viewedUntil'>

export async function isOperator(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  session: WorkingSession,
): Promise<boolean> {
  return !session.isDemo && !session.viewedUntil && (await findOperator({ config, db }, session)) !== undefined
}

/** For a user who works in their own account. A user who only views an account is not an operator there. */
export function readOperatorStatus(
  deps: Pick<Deps, 'config' | 'db'>,
  session: WorkingSession,
): Promise<OperatorStatus> {
  return session.isDemo || session.viewedUntil ? Promise.resolve('none') : computeStatus(deps, session)
}

/** Throws `not_found` for other users, so that they see no operator pages. */
export async function assertOperator(deps: Pick<Deps, 'config' | 'db'>, session: WorkingSession): Promise<void> {
  const status = await readOperatorStatus(deps, session)
  if (status === 'none') throw new AppError('not_found', 'Not found')
  if (status === 'factor_missing') throw new AppError('forbidden', 'Set up two-factor sign-in first.')
  if (status === 'code_missing')
    throw new AppError('forbidden', 'Sign in again with a code from your authenticator app.')
}

/** A view of an account ends when the operator loses the right. */
export async function mayStillView(deps: Pick<Deps, 'config' | 'db'>, session: OperatorSession): Promise<boolean> {
  return (await computeStatus(deps, session)) === 'ready'
}

async function computeStatus(deps: Pick<Deps, 'config' | 'db'>, session: OperatorSession): Promise<OperatorStatus> {
  const user = await findOperator(deps, session)
  if (!user) return 'none'
  if (!user.totp_confirmed_at) return 'factor_missing'
  return session.secondFactorAt ? 'ready' : 'code_missing'
}

async function findOperator({ config, db }: Pick<Deps, 'config' | 'db'>, { userId }: Pick<Session, 'userId'>) {
  if (config.operatorEmails.length === 0) return undefined
  const user = await findUserById(db, userId)
  return user?.email_confirmed_at && config.operatorEmails.includes(user.email.toLowerCase()) ? user : undefined
}
