import type { FlowChannel } from '../../../shared/carts/flow-conditions.ts'
import type { MailDocument } from '../../../shared/messages/mail-document.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'

// SQL for step variants and their text.

export interface VariantRow {
  flow_id: string
  step_id: string
  id: string
  place: number
  share_percent: number
  /** How many variants of the step began before it, ended ones included. */
  nth: number
  so_far: number
}

/** Index of a variant in its step by start, from 0. The step's own variant is the first, even without a row. */
export const NTH = sql<number>`(case when id = step_id then 0 else row_number() over (partition by step_id, id = step_id order by id) end)::int`

/** Variants that have not ended, in order; none for a step that was never split. */
export async function listVariants({ db, storeId }: StoreDb, flowIds: readonly string[]): Promise<VariantRow[]> {
  const { rows } = await sql<VariantRow>`
    select flow_id, step_id, id, place, share_percent, nth, so_far from (
      select *, ${NTH} as nth, (1 + count(*) filter (where id <> step_id) over (partition by step_id))::int as so_far from flow_variants
      where store_id = ${storeId} and flow_id = any(${[...flowIds]}::uuid[])) v
    where ended_at is null order by step_id, place, id`.execute(db)
  return rows
}

/** All variants of these steps, ended ones included. */
export async function readVariantOrder({ db, storeId }: StoreDb, stepIds: readonly string[]) {
  const { rows } = await sql<{ id: string; nth: number }>`
    select id, ${NTH} as nth from flow_variants where store_id = ${storeId} and step_id = any(${[...stepIds]}::uuid[])`.execute(
    db,
  )
  return rows
}

export interface TextRow {
  step_id: string
  variant_id: string
  channel: FlowChannel
  template_id: string
  name: string
  subject: string
  body: string
  design: MailDocument | null
}

export async function listVariantTexts({ db, storeId }: StoreDb, flowIds: readonly string[]): Promise<TextRow[]> {
  const { rows } = await sql<TextRow>`
    select w.step_id, w.variant_id, w.channel, w.template_id, t.name, t.subject, t.body, t.design from flow_words w
    join templates t on t.store_id = w.store_id and t.id = w.template_id
    where w.store_id = ${storeId} and w.flow_id = any(${[...flowIds]}::uuid[])`.execute(db)
  return rows
}

export interface SavedText {
  stepId: string
  variantId: string
  channel: FlowChannel
  /** Id of the current template or of a new one. */
  templateId: string
  name: string
  subject: string
  body: string
  design: MailDocument | null
}

/** Increments the version only if the text changed: compiled templates are cached by version. */
export async function saveTexts(
  { db, storeId }: StoreTx,
  flowId: string,
  texts: readonly SavedText[],
  now: Date,
): Promise<void> {
  await sql`
    with wanted as (
      select * from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb)
        as w("stepId" uuid, "variantId" uuid, channel text, "templateId" uuid, name text, subject text, body text, design jsonb)),
    saved as (
      insert into templates (store_id, id, key, name, subject, body, design, updated_at)
      select ${storeId}, "templateId", ${TEXT_KEY}, name, subject, body, design, ${now} from wanted order by "templateId"
      on conflict (store_id, id) do update set subject = excluded.subject, body = excluded.body, design = excluded.design,
        version = templates.version + 1, updated_at = excluded.updated_at
        where (templates.subject, templates.body, templates.design) is distinct from (excluded.subject, excluded.body, excluded.design)
      returning id)
    insert into flow_words (store_id, flow_id, step_id, variant_id, channel, template_id)
    select ${storeId}, ${flowId}, "stepId", "variantId", channel, "templateId" from wanted
    on conflict (store_id, step_id, variant_id, channel) do nothing`.execute(db)
}

/** Key of templates that belong to one step; those of the ready flow have their own keys. */
const TEXT_KEY = 'flow_words'

export interface SavedVariant {
  stepId: string
  id: string
  place: number
  sharePercent: number
}

/** Ends the variants of these steps that are not in the list. */
export async function saveVariants(
  { db, storeId }: StoreTx,
  flowId: string,
  { stepIds, variants }: { stepIds: readonly string[]; variants: readonly SavedVariant[] },
  now: Date,
): Promise<void> {
  await sql`update flow_variants set ended_at = ${now} where store_id = ${storeId} and step_id = any(${[...stepIds]}::uuid[])
    and ended_at is null and not id = any(${variants.map(({ id }) => id)}::uuid[])`.execute(db)
  await sql`
    insert into flow_variants (store_id, flow_id, step_id, id, place, share_percent)
    select ${storeId}, ${flowId}, w."stepId", w.id, w.place, w."sharePercent"
    from jsonb_to_recordset(${JSON.stringify(variants)}::jsonb) as w("stepId" uuid, id uuid, place int, "sharePercent" int)
    on conflict (store_id, step_id, id) do update set place = excluded.place, share_percent = excluded.share_percent, ended_at = null`.execute(
    db,
  )
}
