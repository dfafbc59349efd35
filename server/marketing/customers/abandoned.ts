import { z } from 'zod'
import type { AudienceFilters } from '../../../shared/audience.ts'
import type { AbandonedCustomer, abandonedCustomers } from '../../../shared/customers.ts'
import type { StoreDb } from '../../core/db/db.ts'
import { cursorPage, readCursor } from '../../core/db/paging.ts'
import type { Deps } from '../../deps.ts'
import { countMatching, filtersFor } from '../audiences/audiences.ts'
import { decimal } from '../cart-pages/present.ts'
import * as sql from './abandoned-sql.ts'
import { type CustomerFilter, type CustomerTotal, countCustomers, MAX_SEARCHED, pagesOfCustomers } from './list-sql.ts'
import { presentCustomer } from './present.ts'

// Customers with an abandoned cart (B 7), and the customers of a filter, as recipients of a discount mail (decision
// 39).

const PAGE = 1_000

const Place = z.object({ at: z.iso.datetime(), id: z.uuid() })

/** The array of the specification, without a cursor. */
export async function listAbandonedCustomers(
  deps: Deps,
  store: StoreDb,
  { search = '', cursor, limit, channel, ...query }: z.output<typeof abandonedCustomers.query>,
): Promise<z.infer<typeof abandonedCustomers.reply>> {
  const audience = await resolveAudience(deps, store, { channel, filters: filtersIn(query) })
  const { among, lookedThrough } = await findMatches(store, search.trim())
  const rows = await sql.abandonedOf(store, { among, audience, after: readCursor(cursor, Place), limit: limit + 1 })
  const { shown, next } = cursorPage(rows, limit, (row) => ({ at: row.last_activity_at, id: row.cart_id }))
  const customers = shown.map(presentAbandoned)
  if (cursor === undefined) return customers
  const total =
    among === null && audience ? await countMatching(store, audience) : await sql.countAbandoned(store, among, audience)
  return { customers, next, total, ...(lookedThrough && { lookedThrough }) }
}

type Query = z.output<typeof abandonedCustomers.query>

const filtersIn = ({ minCartValue, maxCartValue, minAbandonTime, maxAbandonTime, ...query }: Partial<Query>) => {
  const { badge, country, productId, mailedBefore } = query
  return { minCartValue, maxCartValue, minAbandonTime, maxAbandonTime, badge, country, productId, mailedBefore }
}

/** null: neither filters nor a channel are given. */
async function resolveAudience(
  deps: Deps,
  store: StoreDb,
  { channel, filters }: { channel?: Query['channel']; filters: AudienceFilters },
): Promise<sql.Audience> {
  const stored = await filtersFor(deps, store, filters)
  if (channel === undefined && Object.keys(stored).length === 0) return null
  return { channel: channel ?? 'email', filters: stored, now: deps.now() }
}

/** Complete for any number of matches: many matches are found during the scan of the carts. */
async function findMatches(
  store: StoreDb,
  search: string,
): Promise<{ among: sql.SearchMatch; lookedThrough?: number }> {
  if (search === '') return { among: null }
  const filter = { search, isRegistered: null }
  const counted = await countCustomers(store, filter)
  if (counted.isMany) return { among: { begin: search } }
  const ids = await idsFound(store, filter, counted, MAX_SEARCHED)
  return { among: { ids }, ...(counted.isPartial && { lookedThrough: MAX_SEARCHED }) }
}

/** The newest customers of a filter. */
export const idsOfCustomers = async (store: StoreDb, filter: CustomerFilter, most: number): Promise<string[]> =>
  idsFound(store, filter, await countCustomers(store, filter), most)

async function idsFound(store: StoreDb, filter: CustomerFilter, counted: CustomerTotal, most: number) {
  const ids: string[] = []
  for await (const page of pagesOfCustomers(store, filter, counted, PAGE)) {
    ids.push(...page.map(({ id }) => id))
    if (ids.length >= most) break
  }
  return ids.slice(0, most)
}

/** Customers of a filter who have an abandoned cart, newest cart first. */
export async function listAbandonedIds(
  store: StoreDb,
  filter: CustomerFilter,
  most: number,
  audience: sql.Audience = null,
): Promise<string[]> {
  const { among } = await findMatches(store, filter.search)
  const rows = await sql.abandonedOf(store, {
    among,
    audience,
    isRegistered: filter.isRegistered,
    after: null,
    limit: most,
  })
  return rows.map(({ id }) => id)
}

const presentAbandoned = (row: sql.AbandonedRow): AbandonedCustomer => ({
  ...presentCustomer(row),
  cart_id: row.cart_id,
  cart_value: decimal(row.value_minor, row.currency),
  currency: row.currency,
})
