import { type StoreTx, sql } from '../../core/db/db.ts'
import { isRetryable } from './fragments.ts'

// The failed of a campaign: SQL and nothing else.

export interface Failed {
  shopper_id: string
  /** null: about none. */
  cart_id: string | null
}

export async function retryableOf({ db, storeId }: StoreTx, campaignId: string, limit: number): Promise<Failed[]> {
  const { rows } = await sql<Failed>`
    select m.shopper_id, m.cart_id from messages m
    where m.store_id = ${storeId} and m.origin_kind = 'campaign' and m.origin_id = ${campaignId} and ${isRetryable}
    order by m.step, m.id limit ${limit}`.execute(db)
  return rows
}
