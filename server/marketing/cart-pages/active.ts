import type { z } from 'zod'
import {
  type ActiveCart,
  type FollowedCart,
  type followCart,
  type listActiveCarts,
  MAX_ACTIVE_COUNTED,
  MAX_FOLLOWED_DAYS,
} from '../../../shared/carts/active-carts.ts'
import { readStore } from '../../access/stores/public.ts'
import { CART_COLUMNS, type ListedCart } from '../../carts/carts/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type Db, type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { forecastEmail } from '../manual-sends/public.ts'
import { presentCart, toDecimal } from './present.ts'

// Active carts, and the cart that a member follows to test the setup. Read-only: a followed cart is processed like any
// other.

type ActiveList = z.infer<typeof listActiveCarts.reply>

export async function readActiveCarts(deps: Pick<Deps, 'now'>, store: StoreDb<Db>, limit: number): Promise<ActiveList> {
  const [sums, rows, row] = await Promise.all([
    sumActive(store, MAX_ACTIVE_COUNTED + 1),
    listActive(store, limit),
    readStore(store),
  ])
  const counted = sums.reduce((sum, { carts }) => sum + carts, 0)
  return {
    carts: rows.map(presentActive),
    total: Math.min(counted, MAX_ACTIVE_COUNTED),
    isCapped: counted > MAX_ACTIVE_COUNTED,
    values: sums.map(({ currency, value_minor }) => ({ amount: toDecimal(value_minor, currency), currency })),
    timeoutMinutes: requireFound(row, 'Store').effective_timeout_minutes,
    now: deps.now().toISOString(),
  }
}

const presentActive = (row: ActiveCartRow): ActiveCart => ({
  ...presentCart(row),
  abandons_at: row.abandon_at?.toISOString() ?? null,
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type FollowQuery = Pick<z.output<typeof followCart.query>, 'since' | 'email' | 'id'>

export async function readFollowed(
  deps: Pick<Deps, 'config' | 'log' | 'now' | 'renders' | 'secrets'>,
  store: StoreDb<Db>,
  followQuery: FollowQuery,
): Promise<FollowedCart> {
  const now = deps.now()
  const begun = followQuery.since ? Date.parse(followQuery.since) : now.getTime() - HOUR_MS
  const since = new Date(Math.max(begun, now.getTime() - MAX_FOLLOWED_DAYS * DAY_MS))
  const row = followQuery.id
    ? requireFound(await cartById(store, followQuery.id), 'Cart')
    : await newestSince(store, since, followQuery.email)
  const nameless = row ? undefined : await newestNameless(store, since)
  return {
    cart: row ? presentActive(row) : null,
    nameless: nameless ? presentActive(nameless) : null,
    email: row?.status === 'active' ? await forecastEmail(deps, store, row.id) : null,
    hasNewer: followQuery.id !== undefined && row !== undefined && (await hasNewer(store, row)),
    now: now.toISOString(),
  }
}

async function hasNewer(store: StoreDb<Db>, { id, last_activity_at: lastActivityAt }: ActiveCartRow) {
  const newest = await newestSince(store, new Date(lastActivityAt.getTime() + 1), undefined)
  return newest !== undefined && newest.id !== id
}

// SQL for active carts; `carts_active` serves them.

type ActiveCartRow = ListedCart & { abandon_at: Date | null }

const COLUMNS = sql`${CART_COLUMNS}, case when c.status = 'active' then c.abandon_at end as abandon_at`

const active = (storeId: string) => sql`c.store_id = ${storeId} and c.status = 'active' and c.abandon_at is not null`

const NEWEST = sql`order by c.last_activity_at desc, c.id desc`

interface ActiveSum {
  currency: string
  carts: number
  value_minor: number
}

/** By currency, for the newest `max`. */
async function sumActive({ db, storeId }: StoreDb, max: number): Promise<ActiveSum[]> {
  const rows = await sql<ActiveSum>`
    select currency, count(*)::int as carts, sum(value_minor)::float8 as value_minor from (
      select c.currency, c.value_minor from carts c where ${active(storeId)} ${NEWEST} limit ${max}) counted
    group by currency order by 2 desc, 1`.execute(db)
  return rows.rows
}

async function listActive({ db, storeId }: StoreDb, limit: number): Promise<ActiveCartRow[]> {
  const rows = await sql<ActiveCartRow>`
    select ${COLUMNS} from carts c where ${active(storeId)} ${NEWEST} limit ${limit}`.execute(db)
  return rows.rows
}

/** Includes merged carts. */
async function cartById({ db, storeId }: StoreDb, id: string): Promise<ActiveCartRow | undefined> {
  const rows = await sql<ActiveCartRow>`
    select ${COLUMNS} from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${id}`.execute(db)
  return rows.rows[0]
}

/** A member who tests with their own cart finds it among this many newest carts. */
const MAX_SEARCHED = 500

/** The newest cart since then, active or abandoned; with `email`, the newest cart with that email. */
async function newestSince(
  { db, storeId }: StoreDb,
  since: Date,
  email: string | undefined,
): Promise<ActiveCartRow | undefined> {
  const isTheirs = email ? sql`where n.email = ${email} or n.unconfirmed_email = ${email}` : sql``
  const selectCarts = (which: RawBuilder<unknown>) => sql`(select * from (
    select ${COLUMNS} from carts c where ${which} and c.last_activity_at >= ${since}
    ${NEWEST} limit ${email ? MAX_SEARCHED : 1}) n ${isTheirs} limit 1)`
  const listed = sql`c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost')`
  const rows = await sql<ActiveCartRow>`
    select * from (${selectCarts(active(storeId))} union all ${selectCarts(listed)}) found
    order by last_activity_at desc, id desc limit 1`.execute(db)
  return rows.rows[0]
}

async function newestNameless({ db, storeId }: StoreDb, since: Date): Promise<ActiveCartRow | undefined> {
  const rows = await sql<ActiveCartRow>`
    select * from (select ${COLUMNS} from carts c where ${active(storeId)} and c.last_activity_at >= ${since}
      ${NEWEST} limit ${MAX_SEARCHED}) n
    where n.email is null and n.phone is null and n.unconfirmed_email is null and n.unconfirmed_phone is null
    limit 1`.execute(db)
  return rows.rows[0]
}
