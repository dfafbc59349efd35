import { readStore } from '../../access/stores/public.ts'
import { AppError, createId, createToken, requireFound } from '../../core/common/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import { hasSampleRatioMismatch } from '../../core/lift/public.ts'
import type { Deps } from '../../deps.ts'
import * as outcomes from './outcomes-sql.ts'
import { computeWindowDays } from './rules.ts'
import * as sql from './sql.ts'

// A store's experiment on all automatic messages, one at a time (decision 58): start, stop, restart with another share,
// and the planned end. Assigns shoppers and counts their results.

const DAY_MS = 86_400_000
/** The cap is computed from orders of this period. */
const CAP_DAYS = 180

export interface NewExperiment {
  /** Share of the control group, in basis points. */
  controlBps: number
  /** Until the planned end. */
  days: number
}

/** Starts an experiment unless one is running. Returns its id, or undefined. */
export async function begin(tx: StoreTx, { controlBps, days }: NewExperiment, now: Date): Promise<string | undefined> {
  const store = requireFound(await readStore(tx), 'Store')
  await sql.endPlannedInStore(tx, now)
  const since = new Date(now.getTime() - CAP_DAYS * DAY_MS)
  const frozen = await sql.selectFixedValues(tx, { currency: store.currency, since })
  return sql.insertExperiment(tx, {
    id: createId(),
    salt: createToken(),
    control_bps: controlBps,
    started_at: now,
    planned_end_at: new Date(now.getTime() + days * DAY_MS),
    window_days: computeWindowDays(frozen.last_minutes, store.attribution_window_days),
    currency: store.currency,
    cap_minor: frozen.cap,
    cap_orders: frozen.orders,
  })
}

/** For the owner. Throws `conflict` if one is running. */
export async function startExperiment(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  input: NewExperiment,
): Promise<void> {
  await transact(store, async (tx) => {
    if (!(await begin(tx, input, deps.now()))) throw new AppError('conflict', 'A control group is already in use.')
  })
}

/**
 * From now on all shoppers get messages. Those with an open window are excluded. Throws `conflict` if none is running.
 */
export async function stopExperiment(deps: Pick<Deps, 'now'>, store: StoreDb<Db>): Promise<void> {
  await transact(store, (tx) => endRunning(tx, 'stopped', deps.now()))
}

/** Another share is another experiment; the results of the first stay (decision 61). */
export async function changeExperiment(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  input: NewExperiment,
): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    await endRunning(tx, 'changed', now)
    await begin(tx, input, now)
  })
}

async function endRunning(tx: StoreTx, reason: 'stopped' | 'changed', at: Date): Promise<void> {
  if (!(await sql.endExperiment(tx, { reason, at }))) throw new AppError('conflict', 'No control group is in use.')
}

const BATCH = 2_000
/** Batches per store and tick, so that other stores get their turn. */
const MAX_BATCHES = 50

/** Tick: ends experiments on their planned day and counts shoppers whose window is over. */
export async function countExperiments(deps: Pick<Deps, 'db' | 'now'>): Promise<void> {
  const now = deps.now()
  await sql.endPlanned(deps.db, now)
  for (const storeId of await outcomes.selectStoresToClose(deps.db, now)) await countDue({ storeId, db: deps.db }, now)
  await outcomes.countWaiting(deps.db)
}

async function countDue(store: StoreDb<Db>, now: Date): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { closed, experiment_ids } = await outcomes.closeDueShoppers(store, now, BATCH)
    if (closed > 0) await checkArms(store, experiment_ids, now)
    if (closed < BATCH) return
  }
}

/** Runs with every count, as the test allows: shoppers missing from one arm make both incomparable (decision 61). */
async function checkArms(store: StoreDb<Db>, experimentIds: readonly string[], now: Date): Promise<void> {
  for (const each of await outcomes.selectArmSizes(store, experimentIds)) {
    const share = each.control_bps / 10_000
    if (hasSampleRatioMismatch([each.treated, each.control], [1 - share, share]))
      await outcomes.raiseAlarm(store, each.id, now)
  }
}

/** Recomputes a store's sums from its shoppers. Safe while other jobs run. */
export function recountExperiments(store: StoreDb<Db>): Promise<void> {
  return transact(store, outcomes.recount)
}
