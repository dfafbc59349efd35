import type { Selectable } from 'kysely'
import type { StoreDb, StoreTx } from '../../core/db/public.ts'
import type { ConsentOverridesTable, ConsentRule } from '../../core/schema/public.ts'
import type { ConsentTerms } from './consent-sql.ts'
// SQL for a store's consent overrides.

export type ConsentOverrideRow = Selectable<ConsentOverridesTable>

/** Active and ended overrides, newest first; there are few. */
export function selectOverrides({ db, storeId }: StoreDb): Promise<ConsentOverrideRow[]> {
  return db
    .selectFrom('consent_overrides')
    .selectAll()
    .where('store_id', '=', storeId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()
}

export function selectOverride({ db, storeId }: StoreDb, id: string): Promise<ConsentOverrideRow | undefined> {
  return db
    .selectFrom('consent_overrides')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
}

interface OverrideAuthor {
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
  by: OverrideAuthor
}

/** Returns undefined if the rule is already overridden. */
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

export async function endConsentOverride(
  { db, storeId }: StoreDb,
  { id, by, now }: { id: string; by: OverrideAuthor; now: Date },
) {
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
