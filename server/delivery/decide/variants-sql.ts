import type { ChannelName } from '../../messages/channels/channel.ts'
import { type StoreDb, sql } from '../../core/db/db.ts'

// The variants of split steps: SQL and nothing else.

export interface VariantRow {
  step_id: string
  id: string
  share_percent: number
  /** Of its flow. */
  salt: string
  channel: ChannelName
  template_id: string
  template_version: number
  template_subject: string
  template_body: string
}

/** Those that are to be chosen among, with their words by channel, in their order. */
export async function variantsOf({ db, storeId }: StoreDb, stepIds: readonly string[]): Promise<VariantRow[]> {
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
