import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { MAX_COUNTED, type Retention } from '../../../shared/workspace/retention.ts'
import { chunked } from '../../core/common/public.ts'
import { type Db, PLANNED_EACH_TIME, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { listNumberAliases } from '../../messages/channels/public.ts'
import { lockAllKeys, lockShoppers, type ShopperKey } from '../../shoppers/shoppers/public.ts'
import { eraseRows, hasNewKeys } from './erase.ts'
import { hasMessageInFlight, listMergingKeys } from './erase-sql.ts'
import { addCounts } from './find.ts'
import { retainJob } from './jobs.ts'
import { findShoppers } from './person.ts'

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
const AT_ONCE = { first: 4, max: 40 }
const LOCK_WAIT_MS = 20
/** Duration of one job; the tick enqueues it again. */
const RUN_MS = 50_000
const MAX_RUNS = 30

/** Tick. */
export async function enqueueRetention(deps: Pick<Deps, 'db' | 'jobs' | 'now'>): Promise<void> {
  for (const { store_id: storeId, day } of await dueStores(deps.db, deps.now(), BEGINS_AT)) {
    await deps.jobs.enqueue(deps.db, retainJob, { storeId, day }, storeId)
  }
}

/** The job. Can be interrupted at any point and run twice: each batch locks the run's row. */
export async function runRetention(
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>,
  { storeId, day }: z.infer<typeof retainJob.payload>,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const days = await readDays(store)
  if (!days) return
  const run = await transact(store, async (tx) => {
    await startRun(tx, { day, days, now: deps.now() })
    return lockRun(tx, day)
  })
  if (!run) return
  const until = performance.now() + RUN_MS
  const before = new Date(run.started_at.getTime() - run.days * DAY_MS)
  const pace = new Pace()
  let after = run.cursor_at && run.cursor_id ? { at: run.cursor_at, id: run.cursor_id } : null
  while (performance.now() < until) {
    const page = await nextShoppers(store, { after, before, limit: PAGE })
    // A change by the owner applies at once.
    if (page.length === 0 || (await readDays(store)) !== run.days) {
      await finishRun(store, day, deps.now())
      deps.log.info({ storeId, day }, 'privacy.retained')
      return
    }
    const due = page.flatMap(({ id, is_due }) => (is_due ? [id] : []))
    if (!(await erasePage(deps, store, { ids: due, day, before, pace }))) return
    const last = page.at(-1)!
    after = { at: last.first_seen_at, id: last.id }
    await recordRunPlace(store, day, after)
  }
}

/** Grows at most 2×: a fast batch may have had shoppers with little data. The minimum is one person. */
export function computeNextSize(size: number, tookMs: number): number {
  const fits = Math.round((size * BATCH_MS) / Math.max(1, tookMs))
  return Math.max(1, Math.min(AT_ONCE.max, fits, 2 * size))
}

/** Adapts the batch size to the duration of the last batch. */
class Pace {
  size = AT_ONCE.first
  tookMs = 0
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await work()
    this.tookMs = performance.now() - began
    this.size = computeNextSize(this.size, this.tookMs)
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
async function erasePage(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  { ids, day, before, pace }: Page,
): Promise<boolean> {
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
async function eraseBatch(
  deps: Pick<Deps, 'now' | 'secrets'>,
  store: StoreDb<Db>,
  batch: Batch,
): Promise<'done' | 'busy' | 'taken'> {
  try {
    // Runs before any lock.
    const keys = await listMergingKeys(store, { shopperIds: [...batch.ids] })
    return await transact(store, (tx) => eraseLocked(deps, tx, batch, keys))
  } catch (error) {
    if (isLockTimeout(error)) return 'busy'
    throw error
  }
}

const isLockTimeout = (error: unknown) => error instanceof Error && 'code' in error && error.code === '55P03'

async function eraseLocked(
  deps: Pick<Deps, 'now' | 'secrets'>,
  tx: StoreTx,
  { ids, day, before }: Batch,
  keys: readonly ShopperKey[],
) {
  await limitLockWait(tx, LOCK_WAIT_MS)
  await lockAllKeys(tx, keys)
  await lockShoppers(tx, ids)
  // Read again under the locks, so that nothing can be added.
  const due = await excludeAgreed(deps, tx, await findDueAmong(tx, ids, before), before)
  if (due.length === 0) return 'done'
  const people = await findShoppers(
    deps,
    tx,
    due.map(({ id }) => id),
  )
  if (hasNewKeys(await listMergingKeys(tx, people), keys) || (await hasMessageInFlight(tx, people))) return 'busy'
  const run = await lockRun(tx, day)
  if (!run) return 'taken'
  const erased = await eraseRows(tx, people, (shopperId) => shopperId, deps.now())
  const customers = due.filter((each) => each.has_ordered).length
  await recordErased(tx, day, {
    contacts: run.contacts + due.length - customers,
    customers: run.customers + customers,
    counts: addCounts([run.counts, erased]),
  })
  return 'done'
}

/** A consent since then counts as seen. */
async function excludeAgreed(deps: Pick<Deps, 'secrets'>, store: StoreDb, due: readonly DueShopper[], before: Date) {
  const hashed = due.map((person) => ({
    person,
    hashes: person.addresses.flatMap((address) => computeHashes(deps, address)),
  }))
  const agreed = await findConsentsSince(
    store,
    hashed.flatMap(({ hashes }) => hashes),
    before,
  )
  return hashed
    .filter(({ hashes }) => !hashes.some((hash) => agreed.has(hash.toString('hex'))))
    .map(({ person }) => person)
}

const computeHashes = ({ secrets }: Pick<Deps, 'secrets'>, address: string): Buffer[] =>
  (address.includes('@') ? [address] : listNumberAliases(address)).map((each) => secrets.addressHash(each))

export async function viewRetention(store: StoreDb): Promise<Retention> {
  const days = (await readDays(store)) ?? null
  const runs = await lastRuns(store, MAX_RUNS)
  return {
    days,
    runs: runs.map((run) => ({
      day: run.day,
      days: run.days,
      contacts: run.contacts,
      customers: run.customers,
      counts: run.counts,
      startedAt: run.started_at.toISOString(),
      finishedAt: run.finished_at?.toISOString() ?? null,
    })),
  }
}

export async function countExpired(deps: Pick<Deps, 'now' | 'secrets'>, store: StoreDb, days: number) {
  const before = new Date(deps.now().getTime() - days * DAY_MS)
  const { due, isMore } = await findDue(store, before, MAX_COUNTED)
  const deleted: DueShopper[] = []
  // Hashes in chunks; all addresses at once would block the event loop.
  for await (const some of chunked(due, PAGE)) deleted.push(...(await excludeAgreed(deps, store, some, before)))
  const customers = deleted.filter((each) => each.has_ordered).length
  const carts = deleted.reduce((sum, each) => sum + each.carts, 0)
  return { contacts: deleted.length - customers, customers, carts, isMore }
}

export async function setRetention(
  deps: Pick<Deps, 'log'>,
  store: StoreDb<Db>,
  days: number | null,
): Promise<Retention> {
  await saveDays(store, days)
  deps.log.info({ storeId: store.storeId, days }, 'privacy.retention')
  return viewRetention(store)
}

// SQL for expired shoppers and nightly runs.

/**
 * When shopper `s` was last seen: cart, order, sign-in at the shop, click, restore or push permission. Uses indexes.
 * Consents are found by address hashes (`findConsentsSince`).
 */
const LAST_ACTIVITY = sql`greatest(s.first_seen_at, s.last_login_at, o.last_at,
  (select max(c.last_activity_at) from carts c where c.store_id = s.store_id and c.shopper_id = s.id),
  (select max(t.at) from touchpoints t where t.store_id = s.store_id and t.shopper_id = s.id and t.is_human),
  (select max(p.created_at) from push_subscriptions p where p.store_id = s.store_id and p.shopper_id = s.id))`

const LAST_ORDER = sql`lateral (select max(o.purchased_at) as last_at from orders o
  where o.store_id = s.store_id and o.shopper_id = s.id and o.purchased_at is not null) o`

interface VisitedShopper {
  id: string
  first_seen_at: Date
  is_due: boolean
}

/** The next shoppers first seen before the limit. */
async function nextShoppers(
  { db, storeId }: StoreDb,
  { after, before, limit }: { after: RunPlace | null; before: Date; limit: number },
): Promise<VisitedShopper[]> {
  const rows = await sql<VisitedShopper>`
    select s.id, s.first_seen_at, ${LAST_ACTIVITY} < ${before} as is_due
    from (select * from shoppers where store_id = ${storeId} and ended_at is null and first_seen_at < ${before}
      ${after ? sql`and (first_seen_at, id) > (${after.at}, ${after.id}::uuid)` : sql``}
      order by first_seen_at, id limit ${limit}) s, ${LAST_ORDER}
    order by s.first_seen_at, s.id`.execute(db)
  return rows.rows
}

interface DueShopper {
  id: string
  has_ordered: boolean
  carts: number
  addresses: string[]
}

const DUE = sql`s.id, o.last_at is not null as has_ordered,
  (select count(*)::int from carts c where c.store_id = s.store_id and c.shopper_id = s.id) as carts,
  array(select k.value from shopper_keys k where k.store_id = s.store_id and k.shopper_id = s.id and k.kind in ('email', 'phone')) as addresses`

/** The expired ones among these shoppers, whom the caller has locked. */
async function findDueAmong({ db, storeId }: StoreTx, ids: readonly string[], before: Date): Promise<DueShopper[]> {
  const rows = await sql<DueShopper>`
    select ${DUE} from shoppers s, ${LAST_ORDER}
    where s.store_id = ${storeId} and s.id = any(${[...ids]}::uuid[]) and s.ended_at is null and ${LAST_ACTIVITY} < ${before}
    order by s.id`.execute(db)
  return rows.rows
}

/** The expired ones among the first `max` shoppers by first visit. `isMore`: there may be others. */
async function findDue(
  { db, storeId }: StoreDb,
  before: Date,
  max: number,
): Promise<{ due: DueShopper[]; isMore: boolean }> {
  const rows = await sql<DueShopper & { is_due: boolean }>`${PLANNED_EACH_TIME}
    select due.*, is_due from (select * from shoppers where store_id = ${storeId} and ended_at is null and first_seen_at < ${before}
        order by first_seen_at, id limit ${max}) s, ${LAST_ORDER},
      lateral (select ${LAST_ACTIVITY} < ${before} as is_due) seen left join lateral (select ${DUE}) due on is_due`.execute(
    db,
  )
  return { due: rows.rows.filter((row) => row.is_due), isMore: rows.rows.length === max }
}

/** The hashes with a consent since then; imports do not count. */
async function findConsentsSince(
  { db, storeId }: StoreDb,
  hashes: readonly Buffer[],
  since: Date,
): Promise<Set<string>> {
  if (hashes.length === 0) return new Set()
  const rows = await sql<{ hash: string }>`
    select distinct encode(address_hash, 'hex') as hash from consents
    where store_id = ${storeId} and address_hash = any(${[...hashes]}::bytea[]) and at >= ${since}
      and status <> 'withdrawn' and source not like 'import%'`.execute(db)
  return new Set(rows.rows.map(({ hash }) => hash))
}

/** Limits lock waits: shoppers locked by another transaction are left for the next night. */
async function limitLockWait({ db }: StoreTx, waitMs: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${waitMs}ms`}, true)`.execute(db)
}

interface RunPlace {
  at: Date
  id: string
}

/** Stores whose run of this day has not begun or was interrupted. A run begins at this time in the store's zone. */
async function dueStores(db: Db, now: Date, time: string): Promise<{ store_id: string; day: string }[]> {
  const rows = await sql<{ store_id: string; day: string }>`
    select s.id as store_id, l.day::text as day
    from stores s cross join lateral (select (${now}::timestamptz at time zone s.time_zone) as local) z
    cross join lateral (select z.local::date as day) l
    left join retention_runs r on r.store_id = s.id and r.day = l.day
    where s.retention_days is not null and z.local::time >= ${time}::time and r.finished_at is null
    order by s.id limit 1000`.execute(db)
  return rows.rows
}

interface RunRow {
  day: string
  days: number
  started_at: Date
  finished_at: Date | null
  cursor_at: Date | null
  cursor_id: string | null
  contacts: number
  customers: number
  counts: Record<string, number>
}

const RUN = sql`day::text as day, days, started_at, finished_at, cursor_at, cursor_id, contacts, customers, counts`

/** Also deletes runs older than some weeks. */
async function startRun(
  { db, storeId }: StoreTx,
  { day, days, now }: { day: string; days: number; now: Date },
): Promise<void> {
  await sql`insert into retention_runs (store_id, day, days, started_at) values (${storeId}, ${day}::date, ${days}, ${now})
    on conflict (store_id, day) do nothing`.execute(db)
  await sql`delete from retention_runs where store_id = ${storeId} and day < ${day}::date - 60`.execute(db)
}

/** undefined: done, or held by another process. */
async function lockRun({ db, storeId }: StoreTx, day: string): Promise<RunRow | undefined> {
  const rows = await sql<RunRow>`select ${RUN} from retention_runs
    where store_id = ${storeId} and day = ${day}::date and finished_at is null for update skip locked`.execute(db)
  return rows.rows[0]
}

async function recordErased(
  { db, storeId }: StoreTx,
  day: string,
  done: { contacts: number; customers: number; counts: Record<string, number> },
): Promise<void> {
  await sql`update retention_runs set contacts = ${done.contacts}, customers = ${done.customers},
    counts = ${JSON.stringify(done.counts)}::jsonb where store_id = ${storeId} and day = ${day}::date`.execute(db)
}

async function recordRunPlace({ db, storeId }: StoreDb, day: string, place: RunPlace): Promise<void> {
  await sql`update retention_runs set cursor_at = ${place.at}, cursor_id = ${place.id}
    where store_id = ${storeId} and day = ${day}::date`.execute(db)
}

async function finishRun({ db, storeId }: StoreDb, day: string, now: Date): Promise<void> {
  await sql`update retention_runs set finished_at = ${now} where store_id = ${storeId} and day = ${day}::date`.execute(
    db,
  )
}

async function lastRuns({ db, storeId }: StoreDb, limit: number): Promise<RunRow[]> {
  const rows = await sql<RunRow>`
    select ${RUN} from retention_runs where store_id = ${storeId} order by day desc limit ${limit}`.execute(db)
  return rows.rows
}

/** undefined: unknown store. */
async function readDays({ db, storeId }: StoreDb): Promise<number | null | undefined> {
  const row = await db.selectFrom('stores').select('retention_days').where('id', '=', storeId).executeTakeFirst()
  return row?.retention_days
}

async function saveDays({ db, storeId }: StoreDb, days: number | null): Promise<void> {
  await db.updateTable('stores').set({ retention_days: days }).where('id', '=', storeId).execute()
}
