import { type Db, type StoreDb, type StoreTx, transact } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { type FigureSubject, figureSubjects } from '../schema/analytics.ts'
import { readStore } from '../stores/store.ts'
import { countCarts } from './count-carts-sql.ts'
import { countMessages, countOrders } from './count-messages-sql.ts'
import { boundsOf, type Day, type DayBounds, dayOf, daysBetween } from './days.ts'
import * as sql from './figures-sql.ts'

// The figures of Advanced Analytics, by day of the store's calendar (Way D). What changes a figure notes so in its own transaction, by
// trigger; here the days it is about are counted anew from the rows. Counting a day twice gives the same, so nothing can add up wrongly.

const CHANGES_AT_ONCE = 20_000
const DAYS_AT_ONCE = 31
const STORES_AT_ONCE = 50
/** Of one store, before the next store has its turn. */
const TURNS = 40

/** Counts what has changed, of all stores, one after the other; nothing if another process is at it. */
export async function countFigures(deps: Deps): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const stores = await sql.storesToCount(deps.db, after, STORES_AT_ONCE)
    for (const storeId of stores) await countChanges({ storeId, db: deps.db }, deps.now())
    if (stores.length < STORES_AT_ONCE) return
    after = stores.at(-1)!
  }
}

/** Counts what has changed in one store. */
export async function countChanges(store: StoreDb<Db>, now: Date, turns = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    const isMore = await transact(store, async (tx) => {
      if (!(await sql.lockFigures(tx.db))) return false
      const zone = (await readStore(tx))?.time_zone
      if (zone === undefined) return false
      await noteDays(tx, zone)
      const isCounted = await countNext(tx, zone)
      await sql.noteCount(tx, now)
      return isCounted
    })
    if (!isMore) return
  }
}

async function noteDays(tx: StoreTx, zone: string): Promise<void> {
  const changed = await sql.takeChanges(tx, CHANGES_AT_ONCE)
  const isAll = changed.some(({ subject }) => subject === null)
  if (isAll) await noteAll(tx, zone)
  const days = new Map<string, { subject: FigureSubject; day: Day }>()
  for (const { subject, at } of changed) {
    if (subject === null || at === null) continue
    const day = dayOf(at, zone)
    days.set(`${subject} ${day}`, { subject, day })
  }
  await sql.addDays(tx, [...days.values()])
}

/** Everything: figures of days that were others before (of another time zone) go first. */
async function noteAll(tx: StoreTx, zone: string): Promise<void> {
  await sql.clear(tx)
  const span = await sql.readSpan(tx)
  if (!span) return
  const days = daysBetween(dayOf(span.first, zone), dayOf(span.last, zone))
  await sql.addDays(
    tx,
    days.flatMap((day) => figureSubjects.map((subject) => ({ subject, day }))),
  )
}

const counts: Record<FigureSubject, (tx: StoreTx, bounds: readonly DayBounds[]) => Promise<void>> = {
  carts: countCarts,
  messages: countMessages,
  orders: countOrders,
}

/** false: nothing is left to count. */
async function countNext(tx: StoreTx, zone: string): Promise<boolean> {
  const next = await sql.takeDays(tx, DAYS_AT_ONCE)
  if (!next) return false
  await counts[next.subject](
    tx,
    next.days.map((day) => boundsOf(day, zone)),
  )
  return true
}

/** Counts a store from its first day on. For repairs, and for whoever has just filled a store. */
export async function rebuildFigures(store: StoreDb<Db>, now: Date): Promise<void> {
  await transact(store, async (tx) => noteAll(tx, (await readStore(tx))?.time_zone ?? 'UTC'))
  await countChanges(store, now, Number.POSITIVE_INFINITY)
}
