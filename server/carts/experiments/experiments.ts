import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { AppError, found } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { randomToken } from '../../core/common/secrets.ts'
import type { Deps } from '../../deps.ts'
import { areArmsOff } from '../../core/lift/arm-shares.ts'
import { readStore } from '../../access/stores/store.ts'
import * as outcomes from './outcomes-sql.ts'
import { windowDays } from './rules.ts'
import * as sql from './sql.ts'

// One experiment of a store at a time, over everything that goes by itself (decision 58): begun, stopped, begun anew with another share,
// ended on its planned day. Who is drawn, and what became of them.

export { forgetPeople } from './outcomes-sql.ts'
export { insertAssignments as assign, runningExperiment } from './sql.ts'

const DAY_MS = 86_400_000
/** Whose amounts the cap is taken from. */
const CAP_DAYS = 180

export interface NewExperiment {
  /** The control group, of 10,000. */
  controlBps: number
  /** Until the planned end. */
  days: number
}

/** Begins one unless one runs. Answers its id, or undefined. */
export async function begin(tx: StoreTx, { controlBps, days }: NewExperiment, now: Date): Promise<string | undefined> {
  const store = found(await readStore(tx), 'Store')
  await sql.endPlannedOf(tx, now)
  const since = new Date(now.getTime() - CAP_DAYS * DAY_MS)
  const frozen = await sql.readFrozen(tx, { currency: store.currency, since })
  return sql.insertExperiment(tx, {
    id: newId(),
    salt: randomToken(),
    control_bps: controlBps,
    started_at: now,
    planned_end_at: new Date(now.getTime() + days * DAY_MS),
    window_days: windowDays(frozen.last_minutes, store.attribution_window_days),
    currency: store.currency,
    cap_minor: frozen.cap,
    cap_orders: frozen.orders,
  })
}

/** For the owner. Throws `conflict` where one runs. */
export async function startExperiment(deps: Deps, store: StoreDb<Db>, wanted: NewExperiment): Promise<void> {
  await transact(store, async (tx) => {
    if (!(await begin(tx, wanted, deps.now()))) throw new AppError('conflict', 'A control group is already in use.')
  })
}

/** Everybody is written to from now on. People whose window is not over are left out. Throws `conflict` where none runs. */
export async function stopExperiment(deps: Deps, store: StoreDb<Db>): Promise<void> {
  await transact(store, (tx) => end(tx, 'stopped', deps.now()))
}

/** Another share is another experiment; what is known of the first one stays (decision 61). */
export async function changeExperiment(deps: Deps, store: StoreDb<Db>, wanted: NewExperiment): Promise<void> {
  const now = deps.now()
  await transact(store, async (tx) => {
    await end(tx, 'changed', now)
    await begin(tx, wanted, now)
  })
}

async function end(tx: StoreTx, reason: 'stopped' | 'changed', at: Date): Promise<void> {
  if (!(await sql.endExperiment(tx, { reason, at }))) throw new AppError('conflict', 'No control group is in use.')
}

const AT_ONCE = 2_000
/** Of one store, before the next one has its turn; what is left goes on with the next tick. */
const TURNS = 50

/** Tick: ends what is planned to end, and counts people whose window is over. */
export async function countExperiments(deps: Deps): Promise<void> {
  const now = deps.now()
  await sql.endPlanned(deps.db, now)
  for (const storeId of await outcomes.storesToClose(deps.db, now)) await countDue({ storeId, db: deps.db }, now)
  await outcomes.countWaiting(deps.db)
}

async function countDue(store: StoreDb<Db>, now: Date): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const { closed, experiment_ids } = await outcomes.closeDue(store, now, AT_ONCE)
    if (closed > 0) await checkArms(store, experiment_ids, now)
    if (closed < AT_ONCE) return
  }
}

/** At every look, as the test allows: people lost from an arm make both incomparable (decision 61). */
async function checkArms(store: StoreDb<Db>, experimentIds: readonly string[], now: Date): Promise<void> {
  for (const each of await outcomes.armSizesOf(store, experimentIds)) {
    const share = each.control_bps / 10_000
    if (areArmsOff([each.treated, each.control], [1 - share, share])) await outcomes.raiseAlarm(store, each.id, now)
  }
}

/** Repairs a store's sums, should they ever differ from its people. Safe while the store is at work. */
export function recountExperiments(store: StoreDb<Db>): Promise<void> {
  return transact(store, outcomes.recount)
}
