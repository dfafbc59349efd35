import { authTexts } from '../../../shared/access/auth.ts'
import type { Role } from '../../../shared/access/roles.ts'
import { teamTexts } from '../../../shared/workspace/team.ts'
import { AppError, createId, createToken, hashToken } from '../../core/common/public.ts'
import type { AccountDb } from '../../core/db/public.ts'
import * as system from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { mayStillView } from './operators.ts'
import { addMs, SESSION_MS, SESSION_TOUCH_MS, VIEW_MS } from './rules.ts'
import * as sql from './users-sql.ts'

// Sessions: authenticates bearer tokens, starts sessions and views of operators, and keeps the chosen store.

/** The caller: a user working in one account, with the last chosen store. */
export interface Session {
  sessionId: string
  userId: string
  accountId: string
  storeId: string | null
  role: Role
  isDemo: boolean
  /** When this session showed a code of the authenticator app. */
  secondFactorAt: Date | null
  /** Set while an operator only views the account; nothing can be changed. */
  viewedUntil: Date | null
}

/** Reads the bearer token. A missing or wrong token gives null, or a 401 when a sign-in is needed. */
export async function authenticate(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  header: string | undefined,
  isNeeded: boolean,
): Promise<Session | null> {
  const token = /^Bearer ([\w-]{20,200})$/i.exec(header ?? '')?.[1]
  const session = token ? await system.findSessionByToken(deps.db, hashToken(token), deps.now()) : undefined
  if (session && !session.viewedUntil) {
    await slideExpiry(deps, session)
    return session
  }
  if (session && (await mayStillView(deps, session))) return session
  if (isNeeded) throw new AppError('session', token ? authTexts.sessionExpired : 'Please sign in.')
  return null
}

/** Starts a member's session. Returns the token once and stores only its hash. */
export async function startSession(
  account: AccountDb,
  userId: string,
  { now, device, secondFactorAt = null }: { now: Date; device: string | null; secondFactorAt?: Date | null },
): Promise<string> {
  const token = createToken()
  const session = {
    id: createId(),
    userId,
    tokenHash: hashToken(token),
    device,
    now,
    expiresAt: addMs(now, SESSION_MS),
  }
  await sql.insertSession(account, { ...session, secondFactorAt })
  return token
}

/** Starts an operator's view of an account, member or not; it expires by itself. */
export async function startView(
  account: AccountDb,
  viewer: { userId: string; storeId: string | null; device: string | null; secondFactorAt: Date | null },
  now: Date,
): Promise<{ token: string; until: Date }> {
  const token = createToken()
  const until = addMs(now, VIEW_MS)
  const session = { id: createId(), ...viewer, tokenHash: hashToken(token), now, expiresAt: until, viewedUntil: until }
  await sql.insertSession(account, session)
  return { token, until }
}

function slideExpiry(deps: Pick<Deps, 'db' | 'now'>, session: Session) {
  const now = deps.now()
  const account = { accountId: session.accountId, db: deps.db }
  const touchedBefore = addMs(now, -SESSION_TOUCH_MS)
  return sql.touchSession(account, { id: session.sessionId, now, touchedBefore, expiresAt: addMs(now, SESSION_MS) })
}

/** Sets the session's current store. The caller has checked that it belongs to the account. */
export async function setSessionStore(account: AccountDb, sessionId: string, storeId: string): Promise<void> {
  await sql.setStore(account, sessionId, storeId)
}

/** Decision 29: all users of the demo share one user. */
export function refuseDemo(session: Session): void {
  if (session.isDemo) throw new AppError('forbidden', teamTexts.demo)
}
