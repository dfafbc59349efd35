import {
  type CreditPack,
  type Credits,
  computeCreditPrice,
  creditTexts,
  MICROS,
  type TextCarrier,
} from '../../../shared/billing/credits.ts'
import { estimatePrice } from '../../../shared/messages/text-prices.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, type Db, sql, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { computePlanLimits, findSeller, loadPlan, refuseDemo } from '../billing/public.ts'
import { addCredits, appendCredits, readBalance } from './credits.ts'
import type { EntryDraft } from './rules.ts'

// The credits offer for an account: its SMS carrier, whether it can buy credits, and prices (decision 85).

/** Price per part for the most common countries; null: for all others. */
const LISTED_COUNTRIES = ['US', 'CA', 'GB', 'DE', 'FR', 'AU', null] as const

export async function viewCredits(
  deps: Pick<Deps, 'channels' | 'config' | 'now'>,
  account: AccountDb,
): Promise<Credits> {
  const { config } = deps
  const [carrier, isUsable, balanceMicros, weekMicros] = await Promise.all([
    loadCarrier(deps, account),
    includesTexts(deps, account),
    readBalance(account),
    readWeeklyUse(account, deps.now()),
  ])
  const seller = findSeller(config)
  const prices = LISTED_COUNTRIES.map((country) => ({
    country,
    micros: computeCreditPrice(estimatePrice('sms', country), config.textCreditPerMille),
  }))
  const offer = carrier.takesCredits && seller !== 'none' ? seller : null
  return { carrier: carrier.name, offer, isUsable, balanceMicros, weekMicros, prices }
}

async function loadCarrier(
  deps: Pick<Deps, 'channels'>,
  { accountId }: AccountDb,
): Promise<{ name: TextCarrier; takesCredits: boolean }> {
  const channel = await deps.channels.text(accountId, 'sms')
  return { name: channel ? (channel.carrier ?? 'own') : 'none', takesCredits: channel?.credits !== undefined }
}

/** Even while a payment is overdue, because the account returns to its plan. */
async function includesTexts(deps: Pick<Deps, 'now'>, account: AccountDb): Promise<boolean> {
  const { entitlements } = await loadPlan(account, deps.now())
  return computePlanLimits(entitlements).maxSmsPerMonth > 0
}

/** Throws with a sentence if credits would pay for nothing. */
export async function assertCanBuy(deps: Pick<Deps, 'channels' | 'now'>, account: AccountDb): Promise<void> {
  const { name, takesCredits } = await loadCarrier(deps, account)
  if (name === 'own') throw new AppError('conflict', creditTexts.ownProvider)
  if (!takesCredits) throw new AppError('not_found', creditTexts.notHere)
  if (!(await includesTexts(deps, account))) throw new AppError('plan_required', creditTexts.planNeeded)
}

/** Decision 3: without payment, in test billing. `request`: may be repeated. */
export async function addTestCredits(
  deps: Pick<Deps, 'channels' | 'config' | 'now'>,
  account: AccountDb<Db>,
  { pack, request }: { pack: CreditPack; request: CreditRequest | null },
): Promise<number> {
  if (!deps.config.isBillingTestMode) throw new AppError('not_found', 'Not found')
  await refuseDemo(account)
  const draft = { kind: 'test' as const, micros: pack * MICROS }
  const now = deps.now()
  // A replay gets its reply even if the account may not buy any more.
  const answer = request && (await findReply(account, request, { draft, now }))
  if (answer !== null) return answer
  await assertCanBuy(deps, account)
  return request ? addCreditsOnce(account, request, { draft, now }) : addCredits(account, draft, now)
}

const DAY_MS = 86_400_000

interface CreditRequest {
  userId: string
  /** The `Idempotency-Key`. */
  key: string
}

/**
 * A repeated request within a day adds nothing and gets the first reply. Throws `conflict` if the key came with another
 * amount (D9).
 */
async function addCreditsOnce(
  account: AccountDb<Db>,
  request: CreditRequest,
  { draft, now }: { draft: EntryDraft; now: Date },
): Promise<number> {
  return transactAccount(account, async (tx) => {
    const until = new Date(now.getTime() + DAY_MS)
    if (!(await insertRequest(tx, { ...request, micros: draft.micros, now, until }))) {
      return (await findReply(tx, request, { draft, now })) ?? 0
    }
    const balance = await appendCredits(tx, draft, now)
    await saveReply(tx, request, balance)
    return balance
  })
}

/** Reply to the same request within a day; null: none. Throws like `addCreditsOnce`. */
async function findReply(
  account: AccountDb,
  request: CreditRequest,
  { draft, now }: { draft: EntryDraft; now: Date },
): Promise<number | null> {
  const first = await readRequest(account, request, now)
  if (first && first.micros !== draft.micros)
    throw new AppError('conflict', 'This Idempotency-Key belongs to another request.')
  return first?.balance_micros ?? null
}

const WEEK_MS = 7 * 86_400_000

const readWeeklyUse = (account: AccountDb, now: Date): Promise<number> =>
  sumUsedSince(account, new Date(now.getTime() - WEEK_MS))

/** Credits used by messages since then, minus returns. */
async function sumUsedSince({ db, accountId }: AccountDb, since: Date): Promise<number> {
  const { rows } = await sql<{ micros: number }>`
    select greatest(0, coalesce(-sum(micros), 0))::bigint as micros from credit_entries
    where account_id = ${accountId} and at >= ${since} and kind in ('use', 'give_back')`.execute(db)
  return rows[0]!.micros
}

interface RequestKey {
  userId: string
  key: string
}

/**
 * Returns false if the key exists. A second request waits for the first's commit. Also deletes the account's expired
 * keys.
 */
async function insertRequest(
  { db, accountId }: AccountTx,
  { userId, key, micros, now, until }: RequestKey & { micros: number; now: Date; until: Date },
): Promise<boolean> {
  await db.deleteFrom('credit_requests').where('account_id', '=', accountId).where('expires_at', '<=', now).execute()
  const inserted = await db
    .insertInto('credit_requests')
    .values({ account_id: accountId, user_id: userId, key, micros, expires_at: until })
    .onConflict((conflict) => conflict.columns(['account_id', 'user_id', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}

async function saveReply({ db, accountId }: AccountTx, { userId, key }: RequestKey, balance: number) {
  await db
    .updateTable('credit_requests')
    .set({ balance_micros: balance })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .execute()
}

function readRequest({ db, accountId }: AccountDb, { userId, key }: RequestKey, now: Date) {
  return db
    .selectFrom('credit_requests')
    .select(['micros', 'balance_micros'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}
