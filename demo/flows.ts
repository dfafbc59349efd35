import { readStore } from '../server/access/stores/sql.ts'
import type { Deps } from '../server/deps.ts'
import { switchFlow } from '../server/marketing/flows/flows.ts'
import { saveFlow } from '../server/marketing/flows/save.ts'
import { listFlows, listSteps } from '../server/marketing/flows/sql.ts'

/** Switches each flow on once, so that a visitor's choice to switch it off stays. */
export async function switchOnFlows(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  for (const flow of await listFlows(store)) {
    if (flow.switched_on_at) continue
    await switchFlow(deps, store, flow.id, { isOn: true, holdoutPercent: 0, includeLast24h: false })
  }
}

/** Index of the step that is sent as an SMS to shoppers with SMS consent, and as an email to all others. */
const SMS_STEP_INDEX = 1

/** Runs after the past, which contains emails only. Without an SMS channel all steps stay emails. */
export async function sendSecondStepBySms(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row || !(await deps.channels.text(row.account_id, 'sms'))) return
  for (const { id, name } of await listFlows(store)) {
    const steps = (await listSteps(store, [id])).map((step, index) => ({
      id: step.id,
      delayMinutes: step.delay_minutes,
      ...(index === SMS_STEP_INDEX && { channels: ['sms' as const, 'email' as const] }),
    }))
    await saveFlow(deps, store, id, { name, steps })
  }
}
