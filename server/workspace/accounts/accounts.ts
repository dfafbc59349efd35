import { authTexts, type User } from '../../../shared/access/auth.ts'
import { normalizeEmail } from '../../../shared/core/contact.ts'
import {
  addMs,
  assertPlainName,
  findMember,
  findUserByEmail,
  findViewer,
  hashPassword,
  INVITATION_RETENTION_MS,
  isRightPassword,
  limits,
  mailVerification,
  REMOVAL_MS,
  readOperatorStatus,
  type Session,
  startSession,
} from '../../access/members/public.ts'
import { assignDefaultPlan, loadPlan } from '../../billing/billing/public.ts'
import { deleteOldEvents } from '../../billing/payments/public.ts'
import { listStoreLogos } from '../../carts/brand/public.ts'
import { AppError, createId, requireFound } from '../../core/common/public.ts'
import type { Config } from '../../core/config/public.ts'
import {
  type AccountDb,
  clientNetwork,
  type Db,
  type Tx,
  takePoint,
  transactAccount,
  tryTakePoint,
} from '../../core/db/public.ts'
import { insertDefaultBudget } from '../../delivery/texts/public.ts'
import type { Deps } from '../../deps.ts'
import { mailRegistration, removeAccount } from './jobs.ts'
import {
  claimAttempt,
  type DeviceCookie,
  deviceCookie,
  recordFailure,
  recordSuccess,
  tryClaimAttempt,
} from './login-throttle.ts'
import { assertSecondFactor } from './second-step.ts'
import { demoOwner, findFirstMembership, insertAccount, insertMember, insertUser } from './sql.ts'

// Registration and sign-in. A user is signed in to one account at a time; of a session token, only the hash is stored.
// No answer reveals whether an address is known: same text, same status, same time.

export interface SignedIn {
  token: string
  user: User
  /** Null for the demo, which everyone signs in to. */
  cookie: DeviceCookie | null
}

/** The origin of a request. */
export interface Origin {
  ip: string
  /** As text, for the user's list of sessions. */
  device: string | null
  cookies: Readonly<Record<string, string | undefined>>
}

interface Credentials extends Origin {
  email: string
  password: string
}

/**
 * Creates a user with an account for a new address. For a known address, the right password signs in; a wrong one
 * counts as a failed sign-in, and the owner is notified by mail.
 */
export async function register(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  input: Credentials & { name: string },
): Promise<SignedIn> {
  assertRegistrationOpen(deps.config)
  const email = normalizeEmail(input.email)
  if (!email) throw new AppError('invalid', authTexts.emailInvalid, { fields: { email: authTexts.emailInvalid } })
  assertPlainName(input.name, 'name')
  await takePoint(deps, limits.registerPerClient, clientNetwork(input.ip))
  const known = await findUserByEmail(deps.db, email)
  const created = known ? undefined : await createOwner(deps, { ...input, email })
  return created ?? registerAgain(deps, { ...input, email })
}

/** Members are invited to a team in any case. */
function assertRegistrationOpen({ registration, supportEmail }: Pick<Config, 'registration' | 'supportEmail'>): void {
  if (registration === 'closed') throw new AppError('forbidden', authTexts.registrationClosed)
  if (registration === 'invite') {
    throw new AppError('forbidden', `${authTexts.registrationByInvitation} Write to ${supportEmail} to ask for one.`)
  }
}

async function createOwner(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  input: Credentials & { name: string },
) {
  const passwordHash = await hashPassword(input.password)
  const now = deps.now()
  const user = { id: createId(), email: input.email, name: input.name, passwordHash, now }
  const account = { accountId: createId(), db: deps.db }
  const isLinkMailed = (await tryTakePoint(deps, limits.linkPerAddress, input.email)) === 0
  const token = await transactAccount(account, async (tx) => {
    if (!(await insertUser(tx.db, user))) return undefined
    await insertAccount(tx, input.name, now)
    await insertMember(tx, user.id, 'owner', now)
    await assignDefaultPlan(deps, tx, now)
    await insertDefaultBudget(tx, now)
    if (isLinkMailed) await deps.jobs.enqueue(tx.db, mailVerification, { userId: user.id })
    return startSession(tx, user.id, { now, device: input.device })
  })
  if (token === undefined) return undefined
  return {
    token,
    user: await viewUser(deps, account, buildFirstFactorState(user.id)),
    cookie: deviceCookie(deps, user.id),
  }
}

