import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import type { PlatformOrder } from '../../platforms/platform/platform.ts'
import { storeAccess } from '../../access/stores/access.ts'

/** A shopper is waiting: a store that says nothing for this long is done without. */
const PATIENCE_MS = 3_000

/** A placed order as the store has it now, if it can still be paid; null when not, or when the store does not say. */
export async function readUnpaidOrder(deps: Deps, store: StoreDb, orderId: string): Promise<PlatformOrder | null> {
  try {
    const client = await storeAccess(deps, store)
    const order = await Promise.race([client.order(orderId), sleep(PATIENCE_MS, null, { ref: false })])
    return order && (order.kind === 'pending' || order.kind === 'failed') ? order : null
  } catch (error) {
    deps.log.warn({ storeId: store.storeId, err: error }, 'stores.unpaid-order-not-read')
    return null
  }
}
