import { openStoreClient } from '../../server/access/stores/access.ts'
import { AppError } from '../../server/core/common/errors.ts'
import type { DemoParts, Deps } from '../../server/deps.ts'
import { demoOwner } from '../../server/workspace/accounts/sql.ts'
import type { DemoPast } from '../../shared/instance.ts'
import { ensureDemoAccount } from './account.ts'
import { textSecondStep } from './flows.ts'
import { generateHistory, type HistoryOptions, hasHistory } from './history.ts'
import * as sql from './sql.ts'

// The demo as a whole: its account, its store, its past. One building at a time.

const SEED = 20_260_301

/** `days`: how much past there is; 90 unless `DEMO_DAYS` or a test says otherwise. */
export type Settling = Partial<Pick<HistoryOptions, 'days' | 'signal' | 'onProgress'>>

/** How far each is that is under way. */
const building = new WeakMap<DemoParts, { percent: number | null }>()

/** Until it is known that there is one, it counts as being written: an empty account is no first look at the demo. */
export function expectPast(demo: DemoParts): void {
  building.set(demo, { percent: null })
}

/** Of this process: where another one writes it, nothing is known here. */
export function pastOf({ demo }: Deps): DemoPast {
  const state = demo ? building.get(demo) : undefined
  return { isBeingWritten: state !== undefined, percent: state?.percent ?? null }
}

/** At every start, after the server is up: makes what is missing. Resolves when the past is there, which takes some seconds. */
export async function settleDemo(deps: Deps, demo: DemoParts, wanted: Settling = {}): Promise<void> {
  expectPast(demo)
  try {
    const { storeId } = await ensureDemoAccount(deps, demo)
    if (await hasHistory(deps, storeId)) return
    // Orders without a past: a process that ended halfway left them.
    const isHalf = await hasOrders(deps, storeId)
    await alone(demo, wanted, (told) => (isHalf ? rebuild(deps, demo, told) : remember(deps, storeId, told)))
  } finally {
    building.delete(demo)
  }
}

/** Back to the first state: the demo store, everything known of it, and the account's own traces. Sessions stay. */
export async function resetDemo(deps: Deps, wanted: Settling = {}): Promise<void> {
  const { demo } = deps
  if (!demo) throw new AppError('not_found', 'Demo not found')
  if (building.has(demo))
    throw new AppError('conflict', 'The demo is already being set up. Try again in half a minute.')
  await alone(demo, wanted, (told) => rebuild(deps, demo, told))
}

async function alone(demo: DemoParts, wanted: Settling, work: (told: Settling) => Promise<void>): Promise<void> {
  const state: { percent: number | null } = { percent: null }
  building.set(demo, state)
  const onProgress = (share: number) => {
    state.percent = Math.floor(share * 100)
  }
  await work({ ...wanted, onProgress }).finally(() => building.delete(demo))
}

async function rebuild(deps: Deps, demo: DemoParts, wanted: Settling): Promise<void> {
  demo.reset()
  demo.shopify?.reset()
  const owner = await demoOwner(deps.db)
  if (owner) {
    const account = { accountId: owner.account_id, db: deps.db }
    await sql.deleteOtherStores(account, [])
    await sql.deleteAccountTraces(account)
  }
  const { storeId } = await ensureDemoAccount(deps, demo)
  await remember(deps, storeId, wanted)
}

async function hasOrders(deps: Deps, storeId: string): Promise<boolean> {
  const client = await openStoreClient(deps, { storeId, db: deps.db })
  for await (const page of client.orders({ modifiedSince: '2000-01-01T00:00:00Z', pageSize: 1 })) {
    return page.rows.length > 0
  }
  return false
}

async function remember(deps: Deps, storeId: string, { days = 90, ...rest }: Settling): Promise<void> {
  await generateHistory(deps, storeId, { days, seed: SEED, ...rest })
  await textSecondStep(deps, storeId)
}
