import type { Deps } from '../../server/deps.ts'
import { switchFlow } from '../../server/flows/flows.ts'
import { listFlows } from '../../server/flows/sql.ts'

/** Once: a visitor who switched it off finds it off. */
export async function switchOn(deps: Deps, storeId: string): Promise<void> {
  const store = { storeId, db: deps.db }
  for (const flow of await listFlows(store)) {
    if (flow.switched_on_at) continue
    await switchFlow(deps, store, flow.id, { isOn: true, holdoutPercent: 0, includeLast24h: false })
  }
}
