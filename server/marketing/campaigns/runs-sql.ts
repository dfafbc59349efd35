import { type RawBuilder, type StoreTx, sql } from '../../core/db/public.ts'
import { becomesCancelled, isOpen } from '../../messages/messages/public.ts'

// SQL for campaign runs. Those that create the rows of a run are in plan-sql.ts.

export interface CampaignKey {
  store_id: string
  id: string
}

export interface NewRun {
  campaignId: string
  run: number
  id: string
  at: Date
  now: Date
}

export async function insertRun({ db, storeId }: StoreTx, { campaignId, run, id, at, now }: NewRun): Promise<void> {
  await db
    .insertInto('campaign_runs')
    .values({ store_id: storeId, campaign_id: campaignId, run, id, at, started_at: now })
    .execute()
}

export interface CloseOptions {
  reason: string
  now: Date
  limit: number
}

export async function closeOpenMessages(
  { db, storeId }: StoreTx,
  campaignId: string,
  { reason, now, limit, which }: CloseOptions & { which: RawBuilder<unknown> },
): Promise<number> {
  const { rows } = await sql`
    with closed as (
      update messages m set ${becomesCancelled(reason, now)}
      from (select id from messages where store_id = ${storeId} and id = any(array(
          select id from messages where ${isOfCampaign(storeId, campaignId)} and ${isOpen('messages')} and ${which} limit ${limit}))
        and ${isOpen('messages')} and ${which} order by id for update) open
      where m.store_id = ${storeId} and m.id = open.id returning m.id)
    insert into decisions (store_id, id, message_id, at, outcome, reason, inputs)
    select ${storeId}, gen_random_uuid(), id, ${now}, 'cancel', ${reason}, '{}' from closed returning 1`.execute(db)
  return rows.length
}

export const isOfCampaign = (storeId: string, campaignId: string) =>
  sql`store_id = ${storeId} and origin_kind = 'campaign' and origin_id = ${campaignId}`
