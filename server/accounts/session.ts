import { authTexts } from '../../shared/auth.ts'
import type { Role } from '../../shared/roles.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { tokenHash } from '../secrets.ts'
import * as system from '../system.ts'

/** Who is calling: a user at work in one account, and the store chosen last. */
export interface Session {
  sessionId: string
  userId: string
  accountId: string
  storeId: string | null
  role: Role
  isDemo: boolean
}

/** Reads the bearer token. Without one: null, or 401 where a sign-in is needed. A wrong one is a 401 only where it is needed. */
export async function authenticate(deps: Deps, header: string | undefined, isNeeded: boolean): Promise<Session | null> {
  const token = /^Bearer ([\w-]{20,200})$/i.exec(header ?? '')?.[1]
  const session = token ? await system.sessionByToken(deps.db, tokenHash(token), deps.now()) : undefined
  if (session) return session
  if (isNeeded) throw new AppError('session', token ? authTexts.sessionExpired : 'Please sign in.')
  return null
}
