import { AppError } from '../../core/common/public.ts'
import type { AccountDb, Db, StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { eraseOnRequest } from './erase.ts'
import { findDataSubject } from './find.ts'
import { findPerson } from './person.ts'
import { type PersonRow, readRows } from './sql.ts'
import { privacyTables } from './tables.ts'

// Requests of WordPress' privacy tools through the plugin: export of a person's data in this store, and erasure (C8).
// Like Shopify's requests, an erasure covers all stores of the account, which then never write to them again.

interface Shop extends StoreDb<Db> {
  accountId: string
}

interface Row {
  table: string
  fields: { name: string; value: string }[]
}

/** Maximum size of an answer; longer texts are truncated. */
const PAGE_BYTES = 150_000
const MAX_TEXT = 20_000

/** One page, counted from 1. Excludes other stores of the account. */
export async function exportForShop(
  deps: Pick<Deps, 'secrets'>,
  shop: Shop,
  { email, page }: { email: string; page: number },
): Promise<{ rows: Row[]; isDone: boolean }> {
  const pages = splitPages(await rowsIn(deps, shop, email))
  return { rows: pages[page - 1] ?? [], isDone: page >= pages.length }
}

async function rowsIn(deps: Pick<Deps, 'secrets'>, shop: Shop, email: string): Promise<Row[]> {
  const person = await findKnown(deps, shop, email)
  if (!person) return []
  const here = await findPerson(deps, shop, person)
  const rows: Row[] = []
  for (const table of privacyTables.filter((each) => !each.isLeftOut)) {
    for (const row of await readRows(shop, table, here)) rows.push({ table: table.name, fields: listFields(row) })
  }
  return rows
}

async function findKnown(deps: Pick<Deps, 'secrets'>, account: AccountDb<Db>, email: string) {
  try {
    return await findDataSubject(deps, account, email)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  }
}

const listFields = (row: PersonRow): Row['fields'] =>
  Object.entries(row).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === '') return []
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return [{ name, value: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text }]
  })

function splitPages(rows: readonly Row[]): Row[][] {
  const pages: Row[][] = []
  let bytes = 0
  for (const row of rows) {
    const size = Buffer.byteLength(JSON.stringify(row))
    if (pages.length === 0 || bytes + size > PAGE_BYTES) {
      pages.push([])
      bytes = 0
    }
    pages.at(-1)!.push(row)
    bytes += size
  }
  return pages
}

/** false: no data for this address. A job erases within moments. */
export async function eraseForShop(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  shop: Shop,
  email: string,
): Promise<boolean> {
  if (!(await findKnown(deps, shop, email))) return false
  await eraseOnRequest(deps, shop, { addresses: [email], customer: null })
  return true
}
