import type { Language } from '../../../shared/delivery/preferences.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import { doesConsentCount } from '../../shoppers/consent/public.ts'
import type { SuppressionCause } from './rules.ts'

// SQL for the preference page.

/** The recipient of a message with their contacts. */
export function readPerson({ db, storeId }: StoreDb, messageId: string) {
  return db
    .selectFrom('messages as m')
    .innerJoin('stores as s', 's.id', 'm.store_id')
    .innerJoin('shoppers as p', (on) => on.onRef('p.store_id', '=', 'm.store_id').onRef('p.id', '=', 'm.shopper_id'))
    .select(['m.channel', 'm.to_address', 'm.shopper_id', 'p.phone', 'p.language', 'p.locale', 'p.country'])
    .select(['s.account_id', 's.name as store_name', 's.locale as store_locale'])
    .where('m.store_id', '=', storeId)
    .where('m.id', '=', messageId)
    .executeTakeFirst()
}

/**
 * Whether the shopper switched off a consent here that their phone had confirmed; then it needs no new confirmation.
 */
export async function hadConfirmed({ db, storeId }: StoreDb, hash: Buffer, channel: string, source: string) {
  const rows = await sql`
    select 1 from (select at, id, source from consents n where store_id = ${storeId} and address_hash = ${hash}
      and channel = ${channel} and status = 'withdrawn' and ${doesConsentCount('n')} order by at desc, id desc limit 1) no
    where no.source = ${source} and coalesce((select c.is_confirmed from consents c where c.store_id = ${storeId}
      and c.address_hash = ${hash} and c.channel = ${channel} and (c.at, c.id) < (no.at, no.id) and ${doesConsentCount('c')}
      order by c.at desc, c.id desc limit 1), false)`.execute(db)
  return rows.rows.length > 0
}

export async function readSuppressions({ db }: StoreDb, accountId: string, hashes: readonly Buffer[]) {
  const rows = await sql<{ hash: string; channel: string; reason: SuppressionCause }>`
    select encode(address_hash, 'hex') as hash, channel, reason from suppressions
    where account_id = ${accountId} and address_hash = any(${[...hashes]}::bytea[])`.execute(db)
  return rows.rows
}

export async function keepLanguage({ db, storeId }: StoreTx, shopperId: string, language: Language): Promise<void> {
  await db
    .updateTable('shoppers')
    .set({ language })
    .where('store_id', '=', storeId)
    .where('id', '=', shopperId)
    .where('language', 'is distinct from', language)
    .execute()
}

export function readWordings({ db, storeId }: StoreDb) {
  return db.selectFrom('preference_wordings').selectAll().where('store_id', '=', storeId).execute()
}

export interface WordingRow {
  language: Language
  headline: string | null
  intro: string | null
  email: string | null
  sms: string | null
  whatsapp: string | null
}

export async function storeName({ db, storeId }: StoreDb): Promise<string> {
  const row = await db.selectFrom('stores').select('name').where('id', '=', storeId).executeTakeFirstOrThrow()
  return row.name
}

export async function lockStore({ db, storeId }: StoreTx): Promise<void> {
  await db.selectFrom('stores').select('id').where('id', '=', storeId).forNoKeyUpdate().execute()
}

export async function writeWordings({ db, storeId }: StoreTx, rows: readonly WordingRow[], now: Date): Promise<void> {
  await sql`
    insert into preference_wordings (store_id, language, headline, intro, email, sms, whatsapp, updated_at)
    select ${storeId}, w.*, ${now} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as w(language text, headline text, intro text, email text, sms text, whatsapp text)
    on conflict (store_id, language) do update set headline = excluded.headline, intro = excluded.intro,
      email = excluded.email, sms = excluded.sms, whatsapp = excluded.whatsapp, updated_at = excluded.updated_at`.execute(
    db,
  )
}
