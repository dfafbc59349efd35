import { findNextNewOrders, subtractMs, WEBHOOKS_ALIVE_MS } from '../../access/stores/public.ts'
import type { Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { newOrdersJob } from './jobs.ts'
import { readStreams } from './sync-sql.ts'
import { hasDelivered } from './webhook-sql.ts'

// A checkout empties the cart, which the capture script reports. If the store cannot notify us, the order would be read
// up to 15 minutes later, so the orders are read soon instead (Y2). Anybody can forge such a report, so the orders are
// read at most once a minute for it.

/** Queues one read of the store's orders, a minute after the last one began at the earliest. */
export async function queueNewOrders(deps: Pick<Deps, 'jobs' | 'now'>, store: StoreDb<Db>): Promise<void> {
  const now = deps.now()
  if (await hasDelivered(store, subtractMs(now, WEBHOOKS_ALIVE_MS))) return
  const at = await findNextRead(deps, store)
  await deps.jobs.enqueue(store.db, newOrdersJob, { storeId: store.storeId }, store.storeId, at > now ? at : undefined)
}

/** Whether something else has read the orders since the job was queued. */
export async function isTooSoonForNewOrders(deps: Pick<Deps, 'now'>, store: StoreDb<Db>): Promise<boolean> {
  return (await findNextRead(deps, store)) > deps.now()
}

async function findNextRead(deps: Pick<Deps, 'now'>, store: StoreDb<Db>): Promise<Date> {
  const sweep = (await readStreams(store)).find(({ stream }) => stream === 'sweep')
  return findNextNewOrders(sweep?.started_at ?? null, deps.now())
}
