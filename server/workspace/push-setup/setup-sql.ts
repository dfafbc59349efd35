import type { PushPrompt } from '../../../shared/delivery/push.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for the owner's push settings, and where widget and worker were seen.

export async function readPrompt({ db, storeId }: StoreDb): Promise<PushPrompt | null> {
  const row = await db.selectFrom('push_prompts').select('prompt').where('store_id', '=', storeId).executeTakeFirst()
  return row?.prompt ?? null
}

export async function savePrompt({ db, storeId }: StoreTx, prompt: PushPrompt, now: Date): Promise<void> {
  await sql`insert into push_prompts (store_id, prompt, updated_at)
    values (${storeId}, ${JSON.stringify(prompt)}::jsonb, ${now})
    on conflict (store_id) do update set prompt = excluded.prompt, updated_at = excluded.updated_at`.execute(db)
}

/** One row per method and address, so there are few. */
export function listSightings({ db, storeId }: StoreDb) {
  return db
    .selectFrom('push_sightings')
    .select(['method', 'origin', 'widget_at', 'worker_at', 'worker_version'])
    .where('store_id', '=', storeId)
    .orderBy('widget_at', 'desc')
    .orderBy('method')
    .limit(50)
    .execute()
}
