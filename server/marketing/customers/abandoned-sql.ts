import { type StoreDb, sql } from '../../core/db/db.ts'
import { type AudienceWanted, isCandidate, isNewestMatching } from '../audiences/fragments.ts'
import { CUSTOMER_COLUMNS } from './fragments.ts'
import { beginsWith, type ListedCustomer } from './list-sql.ts'

// Statements for customers with an abandoned cart. Each shopper appears with their most recently abandoned cart.

export interface AbandonedRow extends ListedCustomer {
  cart_id: string
  value_minor: number
  currency: string
  last_activity_at: Date
}

/** Search result: ids if there are few, otherwise a prefix that name, email or phone begins with. null: no search. */
export type SearchMatch = { ids: readonly string[] } | { begin: string } | null

/** Filters for a channel; null: everyone with an abandoned cart. */
export type Audience = AudienceWanted | null

interface AbandonedQuery {
  among: SearchMatch
  audience?: Audience
  isRegistered?: boolean | null
  after: { at: string; id: string } | null
  limit: number
}

/** The most recently abandoned cart among the matching ones. */
const lastLeft = (storeId: string, audience: Audience) =>
  audience ? isNewestMatching({ storeId, ...audience }) : LAST_LEFT

const LAST_LEFT = sql`c.status = 'abandoned' and not exists (select 1 from carts n
  where n.store_id = c.store_id and n.shopper_id = c.shopper_id and n.status = 'abandoned' and (n.started_at, n.id) > (c.started_at, c.id))`

function matchCondition(among: SearchMatch) {
  if (!among) return sql``
  return 'ids' in among ? sql`and c.shopper_id = any(${[...among.ids]}::uuid[])` : sql`and ${beginsWith(among.begin)}`
}

export async function abandonedOf(
  { db, storeId }: StoreDb,
  { among, audience = null, isRegistered = null, after, limit }: AbandonedQuery,
): Promise<AbandonedRow[]> {
  const below = after ? sql`and (c.last_activity_at, c.id) < (${after.at}::timestamptz, ${after.id}::uuid)` : sql``
  const ofKind = isRegistered === null ? sql`` : sql`and s.is_registered = ${isRegistered}`
  const { rows } = await sql<AbandonedRow>`
    select ${CUSTOMER_COLUMNS}, c.id as cart_id, c.value_minor, c.currency, c.last_activity_at
    from carts c join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    where c.store_id = ${storeId} and ${lastLeft(storeId, audience)} and s.is_customer ${matchCondition(among)} ${ofKind} ${below}
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
