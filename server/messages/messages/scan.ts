import * as system from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { sendDueMessages } from './jobs.ts'

const MAX_STORES = 500

/** Wakes one job per store with due messages. Runs every second; a waiting or running job is not duplicated. */
export async function wakeDueStores(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<number> {
  const due = await system.listDueStores(deps.db, deps.now(), MAX_STORES)
  for (const { store_id: storeId } of due) await deps.jobs.enqueue(deps.db, sendDueMessages, { storeId }, storeId)
  return due.length
}
