import type { z } from 'zod'
import { capabilities } from '../../../shared/platforms/platforms.ts'
import {
  findNextWatermark,
  IMPORT_REACH_MS,
  openStoreClient,
  pickNewest,
  readStore,
  SWEEP_OVERLAP_MS,
  subtractMs,
} from '../../access/stores/public.ts'
import type { Deps } from '../../deps.ts'
import { recordCheckouts } from '../carts/public.ts'
import type { checkoutJob } from './jobs.ts'
import { type PullOptions, readChangedCustomers, withTimeLimit } from './local-copies.ts'
import { readRecord } from './record.ts'
import { renewLease, runSyncJob, type SyncResult } from './sync-jobs.ts'

// Reads checkouts that a platform keeps apart from orders, and records them as carts. Not used for other platforms.

/** Checkouts are not sorted by time, so the watermark moves only after the last page. */
export async function pullCheckouts(deps: Deps, { storeId, signal, releaseSlot }: PullOptions): Promise<SyncResult> {
  const row = await readStore({ storeId, db: deps.db })
  if (!row || !capabilities[row.platform].checkouts) return { kind: 'done', rowCount: 0 }
  return runSyncJob(deps, { storeId, stream: 'checkouts' }, async (run) => {
    const { state, store, startedAt } = run
    const since = state.watermark
      ? subtractMs(state.watermark, SWEEP_OVERLAP_MS)
      : subtractMs(startedAt, IMPORT_REACH_MS)
    const client = await openStoreClient(deps, store)
    const query = { modifiedSince: since.toISOString(), ...(signal ? { signal } : {}) }
    let newest: Date | null = null
    let rowCount = 0
    for await (const page of withTimeLimit(client.checkouts(query), { signal, releaseSlot })) {
      await recordCheckouts(deps, store, page.rows, 'sync')
      newest = pickNewest([newest, ...page.rows.map((checkout) => new Date(checkout.modifiedAt))])
      rowCount += page.rows.length
      if (page.skipped.length > 0) deps.log.warn({ storeId, skipped: page.skipped.length }, 'store.rows_skipped')
      await renewLease(run)
    }
    // Without a watermark the daily sync reads all customers.
    if (state.watermark && capabilities[row.platform].consentObjects)
      await readChangedCustomers(run, query, releaseSlot)
    return { watermark: findNextWatermark(state.watermark, newest, startedAt), rowCount }
  })
}

/** Job for a webhook: reads the checkout again. Only the delivery knows which cart it came from. */
export async function refreshCheckout(
  deps: Pick<Deps, 'db' | 'jobs' | 'now' | 'secrets' | 'storeClient'>,
  payload: z.infer<typeof checkoutJob.payload>,
): Promise<void> {
  const { storeId, checkoutId, checkoutToken, cartToken } = payload
  const store = { storeId, db: deps.db }
  const checkout = await readRecord(deps, store, (client, signal) => client.checkout(checkoutId, signal))
  // A missing checkout is not news: shops delete old ones.
  if (!checkout) return
  const tokens = {
    checkoutToken: checkout.checkoutToken ?? checkoutToken,
    cartToken: checkout.cartToken ?? cartToken,
  }
  await recordCheckouts(deps, store, [{ ...checkout, ...tokens }], 'webhook')
}
