import type { PlanKey } from '../../../shared/billing/billing.ts'
import type { Config } from '../../core/config/public.ts'
import { type AccountTx, type Db, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { findSeller, setPlan } from './billing.ts'
import * as sql from './sql.ts'

// Without sales, every account has the installation's default plan (decision 82). Plans set by an operator stay, and so
// do plans chosen or paid while plans were sold.

const BATCH = 500

/** Growth is then unlimited: self-hosting operators pay for their own messages. */
const buildDefaultPlan = ({ defaultPlan: plan }: Pick<Config, 'defaultPlan'>) => ({
  plan,
  source: 'default' as const,
  isUnlimited: plan === ('growth' satisfies PlanKey),
})

/** Call in the transaction that creates the account. */
export async function assignDefaultPlan({ config }: Pick<Deps, 'config'>, tx: AccountTx, now: Date): Promise<void> {
  if (findSeller(config) === 'none') await setPlan(tx, buildDefaultPlan(config), now)
}

/** At startup: for accounts without a plan or with an earlier default. Returns the number of changed accounts. */
export async function applyDefaultPlan(deps: Pick<Deps, 'config' | 'db' | 'now'>): Promise<number> {
  const { config, db } = deps
  if (findSeller(config) !== 'none') return 0
  const plan = buildDefaultPlan(config)
  let changed = 0
  for (;;) {
    const accountIds = await selectAccountsToDefault(db, plan, BATCH)
    for (const accountId of accountIds) {
      await transactAccount({ accountId, db }, async (tx) => {
        const its = await sql.readSubscription(tx)
        if (!its || its.source === 'default') await setPlan(tx, plan, deps.now())
      })
    }
    changed += accountIds.length
    if (accountIds.length < BATCH) return changed
  }
}

/** Accounts without a plan or with another default plan. The demo account has its own. */
async function selectAccountsToDefault(
  db: Db,
  { plan, isUnlimited }: { plan: PlanKey; isUnlimited: boolean },
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts as a')
    .leftJoin('subscriptions as s', 's.account_id', 'a.id')
    .select('a.id')
    .where('a.deleted_at', 'is', null)
    .where('a.is_demo', '=', false)
    .where(({ or, and, eb }) =>
      or([
        eb('s.account_id', 'is', null),
        and([eb('s.source', '=', 'default'), or([eb('s.plan', '<>', plan), eb('s.is_unlimited', '<>', isUnlimited)])]),
      ]),
    )
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