async function registerAgain(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  input: Credentials,
): Promise<SignedIn> {
  const user = await findUserByEmail(deps.db, input.email)
  const { guess } = await tryClaimAttempt(deps, { ...input, userId: user?.id })
  const isRight = await isRightPassword(input.password, guess ? user?.password_hash : undefined)
  // With a second factor, users sign in on the page that asks for its code; this form answers as for a wrong password.
  if (isRight && user && guess && !user.totp_confirmed_at) {
    await recordSuccess(deps, guess)
    return createSession(deps, user.id, { device: input.device, secondFactorAt: null })
  }
  if (guess) await recordFailure(deps, guess)
  if (user && (await tryTakePoint(deps, limits.registrationMailPerAddress, input.email)) === 0) {
    await deps.jobs.enqueue(deps.db, mailRegistration, { userId: user.id })
  }
  throw new AppError('conflict', authTexts.registrationFailed)
}

export async function signIn(deps: Deps, input: Credentials & { code?: string | undefined }): Promise<SignedIn> {
  // An invalid address is looked up as well, so that the answer takes the same time.
  const email = normalizeEmail(input.email) ?? input.email
  const user = await findUserByEmail(deps.db, email)
  const guess = await claimAttempt(deps, { ...input, email, userId: user?.id })
  if (!(await isRightPassword(input.password, user?.password_hash)) || !user) {
    await recordFailure(deps, guess)
    throw new AppError('unauthenticated', authTexts.loginFailed)
  }
  const secondFactorAt = await assertSecondFactor(deps, { user, guess, code: input.code })
  await recordSuccess(deps, guess)
  return createSession(deps, user.id, { device: input.device, secondFactorAt })
}

/** Decision 29: signs in to the real demo account; 404 where there is none. */
export async function signInToDemo(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'pool' | 'secrets'>,
  { ip, device }: Omit<Origin, 'cookies'>,
): Promise<SignedIn> {
  const owner = deps.config.isDemo ? await demoOwner(deps.db) : undefined
  const { account_id, user_id } = requireFound(owner, 'Demo')
  await takePoint(deps, limits.demoPerClient, clientNetwork(ip))
  const account = { accountId: account_id, db: deps.db }
  const now = deps.now()
  const token = await startSession(account, user_id, { now, device })
  return { token, user: await viewUser(deps, account, buildFirstFactorState(user_id)), cookie: null }
}

export async function hasDemoAccount(db: Db): Promise<boolean> {
  return (await demoOwner(db)) !== undefined
}

export async function signOut(account: AccountDb, session: Session): Promise<void> {
  await deleteSession(account, session.sessionId)
}

/** The user and session behind a request. */
type SessionState = Pick<Session, 'userId' | 'secondFactorAt' | 'viewedUntil'>

export async function viewUser(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  account: AccountDb,
  session: SessionState,
): Promise<User> {
  const { userId, viewedUntil } = session
  const now = deps.now()
  const user = requireFound(await (viewedUntil ? readViewer(account, userId) : findMember(account, userId)), 'User')
  const operator = await readOperatorStatus(deps, { ...session, isDemo: user.is_demo })
  const stores = await storesOfAccount(account)
  const logos = await listStoreLogos(account)
  const plan = await loadPlan(account, now)
  const pending = await openEmailChange(account.db, userId, now)
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    stores: stores.map(({ id, url, name, platform, is_active, currency }) => ({
      id,
      platform,
      currency,
      name: name.trim() || url.replace(/^https?:\/\//, ''),
      storeUrl: url,
      isActive: is_active,
      ...(logos.has(id) && { logo: logos.get(id)! }),
    })),
    subscriptionStatus: plan.subscription?.status ?? null,
    hasActiveSubscription: plan.entitlements.isSubscribed,
    accountId: account.accountId,
    accountName: user.account_name,
    role: user.role,
    isDemo: user.is_demo,
    isEmailConfirmed: user.is_demo || user.email_confirmed_at !== null,
    pendingEmail: pending?.email ?? null,
    operator: operator === 'none' ? null : operator,
    viewedUntil: viewedUntil?.toISOString() ?? null,
  }
}

