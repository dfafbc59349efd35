import { hash, verify } from '@node-rs/argon2'
import { authTexts } from '../../../shared/access/auth.ts'
import { AppError, createSemaphore, requireFound } from '../../core/common/public.ts'
import { resetLimit, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { limits } from './limits.ts'
import type { Session } from './session.ts'
import { findUserById } from './users-sql.ts'

// Passwords: hashing, verification, and the limit on concurrent hashes.

/** OWASP's first choice for argon2id (the library's default algorithm): 19 MiB, two passes, one thread. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash takes 19 MiB and a core. The limit keeps a flood of sign-ins from exhausting memory and processor. */
const limitHashing = createSemaphore(4)

/** The hash of an unknown password, so that an unknown address takes as long as a wrong password. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$1qwS5a1tMJUyMi1z9MQThw$fUrxaOidDn/4nYH+vkFYJ9o8JxewzPRQDz14G9h/LRE'

export function hashPassword(password: string): Promise<string> {
  return limitHashing(() => hash(normalisePassword(password), COST))
}

/** With an undefined `passwordHash` it takes as long and returns false. */
export async function isRightPassword(password: string, passwordHash: string | undefined): Promise<boolean> {
  const isRight = await limitHashing(() => verify(passwordHash ?? DUMMY_HASH, normalisePassword(password)))
  return isRight && passwordHash !== undefined
}

/** Keyboards compose é differently; normalisation makes the same typed password equal. */
function normalisePassword(password: string): string {
  return password.normalize('NFKC')
}

/** Throws `invalid` at `field`; wrong passwords are counted per user. */
export async function assertPassword(
  deps: Pick<Deps, 'db' | 'pool' | 'secrets'>,
  session: Session,
  { password, field }: { password: string; field: string },
) {
  await takePoint(deps, limits.passwordPerUser, session.userId)
  const user = requireFound(await findUserById(deps.db, session.userId), 'User')
  if (!(await isRightPassword(password, user.password_hash))) {
    throw new AppError('invalid', authTexts.wrongPassword, { fields: { [field]: authTexts.wrongPassword } })
  }
  await resetLimit(deps, limits.passwordPerUser, session.userId)
  return user
}
