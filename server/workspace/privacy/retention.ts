import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { MOST_COUNTED, type Retention } from '../../../shared/retention.ts'
import { chunked } from '../../core/common/chunks.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { listNumberAliases } from '../../messages/channels/number-aliases.ts'
import type { ShopperKey } from '../../shoppers/shoppers/rules.ts'
import { lockAllKeys, lockShoppers } from '../../shoppers/shoppers/shoppers.ts'
import { eraseRows, hasNewKeys } from './erase.ts'
import { hasMessageInFlight, mergingKeysOf } from './erase-sql.ts'
import { addCounts } from './find.ts'
import { retainJob } from './jobs.ts'
import { shoppersIn } from './person.ts'
import * as sql from './retention-sql.ts'

// Retention (C10): every night, shoppers not seen for the store's number of days are erased by the rules of C8; figures
// stay.
// They did not ask for it, so they are not suppressed, and a returning person is a new shopper. Small batches run in
// short transactions without lock waits.

const DAY_MS = 86_400_000
/** In the store's time zone. */
const BEGINS_AT = '02:00'
/** Shoppers checked per statement. */
const PAGE = 500
/** Target duration of a batch, which limits lock waits of others. */
const BATCH_MS = 25
const AT_ONCE = { first: 4, most: 40 }
const LOCK_WAIT_MS = 20
/** Duration of one job; the tick enqueues it again. */
const TURN_MS = 50_000
const RUNS_SHOWN = 30

/** Tick. */
export async function enqueueRetention(deps: Deps): Promise<void> {
  for (const { store_id: storeId, day } of await sql.dueStores(deps.db, deps.now(), BEGINS_AT)) {
    await deps.jobs.enqueue(deps.db, retainJob, { storeId, day }, storeId)
  }
}

/** The job. Can be interrupted at any point and run twice: each batch locks the run's row. */
export async function runRetention(deps: Deps, { storeId, day }: z.infer<typeof retainJob.payload>): Promise<void> {
  const store = { storeId, db: deps.db }
  const days = await sql.readDays(store)
  if (!days) return
  const run = await transact(store, async (tx) => {
    await sql.startRun(tx, { day, days, now: deps.now() })
    return sql.lockRun(tx, day)
  })
  if (!run) return
  const until = performance.now() + TURN_MS
  const before = new Date(run.started_at.getTime() - run.days * DAY_MS)
  const pace = new Pace()
  let after = run.cursor_at && run.cursor_id ? { at: run.cursor_at, id: run.cursor_id } : null
  while (performance.now() < until) {
    const page = await sql.nextShoppers(store, { after, before, limit: PAGE })
    // A change by the owner applies at once.
    if (page.length === 0 || (await sql.readDays(store)) !== run.days) {
      await sql.finishRun(store, day, deps.now())
      deps.log.info({ storeId, day }, 'privacy.retained')
      return
    }
    const due = page.flatMap(({ id, is_due }) => (is_due ? [id] : []))
    if (!(await erasePage(deps, store, { ids: due, day, before, pace }))) return
    const last = page.at(-1)!
    after = { at: last.first_seen_at, id: last.id }
    await sql.recordRunPlace(store, day, after)
  }
}

/** Grows at most 2×: a fast batch may have had shoppers with little data. The minimum is one person. */
export function nextSize(size: number, tookMs: number): number {
  const fits = Math.round((size * BATCH_MS) / Math.max(1, tookMs))
  return Math.max(1, Math.min(AT_ONCE.most, fits, 2 * size))
}

/** Adapts the batch size to the duration of the last batch. */
class Pace {
  size = AT_ONCE.first
  tookMs = 0
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await work()
    this.tookMs = performance.now() - began
    this.size = nextSize(this.size, this.tookMs)
    return result
  }
}

interface Page {
  ids: readonly string[]
  day: string
  before: Date
  pace: Pace
}

/** false: another process holds the run. */
async function erasePage(deps: Deps, store: StoreDb<Db>, { ids, day, before, pace }: Page): Promise<boolean> {
  for (let from = 0; from < ids.length; ) {
    const batch = ids.slice(from, from + pace.size)
    from += batch.length
    const outcome = await pace.measure(() => eraseBatch(deps, store, { ids: batch, day, before }))
    if (outcome === 'taken') return false
    if (outcome === 'busy' && batch.length > 1) {
      // One of them is busy; the others need not wait for the next night.
      for (const id of batch) await eraseBatch(deps, store, { ids: [id], day, before })
    }
    // Leaves equal time to other work.
    await sleep(pace.tookMs)
  }
  return true
}

