import { secondFactorTexts } from '../../../shared/access/second-factor.ts'
import { AppError, requireFound } from '../../core/common/public.ts'
import { StartupError } from '../../core/config/public.ts'
import { type Db, resetLimit, sql, type Tx, takePoint } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  assertPassword,
  findUserByEmail,
  findUserById,
  limits,
  lockUser,
  mailNotice,
  refuseDemo,
  type Session,
} from '../members/public.ts'
import { createRecoveryCodes, createSecret, hashRecoveryCode, readCode } from './rules.ts'
import { base32, buildKeyUri, findStep } from './totp.ts'

// Two-factor sign-in (decision 90): off → a secret is created → a code confirms it: on. A code is valid once. A user
// without the phone has ten recovery codes, then the server's administrator (`npm run end-second-factor`).

interface Holder {
  id: string
  totp_encrypted: Buffer | null
  totp_confirmed_at: Date | null
}

export async function viewSecondFactor(deps: Pick<Deps, 'db'>, { userId, isDemo }: Session) {
  const user = requireFound(await findUserById(deps.db, userId), 'User')
  const isOn = !isDemo && user.totp_confirmed_at !== null
  return {
    isOn,
    since: isOn ? user.totp_confirmed_at!.toISOString() : null,
    recoveryCodesLeft: isOn ? await countRecoveryCodes(deps.db, userId) : 0,
  }
}

/**
 * Requires the password, because an unlocked screen must not suffice to lock its user out. Requires a confirmed
 * address, because a person who registers another person's address must not lock its owner out.
 */
export async function beginSecondFactor(
  deps: Pick<Deps, 'config' | 'db' | 'pool' | 'secrets'>,
  session: Session,
  password: string,
) {
  refuseDemo(session)
  const user = await assertPassword(deps, session, { password, field: 'password' })
  if (!user.email_confirmed_at) throw new AppError('forbidden', secondFactorTexts.confirmFirst)
  const secret = createSecret()
  const savedSecret = await saveSecret(
    deps.db,
    user.id,
    deps.secrets.seal(secret.toString('base64'), encryptionContext(user.id)),
  )
  if (!savedSecret) throw new AppError('conflict', secondFactorTexts.alreadyOn)
  return { secret: base32(secret), uri: buildKeyUri(secret, user.email, deps.config.instanceName) }
}

/** From here on sign-in requires a code. This session has shown one; the user's other sessions continue without. */
export async function confirmSecondFactor(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  code: string,
): Promise<string[]> {
  refuseDemo(session)
  const { userId, sessionId } = session
  await takePoint(deps, limits.codePerUser, userId)
  const now = deps.now()
  const codes = await deps.db.transaction().execute(async (tx) => {
    const user = requireFound(await lockUser(tx, userId), 'User')
    if (user.totp_confirmed_at) throw new AppError('conflict', secondFactorTexts.alreadyOn)
    if (!user.email_confirmed_at) throw new AppError('forbidden', secondFactorTexts.confirmFirst)
    const secret = decryptSecret(deps, user)
    if (!secret) throw new AppError('conflict', secondFactorTexts.notBegun)
    const typed = readCode(code)
    const step = typed.kind === 'app' ? findStep(typed.code, secret, now) : null
    if (step === null) throw buildCodeError('app')
    await switchOn(tx, userId, { step, now })
    await markSession(tx, userId, { sessionId, now })
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'second-factor-on' })
    return replaceRecoveryCodes(tx, userId)
  })
  await resetLimit(deps, limits.codePerUser, userId)
  return codes
}

export async function endSecondFactor(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  input: { password: string; code: string },
) {
  const { userId } = session
  await withProof(deps, session, input, async (tx) => {
    await removeSecondFactor(tx, userId)
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'second-factor-off' })
  })
}

export function renewRecoveryCodes(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  input: { password: string; code: string },
): Promise<string[]> {
  const { userId } = session
  return withProof(deps, session, input, async (tx) => {
    await deps.jobs.enqueue(tx, mailNotice, { userId, about: 'recovery-codes-renewed' })
    return replaceRecoveryCodes(tx, userId)
  })
}

/** For the server's administrator; returns what was done. */
export function endSecondFactorByEmail(db: Db, email: string): Promise<string> {
  return db.transaction().execute(async (tx) => {
    const known = await findUserByEmail(tx, email)
    const user = known && (await lockUser(tx, known.id))
    if (!user) throw new StartupError(`No user has the address ${email}.`)
    if (!user.totp_confirmed_at) return `Nothing to do: two-factor sign-in of ${email} is off.`
    await removeSecondFactor(tx, user.id)
    return `Two-factor sign-in of ${email} is off. Signing in now requires only the password. It can be set up again under Settings, Account.`
  })
}

/** From here on sign-in requires only the password. */
export async function removeSecondFactor(tx: Tx, userId: string): Promise<void> {
  await switchOff(tx, userId)
  await deleteRecoveryCodes(tx, userId)
  await unmarkSessions(tx, userId)
}

type Proof = 'not_needed' | 'missing' | 'wrong_app' | 'wrong_recovery' | 'right'

