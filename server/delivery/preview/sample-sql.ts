import { type StoreDb, sql } from '../../core/db/db.ts'
import { couponOf } from '../decide/fragments.ts'
import type { ClaimedRow } from '../decide/situation.ts'

// SQL for messages about the sample cart.

export interface SampleBasis {
  currency: string
  base_country: string | null
}

export async function readBasis({ db, storeId }: StoreDb): Promise<SampleBasis | undefined> {
  return db.selectFrom('stores').select(['currency', 'base_country']).where('id', '=', storeId).executeTakeFirst()
}

export interface SampleProduct {
  product_id: string
  name: string
  sku: string | null
  price_minor: number
  image_url: string | null
}

/** Number of products to choose from, in key order. */
const LOOKED_AT = 200

/** Two available products in the store's currency, preferring those with an image that mail programs show. */
export async function sampleProducts({ db, storeId }: StoreDb, currency: string): Promise<SampleProduct[]> {
  const rows = await sql<SampleProduct>`
    select product_id, name, sku, price_minor, image_url from (
      select distinct on (product_id) product_id, name, sku, price_minor, currency, image_url, is_available from products
      where store_id = ${storeId} order by product_id, variation_id limit ${LOOKED_AT}) p
    where is_available and price_minor > 0 and currency = ${currency}
    order by coalesce(lower(split_part(image_url, '?', 1)) similar to '%.(png|jpg|jpeg|gif)', false) desc, image_url is null, product_id
    limit 2`.execute(db)
  return rows.rows
}

export type SampleTemplate = Pick<
  ClaimedRow,
  'step' | 'channel' | 'coupon' | 'template_id' | 'template_version' | 'template_subject' | 'template_body'
>

/** Names a stored step by id or position. */
export interface StepName {
  flowId: string
  stepId?: string | undefined
  step?: number | undefined
}

export async function idOfStep(
  { db, storeId }: StoreDb,
  { flowId, stepId, step }: StepName,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from flow_steps where store_id = ${storeId} and flow_id = ${flowId} and removed_at is null
      and (id = ${stepId ?? null} or (${stepId ?? null}::uuid is null and step = ${step ?? null}))`.execute(db)
  return rows[0]?.id
}

export async function templateOfStep(
  { db, storeId }: StoreDb,
  {
    flowId,
    stepId,
    channel,
    variantId,
  }: { flowId: string; stepId: string; channel?: string | undefined; variantId?: string | undefined },
): Promise<SampleTemplate | undefined> {
  const rows = await sql<SampleTemplate>`
    select fs.step, k.channel, t.id as template_id, t.version as template_version,
      t.subject as template_subject, t.body as template_body, case when fs.coupon_id is not null then ${couponOf('fs')} end as coupon
    from flow_steps fs
    cross join lateral (select coalesce(${channel ?? null}, fs.channel) as channel) k
    left join flow_words w on w.store_id = fs.store_id and w.step_id = fs.id and w.variant_id = coalesce(${variantId ?? null}, fs.id)
      and w.channel = k.channel
    join templates t on t.store_id = fs.store_id and t.id = coalesce(w.template_id, fs.template_id)
    where fs.store_id = ${storeId} and fs.flow_id = ${flowId} and fs.id = ${stepId}`.execute(db)
  return rows.rows[0]
}

/** The template of a manual message; texts and stores without templates have none. */
export async function manualTemplate(
  { db, storeId }: StoreDb,
  { templateId, channel }: { templateId: string | null; channel: SampleTemplate['channel'] },
): Promise<SampleTemplate | undefined> {
  const rows = await sql<SampleTemplate>`
    select 1 as step, ${channel} as channel, t.id as template_id, t.version as template_version,
      t.subject as template_subject, t.body as template_body, null as coupon
    from (select ${templateId}::uuid as id) w left join templates t on t.store_id = ${storeId} and t.id = w.id`.execute(
    db,
  )
  return rows.rows[0]
}
