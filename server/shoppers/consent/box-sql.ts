import type { ConsentChannel } from '../../../shared/shoppers/consent.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'

// SQL for consent boxes.

export interface BoxRow {
  channel: ConsentChannel
  words: string | null
  wording_id: string | null
  seen_at: Date | null
}

export async function selectBoxes({ db, storeId }: StoreDb): Promise<BoxRow[]> {
  const rows = await sql<BoxRow>`
    select c.channel, w.words, b.wording_id, b.seen_at
    from unnest(array['email', 'sms', 'whatsapp']) as c(channel)
    left join consent_wordings w on w.store_id = ${storeId} and w.channel = c.channel and w.language = ''
    left join consent_boxes b on b.store_id = ${storeId} and b.channel = c.channel`.execute(db)
  return rows.rows
}

export interface LanguageRow {
  channel: ConsentChannel
  language: string
  /** '': the owner switched off this language's default text. */
  words: string
}

export async function selectLanguages({ db, storeId }: StoreDb): Promise<LanguageRow[]> {
  return db
    .selectFrom('consent_wordings')
    .select(['channel', 'language', 'words'])
    .where('store_id', '=', storeId)
    .where('language', '<>', '')
    .orderBy('language')
    .execute()
}

export async function saveText(
  { db, storeId }: StoreDb,
  { channel, language, words, by, now }: LanguageRow & { by: string; now: Date },
): Promise<void> {
  await sql`insert into consent_wordings (store_id, channel, language, words, updated_at, updated_by)
    values (${storeId}, ${channel}, ${language}, ${words}, ${now}, ${by})
    on conflict (store_id, channel, language) do update set words = excluded.words, updated_at = excluded.updated_at,
      updated_by = excluded.updated_by`.execute(db)
}

export async function deleteText(
  { db, storeId }: StoreDb,
  { channel, language }: Pick<LanguageRow, 'channel' | 'language'>,
): Promise<void> {
  await db
    .deleteFrom('consent_wordings')
    .where('store_id', '=', storeId)
    .where('channel', '=', channel)
    .where('language', '=', language)
    .execute()
}

/** Records what a checkout showed, at most once a minute, or when its text changes. */
export async function recordBoxSightings(
  { db, storeId }: StoreDb,
  boxes: readonly { channel: ConsentChannel; id: string }[],
  now: Date,
): Promise<void> {
  await sql`update stores set checkout_seen_at = ${now}
    where id = ${storeId} and coalesce(checkout_seen_at not between ${now}::timestamptz - interval '1 minute' and ${now}, true)`.execute(
    db,
  )
  if (boxes.length === 0) return
  await sql`insert into consent_boxes as b (store_id, channel, wording_id, seen_at)
    select ${storeId}, channel, id, ${now} from jsonb_to_recordset(${JSON.stringify(boxes)}::jsonb) as n(channel text, id text)
    on conflict (store_id, channel) do update set wording_id = excluded.wording_id, seen_at = excluded.seen_at
    where b.wording_id <> excluded.wording_id or b.seen_at not between ${now}::timestamptz - interval '1 minute' and ${now}`.execute(
    db,
  )
}
