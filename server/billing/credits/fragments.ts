import { type RawBuilder, sql } from '../../core/db/public.ts'

// SQL fragments on credits.

/** Balance in millionths of a dollar. */
export const selectCreditMicros = (accountId: RawBuilder<unknown>) => sql<number>`
  coalesce((select b.micros from credit_balances b where b.account_id = ${accountId}), 0)`
