import {
  addMs,
  assertPlainName,
  findUserByEmail,
  hashPassword,
  INVITATION_MS,
  limits,
  lockUser,
} from '../../access/members/public.ts'
import { assignDefaultPlan } from '../../billing/billing/public.ts'
import { AppError, createId, createToken, hashToken, requireFound } from '../../core/common/public.ts'
import { type AccountTx, type Tx, transactAccount, tryTakePoint } from '../../core/db/public.ts'
import { insertDefaultBudget } from '../../delivery/texts/public.ts'
import type { Deps } from '../../deps.ts'
import { chooseMailRoute } from '../../messages/channels/public.ts'
import { mailOwnerInvitation } from './jobs.ts'
import * as sql from './sql.ts'

// An operator creates an account for its owner, who sets the password with an invitation link.

interface NewOwner {
  email: string
  name: string
}

export interface OwnedAccount {
  accountId: string
  name: string
  isNew: boolean
  /** The owner's user was created with the account, and has no password yet. */
  isInvited: boolean
}

type OwnerDeps = Pick<Deps, 'config' | 'db' | 'now'>

/**
 * Creates an account with its owner. An owner who has an account keeps it: the second call finds the first one's.
 * `onCreated` runs in the same transaction.
 */
export async function createOwnedAccount(
  deps: OwnerDeps,
  { email, name }: NewOwner,
  onCreated: (tx: AccountTx, created: { isInvited: boolean }) => Promise<void>,
): Promise<OwnedAccount> {
  assertPlainName(name, 'name')
  const now = deps.now()
  // Random: the owner chooses a password with the link.
  const passwordHash = await hashPassword(createToken())
  return transactAccount({ accountId: createId(), db: deps.db }, async (tx) => {
    const isNewUser = (await sql.insertUser(tx.db, { id: createId(), email, name, passwordHash, now })) !== undefined
    const known = await findUserByEmail(tx.db, email)
    // A former holder of the address can still reclaim it.
    if (!known) throw new AppError('conflict', 'This address is reserved for 72 hours, because its owner changed it.')
    await lockUser(tx.db, known.id)
    const owned = await findOwnedAccount(tx.db, known.id)
    if (owned?.is_demo) throw new AppError('conflict', 'This is the address of the demo.')
    if (owned) return { accountId: owned.id, name: owned.name, isNew: false, isInvited: false }
    await sql.insertAccount(tx, name, now)
    await sql.insertMember(tx, known.id, 'owner', now)
    await assignDefaultPlan(deps, tx, now)
    await insertDefaultBudget(tx, now)
    await onCreated(tx, { isInvited: isNewUser })
    return { accountId: tx.accountId, name, isNew: true, isInvited: isNewUser }
  })
}

/** Mails an invitation, and returns a link for the operator to pass on. Setting a password ends all of them. */
export async function inviteOwner(
  deps: Pick<Deps, 'config' | 'db' | 'jobs' | 'now' | 'pool' | 'secrets'>,
  email: string,
): Promise<{ url: string; isMailed: boolean }> {
  const user = requireFound(await findUserByEmail(deps.db, email), 'User')
  const isMailed =
    chooseMailRoute(deps.config) !== 'none' && (await tryTakePoint(deps, limits.linkPerAddress, email)) === 0
  if (isMailed) await deps.jobs.enqueue(deps.db, mailOwnerInvitation, { userId: user.id })
  return { url: await createInvitationUrl(deps, user.id), isMailed }
}

export async function createInvitationUrl(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  userId: string,
): Promise<string> {
  const token = createToken()
  const at = now()
  await sql.insertReset(db, { tokenHash: hashToken(token), userId, now: at, expiresAt: addMs(at, INVITATION_MS) })
  return `${config.publicUrl}/reset-password?token=${token}`
}

function findOwnedAccount(tx: Tx, userId: string) {
  return tx
    .selectFrom('members as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.name', 'a.is_demo'])
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where('a.deleted_at', 'is', null)
    .orderBy('a.is_demo', 'desc')
    .orderBy('a.created_at')
    .orderBy('a.id')
    .limit(1)
    .executeTakeFirst()
}
