import type { FlowConditions } from '../../../shared/carts/flow-conditions.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../../messages/channels/public.ts'
import { countByState, isOpen } from '../../messages/messages/public.ts'
import type { EmailContent } from '../../messages/templates/public.ts'

// SQL for flows.

export interface NewFlow {
  id: string
  name: string
  salt: string
  position: number
  conditions: FlowConditions | null
  now: Date
}

export interface NewStep {
  id: string
  step: number
  delayMinutes: number
  channels: readonly ChannelName[]
  templateId: string
  couponId?: string | null
}

export async function insertFlow({ db, storeId }: StoreTx, flow: NewFlow, steps: readonly NewStep[]): Promise<void> {
  const { id, name, salt, position, conditions, now } = flow
  await db
    .insertInto('flows')
    .values({ store_id: storeId, id, name, salt, position, conditions, created_at: now, updated_at: now })
    .execute()
  await db
    .insertInto('flow_steps')
    .values(
      steps.map((step) => ({
        store_id: storeId,
        flow_id: id,
        id: step.id,
        step: step.step,
        delay_minutes: step.delayMinutes,
        channel: step.channels[0]!,
        fallback: step.channels.slice(1),
        template_id: step.templateId,
        coupon_id: step.couponId ?? null,
      })),
    )
    .execute()
}

export async function insertTemplates(
  { db, storeId }: StoreTx,
  templates: readonly (EmailContent & { id: string; key: string; name: string })[],
  now: Date,
): Promise<void> {
  await db
    .insertInto('templates')
    .values(templates.map((template) => ({ store_id: storeId, ...template, updated_at: now })))
    .execute()
}

export async function hasFlow({ db, storeId }: StoreTx): Promise<boolean> {
  return (await selectMemberFlows({ db, storeId }).select('id').limit(1).executeTakeFirst()) !== undefined
}

export function listFlows({ db, storeId }: StoreDb) {
  return selectMemberFlows({ db, storeId }).selectAll().orderBy('position').orderBy('id').execute()
}

/** Excludes the push flow, which members do not edit as a flow. */
const selectMemberFlows = ({ db, storeId }: StoreDb) =>
  db.selectFrom('flows').where('store_id', '=', storeId).where('kind', '=', 'flow')

export function lockFlow({ db, storeId }: StoreTx, flowId: string) {
  return selectMemberFlows({ db, storeId }).selectAll().where('id', '=', flowId).forNoKeyUpdate().executeTakeFirst()
}

export function readFlow({ db, storeId }: StoreDb, flowId: string) {
  return selectMemberFlows({ db, storeId }).selectAll().where('id', '=', flowId).executeTakeFirst()
}

export function listSteps({ db, storeId }: StoreDb, flowIds: readonly string[]) {
  return db
    .selectFrom('flow_steps as s')
    .innerJoin('templates as t', (on) => on.onRef('t.store_id', '=', 's.store_id').onRef('t.id', '=', 's.template_id'))
    .select([
      's.flow_id',
      's.id',
      's.step',
      's.delay_minutes',
      's.channel',
      's.fallback',
      's.conditions',
      's.template_id',
      's.coupon_id',
      's.coupon_fallback',
      's.coupon_first_order_only',
      's.coupon_pause_days',
      's.coupon_above_minor',
      't.key',
      't.name',
      't.subject',
      't.body',
      't.design',
      't.version',
    ])
    .where('s.store_id', '=', storeId)
    .where('s.flow_id', 'in', [...flowIds])
    .where('s.removed_at', 'is', null)
    .orderBy('s.step')
    .execute()
}

export type Step = Awaited<ReturnType<typeof listSteps>>[number]

export async function readCounts({ db, storeId }: StoreDb, flowIds: readonly string[]) {
  const rows = await sql<{ flow_id: string; state: string; count: number }>`
    select c.of as flow_id, c.state, c.count from (${countByState(
      'origin_id',
      sql`m.store_id = ${storeId} and m.origin_kind = 'flow' and m.origin_id = any(${[...flowIds]}::uuid[])`,
    )}) c`.execute(db)
  return rows.rows
}

export async function switchFlow(
  { db, storeId }: StoreTx,
  flowId: string,
  values: {
    is_on: boolean
    switched_on_at: Date | null
    takes_from: Date | null
    updated_at: Date
  },
): Promise<void> {
  await db.updateTable('flows').set(values).where('store_id', '=', storeId).where('id', '=', flowId).execute()
}

