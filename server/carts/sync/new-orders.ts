import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { before, nextNewOrders, WEBHOOKS_ALIVE_MS } from '../../access/stores/rules.ts'
import { newOrdersJob } from './jobs.ts'
import { readStreams } from './sync-sql.ts'
import { hasDelivered } from './webhook-sql.ts'

// A checkout empties the cart in the shop, and the capture script reports that. Where the store cannot notify us, its order would be
// read up to 15 minutes later, so the orders are read soon instead (Y2). Anybody can post an emptied cart: however many do, the
// store's orders are read at most once a minute for it.

/** Queues one reading of the store's orders, now or a minute after the last one began. At most one waits. */
export async function queueNewOrders(deps: Deps, store: StoreDb<Db>): Promise<void> {
  const now = deps.now()
  if (await hasDelivered(store, before(now, WEBHOOKS_ALIVE_MS))) return
  const at = await nextReading(deps, store)
  await deps.jobs.enqueue(store.db, newOrdersJob, { storeId: store.storeId }, store.storeId, at > now ? at : undefined)
}

/** Something else has read them since the job was queued. */
export async function isTooSoonForNewOrders(deps: Deps, store: StoreDb<Db>): Promise<boolean> {
  return (await nextReading(deps, store)) > deps.now()
}

async function nextReading(deps: Deps, store: StoreDb<Db>): Promise<Date> {
  const sweep = (await readStreams(store)).find(({ stream }) => stream === 'sweep')
  return nextNewOrders(sweep?.started_at ?? null, deps.now())
}
