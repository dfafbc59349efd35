import { listOwners } from '../../access/members/users.ts'
import type { AccountDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { listTrialKeys, type TrialKey } from './trial-rules.ts'
import * as sql from './trials-sql.ts'

// A trial is given once per account, owner's address and card (decision 84). Stored as keyed hashes that outlive the
// account.

type TrialDeps = Pick<Deps, 'secrets' | 'now'>

/** Whether neither the account nor an address of its owners has had a trial. */
export async function canStartTrial(deps: TrialDeps, account: AccountDb): Promise<boolean> {
  const keys = hashKeys(deps, await listKeys(account, []))
  return (await sql.readClaims(account, keys)).length === 0 && !(await sql.hasClaim(account))
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
  await sql.insertClaims(account, keys, deps.now())
  const others = (await sql.readClaims(account, keys)).filter(({ isOthers }) => isOthers).map(({ kind }) => kind)
  return others.includes('card') ? 'card' : others.includes('email') ? 'email' : 'own'
}

async function listKeys(account: AccountDb, cards: readonly string[]): Promise<TrialKey[]> {
  const owners = await listOwners(account)
  return listTrialKeys({ accountId: account.accountId, emails: owners.map(({ email }) => email), cards })
}

const hashKeys = ({ secrets }: TrialDeps, keys: readonly TrialKey[]): sql.TrialHash[] =>
  keys.map(({ kind, value }) => ({ kind, hash: Buffer.from(secrets.token(`trial-${kind}`, value), 'base64url') }))
