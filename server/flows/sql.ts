import type { ChannelName } from '../channels/channel.ts'
import { type StoreDb, type StoreTx, sql } from '../core/db.ts'
import { isHeld, isOpen } from '../messages/fragments.ts'
import { newestSubscription } from '../push/fragments.ts'

// Flows: SQL and nothing else.

export interface ReadyStep {
  step: number
  delayMinutes: number
  templateId: string
}

export async function insertFlow(
  { db, storeId }: StoreTx,
  flow: { id: string; name: string; salt: string; now: Date },
  steps: readonly ReadyStep[],
): Promise<void> {
  await db
    .insertInto('flows')
    .values({
      store_id: storeId,
      id: flow.id,
      name: flow.name,
      salt: flow.salt,
      created_at: flow.now,
      updated_at: flow.now,
    })
    .execute()
  await db
    .insertInto('flow_steps')
    .values(
      steps.map((step) => ({
        store_id: storeId,
        flow_id: flow.id,
        step: step.step,
        delay_minutes: step.delayMinutes,
        channel: 'email' as const,
        template_id: step.templateId,
      })),
    )
    .execute()
}

export async function insertTemplates(
  { db, storeId }: StoreTx,
  templates: readonly { id: string; key: string; name: string; subject: string; body: string }[],
  now: Date,
): Promise<void> {
  await db
    .insertInto('templates')
    .values(templates.map((template) => ({ store_id: storeId, ...template, updated_at: now })))
    .execute()
}

export async function hasFlow({ db, storeId }: StoreTx): Promise<boolean> {
  return (await ofOwner({ db, storeId }).select('id').limit(1).executeTakeFirst()) !== undefined
}

export function listFlows({ db, storeId }: StoreDb) {
  return ofOwner({ db, storeId }).selectAll().orderBy('created_at').execute()
}

/** The store's own notifications are no flow that anybody edits. */
const ofOwner = ({ db, storeId }: StoreDb) =>
  db.selectFrom('flows').where('store_id', '=', storeId).where('kind', '=', 'flow')

export function lockFlow({ db, storeId }: StoreTx, flowId: string) {
  return ofOwner({ db, storeId }).selectAll().where('id', '=', flowId).forNoKeyUpdate().executeTakeFirst()
}

export function readFlow({ db, storeId }: StoreDb, flowId: string) {
  return ofOwner({ db, storeId }).selectAll().where('id', '=', flowId).executeTakeFirst()
}

export function stepsOf({ db, storeId }: StoreDb, flowIds: readonly string[]) {
  return db
    .selectFrom('flow_steps as s')
    .innerJoin('templates as t', (on) => on.onRef('t.store_id', '=', 's.store_id').onRef('t.id', '=', 's.template_id'))
    .select([
      's.flow_id',
      's.step',
      's.delay_minutes',
      's.channel',
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
      't.version',
    ])
    .where('s.store_id', '=', storeId)
    .where('s.flow_id', 'in', [...flowIds])
    .orderBy('s.step')
    .execute()
}

export type Step = Awaited<ReturnType<typeof stepsOf>>[number]

