import type { PushFrequency } from '../../../shared/delivery/push.ts'
import { DEFAULT_PUSH, type PushSettings } from '../../../shared/delivery/push.ts'
import { assertMayMail } from '../../access/members/public.ts'
import { lockStore, readStore } from '../../access/stores/public.ts'
import { createId, createToken, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import { assertTextRenders } from '../../delivery/compose/public.ts'
import type { Deps } from '../../deps.ts'
import {
  retimeEditedMessages,
  scheduleFlowMessages,
  scheduleNextRun,
  wakeStoreMessages,
} from '../../messages/messages/public.ts'
import { listDefaultTexts } from '../../messages/templates/public.ts'
import * as push from './push-flow-sql.ts'
import { insertTemplates, listAbandonedSince, saveTemplate, switchFlow } from './sql.ts'

// The store's own push notifications (decision 77), stored as a flow of kind 'push'. It runs beside the store's flows
// and shares their control group and frequency cap.

const NAME = 'Push notifications'

export async function readPushSettings(store: StoreDb): Promise<PushSettings> {
  const row = await readPushFlow(store)
  if (!row) return { ...DEFAULT_PUSH, ...listDefaultTexts((await readStore(store))?.locale ?? null).push }
  const { is_on: enabled, title, body, frequency, delay_minutes: delay, max_notifications: maxNotifications } = row
  return { enabled, frequency, delay, maxNotifications, title, body }
}

export async function savePushSettings(
  deps: Pick<Deps, 'now' | 'renders'>,
  store: StoreDb<Db>,
  input: PushSettings,
): Promise<void> {
  const now = deps.now()
  await checkText(deps, store, input)
  await transact(store, async (tx) => {
    const { account_id: accountId, effective_timeout_minutes: timeoutMinutes } = requireFound(
      await lockStore(tx),
      'Store',
    )
    if (input.enabled) await assertMayMail({ accountId, db: tx.db })
    await lockPushFlow(tx)
    const known = await readPushFlow(tx)
    const flowId = known?.flow_id ?? createId()
    if (!known) await insertPushFlow(tx, { id: flowId, name: NAME, salt: createToken(), now })
    const { frequency, delay: delayMinutes, maxNotifications } = input
    await saveTiming(tx, { frequency, delayMinutes, maxNotifications, now })
    const templateId = await saveText(tx, known?.template_id, input, now)
    await saveSteps(tx, { flowId, templateId, count: maxNotifications })
    await push.refreshDelays(tx)
    await retimeEditedMessages(tx, flowId, now)
    await setActive(tx, { flowId, isOn: input.enabled, known, timeoutMinutes, now })
    await scheduleNextRun(tx)
  })
}

interface Switch {
  flowId: string
  isOn: boolean
  known: PushFlowRow | undefined
  timeoutMinutes: number
  now: Date
}

/**
 * Matches carts that are still active and all later ones: a shopper who has allowed notifications expects them.
 * Deactivating it holds its planned messages (D5).
 */
async function setActive(tx: StoreTx, { flowId, isOn, known, timeoutMinutes, now }: Switch): Promise<void> {
  const wasOn = known?.is_on ?? false
  const stillActive = new Date(now.getTime() - timeoutMinutes * 60_000)
  const takesFrom = isOn && !wasOn ? stillActive : (known?.takes_from ?? null)
  const since = isOn ? takesFrom : null
  await switchFlow(tx, flowId, {
    is_on: isOn,
    switched_on_at: since,
    takes_from: takesFrom,
    updated_at: now,
  })
  if (!isOn) return
  // Also plans added notifications for carts abandoned earlier.
  await scheduleFlowMessages(tx, await listAbandonedSince(tx, takesFrom!), now)
  if (!wasOn) await wakeStoreMessages(tx, ['flow_off'], now)
}

async function saveText(tx: StoreTx, known: string | undefined, { title, body }: PushSettings, now: Date) {
  const id = known ?? createId()
  if (known) await saveTemplate(tx, { id, subject: title, body, design: null, now })
  else await insertTemplates(tx, [{ id, key: 'push', name: NAME, subject: title, body, design: null }], now)
  return id
}

async function checkText(
  deps: Pick<Deps, 'renders'>,
  store: StoreDb<Db>,
  { title, body }: PushSettings,
): Promise<void> {
  const { account_id: accountId } = requireFound(await readStore(store), 'Store')
  for (const text of [title, body]) await assertTextRenders(deps, { accountId, store }, { channel: 'push', body: text })
}

interface PushFlowRow {
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
async function lockPushFlow({ db, storeId }: StoreTx): Promise<void> {
  await sql`select 1 from flows where store_id = ${storeId} and kind = 'push' for no key update`.execute(db)
}

async function readPushFlow({ db, storeId }: StoreDb): Promise<PushFlowRow | undefined> {
  const { rows } = await sql<PushFlowRow>`
    select f.id as flow_id, f.is_on, f.takes_from, t.id as template_id, t.subject as title, t.body, p.frequency, p.delay_minutes,
      p.max_notifications
    from flows f join push_settings p on p.store_id = f.store_id
    join templates t on t.store_id = f.store_id and t.key = 'push'
    where f.store_id = ${storeId} and f.kind = 'push'`.execute(db)
  return rows[0]
}

async function insertPushFlow(
  { db, storeId }: StoreTx,
  flow: { id: string; name: string; salt: string; now: Date },
): Promise<void> {
  const { id, name, salt, now } = flow
  await db
    .insertInto('flows')
    .values({ store_id: storeId, id, kind: 'push', name, salt, created_at: now, updated_at: now })
    .execute()
}

async function saveTiming(
  { db, storeId }: StoreTx,
  input: { frequency: PushFrequency; delayMinutes: number; maxNotifications: number; now: Date },
): Promise<void> {
  await sql`insert into push_settings (store_id, frequency, delay_minutes, max_notifications, updated_at)
    values (${storeId}, ${input.frequency}, ${input.delayMinutes}, ${input.maxNotifications}, ${input.now})
    on conflict (store_id) do update set frequency = excluded.frequency, delay_minutes = excluded.delay_minutes,
      max_notifications = excluded.max_notifications, updated_at = excluded.updated_at`.execute(db)
}

/** One step per notification; remaining steps keep their number (D1). */
async function saveSteps(
  { db, storeId }: StoreTx,
  { flowId, templateId, count }: { flowId: string; templateId: string; count: number },
): Promise<void> {
  await sql`delete from flow_steps where store_id = ${storeId} and flow_id = ${flowId} and step > ${count}`.execute(db)
  await sql`insert into flow_steps (store_id, flow_id, step, delay_minutes, channel, template_id)
    select ${storeId}, ${flowId}, step, step, 'push', ${templateId} from generate_series(1, ${count}::int) as step
    on conflict (store_id, flow_id, step) where removed_at is null do nothing`.execute(db)
}
