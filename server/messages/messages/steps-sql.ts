import type { ChannelName } from '../channels/channel.ts'
import { type StoreTx, sql } from '../../core/db/db.ts'
import { becomesDue, isOpen, SCHEDULED } from './fragments.ts'
import { CHANNELS, cancelOpen, ONCE_PER_CART } from './sql.ts'

// Steps of a flow come, go and change (decision 53): SQL and nothing else.

const openOf = (storeId: string, flowId: string, stepIds: readonly string[]) => sql`
  store_id = ${storeId} and origin_kind = 'flow' and origin_id = ${flowId} and step_id = any(${[...stepIds]}::uuid[]) and ${isOpen('messages')}`

/** Before rows of them are added: carts are locked before messages. */
export async function lockCartsOf({ db, storeId }: StoreTx, flowId: string): Promise<void> {
  await sql`select 1 from carts where store_id = ${storeId} and flow_id = ${flowId} and status = 'abandoned'
    order by id for no key update`.execute(db)
}

/** Open rows of steps that are gone, those a worker has too. Answers how many there were. */
export const cancelSteps = (tx: StoreTx, flowId: string, stepIds: readonly string[], now: Date): Promise<number> =>
  cancelOpen(tx, openOf(tx.storeId, flowId, stepIds), 'step_removed', now)

/** The flow is gone. Answers how many messages were open. */
export const cancelFlow = (tx: StoreTx, flowId: string, now: Date): Promise<number> =>
  cancelOpen(tx, sql`origin_kind = 'flow' and origin_id = ${flowId}`, 'flow_removed', now)

export interface FollowedStep {
  stepId: string
  step: number
  /** All in order. */
  channels: readonly ChannelName[]
  templateId: string
}

/** Their open rows know the places of today; a report and a decision name the place. */
export async function followPlaces(
  { db, storeId }: StoreTx,
  flowId: string,
  steps: readonly FollowedStep[],
): Promise<void> {
  await sql`
    update messages m set step = w.step
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as w("stepId" uuid, step int)
    where m.store_id = ${storeId} and m.origin_kind = 'flow' and m.origin_id = ${flowId} and m.step_id = w."stepId" and ${isOpen('m')}
      and m.step <> w.step`.execute(db)
}

/**
 * Open rows of steps that were changed, a worker's too, which then no longer holds them (D10), are decided anew. A row that was sent
 * once keeps its channel (decision 54). Answers how many there are.
 */
export async function followSteps(
  { db, storeId }: StoreTx,
  flowId: string,
  steps: readonly FollowedStep[],
  now: Date,
): Promise<number> {
  const ids = steps.map(({ stepId }) => stepId)
  const rows = await sql`
    update messages m set ${becomesDue(sql`greatest(m.due_at, ${now})`)}, updated_at = ${now},
      channel = case when m.attempts = 0 then w.channels ->> 0 else m.channel end,
      channels = case when m.attempts = 0 and jsonb_array_length(w.channels) > 1 then array(select jsonb_array_elements_text(w.channels)) end,
      template_id = w."templateId"
    from (select id, step_id from messages where ${openOf(storeId, flowId, ids)} order by id for update) open,
      jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as w("stepId" uuid, channels jsonb, "templateId" uuid)
    where m.store_id = ${storeId} and m.id = open.id and w."stepId" = open.step_id returning 1`.execute(db)
  return rows.rows.length
}

/** Whether a step behind step `s` has gone out for cart `c`: an earlier one comes too late for it then. A removed step is behind none. */
const HAS_LATER = sql`exists (select 1 from messages h
      join flow_steps hs on hs.store_id = h.store_id and hs.flow_id = h.origin_id and hs.id = h.step_id and hs.removed_at is null
      where h.store_id = c.store_id and h.cart_id = c.id and h.origin_kind = 'flow' and h.origin_id = c.flow_id
        and h.sending_at is not null and hs.delay_minutes > s.delay_minutes)`

const dueAt = sql`c.last_activity_at + s.delay_minutes * interval '1 minute'`

/** Carts of the flow, and its added steps: `s` of `c`. */
const added = (storeId: string, flowId: string, stepIds: readonly string[]) => sql`
    from flows f
    join stores r on r.id = f.store_id and r.is_active
    join carts c on c.store_id = f.store_id and c.flow_id = f.id and c.status = 'abandoned' and c.last_activity_at >= f.takes_from
    join flow_steps s on s.store_id = f.store_id and s.flow_id = f.id and s.id = any(${[...stepIds]}::uuid[])
    where f.store_id = ${storeId} and f.id = ${flowId} and f.is_on`

/** Rows of added steps, for the flow's carts whose time for them lies ahead. Answers of which carts. */
export async function planSteps(
  { db, storeId }: StoreTx,
  flowId: string,
  stepIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ cart_id: string }>`
    insert into messages (store_id, id, cart_id, shopper_id, origin_kind, origin_id, step_id, step, channel, channels, state, due_at, expires_at,
      wake_at, template_id, created_at, updated_at)
    select c.store_id, gen_random_uuid(), c.id, c.shopper_id, 'flow', f.id, s.id, s.step, s.channel, ${CHANNELS}, ${SCHEDULED}, ${dueAt},
      ${dueAt} + interval '24 hours', ${dueAt}, s.template_id, ${now}, ${now}
    ${added(storeId, flowId, stepIds)} and ${dueAt} > ${now} and not ${HAS_LATER}
    on conflict ${ONCE_PER_CART} do nothing returning cart_id`.execute(db)
  return rows.map(({ cart_id }) => cart_id)
}

/** Carts of the flow that do not get one of these added steps, because its time has passed for them. */
export async function countTooLate(
  { db, storeId }: StoreTx,
  flowId: string,
  stepIds: readonly string[],
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct c.id)::int as count ${added(storeId, flowId, stepIds)} and (${dueAt} <= ${now} or ${HAS_LATER})`.execute(
    db,
  )
  return rows[0]!.count
}
