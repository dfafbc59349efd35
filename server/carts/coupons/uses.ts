import type { z } from 'zod'
import { toCapitals } from '../../../shared/carts/coupons.ts'
import { openStoreClient, readStore } from '../../access/stores/public.ts'
import { AppError, keepSlot, type ReleaseSlot } from '../../core/common/public.ts'
import type { Db, StoreDb, StoreTx } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type StoreClient, StoreProblem } from '../../platforms/platform/public.ts'
import { couponUsesJob } from './jobs.ts'
import * as sql from './sql.ts'

// Reads how often coupons were used (decision 38). A use does not change a coupon's modification time, so our own
// coupons are read by id: in the sweep, and soon after an order named one.

/** Delay, because many orders may name one coupon at once. */
const DELAY_MS = 20_000

/** Call in the orders' transaction. Queues one read of the counts if a code is of a coupon created here. */
export async function queueUseReads(
  deps: Pick<Deps, 'jobs' | 'now'>,
  tx: StoreTx,
  codes: readonly string[],
): Promise<void> {
  if (codes.length === 0 || !(await sql.hasOwnCoupon(tx, [...new Set(codes.map(toCapitals))]))) return
  const soon = new Date(deps.now().getTime() + DELAY_MS)
  await deps.jobs.enqueue(tx.db, couponUsesJob, { storeId: tx.storeId }, tx.storeId, soon)
}

/** Job. The next sweep retries a store that did not answer. */
export async function readUses(
  deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'storeClient'>,
  { storeId }: z.infer<typeof couponUsesJob.payload>,
  releaseSlot: ReleaseSlot = keepSlot,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row?.is_active) return
  try {
    await refreshUses(store, await openStoreClient(deps, store, releaseSlot), row.currency)
  } catch (error) {
    if (!(error instanceof StoreProblem || error instanceof AppError)) throw error
    deps.log.warn({ storeId, err: error }, 'coupons.uses_not_read')
  }
}

/** Reads all shared coupons created here, a hundred per request. */
export async function refreshUses(
  store: StoreDb<Db>,
  client: StoreClient,
  currency: string,
  signal?: AbortSignal,
): Promise<void> {
  const ids = await sql.selectOwnPlatformIds(store)
  if (ids.length === 0) return
  const { rows } = await client.couponsById({ ids, currency, ...(signal ? { signal } : {}) })
  const uses = rows.map(({ couponId, usageCount }) => ({ platform_id: couponId, usage_count: usageCount }))
  await sql.saveUses(store, uses)
}
