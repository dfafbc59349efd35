import crypto from 'node:crypto'
import type { StoreDb } from '../../core/db/db.ts'
import type { ClaimedRow } from './evaluate-sql.ts'
import * as sql from './variants-sql.ts'

// Which words of a split step a shopper gets (decision 55).

export interface Share {
  id: string
  sharePercent: number
}

/** Always the same for a shopper, a step and these shares: HMAC as a number, in the first share it is below. Pure; null: there are none. */
export function variantFor(shopperId: string, stepId: string, salt: string, shares: readonly Share[]): string | null {
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

/** The same rows with the words of the variant each shopper gets; those of steps that are not split stay as they are. */
export async function withVariants<Row extends ClaimedRow>(store: StoreDb, rows: readonly Row[]): Promise<Row[]> {
  const split = [...new Set(rows.flatMap((row) => (row.is_split && row.step_id ? [row.step_id] : [])))]
  if (split.length === 0) return [...rows]
  const variants = Map.groupBy(await sql.variantsOf(store, split), ({ step_id }) => step_id)
  return rows.map((row) => withVariant(row, variants.get(row.step_id ?? '') ?? []))
}

function withVariant<Row extends ClaimedRow>(row: Row, variants: readonly sql.VariantRow[]): Row {
  if (!row.is_split || !row.step_id || variants.length === 0) return row
  const shares = new Map(variants.map(({ id, share_percent }) => [id, { id, sharePercent: share_percent }]))
  const chosen = row.variant_id ?? variantFor(row.shopper_id, row.step_id, variants[0]!.salt, [...shares.values()])
  const words = variants.find(({ id, channel }) => id === chosen && channel === row.channel)
  if (!words) return { ...row, variant_id: chosen }
  const { template_id, template_version, template_subject, template_body } = words
  return { ...row, variant_id: chosen, template_id, template_version, template_subject, template_body }
}
