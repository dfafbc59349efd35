import { listOwners } from '../../access/members/public.ts'
import { type AccountDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// A trial is given once per account, owner's address and card (decision 84). Stored as keyed hashes that outlive the
// account.

type TrialDeps = Pick<Deps, 'secrets' | 'now'>

/** Whether neither the account nor an address of its owners has had a trial. */
export async function canStartTrial(deps: TrialDeps, account: AccountDb): Promise<boolean> {
  const keys = hashKeys(deps, await listKeys(account, []))
  return (await readClaims(account, keys)).length === 0 && !(await hasClaim(account))
}

/**
 * Claims the trial when it starts and when a card is added. Returns `card` or `email` if another account had a trial
 * with it, so that this one must end.
 */
export async function claimTrial(
  deps: TrialDeps,
  account: AccountDb,
  cards: readonly string[],
): Promise<'own' | 'card' | 'email'> {
  const keys = hashKeys(deps, await listKeys(account, cards))
  await insertClaims(account, keys, deps.now())
  const others = (await readClaims(account, keys)).filter(({ isOthers }) => isOthers).map(({ kind }) => kind)
  return others.includes('card') ? 'card' : others.includes('email') ? 'email' : 'own'
}

async function listKeys(account: AccountDb, cards: readonly string[]): Promise<TrialKey[]> {
  const owners = await listOwners(account)
  return listTrialKeys({ accountId: account.accountId, emails: owners.map(({ email }) => email), cards })
}

const hashKeys = ({ secrets }: TrialDeps, keys: readonly TrialKey[]): TrialHash[] =>
  keys.map(({ kind, value }) => ({ kind, hash: Buffer.from(secrets.token(`trial-${kind}`, value), 'base64url') }))

// Who has had a trial (decision 84). Pure.

const DOTS_DO_NOT_COUNT = ['gmail.com', 'googlemail.com']

/** Removes what an owner can vary: case, a +tag, and Gmail's dots and second domain. */
export function normalizeTrialAddress(email: string): string {
  const text = email.trim().toLowerCase()
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  const tag = local.indexOf('+', 1)
  const untagged = tag < 0 ? local : local.slice(0, tag)
  if (!DOTS_DO_NOT_COUNT.includes(domain)) return `${untagged}@${domain}`
  return `${untagged.replaceAll('.', '') || untagged}@gmail.com`
}

interface TrialKey {
  kind: 'account' | 'email' | 'card'
  value: string
}

/** Keys that a trial claims. A card's fingerprint is the same for all customers. */
export function listTrialKeys(account: {
  accountId: string
  emails: readonly string[]
  cards: readonly string[]
}): TrialKey[] {
  const { accountId, emails, cards } = account
  const of = (kind: TrialKey['kind'], values: readonly string[]) =>
    [...new Set(values)].map((value) => ({ kind, value }))
  return [...of('account', [accountId]), ...of('email', emails.map(normalizeTrialAddress)), ...of('card', cards)]
}

// SQL for trials.

interface TrialHash {
  kind: 'account' | 'email' | 'card'
  hash: Buffer
}

/** The first claim of a key stays. */
function insertClaims({ db, accountId }: AccountDb, keys: readonly TrialHash[], now: Date) {
  return db
    .insertInto('trial_claims')
    .values(keys.map(({ kind, hash }) => ({ kind, key_hash: hash, account_id: accountId, claimed_at: now })))
    .onConflict((conflict) => conflict.columns(['kind', 'key_hash']).doNothing())
    .execute()
}

/** Whether the account has claimed a trial with any key. */
async function hasClaim({ db, accountId }: AccountDb): Promise<boolean> {
  const claim = await db
    .selectFrom('trial_claims')
    .select('kind')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return claim !== undefined
}

/** Claims of these keys, and whether each belongs to another account. */
function readClaims({ db, accountId }: AccountDb, keys: readonly TrialHash[]) {
  return db
    .selectFrom('trial_claims')
    .select(['kind', sql<boolean>`account_id is distinct from ${accountId}`.as('isOthers')])
    .where((eb) => eb.or(keys.map(({ kind, hash }) => eb.and([eb('kind', '=', kind), eb('key_hash', '=', hash)]))))
    .execute()
}
