import type { PushMethod, PushPrompt } from '../../../shared/push.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// Statements for the owner's push settings, and where widget and worker were seen.

export async function readPrompt({ db, storeId }: StoreDb): Promise<PushPrompt | null> {
  const row = await db.selectFrom('push_prompts').select('prompt').where('store_id', '=', storeId).executeTakeFirst()
  return row?.prompt ?? null
}

export async function savePrompt({ db, storeId }: StoreTx, prompt: PushPrompt, now: Date): Promise<void> {
  await sql`insert into push_prompts (store_id, prompt, updated_at)
    values (${storeId}, ${JSON.stringify(prompt)}::jsonb, ${now})
    on conflict (store_id) do update set prompt = excluded.prompt, updated_at = excluded.updated_at`.execute(db)
}

export async function hasWording({ db, storeId }: StoreDb, id: string): Promise<boolean> {
  return (await wordsOf({ db, storeId }, id)) !== undefined
}

export async function wordsOf({ db, storeId }: StoreDb, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('push_wordings')
    .select('words')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.words
}

export async function storeWording({ db, storeId }: StoreDb, id: string, words: string, now: Date): Promise<void> {
  await sql`insert into push_wordings (store_id, id, words, created_at) values (${storeId}, ${id}, ${words}, ${now})
    on conflict do nothing`.execute(db)
}

export interface Sighting {
  method: PushMethod
  origin: string
  hasWorker: boolean
  /** undefined: not reported. */
  workerVersion: number | undefined
  /** The worker was fetched from the shop just now. */
  isFresh: boolean
  now: Date
}

/**
 * Writes at most once a minute, or when the version changes, because every page of a shop calls it. Only a freshly
 * fetched worker proves that the shop's copy is old: a browser may keep an older one.
 */
export async function recordSighting(
  { db, storeId }: StoreDb,
  { method, origin, hasWorker, workerVersion, isFresh, now }: Sighting,
): Promise<void> {
  const workerAt = hasWorker ? now : null
  const version = sql`case when ${isFresh} then excluded.worker_version else greatest(p.worker_version, excluded.worker_version) end`
  await sql`insert into push_sightings as p (store_id, method, origin, widget_at, worker_at, worker_version)
    values (${storeId}, ${method}, ${origin}, ${now}, ${workerAt}, ${workerVersion ?? null})
    on conflict (store_id, method, origin) do update set widget_at = excluded.widget_at,
      worker_at = coalesce(excluded.worker_at, p.worker_at), worker_version = ${version}
    where p.widget_at < ${now}::timestamptz - interval '1 minute' or p.worker_version is distinct from ${version}
      or (excluded.worker_at is not null and coalesce(p.worker_at < ${now}::timestamptz - interval '1 minute', true))`.execute(
    db,
  )
}

/** One row per method and address, so there are few. */
export function sightingsOf({ db, storeId }: StoreDb) {
  return db
    .selectFrom('push_sightings')
    .select(['method', 'origin', 'widget_at', 'worker_at', 'worker_version'])
    .where('store_id', '=', storeId)
    .orderBy('widget_at', 'desc')
    .orderBy('method')
    .limit(50)
    .execute()
}
