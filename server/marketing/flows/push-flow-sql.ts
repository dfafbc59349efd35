import type { PushFrequency } from '../../../shared/push.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// Statements for the store's own push notifications, a flow of kind 'push'.

export interface PushFlowRow {
  flow_id: string
  is_on: boolean
  takes_from: Date | null
  template_id: string
  title: string
  body: string
  frequency: PushFrequency
  delay_minutes: number
  max_notifications: number
}

/** Serializes with the planning of its notifications (`lockFlows`). */
export async function lockPushFlow({ db, storeId }: StoreTx): Promise<void> {
  await sql`select 1 from flows where store_id = ${storeId} and kind = 'push' for no key update`.execute(db)
}

export async function readPushFlow({ db, storeId }: StoreDb): Promise<PushFlowRow | undefined> {
  const { rows } = await sql<PushFlowRow>`
    select f.id as flow_id, f.is_on, f.takes_from, t.id as template_id, t.subject as title, t.body, p.frequency, p.delay_minutes,
      p.max_notifications
    from flows f join push_settings p on p.store_id = f.store_id
    join templates t on t.store_id = f.store_id and t.key = 'push'
    where f.store_id = ${storeId} and f.kind = 'push'`.execute(db)
  return rows[0]
}

export async function insertPushFlow(
  { db, storeId }: StoreTx,
  flow: { id: string; name: string; salt: string; now: Date },
): Promise<void> {
  const { id, name, salt, now } = flow
  await db
    .insertInto('flows')
    .values({ store_id: storeId, id, kind: 'push', name, salt, created_at: now, updated_at: now })
    .execute()
}

export async function saveTiming(
  { db, storeId }: StoreTx,
  wanted: { frequency: PushFrequency; delayMinutes: number; maxNotifications: number; now: Date },
): Promise<void> {
  await sql`insert into push_settings (store_id, frequency, delay_minutes, max_notifications, updated_at)
    values (${storeId}, ${wanted.frequency}, ${wanted.delayMinutes}, ${wanted.maxNotifications}, ${wanted.now})
    on conflict (store_id) do update set frequency = excluded.frequency, delay_minutes = excluded.delay_minutes,
      max_notifications = excluded.max_notifications, updated_at = excluded.updated_at`.execute(db)
}

/** One step per notification; remaining steps keep their number (D1). */
export async function saveSteps(
  { db, storeId }: StoreTx,
  { flowId, templateId, count }: { flowId: string; templateId: string; count: number },
): Promise<void> {
  await sql`delete from flow_steps where store_id = ${storeId} and flow_id = ${flowId} and step > ${count}`.execute(db)
  await sql`insert into flow_steps (store_id, flow_id, step, delay_minutes, channel, template_id)
    select ${storeId}, ${flowId}, step, step, 'push', ${templateId} from generate_series(1, ${count}::int) as step
    on conflict (store_id, flow_id, step) where removed_at is null do nothing`.execute(db)
}

/**
 * The first is sent after the chosen delay, but not before the cart counts as abandoned (S1). Each further one follows
 * after the same delay, at least six hours (decision 77).
 */
export async function refreshDelays({ db, storeId }: StoreTx): Promise<void> {
  await sql`
    update flow_steps s set delay_minutes = greatest(t.chosen, t.timeout) + (s.step - 1) * greatest(t.chosen, 360)
    from (
      select f.id, r.effective_timeout_minutes as timeout, case when p.frequency = '1hour' then 60 when p.frequency = '6hours' then 360
        when p.frequency = '24hours' then 1440 when p.frequency = 'custom' then p.delay_minutes else 0 end as chosen
      from flows f join push_settings p on p.store_id = f.store_id join stores r on r.id = f.store_id
      where f.store_id = ${storeId} and f.kind = 'push') t
    where s.store_id = ${storeId} and s.flow_id = t.id`.execute(db)
}
