import crypto from 'node:crypto'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import type { ClaimedRow } from './evaluate-sql.ts'

// Chooses the variant of a split step for a shopper (decision 55).

export interface Share {
  id: string
  sharePercent: number
}

/**
 * Picks the same variant for a shopper, a step and these shares each time, by HMAC. Pure. null: there are no variants.
 */
export function pickVariant(shopperId: string, stepId: string, salt: string, shares: readonly Share[]): string | null {
  const total = shares.reduce((sum, { sharePercent }) => sum + sharePercent, 0)
  const digest = crypto.createHmac('sha256', salt).update(`${shopperId} ${stepId}`).digest()
  const drawn = (digest.readUInt32BE(0) / 2 ** 32) * total
  let bound = 0
  for (const { id, sharePercent } of shares) {
    bound += sharePercent
    if (drawn < bound) return id
  }
  return null
}

/** Returns the rows with the text of each shopper's variant. Rows of unsplit steps stay unchanged. */
export async function withVariants<Row extends ClaimedRow>(store: StoreDb, rows: readonly Row[]): Promise<Row[]> {
  const split = [...new Set(rows.flatMap((row) => (row.is_split && row.step_id ? [row.step_id] : [])))]
  if (split.length === 0) return [...rows]
  const variants = Map.groupBy(await loadVariants(store, split), ({ step_id }) => step_id)
  return rows.map((row) => withVariant(row, variants.get(row.step_id ?? '') ?? []))
}

function withVariant<Row extends ClaimedRow>(row: Row, variants: readonly VariantRow[]): Row {
  if (!row.is_split || !row.step_id || variants.length === 0) return row
  const shares = new Map(variants.map(({ id, share_percent }) => [id, { id, sharePercent: share_percent }]))
  const variantId = row.variant_id ?? pickVariant(row.shopper_id, row.step_id, variants[0]!.salt, [...shares.values()])
  const texts = variants.find(({ id, channel }) => id === variantId && channel === row.channel)
  if (!texts) return { ...row, variant_id: variantId }
  const { template_id, template_version, template_subject, template_body } = texts
  return { ...row, variant_id: variantId, template_id, template_version, template_subject, template_body }
}

// SQL for the variants of split steps.

interface VariantRow {
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
async function loadVariants({ db, storeId }: StoreDb, stepIds: readonly string[]): Promise<VariantRow[]> {
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
