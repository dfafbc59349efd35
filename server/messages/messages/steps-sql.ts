import { type StoreTx, sql } from '../../core/db/public.ts'
import type { ChannelName } from '../channels/public.ts'
import { becomesDue, isOpen, SCHEDULED } from './fragments.ts'
import { CHANNELS, cancelOpen, ONCE_PER_CART } from './sql.ts'

// SQL for added, changed and removed steps of a flow (decision 53).

const openStepMessages = (storeId: string, flowId: string, stepIds: readonly string[]) => sql`
  store_id = ${storeId} and origin_kind = 'flow' and origin_id = ${flowId} and step_id = any(${[...stepIds]}::uuid[]) and ${isOpen('messages')}`

/** Call before inserting messages: carts are locked before messages. */
export async function lockFlowCarts({ db, storeId }: StoreTx, flowId: string): Promise<void> {
  await sql`select 1 from carts where store_id = ${storeId} and flow_id = ${flowId} and status = 'abandoned'
    order by id for no key update`.execute(db)
}

/** Cancels open rows of removed steps, including claimed ones. Returns their number. */
export const cancelSteps = (tx: StoreTx, flowId: string, stepIds: readonly string[], now: Date): Promise<number> =>
  cancelOpen(tx, openStepMessages(tx.storeId, flowId, stepIds), 'step_removed', now)

/** Cancels the open messages of a deleted flow. Returns their number. */
export const cancelFlow = (tx: StoreTx, flowId: string, now: Date): Promise<number> =>
  cancelOpen(tx, sql`origin_kind = 'flow' and origin_id = ${flowId}`, 'flow_removed', now)

export interface StepUpdate {
  stepId: string
  step: number
  /** All steps in order. */
  channels: readonly ChannelName[]
  templateId: string
}

/** Updates the step numbers of open rows; reports and decisions use them. */
export async function updateStepNumbers(
  { db, storeId }: StoreTx,
  flowId: string,
  steps: readonly StepUpdate[],
): Promise<void> {
  await sql`
    update messages m set step = w.step
    from jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as w("stepId" uuid, step int)
    where m.store_id = ${storeId} and m.origin_kind = 'flow' and m.origin_id = ${flowId} and m.step_id = w."stepId" and ${isOpen('m')}
      and m.step <> w.step`.execute(db)
}

/**
 * Reconsiders open rows of changed steps, including claimed ones, whose claim ends (D10). A row that was sent once
 * keeps its channel (decision 54). Returns their number.
 */
export async function updateStepMessages(
  { db, storeId }: StoreTx,
  flowId: string,
  steps: readonly StepUpdate[],
  now: Date,
): Promise<number> {
  const ids = steps.map(({ stepId }) => stepId)
  const rows = await sql`
    update messages m set ${becomesDue(sql`greatest(m.due_at, ${now})`)}, updated_at = ${now},
      channel = case when m.attempts = 0 then w.channels ->> 0 else m.channel end,
      channels = case when m.attempts = 0 and jsonb_array_length(w.channels) > 1 then array(select jsonb_array_elements_text(w.channels)) end,
      template_id = w."templateId"
    from (select id, step_id from messages where ${openStepMessages(storeId, flowId, ids)} order by id for update) open,
      jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) as w("stepId" uuid, channels jsonb, "templateId" uuid)
    where m.store_id = ${storeId} and m.id = open.id and w."stepId" = open.step_id returning 1`.execute(db)
  return rows.rows.length
}

/**
 * Whether a step after step `s` was sent for cart `c`, so that an earlier one is too late. A removed step has no
 * position.
 */
const HAS_LATER_STEP = sql`exists (select 1 from messages h
      join flow_steps hs on hs.store_id = h.store_id and hs.flow_id = h.origin_id and hs.id = h.step_id and hs.removed_at is null
      where h.store_id = c.store_id and h.cart_id = c.id and h.origin_kind = 'flow' and h.origin_id = c.flow_id
        and h.sending_at is not null and hs.delay_minutes > s.delay_minutes)`

const dueAt = sql`c.last_activity_at + s.delay_minutes * interval '1 minute'`

/** Carts of the flow with its added steps: `s` for `c`. */
const addedSteps = (storeId: string, flowId: string, stepIds: readonly string[]) => sql`
    from flows f
    join stores r on r.id = f.store_id and r.is_active
    join carts c on c.store_id = f.store_id and c.flow_id = f.id and c.status = 'abandoned' and c.last_activity_at >= f.takes_from
    join flow_steps s on s.store_id = f.store_id and s.flow_id = f.id and s.id = any(${[...stepIds]}::uuid[])
    where f.store_id = ${storeId} and f.id = ${flowId} and f.is_on`

/** Inserts rows of added steps for carts whose time for them is ahead. Returns the carts. */
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
    ${addedSteps(storeId, flowId, stepIds)} and ${dueAt} > ${now} and not ${HAS_LATER_STEP}
    on conflict ${ONCE_PER_CART} do nothing returning cart_id`.execute(db)
  return rows.map(({ cart_id }) => cart_id)
}

/** Counts carts of the flow that are too late for one of the added steps. */
export async function countTooLate(
  { db, storeId }: StoreTx,
  flowId: string,
  stepIds: readonly string[],
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct c.id)::int as count ${addedSteps(storeId, flowId, stepIds)} and (${dueAt} <= ${now} or ${HAS_LATER_STEP})`.execute(
    db,
  )
  return rows[0]!.count
}
