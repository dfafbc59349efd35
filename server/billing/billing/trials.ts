import type { AccountDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { ownersOf } from '../../access/members/users.ts'
import { type TrialKey, trialKeys } from './trial-rules.ts'
import * as sql from './trials-sql.ts'

// A trial is given once: per account, per address of its owners, per card (decision 84). Kept as keyed hashes, which outlive the account.

type TrialDeps = Pick<Deps, 'secrets' | 'now'>

/** Whether neither the account nor an address of its owners has had a trial. */
export async function mayTry(deps: TrialDeps, account: AccountDb): Promise<boolean> {
  const keys = hashed(deps, await keysOf(account, []))
  return (await sql.readClaims(account, keys)).length === 0 && !(await sql.hasClaim(account))
}

/**
 * Takes the trial of an account, once it has begun and whenever a card is added. `card` or `email`: another account has had a trial by it,
 * so this one has to end.
 */
export async function claimTrial(
  deps: TrialDeps,
  account: AccountDb,
  cards: readonly string[],
): Promise<'own' | 'card' | 'email'> {
  const keys = hashed(deps, await keysOf(account, cards))
  await sql.insertClaims(account, keys, deps.now())
  const others = (await sql.readClaims(account, keys)).filter(({ isOthers }) => isOthers).map(({ kind }) => kind)
  return others.includes('card') ? 'card' : others.includes('email') ? 'email' : 'own'
}

async function keysOf(account: AccountDb, cards: readonly string[]): Promise<TrialKey[]> {
  const owners = await ownersOf(account)
  return trialKeys({ accountId: account.accountId, emails: owners.map(({ email }) => email), cards })
}

const hashed = ({ secrets }: TrialDeps, keys: readonly TrialKey[]): sql.TrialHash[] =>
  keys.map(({ kind, value }) => ({ kind, hash: Buffer.from(secrets.token(`trial-${kind}`, value), 'base64url') }))
