import { readStore } from '../../server/access/stores/store.ts'
import type { Deps } from '../../server/deps.ts'
import { switchFlow } from '../../server/marketing/flows/flows.ts'
import { saveFlow } from '../../server/marketing/flows/save.ts'
import { listFlows, stepsOf } from '../../server/marketing/flows/sql.ts'

/** Once: a visitor who switched it off finds it off. */
export async function switchOn(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  for (const flow of await listFlows(store)) {
    if (flow.switched_on_at) continue
    await switchFlow(deps, store, flow.id, { isOn: true, holdoutPercent: 0, includeLast24h: false })
  }
}

/** Which step goes as an SMS to shoppers who left a number and ticked the box for texts, and to all others by email. */
const TEXTED = 1

/** After the past, which has emails alone. Where there are no phones everything stays an email. */
export async function textSecondStep(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row || !(await deps.channels.text(row.account_id, 'sms'))) return
  for (const { id, name } of await listFlows(store)) {
    const steps = (await stepsOf(store, [id])).map((step, index) => ({
      ...{ id: step.id, delayMinutes: step.delay_minutes },
      ...(index === TEXTED && { channels: ['sms' as const, 'email' as const] }),
    }))
    await saveFlow(deps, store, id, { name, steps })
  }
}
