import { type StoreDb, sql } from '../../core/db/db.ts'
import type { ChannelName } from '../../messages/channels/channel.ts'

// SQL for the variants of split steps.

export interface VariantRow {
  step_id: string
  id: string
  share_percent: number
  /** The flow's salt. */
  salt: string
  channel: ChannelName
  template_id: string
  template_version: number
  template_subject: string
  template_body: string
}

/** Returns the running variants of these steps with their texts, one row per channel, in order. */
export async function loadVariants({ db, storeId }: StoreDb, stepIds: readonly string[]): Promise<VariantRow[]> {
  const { rows } = await sql<VariantRow>`
    select v.step_id, v.id, v.share_percent, f.salt, w.channel, t.id as template_id, t.version as template_version,
      t.subject as template_subject, t.body as template_body
    from flow_variants v
    join flows f on f.store_id = v.store_id and f.id = v.flow_id
    join flow_words w on w.store_id = v.store_id and w.step_id = v.step_id and w.variant_id = v.id
    join templates t on t.store_id = w.store_id and t.id = w.template_id
    where v.store_id = ${storeId} and v.step_id = any(${[...stepIds]}::uuid[]) and v.ended_at is null
    order by v.step_id, v.place, v.id`.execute(db)
  return rows
}
