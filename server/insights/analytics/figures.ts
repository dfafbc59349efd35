import { readStore } from '../../access/stores/public.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/public.ts'
import { type FigureSubject, figureSubjects } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { countCarts, countFunnel, countProducts } from './count-carts-sql.ts'
import { countMessages, countOrders } from './count-messages-sql.ts'
import { addDays, type Day, type DayBounds, getDayBounds, toDay } from './days.ts'
import * as sql from './figures-sql.ts'
import { forgetRanges, lockRanges } from './product-ranges-sql.ts'

// The figures of Advanced Analytics per day of the store's calendar (Way D). Triggers record each change in its own
// transaction. This file recounts the affected days from the rows, which is idempotent.

const CHANGES_AT_ONCE = 20_000
const DAYS_AT_ONCE = 31
const STORES_AT_ONCE = 50
/** Batches of one store before the next store follows. */
const MAX_BATCHES = 40
/** Earlier days are old. If many of them change at once, they are recounted less often. */
const RECENT_DAYS = 7
const MAX_OLD_DAYS = 31
const BULK_EVERY_MS = 5 * 60_000

/** Tick: counts the changes of all stores, one at a time. Does nothing while another process counts. */
export async function countFigures(deps: Pick<Deps, 'db' | 'log' | 'now'>): Promise<void> {
  await sql.deleteOrphans(deps.db)
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const stores = await sql.listStoresToCount(deps.db, { after, now: deps.now(), limit: STORES_AT_ONCE })
    for (const storeId of stores) {
      await countChanges({ storeId, db: deps.db }, deps.now()).catch((error) => {
        // The other stores are still counted.
        deps.log.error({ err: error, storeId }, 'analytics.figures_failed')
      })
    }
    if (stores.length < STORES_AT_ONCE) return
    after = stores.at(-1)!
  }
}

/** Counts the changes of one store. */
export async function countChanges(store: StoreDb<Db>, now: Date, batches = MAX_BATCHES): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const isMore = await transact(store, async (tx) => {
      if (!(await sql.lockFigures(tx.db))) return false
      const zone = (await readStore(tx))?.time_zone
      if (zone === undefined) return false
      const count = await listChangedDays(tx, zone, now)
      const isCounted = await countNext(tx, zone, now)
      await sql.noteCount(tx, count)
      return isCounted
    })
    if (!isMore) return
  }
}

/** Lists the days to recount and returns how far the store will then be counted. */
async function listChangedDays(tx: StoreTx, zone: string, now: Date): Promise<sql.Count> {
  const count = await sql.readCount(tx)
  const { days: changed, isAll } = await sql.takeChanges(tx, CHANGES_AT_ONCE)
  const rebuilt = changed.filter(({ at }) => at === null).map(({ subject }) => subject)
  if (rebuilt.includes('all')) await listAllDays(tx, zone, now)
  else if (rebuilt.length > 0) await listEveryDay(tx, zone, now)
  const days = new Map<string, { subject: FigureSubject; day: Day }>()
  for (const { subject, at } of changed) {
    if (subject === 'all' || at === null) continue
    const day = toDay(at, zone)
    days.set(`${subject} ${day}`, { subject, day })
  }
  const recentFrom = addDays(toDay(now, zone), -RECENT_DAYS)
  const isOld = ({ day }: { day: Day }) => day < recentFrom
  const isBulk = new Set([...days.values()].filter(isOld).map(({ day }) => day)).size > MAX_OLD_DAYS
  const many_at = isBulk ? nextBulkTime(count.many_at, now) : count.many_at
  const due = (each: { day: Day }) => (isBulk && isOld(each) ? many_at! : now)
  await sql.addDays(
    tx,
    [...days.values()].map((each) => ({ ...each, noted_at: count.taken_at, due_at: due(each) })),
  )
  return { taken_at: isAll ? now : count.taken_at, many_at }
}

/** The time of the next recount of many old days. */
function nextBulkTime(last: Date | null, now: Date): Date {
  const isAhead = (at: number) => at >= now.getTime() && at <= now.getTime() + BULK_EVERY_MS
  const next = [last?.getTime() ?? 0, (last?.getTime() ?? 0) + BULK_EVERY_MS].find(isAhead)
  return next === undefined ? now : new Date(next)
}

/** Lists all days, for a new time zone. Old figures stay visible until their day is recounted. */
async function listAllDays(tx: StoreTx, zone: string, now: Date): Promise<void> {
  const span = await listEveryDay(tx, zone, now, figureSubjects)
  await sql.clearOutside(tx, span)
  await lockRanges(tx)
  await forgetRanges(tx)
  await sql.forgetPeople(tx)
}

/** Lists every day of these subjects. Returns the first and the last. */
async function listEveryDay(tx: StoreTx, zone: string, now: Date, subjects: readonly FigureSubject[] = ['orders']) {
  const span = await sql.readSpan(tx)
  if (!span) return null
  const days = daysBetween(toDay(span.first, zone), toDay(span.last, zone))
  await sql.addDays(
    tx,
    days.flatMap((day) => subjects.map((subject) => ({ subject, day, noted_at: null, due_at: now }))),
  )
  return { first: days[0]!, last: days.at(-1)! }
}

const counts: Record<FigureSubject, (tx: StoreTx, bounds: readonly DayBounds[]) => Promise<void>> = {
  carts: countCarts,
  products: countProducts,
  funnel: countFunnel,
  messages: countMessages,
  orders: countOrders,
}

/** Returns false if nothing is left to count. */
async function countNext(tx: StoreTx, zone: string, now: Date): Promise<boolean> {
  const next = await sql.takeDays(tx, now, DAYS_AT_ONCE)
  if (!next) return false
  await counts[next.subject](
    tx,
    next.days.map((day) => getDayBounds(day, zone)),
  )
  return true
}

/** Recounts a store from its first day. For repairs and after bulk inserts. */
export async function rebuildFigures(store: StoreDb<Db>, now: Date): Promise<void> {
  await transact(store, async (tx) => listAllDays(tx, (await readStore(tx))?.time_zone ?? 'UTC', now))
  await countChanges(store, now, Number.POSITIVE_INFINITY)
}

/** Lists the days from `first` to `last`, both included. */
function daysBetween(first: Day, last: Day): Day[] {
  const from = Temporal.PlainDate.from(first)
  const count = from.until(Temporal.PlainDate.from(last), { largestUnit: 'days' }).days + 1
  return Array.from({ length: Math.max(0, count) }, (_, days) => from.add({ days }).toString())
}
