import { z } from 'zod'
import type { AbandonedCustomer, abandonedCustomers } from '../../shared/customers.ts'
import { decimal } from '../cart-pages/present.ts'
import type { StoreDb } from '../core/db.ts'
import { cursorPage, readCursor } from '../core/paging.ts'
import * as sql from './abandoned-sql.ts'
import { type CustomerFilter, countCustomers, pagesOfCustomers } from './list-sql.ts'
import { presentCustomer } from './present.ts'

// Customers with an abandoned cart (B 7), and whom a filter finds: those a discount mail is chosen from (decision 39).

/** A search finds so many people at most, the newest of them. */
const MOST_FOUND = 10_000
const PAGE = 1_000

const Place = z.object({ at: z.iso.datetime(), id: z.uuid() })

/** As the specification has it without a cursor. */
export async function listAbandonedCustomers(
  store: StoreDb,
  { search = '', cursor, limit }: z.output<typeof abandonedCustomers.query>,
): Promise<z.infer<typeof abandonedCustomers.reply>> {
  const among = await foundBy(store, search.trim())
  const rows = await sql.abandonedOf(store, { among, after: readCursor(cursor, Place), limit: limit + 1 })
  const { shown, next } = cursorPage(rows, limit, (row) => ({ at: row.last_activity_at, id: row.cart_id }))
  const customers = shown.map(presentAbandoned)
  return cursor === undefined ? customers : { customers, next, total: await sql.countAbandoned(store, among) }
}

const foundBy = (store: StoreDb, search: string) =>
  search === '' ? null : idsOfCustomers(store, { search, isRegistered: null }, MOST_FOUND)

/** The newest customers of a filter. */
export async function idsOfCustomers(store: StoreDb, filter: CustomerFilter, most: number): Promise<string[]> {
  const ids: string[] = []
  for await (const page of pagesOfCustomers(store, filter, await countCustomers(store, filter), PAGE)) {
    ids.push(...page.map(({ id }) => id))
    if (ids.length >= most) break
  }
  return ids.slice(0, most)
}

/** Those of a filter who have an abandoned cart, the newest cart first. */
export async function idsOfAbandoned(store: StoreDb, filter: CustomerFilter, most: number): Promise<string[]> {
  const among = await foundBy(store, filter.search)
  const rows = await sql.abandonedOf(store, { among, isRegistered: filter.isRegistered, after: null, limit: most })
  return rows.map(({ id }) => id)
}

const presentAbandoned = (row: sql.AbandonedRow): AbandonedCustomer => ({
  ...presentCustomer(row),
  cart_id: row.cart_id,
  cart_value: decimal(row.value_minor, row.currency),
  currency: row.currency,
})
