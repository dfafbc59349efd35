import { z } from 'zod'
import type { AudienceFilters } from '../../../shared/marketing/audience.ts'
import type { AbandonedCustomer, abandonedCustomers } from '../../../shared/marketing/customers.ts'
import { cursorPage, readCursor, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import {
  type AudienceFilter,
  countMatching,
  isCandidate,
  isNewestMatching,
  resolveFilters,
} from '../audiences/public.ts'
import { toDecimal } from '../cart-pages/public.ts'
import { CUSTOMER_COLUMNS } from './fragments.ts'
import {
  beginsWith,
  type CustomerFilter,
  type CustomerTotal,
  countCustomers,
  type ListedCustomer,
  MAX_SEARCHED,
  pagesOfCustomers,
} from './list-sql.ts'
import { presentCustomer } from './present.ts'

// Customers with an abandoned cart (B 7), and the customers of a filter, as recipients of a discount mail (decision
// 39).

const PAGE = 1_000

const Place = z.object({ at: z.iso.datetime(), id: z.uuid() })

/** The array of the specification, without a cursor. */
export async function listAbandonedCustomers(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  { search = '', cursor, limit, channel, ...query }: z.output<typeof abandonedCustomers.query>,
): Promise<z.infer<typeof abandonedCustomers.reply>> {
  const audience = await resolveAudience(deps, store, { channel, filters: readFilters(query) })
  const { among, lookedThrough } = await findMatches(store, search.trim())
  const rows = await listAbandoned(store, { among, audience, after: readCursor(cursor, Place), limit: limit + 1 })
  const { pageRows, next } = cursorPage(rows, limit, (row) => ({ at: row.last_activity_at, id: row.cart_id }))
  const customers = pageRows.map(presentAbandoned)
  if (cursor === undefined) return customers
  const total =
    among === null && audience ? await countMatching(store, audience) : await countAbandoned(store, among, audience)
  return { customers, next, total, ...(lookedThrough && { lookedThrough }) }
}

type Query = z.output<typeof abandonedCustomers.query>

const readFilters = ({ minCartValue, maxCartValue, minAbandonTime, maxAbandonTime, ...query }: Partial<Query>) => {
  const { badge, country, productId, mailedBefore } = query
  return { minCartValue, maxCartValue, minAbandonTime, maxAbandonTime, badge, country, productId, mailedBefore }
}

/** null: neither filters nor a channel are given. */
async function resolveAudience(
  deps: Pick<Deps, 'now'>,
  store: StoreDb,
  { channel, filters }: { channel?: Query['channel']; filters: AudienceFilters },
): Promise<Audience> {
  const stored = await resolveFilters(deps, store, filters)
  if (channel === undefined && Object.keys(stored).length === 0) return null
  return { channel: channel ?? 'email', filters: stored, now: deps.now() }
}

/** Complete for any number of matches: many matches are found during the scan of the carts. */
async function findMatches(store: StoreDb, search: string): Promise<{ among: SearchMatch; lookedThrough?: number }> {
  if (search === '') return { among: null }
  const filter = { search, isRegistered: null }
  const counted = await countCustomers(store, filter)
  if (counted.isMany) return { among: { begin: search } }
  const ids = await idsFound(store, filter, counted, MAX_SEARCHED)
  return { among: { ids }, ...(counted.isPartial && { lookedThrough: MAX_SEARCHED }) }
}

/** The newest customers of a filter. */
export const listCustomerIds = async (store: StoreDb, filter: CustomerFilter, max: number): Promise<string[]> =>
  idsFound(store, filter, await countCustomers(store, filter), max)

async function idsFound(store: StoreDb, filter: CustomerFilter, counted: CustomerTotal, max: number) {
  const ids: string[] = []
  for await (const page of pagesOfCustomers(store, filter, counted, PAGE)) {
    ids.push(...page.map(({ id }) => id))
    if (ids.length >= max) break
  }
  return ids.slice(0, max)
}

/** Customers of a filter who have an abandoned cart, newest cart first. */
export async function listAbandonedIds(
  store: StoreDb,
  filter: CustomerFilter,
  max: number,
  audience: Audience = null,
): Promise<string[]> {
  const { among } = await findMatches(store, filter.search)
  const rows = await listAbandoned(store, {
    among,
    audience,
    isRegistered: filter.isRegistered,
    after: null,
    limit: max,
  })
  return rows.map(({ id }) => id)
}

const presentAbandoned = (row: AbandonedRow): AbandonedCustomer => ({
  ...presentCustomer(row),
  cart_id: row.cart_id,
  cart_value: toDecimal(row.value_minor, row.currency),
  currency: row.currency,
})

// SQL for customers with an abandoned cart. Each shopper appears with their most recently abandoned cart.

interface AbandonedRow extends ListedCustomer {
  cart_id: string
  value_minor: number
  currency: string
  last_activity_at: Date
}

/** Search result: ids if there are few, otherwise a prefix that name, email or phone begins with. null: no search. */
type SearchMatch = { ids: readonly string[] } | { begin: string } | null

/** Filters for a channel; null: everyone with an abandoned cart. */
type Audience = AudienceFilter | null

interface AbandonedQuery {
  among: SearchMatch
  audience?: Audience
  isRegistered?: boolean | null
  after: { at: string; id: string } | null
  limit: number
}

/** The most recently abandoned cart among the matching ones. */
const selectLastAbandoned = (storeId: string, audience: Audience) =>
  audience ? isNewestMatching({ storeId, ...audience }) : LAST_ABANDONED

const LAST_ABANDONED = sql`c.status = 'abandoned' and not exists (select 1 from carts n
  where n.store_id = c.store_id and n.shopper_id = c.shopper_id and n.status = 'abandoned' and (n.started_at, n.id) > (c.started_at, c.id))`

function matchCondition(among: SearchMatch) {
  if (!among) return sql``
  return 'ids' in among ? sql`and c.shopper_id = any(${[...among.ids]}::uuid[])` : sql`and ${beginsWith(among.begin)}`
}

export async function listAbandoned(
  { db, storeId }: StoreDb,
  { among, audience = null, isRegistered = null, after, limit }: AbandonedQuery,
): Promise<AbandonedRow[]> {
  const below = after ? sql`and (c.last_activity_at, c.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``
  const ofKind = isRegistered === null ? sql`` : sql`and s.is_registered = ${isRegistered}`
  const { rows } = await sql<AbandonedRow>`
    select ${CUSTOMER_COLUMNS}, c.id as cart_id, c.value_minor, c.currency, c.last_activity_at
    from carts c join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    where c.store_id = ${storeId} and ${selectLastAbandoned(storeId, audience)} and s.is_customer ${matchCondition(among)} ${ofKind} ${below}
    order by c.last_activity_at desc, c.id desc limit ${limit}`.execute(db)
  return rows
}

export async function countAbandoned(
  { db, storeId }: StoreDb,
  among: SearchMatch,
  audience: Audience,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(distinct c.shopper_id)::int as total from carts c
    join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    where c.store_id = ${storeId} and ${audience ? isCandidate(storeId, audience, 'c') : sql`c.status = 'abandoned'`} and s.is_customer
      ${matchCondition(among)}`.execute(db)
  return rows[0]!.total
}
