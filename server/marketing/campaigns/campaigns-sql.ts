import type { Selectable, Updateable } from 'kysely'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

import type { CampaignsTable } from '../../core/schema/public.ts'
import type { EmailContent } from '../../messages/templates/public.ts'

// SQL for campaigns. Those of runs are in runs-sql.ts and plan-sql.ts.

/** A campaign with its template's content. */
export type CampaignRow = Selectable<CampaignsTable> & EmailContent

export const selectWithTexts = ({ db, storeId }: StoreDb) =>
  db
    .selectFrom('campaigns as g')
    .innerJoin('templates as t', (on) => on.onRef('t.store_id', '=', 'g.store_id').onRef('t.id', '=', 'g.template_id'))
    .selectAll('g')
    .select(['t.subject', 't.body', 't.design'])
    .where('g.store_id', '=', storeId)
    .where('g.deleted_at', 'is', null)

export function readCampaign(store: StoreDb, id: string): Promise<CampaignRow | undefined> {
  return selectWithTexts(store).where('g.id', '=', id).executeTakeFirst()
}

/** Serializes steps with each other and with the planning of a run. */
export async function lockCampaign(tx: StoreTx, id: string): Promise<CampaignRow | undefined> {
  await sql`select 1 from campaigns where store_id = ${tx.storeId} and id = ${id} for no key update`.execute(tx.db)
  return readCampaign(tx, id)
}

export async function updateCampaign(
  { db, storeId }: StoreTx,
  id: string,
  values: Updateable<CampaignsTable>,
): Promise<void> {
  await db.updateTable('campaigns').set(values).where('store_id', '=', storeId).where('id', '=', id).execute()
}

export async function readPeople(
  { db, storeId }: StoreDb,
  ids: readonly string[],
): Promise<{ campaign_id: string; address: string }[]> {
  return db
    .selectFrom('campaign_people')
    .select(['campaign_id', 'address'])
    .where('store_id', '=', storeId)
    .where('campaign_id', 'in', [...ids])
    .orderBy('address')
    .execute()
}