/** The confirmation of their own address does not matter in the account they view. */
async function readViewer(account: AccountDb, userId: string) {
  const viewer = await findViewer(account, userId)
  return viewer && { ...viewer, role: 'viewer' as const, email_confirmed_at: new Date(0) }
}

/** Deletes expired sessions, links and counters, and resumes interrupted account removals. */
export async function cleanUpAccounts(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  await resumeRemovals(deps)
  await deleteOldInvitations(deps.db, addMs(deps.now(), -INVITATION_RETENTION_MS))
  await deleteOldEmailChanges(deps.db, deps.now())
  await deleteOldUndos(deps.db, deps.now())
  await deleteOldEvents(deps)
  await deleteExpiredSessions(deps.db, deps.now())
  await deleteExpiredResets(deps.db, deps.now())
  await deleteExpiredLimits(deps.db, Date.now())
}

const buildFirstFactorState = (userId: string): SessionState => ({ userId, secondFactorAt: null, viewedUntil: null })

async function createSession(
  deps: Pick<Deps, 'config' | 'db' | 'now' | 'secrets'>,
  userId: string,
  session: { device: string | null; secondFactorAt: Date | null },
): Promise<SignedIn> {
  const membership = await findFirstMembership(deps.db, userId)
  // A user without any membership cannot sign in.
  if (!membership) throw new AppError('unauthenticated', authTexts.loginFailed)
  const account = { accountId: membership.account_id, db: deps.db }
  const now = deps.now()
  const token = await startSession(account, userId, { now, ...session })
  return {
    token,
    user: await viewUser(deps, account, { ...buildFirstFactorState(userId), ...session }),
    cookie: deviceCookie(deps, userId),
  }
}

/** Resumes removals whose job was lost. */
async function resumeRemovals(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  for (const { id } of await accountsToRemove(deps.db, addMs(deps.now(), -REMOVAL_MS))) {
    await deps.jobs.enqueue(deps.db, removeAccount, { accountId: id }, id)
  }
}

/** undefined if no change is requested, or the request has expired. */
function openEmailChange(db: Db | Tx, userId: string, now: Date) {
  return db
    .selectFrom('email_changes')
    .select(['email', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

function deleteOldEmailChanges(db: Db, now: Date) {
  return db.deleteFrom('email_changes').where('expires_at', '<=', now).execute()
}

function accountsToRemove(db: Db, deletedBefore: Date) {
  return db
    .selectFrom('accounts')
    .select('id')
    .where('deleted_at', 'is not', null)
    .where('deleted_at', '<', deletedBefore)
    .limit(100)
    .execute()
}

// SQL for undoing a change of address.

function deleteOldUndos(db: Db, now: Date) {
  return db.deleteFrom('email_undos').where('expires_at', '<=', now).execute()
}

// SQL for invitations.

function deleteOldInvitations(db: Db, expiredBefore: Date) {
  return db.deleteFrom('invitations').where('expires_at', '<=', expiredBefore).execute()
}

function storesOfAccount({ db, accountId }: AccountDb) {
  return db
    .selectFrom('stores')
    .select(['id', 'url', 'name', 'platform', 'is_active', 'currency'])
    .where('account_id', '=', accountId)
    .orderBy('is_active', 'desc')
    .orderBy('connected_at', 'desc')
    .execute()
}

function deleteSession({ db, accountId }: AccountDb, sessionId: string) {
  return db.deleteFrom('sessions').where('account_id', '=', accountId).where('id', '=', sessionId).execute()
}

function deleteExpiredSessions(db: Db, now: Date) {
  return db.deleteFrom('sessions').where('expires_at', '<=', now).execute()
}

function deleteExpiredResets(db: Db, now: Date) {
  return db.deleteFrom('password_resets').where('expires_at', '<=', now).execute()
}

/** In milliseconds since 1970, as the limiter stores time. */
function deleteExpiredLimits(db: Db, nowMs: number) {
  return db.deleteFrom('rate_limits').where('expire', '<=', nowMs).execute()
}
