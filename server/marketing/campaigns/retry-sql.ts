import { type StoreTx, sql } from '../../core/db/db.ts'
import { isRetryable } from './fragments.ts'

// Statement for the failed messages of a campaign.

export interface Failed {
  shopper_id: string
  /** null: the message is about no cart. */
  cart_id: string | null
}

export async function findRetryable({ db, storeId }: StoreTx, campaignId: string, limit: number): Promise<Failed[]> {
  const { rows } = await sql<Failed>`
    select m.shopper_id, m.cart_id from messages m
    where m.store_id = ${storeId} and m.origin_kind = 'campaign' and m.origin_id = ${campaignId} and ${isRetryable}
    order by m.step, m.id limit ${limit}`.execute(db)
  return rows
}
