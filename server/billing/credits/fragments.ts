import { type RawBuilder, sql } from '../../core/db/db.ts'

// What an account has in credits, for statements that read other things too.

/** In millionths of a dollar. */
export const creditMicrosOf = (accountId: RawBuilder<unknown>) => sql<number>`
  coalesce((select b.micros from credit_balances b where b.account_id = ${accountId}), 0)`
