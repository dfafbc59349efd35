import { CART_COLUMNS } from '../../carts/carts/fragments.ts'
import type { ListedCart } from '../../carts/carts/list.ts'
import { type RawBuilder, type StoreDb, sql } from '../../core/db/db.ts'

// Statements for active carts; `carts_active` serves them.

export type ActiveCartRow = ListedCart & { abandon_at: Date | null }

const COLUMNS = sql`${CART_COLUMNS}, case when c.status = 'active' then c.abandon_at end as abandon_at`

const active = (storeId: string) => sql`c.store_id = ${storeId} and c.status = 'active' and c.abandon_at is not null`

const NEWEST = sql`order by c.last_activity_at desc, c.id desc`

export interface ActiveSum {
  currency: string
  carts: number
  value_minor: number
}

/** By currency, for the newest `most`. */
export async function sumActive({ db, storeId }: StoreDb, most: number): Promise<ActiveSum[]> {
  const rows = await sql<ActiveSum>`
    select currency, count(*)::int as carts, sum(value_minor)::float8 as value_minor from (
      select c.currency, c.value_minor from carts c where ${active(storeId)} ${NEWEST} limit ${most}) counted
    group by currency order by 2 desc, 1`.execute(db)
  return rows.rows
}

export async function listActive({ db, storeId }: StoreDb, limit: number): Promise<ActiveCartRow[]> {
  const rows = await sql<ActiveCartRow>`
    select ${COLUMNS} from carts c where ${active(storeId)} ${NEWEST} limit ${limit}`.execute(db)
  return rows.rows
}

/** Includes merged carts. */
export async function cartById({ db, storeId }: StoreDb, id: string): Promise<ActiveCartRow | undefined> {
  const rows = await sql<ActiveCartRow>`
    select ${COLUMNS} from carts o join carts c on c.store_id = o.store_id and c.id = coalesce(o.merged_into, o.id)
    where o.store_id = ${storeId} and o.id = ${id}`.execute(db)
  return rows.rows[0]
}

/** A member who tests with their own cart finds it among this many newest carts. */
const MAX_SEARCHED = 500

/** The newest cart since then, active or abandoned; with `email`, the newest cart with that email. */
export async function newestSince(
  { db, storeId }: StoreDb,
  since: Date,
  email: string | undefined,
): Promise<ActiveCartRow | undefined> {
  const isTheirs = email ? sql`where n.email = ${email} or n.unconfirmed_email = ${email}` : sql``
  const look = (which: RawBuilder<unknown>) => sql`(select * from (
    select ${COLUMNS} from carts c where ${which} and c.last_activity_at >= ${since}
    ${NEWEST} limit ${email ? MAX_SEARCHED : 1}) n ${isTheirs} limit 1)`
  const listed = sql`c.store_id = ${storeId} and c.status in ('abandoned', 'recovered', 'lost')`
  const rows = await sql<ActiveCartRow>`
    select * from (${look(active(storeId))} union all ${look(listed)}) found
    order by last_activity_at desc, id desc limit 1`.execute(db)
  return rows.rows[0]
}

export async function newestNameless({ db, storeId }: StoreDb, since: Date): Promise<ActiveCartRow | undefined> {
  const rows = await sql<ActiveCartRow>`
    select * from (select ${COLUMNS} from carts c where ${active(storeId)} and c.last_activity_at >= ${since}
      ${NEWEST} limit ${MAX_SEARCHED}) n
    where n.email is null and n.phone is null and n.unconfirmed_email is null and n.unconfirmed_phone is null
    limit 1`.execute(db)
  return rows.rows[0]
}
