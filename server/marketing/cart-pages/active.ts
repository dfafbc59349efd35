import type { z } from 'zod'
import {
  type ActiveCart,
  type FollowedCart,
  type followCart,
  type listActiveCarts,
  MAX_ACTIVE_COUNTED,
  MAX_FOLLOWED_DAYS,
} from '../../../shared/active-carts.ts'
import { readStore } from '../../access/stores/store.ts'
import { requireFound } from '../../core/common/errors.ts'
import type { Db, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { forecastEmail } from '../manual-sends/eligibility.ts'
import * as sql from './active-sql.ts'
import { decimal, presentCart } from './present.ts'

// Active carts, and the cart that a member follows to test the setup. Read-only: a followed cart is processed like any
// other.

type ActiveList = z.infer<typeof listActiveCarts.reply>

export async function readActiveCarts(deps: Deps, store: StoreDb<Db>, limit: number): Promise<ActiveList> {
  const [sums, rows, row] = await Promise.all([
    sql.sumActive(store, MAX_ACTIVE_COUNTED + 1),
    sql.listActive(store, limit),
    readStore(store),
  ])
  const counted = sums.reduce((sum, { carts }) => sum + carts, 0)
  return {
    carts: rows.map(presentActive),
    total: Math.min(counted, MAX_ACTIVE_COUNTED),
    isCapped: counted > MAX_ACTIVE_COUNTED,
    values: sums.map(({ currency, value_minor }) => ({ amount: decimal(value_minor, currency), currency })),
    timeoutMinutes: requireFound(row, 'Store').effective_timeout_minutes,
    now: deps.now().toISOString(),
  }
}

const presentActive = (row: sql.ActiveCartRow): ActiveCart => ({
  ...presentCart(row),
  abandons_at: row.abandon_at?.toISOString() ?? null,
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type FollowQuery = Pick<z.output<typeof followCart.query>, 'since' | 'email' | 'id'>

export async function readFollowed(deps: Deps, store: StoreDb<Db>, wanted: FollowQuery): Promise<FollowedCart> {
  const now = deps.now()
  const begun = wanted.since ? Date.parse(wanted.since) : now.getTime() - HOUR_MS
  const since = new Date(Math.max(begun, now.getTime() - MAX_FOLLOWED_DAYS * DAY_MS))
  const row = wanted.id
    ? requireFound(await sql.cartById(store, wanted.id), 'Cart')
    : await sql.newestSince(store, since, wanted.email)
  const nameless = row ? undefined : await sql.newestNameless(store, since)
  return {
    cart: row ? presentActive(row) : null,
    nameless: nameless ? presentActive(nameless) : null,
    email: row?.status === 'active' ? await forecastEmail(deps, store, row.id) : null,
    hasNewer: wanted.id !== undefined && row !== undefined && (await hasNewer(store, row)),
    now: now.toISOString(),
  }
}

async function hasNewer(store: StoreDb<Db>, { id, last_activity_at: lastActivityAt }: sql.ActiveCartRow) {
  const newest = await sql.newestSince(store, new Date(lastActivityAt.getTime() + 1), undefined)
  return newest !== undefined && newest.id !== id
}