export async function categories(
  { db, storeId }: StoreDb,
  { search, ids }: { search: string; ids: readonly string[] | null },
): Promise<{ id: string; name: string }[]> {
  const which = ids
    ? sql`category_id = any(${[...ids]}::text[])`
    : sql`lower(name) collate "C" like ${`${search.toLowerCase().replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`}`
  const { rows } = await sql<{ id: string; name: string }>`
    select category_id as id, name from product_categories where store_id = ${storeId} and ${which}
    order by lower(name) collate "C", category_id limit 50`.execute(db)
  return rows
}

/** Whether the store has an active coupon for a step. */
export async function hasCoupon({ db, storeId }: StoreDb): Promise<boolean> {
  const row = await db
    .selectFrom('coupons')
    .select('id')
    .where('store_id', '=', storeId)
    .where('gone_at', 'is', null)
    .where('is_active', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Increments the version only if the text changed: compiled templates are cached by version. */
export async function saveTemplate(
  { db, storeId }: StoreTx,
  { id, subject, body, design, now }: EmailContent & { id: string; now: Date },
): Promise<void> {
  await db
    .updateTable('templates')
    .set((eb) => ({ subject, body, design, version: eb('version', '+', 1), updated_at: now }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where(
      sql<boolean>`(subject, body, design) is distinct from (${subject}, ${body}, ${design && JSON.stringify(design)}::jsonb)`,
    )
    .execute()
}

/** S1: min(abandonment timeout, delay of the first step of an active flow). Active carts follow at once. */
export async function refreshEffectiveTimeout({ db, storeId }: StoreTx): Promise<number> {
  const rows = await sql<{ effective_timeout_minutes: number }>`
    update stores s set effective_timeout_minutes = least(s.abandonment_timeout_minutes, coalesce((
      select min(fs.delay_minutes) from flow_steps fs join flows f on f.store_id = fs.store_id and f.id = fs.flow_id
      where f.store_id = s.id and f.is_on and f.kind = 'flow' and fs.removed_at is null), s.abandonment_timeout_minutes))
    where s.id = ${storeId} returning effective_timeout_minutes`.execute(db)
  const minutes = rows.rows[0]?.effective_timeout_minutes ?? 1440
  await sql`update carts set abandon_at = last_activity_at + ${minutes}::int * interval '1 minute'
    where store_id = ${storeId} and status = 'active'
      and abandon_at <> last_activity_at + ${minutes}::int * interval '1 minute'`.execute(db)
  return minutes
}

/** Abandoned carts that a newly activated flow matches at once; it matches others when they become abandoned. */
export async function listAbandonedSince({ db, storeId }: StoreDb, since: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', storeId)
    .where('status', '=', 'abandoned')
    .where('last_activity_at', '>=', since)
    .execute()
  return rows.map((row) => row.id)
}

/** Carts abandoned since then that belong to no other flow. */
export async function countAbandonedFor({ db, storeId }: StoreDb, flowId: string, since: Date): Promise<number> {
  const { count } = await db
    .selectFrom('carts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('store_id', '=', storeId)
    .where('status', '=', 'abandoned')
    .where('last_activity_at', '>=', since)
    .where((is) => is.or([is('flow_id', 'is', null), is('flow_id', '=', flowId)]))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface DueRow {
  id: string
  cart_id: string
  customer_name: string
  step: number
  wake_at: Date
  expires_at: Date
  state: string
  reason: string | null
}

/** Open messages of a flow due until then, earliest first, and their total. */
export async function readDueMessages({ db, storeId }: StoreDb, flowId: string, until: Date, max: number) {
  const which = sql`from messages m where m.store_id = ${storeId} and m.origin_kind = 'flow' and m.origin_id = ${flowId} and ${isOpen('m')}
    and m.wake_at <= ${until}`
  const { rows } = await sql<DueRow>`
    select m.id, m.cart_id, c.customer_name, m.step, m.wake_at, m.expires_at, m.state, m.reason
    from (select * ${which} order by m.wake_at, m.id limit ${max}) m
    join carts c on c.store_id = m.store_id and c.id = m.cart_id order by m.wake_at, m.id`.execute(db)
  if (rows.length < max) return { rows, total: rows.length }
  const all = await sql<{ count: number }>`select count(*)::int as count ${which}`.execute(db)
  return { rows, total: all.rows[0]!.count }
}
