import { type AccountNotice, notifyAccountsOnce } from '../../access/notifications/notifications.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './sql.ts'

// Notifies owners of low credits (decision 85): when less is left than the last seven days used, and when the balance
// does not pay for another text like the last one. Each is sent once until credits are added.

const WEEK_MS = 7 * 86_400_000

/** Tick. */
export async function notifyLowCredits(deps: Deps): Promise<void> {
  const now = deps.now()
  const low = await sql.selectLowBalances(deps.db, new Date(now.getTime() - WEEK_MS))
  const notices = low.map(({ accountId, micros: balanceMicros, weekMicros, lastUse, filledBy }): AccountNotice => {
    const about = { accountId, key: `credits ${filledBy}` }
    if (balanceMicros < lastUse) return { ...about, type: 'credits_empty', data: { balanceMicros } }
    return { ...about, type: 'credits_low', data: { balanceMicros, weekMicros }, unless: 'credits_empty' }
  })
  await notifyAccountsOnce(deps.db, notices, now)
}
