import type { Selectable } from 'kysely'
import type { StoreDb, StoreTx } from '../../core/db/db.ts'
import type { ConsentOverridesTable, ConsentRule } from '../../core/schema/consent.ts'
import type { ConsentTerms } from './consent-sql.ts'
// What a store's team relaxed of the consent table: SQL and nothing else.

export type ConsentOverrideRow = Selectable<ConsentOverridesTable>

/** Those in force and those that ended, the newest first; few are ever made. */
export function overridesOf({ db, storeId }: StoreDb): Promise<ConsentOverrideRow[]> {
  return db
    .selectFrom('consent_overrides')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()
}

export function override({ db, storeId }: StoreDb, id: string): Promise<ConsentOverrideRow | undefined> {
  return db
    .selectFrom('consent_overrides')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
}

interface By {
  userId: string
  name: string
}

export interface NewConsentOverride {
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
export function insertConsentOverride(
  { db, storeId }: StoreTx,
  row: NewConsentOverride,
): Promise<ConsentOverrideRow | undefined> {
  return db
    .insertInto('consent_overrides')
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

export async function endConsentOverride({ db, storeId }: StoreDb, { id, by, now }: { id: string; by: By; now: Date }) {
  await db
    .updateTable('consent_overrides')
    .set({ ended_at: now, ended_by: by.userId, ended_by_name: by.name })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute()
}

export async function setSmsConfirmation(
  { db, storeId }: StoreDb,
  mode: ConsentTerms['smsConfirmation'],
): Promise<void> {
  await db.updateTable('stores').set({ sms_confirmation: mode }).where('id', '=', storeId).execute()
}