export async function countsOf({ db, storeId }: StoreDb, flowIds: readonly string[]) {
  const rows = await sql<{ flow_id: string; state: string; count: number }>`
    select origin_id as flow_id, state, count(*)::int as count from messages
    where store_id = ${storeId} and origin_kind = 'flow' and origin_id = any(${[...flowIds]}::uuid[]) group by origin_id, state`.execute(
    db,
  )
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

export async function renameFlow({ db, storeId }: StoreTx, flowId: string, name: string, now: Date): Promise<void> {
  await db
    .updateTable('flows')
    .set({ name, updated_at: now })
    .where('store_id', '=', storeId)
    .where('id', '=', flowId)
    .execute()
}

export async function saveStep(
  { db, storeId }: StoreTx,
  flowId: string,
  wanted: { step: number; delayMinutes: number; channel: ChannelName; templateId: string },
): Promise<void> {
  await db
    .updateTable('flow_steps')
    .set({ delay_minutes: wanted.delayMinutes, channel: wanted.channel, template_id: wanted.templateId })
    .where('store_id', '=', storeId)
    .where('flow_id', '=', flowId)
    .where('step', '=', wanted.step)
    .execute()
}

/** null: the step's messages have none. */
export async function saveCoupon(
  { db, storeId }: StoreTx,
  flowId: string,
  step: number,
  coupon: CouponOfStep | null,
): Promise<void> {
  await db
    .updateTable('flow_steps')
    .set(coupon ?? { coupon_id: null })
    .where('store_id', '=', storeId)
    .where('flow_id', '=', flowId)
    .where('step', '=', step)
    .execute()
}

export interface CouponOfStep {
  coupon_id: string
  coupon_fallback: 'without' | 'skip'
  coupon_first_order_only: boolean
  coupon_pause_days: number | null
  coupon_above_minor: number | null
}

export async function templatesByKey({ db, storeId }: StoreDb, keys: readonly string[]) {
  return db
    .selectFrom('templates')
    .select(['id', 'key', 'subject', 'body'])
    .where('store_id', '=', storeId)
    .where('key', 'in', [...keys])
    .orderBy('id')
    .execute()
}

/** A new version only when the words changed: compiled templates are kept by version. */
export async function saveTemplate(
  { db, storeId }: StoreTx,
  { id, subject, body, now }: { id: string; subject: string; body: string; now: Date },
): Promise<void> {
  await db
    .updateTable('templates')
    .set((eb) => ({ subject, body, version: eb('version', '+', 1), updated_at: now }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where((eb) => eb.or([eb('subject', '<>', subject), eb('body', '<>', body)]))
    .execute()
}

/** S1: min(abandonment timeout, delay of the first step of a flow that is on); active carts follow at once. */
export async function refreshEffectiveTimeout({ db, storeId }: StoreTx): Promise<number> {
  const rows = await sql<{ effective_timeout_minutes: number }>`
    update stores s set effective_timeout_minutes = least(s.abandonment_timeout_minutes, coalesce((
      select min(fs.delay_minutes) from flow_steps fs join flows f on f.store_id = fs.store_id and f.id = fs.flow_id
      where f.store_id = s.id and f.is_on and f.kind = 'flow'), s.abandonment_timeout_minutes))
    where s.id = ${storeId} returning effective_timeout_minutes`.execute(db)
  const minutes = rows.rows[0]?.effective_timeout_minutes ?? 1440
  await sql`update carts set abandon_at = last_activity_at + ${minutes}::int * interval '1 minute'
    where store_id = ${storeId} and status = 'active' and abandon_at is not null`.execute(db)
  return minutes
}

/** Carts already abandoned that a flow just switched on takes; the rest it takes when they fall quiet. */
export async function abandonedSince({ db, storeId }: StoreDb, since: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('carts')
    .select('id')
    .where('store_id', '=', storeId)
    .where('status', '=', 'abandoned')
    .where('last_activity_at', '>=', since)
    .execute()
  return rows.map((row) => row.id)
}

export interface UpcomingRow {
  cart_id: string
  customer_name: string
  to: string | null
  step: number
  channel: ChannelName
  due_at: Date
  state: string
  reason: string | null
}

/** What leaves until then, and what is due but will not leave, by reason: it has no address, or is held to its end. */
export async function upcoming({ db, storeId }: StoreDb, flowId: string, until: Date, limit: number) {
  const base = sql`from messages m join carts c on c.store_id = m.store_id and c.id = m.cart_id
    cross join lateral (select case when m.channel = 'email' then c.email when m.channel <> 'push' then c.phone
        when ${newestSubscription} is not null then 'a browser' end as to,
      case when m.channel = 'push' then null when m.channel = 'email' then c.fold -> 'contact' ->> 'unconfirmedEmail'
        else c.fold -> 'contact' ->> 'unconfirmedPhone' end as unconfirmed) a
    cross join lateral (select case when a.to is null then case when a.unconfirmed is null then 'no_contact'
        else 'contact_unconfirmed' end
      when ${isHeld('m')} and m.wake_at >= m.expires_at then m.reason end as obstacle) o
    where m.store_id = ${storeId} and m.origin_kind = 'flow' and m.origin_id = ${flowId} and ${isOpen('m')}
      and m.wake_at <= ${until} and c.status in ('abandoned', 'active')`
  const rows = await sql<UpcomingRow>`
    select m.cart_id, c.customer_name, a.to, m.step, m.channel, m.due_at, m.state, m.reason ${base} and o.obstacle is null
    order by m.due_at limit ${limit}`.execute(db)
  const counts = await sql<{ obstacle: string | null; channel: ChannelName; count: number }>`
    select o.obstacle, m.channel, count(*)::int as count ${base} group by 1, 2 order by 3 desc, 1, 2`.execute(db)
  const total = counts.rows.filter(({ obstacle }) => obstacle === null).reduce((sum, { count }) => sum + count, 0)
  const obstacles = counts.rows.flatMap(({ obstacle, ...row }) => (obstacle ? [{ reason: obstacle, ...row }] : []))
  return { rows: rows.rows, total, obstacles }
}
