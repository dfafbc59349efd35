import { DEFAULT_PUSH, type PushSettings } from '../../../shared/push.ts'
import { assertMayMail } from '../../access/members/verification.ts'
import { lockStore, readStore } from '../../access/stores/store.ts'
import { requireFound } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { randomToken } from '../../core/common/secrets.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { assertTextRenders } from '../../delivery/compose/own-text.ts'
import type { Deps } from '../../deps.ts'
import {
  retimeEditedMessages,
  scheduleFlowMessages,
  scheduleNextLook,
  wakeStoreMessages,
} from '../../messages/messages/messages.ts'
import * as push from './push-flow-sql.ts'
import * as sql from './sql.ts'

// The store's own push notifications (decision 77), stored as a flow of kind 'push'. It runs beside the store's flows
// and shares their control group and frequency cap.

const NAME = 'Push notifications'

export async function readPushSettings(store: StoreDb): Promise<PushSettings> {
  const row = await push.readPushFlow(store)
  if (!row) return { ...DEFAULT_PUSH }
  const { is_on: enabled, title, body, frequency, delay_minutes: delay, max_notifications: maxNotifications } = row
  return { enabled, frequency, delay, maxNotifications, title, body }
}

export async function savePushSettings(deps: Deps, store: StoreDb<Db>, wanted: PushSettings): Promise<void> {
  const now = deps.now()
  await checkText(deps, store, wanted)
  await transact(store, async (tx) => {
    const { account_id: accountId, effective_timeout_minutes: timeoutMinutes } = requireFound(
      await lockStore(tx),
      'Store',
    )
    if (wanted.enabled) await assertMayMail({ accountId, db: tx.db })
    await push.lockPushFlow(tx)
    const known = await push.readPushFlow(tx)
    const flowId = known?.flow_id ?? newId()
    if (!known) await push.insertPushFlow(tx, { id: flowId, name: NAME, salt: randomToken(), now })
    const { frequency, delay: delayMinutes, maxNotifications } = wanted
    await push.saveTiming(tx, { frequency, delayMinutes, maxNotifications, now })
    const templateId = await saveText(tx, known?.template_id, wanted, now)
    await push.saveSteps(tx, { flowId, templateId, count: maxNotifications })
    await push.refreshDelays(tx)
    await retimeEditedMessages(tx, flowId, now)
    await setActive(tx, { flowId, isOn: wanted.enabled, known, timeoutMinutes, now })
    await scheduleNextLook(tx)
  })
}

interface Switch {
  flowId: string
  isOn: boolean
  known: push.PushFlowRow | undefined
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
  await sql.switchFlow(tx, flowId, {
    ...{ is_on: isOn, switched_on_at: since, takes_from: takesFrom, updated_at: now },
  })
  if (!isOn) return
  // Also plans added notifications for carts abandoned earlier.
  await scheduleFlowMessages(tx, await sql.abandonedSince(tx, takesFrom!), now)
  if (!wasOn) await wakeStoreMessages(tx, ['flow_off'], now)
}

async function saveText(tx: StoreTx, known: string | undefined, { title, body }: PushSettings, now: Date) {
  const id = known ?? newId()
  if (known) await sql.saveTemplate(tx, { id, subject: title, body, now })
  else await sql.insertTemplates(tx, [{ id, key: 'push', name: NAME, subject: title, body }], now)
  return id
}

async function checkText(deps: Deps, store: StoreDb<Db>, { title, body }: PushSettings): Promise<void> {
  const { account_id: accountId } = requireFound(await readStore(store), 'Store')
  for (const words of [title, body]) await assertTextRenders(deps, accountId, { channel: 'push', body: words })
}