type Batch = Omit<Page, 'pace'>

/**
 * `busy`: a message to one of them is in flight, or another transaction holds one. `taken`: another process holds the
 * run.
 */
async function eraseBatch(deps: Deps, store: StoreDb<Db>, batch: Batch): Promise<'done' | 'busy' | 'taken'> {
  try {
    // Runs before any lock.
    const keys = await mergingKeysOf(store, { shopperIds: [...batch.ids] })
    return await transact(store, (tx) => eraseLocked(deps, tx, batch, keys))
  } catch (error) {
    if (isLockTimeout(error)) return 'busy'
    throw error
  }
}

const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03'

async function eraseLocked(deps: Deps, tx: StoreTx, { ids, day, before }: Batch, keys: readonly ShopperKey[]) {
  await sql.limitLockWait(tx, LOCK_WAIT_MS)
  await lockAllKeys(tx, keys)
  await lockShoppers(tx, ids)
  // Read again under the locks, so that nothing can be added.
  const due = await withoutAgreed(deps, tx, await sql.findDueAmong(tx, ids, before), before)
  if (due.length === 0) return 'done'
  const people = await shoppersIn(
    deps,
    tx,
    due.map(({ id }) => id),
  )
  if (hasNewKeys(await mergingKeysOf(tx, people), keys) || (await hasMessageInFlight(tx, people))) return 'busy'
  const run = await sql.lockRun(tx, day)
  if (!run) return 'taken'
  const erased = await eraseRows(tx, people, (shopperId) => shopperId, deps.now())
  const customers = due.filter((each) => each.has_ordered).length
  await sql.recordErased(tx, day, {
    contacts: run.contacts + due.length - customers,
    customers: run.customers + customers,
    counts: addCounts([run.counts, erased]),
  })
  return 'done'
}

/** A consent since then counts as seen. */
async function withoutAgreed(deps: Deps, store: StoreDb, due: readonly sql.DueShopper[], before: Date) {
  const hashed = due.map((person) => ({
    person,
    hashes: person.addresses.flatMap((address) => hashesOf(deps, address)),
  }))
  const agreed = await sql.findConsentsSince(
    store,
    hashed.flatMap(({ hashes }) => hashes),
    before,
  )
  return hashed
    .filter(({ hashes }) => !hashes.some((hash) => agreed.has(hash.toString('hex'))))
    .map(({ person }) => person)
}

const hashesOf = ({ secrets }: Deps, address: string): Buffer[] =>
  (address.includes('@') ? [address] : listNumberAliases(address)).map((each) => secrets.addressHash(each))

export async function viewRetention(store: StoreDb): Promise<Retention> {
  const days = (await sql.readDays(store)) ?? null
  const runs = await sql.lastRuns(store, RUNS_SHOWN)
  return {
    days,
    runs: runs.map((run) => ({
      ...{ day: run.day, days: run.days, contacts: run.contacts, customers: run.customers, counts: run.counts },
      startedAt: run.started_at.toISOString(),
      finishedAt: run.finished_at?.toISOString() ?? null,
    })),
  }
}

export async function countExpired(deps: Deps, store: StoreDb, days: number) {
  const before = new Date(deps.now().getTime() - days * DAY_MS)
  const { due, isMore } = await sql.findDue(store, before, MOST_COUNTED)
  const gone: sql.DueShopper[] = []
  // Hashes in chunks; all addresses at once would block the event loop.
  for await (const some of chunked(due, PAGE)) gone.push(...(await withoutAgreed(deps, store, some, before)))
  const customers = gone.filter((each) => each.has_ordered).length
  const carts = gone.reduce((sum, each) => sum + each.carts, 0)
  return { contacts: gone.length - customers, customers, carts, isMore }
}

export async function setRetention(deps: Deps, store: StoreDb<Db>, days: number | null): Promise<Retention> {
  await sql.saveDays(store, days)
  deps.log.info({ storeId: store.storeId, days }, 'privacy.retention')
  return viewRetention(store)
}
