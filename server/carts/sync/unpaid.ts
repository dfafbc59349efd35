import { setTimeout as sleep } from 'node:timers/promises'
import { openStoreClient } from '../../access/stores/public.ts'
import type { StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformOrder } from '../../platforms/platform/public.ts'

/** A shopper is waiting, so a store that does not answer in this time is skipped. */
const WAIT_MS = 3_000

/** The placed order as it is in the store, if it can still be paid; null if not, or if the store does not answer. */
export async function readUnpaidOrder(
  deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'storeClient'>,
  store: StoreDb,
  orderId: string,
): Promise<PlatformOrder | null> {
  try {
    const client = await openStoreClient(deps, store)
    const order = await Promise.race([client.order(orderId), sleep(WAIT_MS, null, { ref: false })])
    return order && (order.kind === 'pending' || order.kind === 'failed') ? order : null
  } catch (error) {
    deps.log.warn({ storeId: store.storeId, err: error }, 'stores.unpaid-order-not-read')
    return null
  }
}
