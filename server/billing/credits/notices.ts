import { type AccountNotice, notifyAccountsOnce } from '../../access/notifications/public.ts'
import { type Db, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// Notifies owners of low credits (decision 85): when less is left than the last seven days used, and when the balance
// does not pay for another text like the last one. Each is sent once until credits are added.

const WEEK_MS = 7 * 86_400_000

/** Tick. */
export async function notifyLowCredits(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now()
  const low = await selectLowBalances(deps.db, new Date(now.getTime() - WEEK_MS))
  const notices = low.map(({ accountId, micros: balanceMicros, weekMicros, lastUse, filledBy }): AccountNotice => {
    const about = { accountId, key: `credits ${filledBy}` }
    if (balanceMicros < lastUse) return { ...about, type: 'credits_empty', data: { balanceMicros } }
    return { ...about, type: 'credits_low', data: { balanceMicros, weekMicros }, unless: 'credits_empty' }
  })
  await notifyAccountsOnce(deps.db, notices, now)
}

/** Accounts that used credits within the week and have less left than that. */
async function selectLowBalances(db: Db, since: Date): Promise<LowBalance[]> {
  const { rows } = await sql<LowBalance>`
    select b.account_id as "accountId", b.micros, w.micros as "weekMicros", w.last_use as "lastUse", f.seq as "filledBy"
    from credit_balances b
    join accounts a on a.id = b.account_id and a.deleted_at is null
    cross join lateral (select (-sum(e.micros))::bigint as micros,
        (select -u.micros from credit_entries u where u.account_id = b.account_id and u.kind = 'use' and u.at >= ${since}
          order by u.at desc, u.seq desc limit 1) as last_use
      from credit_entries e where e.account_id = b.account_id and e.at >= ${since} and e.kind in ('use', 'give_back')) w
    cross join lateral (select max(e.seq) as seq from credit_entries e where e.account_id = b.account_id
      and e.kind in ('purchase', 'test', 'adjustment') and e.micros > 0) f
    where b.updated_at >= ${since} and w.micros > 0 and b.micros < w.micros`.execute(db)
  return rows
}

interface LowBalance {
  accountId: string
  micros: number
  weekMicros: number
  lastUse: number
  /** Last entry that added credits: each notice is sent once until the next one. */
  filledBy: number
}
