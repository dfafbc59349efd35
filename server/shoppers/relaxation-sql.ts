import type { Selectable } from 'kysely'
import type { StoreDb, StoreTx } from '../db.ts'
import type { ConsentRelaxationsTable } from '../schema.ts'
import type { ConsentRule } from './consent-table.ts'

// What a store's team relaxed of the consent table: SQL and nothing else.

export type RelaxationRow = Selectable<ConsentRelaxationsTable>

/** Those in force and those that ended, the newest first; few are ever made. */
export function relaxationsOf({ db, storeId }: StoreDb): Promise<RelaxationRow[]> {
  return db
    .selectFrom('consent_relaxations')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()
}

export function relaxation({ db, storeId }: StoreDb, id: string): Promise<RelaxationRow | undefined> {
  return db
    .selectFrom('consent_relaxations')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
}

interface By {
  userId: string
  name: string
}

export interface NewRelaxation {
  id: string
  channel: 'email' | 'sms'
  country: string
  from: ConsentRule
  to: ConsentRule
  legalGround: string
  now: Date
  by: By
}

/** undefined when the same rule is relaxed already. */
export function insertRelaxation({ db, storeId }: StoreTx, row: NewRelaxation): Promise<RelaxationRow | undefined> {
  return db
    .insertInto('consent_relaxations')
    .values({
      store_id: storeId,
      id: row.id,
      channel: row.channel,
      country: row.country,
      from_rule: row.from,
      to_rule: row.to,
      legal_ground: row.legalGround,
      created_at: row.now,
      created_by: row.by.userId,
      created_by_name: row.by.name,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function endRelaxation({ db, storeId }: StoreDb, { id, by, now }: { id: string; by: By; now: Date }) {
  await db
    .updateTable('consent_relaxations')
    .set({ ended_at: now, ended_by: by.userId, ended_by_name: by.name })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

export async function setSmsConfirmation({ db, storeId }: StoreDb, mode: 'where_required' | 'always'): Promise<void> {
  await db.updateTable('stores').set({ sms_confirmation: mode }).where('id', '=', storeId).execute()
}