/** For a user who has shown the password at sign-in. Uses up a right code. */
export async function proveSecondFactor(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  user: Holder,
  code: string | undefined,
): Promise<Proof> {
  if (!user.totp_confirmed_at) return 'not_needed'
  if (!code) return 'missing'
  const wrong = `wrong_${readCode(code).kind}` as const
  return (await spendCode(deps, deps.db, { user, code })) ? 'right' : wrong
}

const buildCodeError = (kind: 'app' | 'recovery') => {
  const message = kind === 'app' ? secondFactorTexts.codeWrong : secondFactorTexts.recoveryWrong
  return new AppError('invalid', message, { fields: { code: message } })
}

/** For actions for which an unlocked screen must not suffice. A refused action leaves the code unused. */
async function withProof<T>(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>,
  session: Session,
  input: { password: string; code: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  refuseDemo(session)
  await assertPassword(deps, session, { password: input.password, field: 'password' })
  await takePoint(deps, limits.codePerUser, session.userId)
  const done = await deps.db.transaction().execute(async (tx) => {
    const user = requireFound(await lockUser(tx, session.userId), 'User')
    if (!user.totp_confirmed_at) throw new AppError('conflict', secondFactorTexts.alreadyOff)
    if (!(await spendCode(deps, tx, { user, code: input.code }))) throw buildCodeError(readCode(input.code).kind)
    return work(tx)
  })
  await resetLimit(deps, limits.codePerUser, session.userId)
  return done
}

/** Returns true once per code. */
async function spendCode(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  db: Db | Tx,
  { user, code }: { user: Holder; code: string },
): Promise<boolean> {
  const typed = readCode(code)
  if (typed.kind === 'recovery') return spendRecovery(deps, db, user.id, typed.hash)
  const secret = decryptSecret(deps, user)
  const step = secret && findStep(typed.code, secret, deps.now())
  return step !== null && (await spendStep(db, user.id, step)) !== undefined
}

async function spendRecovery(
  deps: Pick<Deps, 'jobs' | 'now'>,
  db: Db | Tx,
  userId: string,
  hash: Buffer,
): Promise<boolean> {
  const spent = await spendRecoveryCode(db, userId, { hash, now: deps.now() })
  if (spent) await deps.jobs.enqueue(db, mailNotice, { userId, about: 'recovery-code-used' })
  return spent !== undefined
}

async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = createRecoveryCodes()
  await deleteRecoveryCodes(tx, userId)
  await insertRecoveryCodes(tx, userId, codes.map(hashRecoveryCode))
  return codes
}

/** null: no secret, or one encrypted with another APP_SECRET; then only recovery codes work. */
function decryptSecret(deps: Pick<Deps, 'log' | 'secrets'>, user: Holder): Buffer | null {
  if (!user.totp_encrypted) return null
  try {
    return Buffer.from(deps.secrets.open(user.totp_encrypted, encryptionContext(user.id)), 'base64')
  } catch {
    deps.log.warn({ userId: user.id }, 'second_factor.unreadable')
    return null
  }
}

const encryptionContext = (userId: string) => `second factor ${userId}`

// SQL for the second factor. It belongs to the user, across accounts.

function saveSecret(db: Db | Tx, userId: string, encrypted: Buffer) {
  return db
    .updateTable('users')
    .set({ totp_encrypted: encrypted, totp_last_step: null })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
}

function switchOn(tx: Tx, userId: string, { step, now }: { step: number; now: Date }) {
  return tx
    .updateTable('users')
    .set({ totp_confirmed_at: now, totp_last_step: String(step) })
    .where('id', '=', userId)
    .execute()
}

function switchOff(tx: Tx, userId: string) {
  return tx
    .updateTable('users')
    .set({ totp_encrypted: null, totp_confirmed_at: null, totp_last_step: null })
    .where('id', '=', userId)
    .execute()
}

/** undefined: this code or a later one was already used. Of two concurrent calls one succeeds. */
function spendStep(db: Db | Tx, userId: string, step: number) {
  return db
    .updateTable('users')
    .set({ totp_last_step: String(step) })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is not', null)
    .where(sql<boolean>`coalesce(totp_last_step < ${step}, true)`)
    .returning('id')
    .executeTakeFirst()
}

/** undefined: unknown or used code. Of two concurrent calls one succeeds. */
function spendRecoveryCode(db: Db | Tx, userId: string, { hash, now }: { hash: Buffer; now: Date }) {
  return db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
}

function deleteRecoveryCodes(tx: Tx, userId: string) {
  return tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

function insertRecoveryCodes(tx: Tx, userId: string, hashes: readonly Buffer[]) {
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }))
  return tx.insertInto('recovery_codes').values(rows).execute()
}

async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { left: remaining } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<string>().as('left'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(remaining)
}

/** Marks the session in which a code was shown; null: the session has ended. */
function markSession(tx: Tx, userId: string, { sessionId, now }: { sessionId: string; now: Date }) {
  return tx
    .updateTable('sessions')
    .set({ second_factor_at: now })
    .where('id', '=', sessionId)
    .where('user_id', '=', userId)
    .execute()
}

function unmarkSessions(tx: Tx, userId: string) {
  return tx.updateTable('sessions').set({ second_factor_at: null }).where('user_id', '=', userId).execute()
}
