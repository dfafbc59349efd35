import type { z } from 'zod'
import type { Budget } from '../../../shared/delivery/reminders.ts'
import { formatMonth } from '../../billing/billing/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type AccountDb, type AccountTx, type Db, transactAccount } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { wakeMessagesOf } from '../../messages/messages/public.ts'
import * as sql from './spend-sql.ts'

// The account's monthly budget for SMS and WhatsApp. It is read and set here; the send enforces it
// (send/channel-rules.ts).

/** Currency of budgets: the one providers bill in. */
const CURRENCY = 'USD'
const MICROS = 1_000_000
/** Budget of a new account until its owner changes it. */
const DEFAULT_MONTHLY = 50

export const insertDefaultBudget = (account: AccountTx, now: Date): Promise<void> =>
  sql.saveBudget(account, { monthlyMicros: DEFAULT_MONTHLY * MICROS, currency: CURRENCY, now })

export async function readBudget(deps: Pick<Deps, 'now'>, account: AccountDb): Promise<z.infer<typeof Budget>> {
  const row = requireFound(await sql.readMonthBudget(account, formatMonth(deps.now()), CURRENCY), 'Account')
  return {
    monthly: row.monthlyMicros === null ? null : row.monthlyMicros / MICROS,
    currency: row.currency,
    spent: row.spentMicros / MICROS,
  }
}

/** Saves the budget (null: no limit) and wakes messages held by the old one in the same commit. */
export async function saveBudget(deps: Pick<Deps, 'now'>, account: AccountDb<Db>, monthly: number | null) {
  const now = deps.now()
  await transactAccount(account, async (tx) => {
    if (monthly === null) await sql.dropBudget(tx)
    else await sql.saveBudget(tx, { monthlyMicros: Math.round(monthly * MICROS), currency: CURRENCY, now })
    await wakeMessagesOf(tx.db, tx.accountId, ['budget'], now)
  })
  return readBudget(deps, account)
}
