import type { PlanKey } from '../../../shared/billing.ts'
import type { Config } from '../../core/config/config.ts'
import { type AccountTx, transactAccount } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { putOnPlan, sellerOf } from './billing.ts'
import * as sql from './sql.ts'

// Where nothing is sold every account is on the plan the installation sets (decision 82). What an operator has set by hand stays, and what was
// chosen or paid for while plans were sold.

const AT_ONCE = 500

/** Growth has no limits then: who hosts Recoup for themselves pays for what they send. */
const defaultOf = ({ defaultPlan: plan }: Pick<Config, 'defaultPlan'>) => ({
  ...{ plan, source: 'default' as const, isUnlimited: plan === ('growth' satisfies PlanKey) },
})

/** In the transaction that makes an account. */
export async function giveDefaultPlan({ config }: Pick<Deps, 'config'>, tx: AccountTx, now: Date): Promise<void> {
  if (sellerOf(config) === 'none') await putOnPlan(tx, defaultOf(config), now)
}

/** At the start, for accounts that have no plan, and for those on an earlier setting. Answers how many were changed. */
export async function applyDefaultPlan(deps: Pick<Deps, 'config' | 'db' | 'now'>): Promise<number> {
  const { config, db } = deps
  if (sellerOf(config) !== 'none') return 0
  const wanted = defaultOf(config)
  let changed = 0
  for (;;) {
    const accountIds = await sql.accountsToDefault(db, wanted, AT_ONCE)
    for (const accountId of accountIds) {
      await transactAccount({ accountId, db }, async (tx) => {
        const its = await sql.readSubscription(tx)
        if (!its || its.source === 'default') await putOnPlan(tx, wanted, deps.now())
      })
    }
    changed += accountIds.length
    if (accountIds.length < AT_ONCE) return changed
  }
}
