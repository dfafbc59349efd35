import { openStoreClient } from '../server/access/stores/access.ts'
import { AppError } from '../server/core/common/errors.ts'
import type { DemoParts, Deps } from '../server/deps.ts'
import { demoOwner } from '../server/workspace/accounts/sql.ts'
import type { DemoPast } from '../shared/workspace/instance.ts'
import { ensureDemoAccount } from './account.ts'
import { sendSecondStepBySms } from './flows.ts'
import { generateHistory, type HistoryOptions, hasHistory } from './history.ts'
import * as sql from './sql.ts'

// Sets up and resets the demo: account, store and past. One setup runs at a time.

const SEED = 20_260_301

/** `days`: length of the past; 90 unless `DEMO_DAYS` or a test sets it. */
export type DemoSetupOptions = Partial<Pick<HistoryOptions, 'days' | 'signal' | 'onProgress'>>

/** Progress of each running setup. */
const setupsInProgress = new WeakMap<DemoParts, { percent: number | null }>()

/** Reports the past as being written until its existence is known, so that visitors do not meet an empty account. */
export function markPastPending(demo: DemoParts): void {
  setupsInProgress.set(demo, { percent: null })
}

/** Reports progress in this process only, not in others. */
export function readPastProgress({ demo }: Deps): DemoPast {
  const state = demo ? setupsInProgress.get(demo) : undefined
  return { isBeingWritten: state !== undefined, percent: state?.percent ?? null }
}

/**
 * Runs at every start after the server is up and creates what is missing. Resolves when the past exists, after some
 * seconds.
 */
export async function setUpDemo(deps: Deps, demo: DemoParts, options: DemoSetupOptions = {}): Promise<void> {
  markPastPending(demo)
  try {
    const { storeId } = await ensureDemoAccount(deps, demo)
    if (await hasHistory(deps, storeId)) return
    // Orders without a past are left by a process that ended halfway.
    const isHalf = await hasOrders(deps, storeId)
    await runExclusively(demo, options, (callbacks) =>
      isHalf ? rebuild(deps, demo, callbacks) : createPast(deps, storeId, callbacks),
    )
  } finally {
    setupsInProgress.delete(demo)
  }
}

/** Resets the demo store, its data and the account's usage data. Sessions stay. */
export async function resetDemo(deps: Deps, options: DemoSetupOptions = {}): Promise<void> {
  const { demo } = deps
  if (!demo) throw new AppError('not_found', 'Demo not found')
  if (setupsInProgress.has(demo))
    throw new AppError('conflict', 'The demo is already being set up. Try again in half a minute.')
  await runExclusively(demo, options, (callbacks) => rebuild(deps, demo, callbacks))
}

async function runExclusively(
  demo: DemoParts,
  options: DemoSetupOptions,
  work: (callbacks: DemoSetupOptions) => Promise<void>,
): Promise<void> {
  const state: { percent: number | null } = { percent: null }
  setupsInProgress.set(demo, state)
  const onProgress = (share: number) => {
    state.percent = Math.floor(share * 100)
  }
  await work({ ...options, onProgress }).finally(() => setupsInProgress.delete(demo))
}

async function rebuild(deps: Deps, demo: DemoParts, options: DemoSetupOptions): Promise<void> {
  demo.reset()
  demo.shopify?.reset()
  const owner = await demoOwner(deps.db)
  if (owner) {
    const account = { accountId: owner.account_id, db: deps.db }
    await sql.deleteOtherStores(account, [])
    await sql.deleteAccountTraces(account)
  }
  const { storeId } = await ensureDemoAccount(deps, demo)
  await createPast(deps, storeId, options)
}

async function hasOrders(deps: Deps, storeId: string): Promise<boolean> {
  const client = await openStoreClient(deps, { storeId, db: deps.db })
  for await (const page of client.orders({ modifiedSince: '2000-01-01T00:00:00Z', pageSize: 1 })) {
    return page.rows.length > 0
  }
  return false
}

async function createPast(deps: Deps, storeId: string, { days = 90, ...rest }: DemoSetupOptions): Promise<void> {
  await generateHistory(deps, storeId, { days, seed: SEED, ...rest })
  await sendSecondStepBySms(deps, storeId)
}
