import { type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'

// Statements on the limits of new contacts and on contacts above them.

export interface UsualHours {
  /** Start of the hours before `hour` that are counted. */
  since: Date
  hour: Date
  /** Multiple of the usual hour that a store takes. */
  times: number
  /** Lower bound of the ceiling. */
  least: number
}

/** A store's ceiling for an hour. The usual hour is the median of the hours with contacts. */
const ceiling = (storeId: string, { since, hour, times, least }: UsualHours) => sql`
    select greatest(${least}::int, ceil(${times}::int * coalesce(percentile_cont(0.5) within group (order by contacts), 0))::int) as points
    from capture_hours where store_id = ${storeId} and hour >= ${since} and hour < ${hour}`

export async function readCeiling({ db, storeId }: StoreDb, usual: UsualHours): Promise<number> {
  const rows = await sql<{ points: number }>`${ceiling(storeId, usual)}`.execute(db)
  return rows.rows[0]!.points
}

type PointCondition = (from: RawBuilder<unknown>) => RawBuilder<unknown>

interface NewContact extends UsualHours {
  ofClient: PointCondition
  ofStore: PointCondition
  /** Clients with hardly any contacts may exceed the store's ceiling, up to the same number again. */
  ofFew: PointCondition
  few: number
  mostOfClient: number
  isStoreCounted: boolean
}

/**
 * Counts the contact for client and store. One above the client's limit is counted neither for the store nor in its
 * hour.
 */
export async function countContact({ db, storeId }: StoreDb, contact: NewContact) {
  const { ofClient, ofStore, ofFew, few, mostOfClient, isStoreCounted, hour } = contact
  const rows = await sql<{ ofClient: number; ofStore: number | null; ofFew: number | null; ceiling: number }>`
    with client as (${ofClient(sql``)}),
    store as (${ofStore(sql`from client where client.points <= ${mostOfClient} and ${isStoreCounted}::boolean`)}),
    ceiling as (${ceiling(storeId, contact)}),
    few as (${ofFew(sql`from client, store, ceiling where store.points > ceiling.points and client.points <= ${few}`)}),
    counted as (
      insert into capture_hours (store_id, hour, contacts)
      select ${storeId}, ${hour}::timestamptz, 1 from store, ceiling where store.points <= ceiling.points
      on conflict (store_id, hour) do update set contacts = capture_hours.contacts + 1)
    select client.points as "ofClient", store.points as "ofStore", few.points as "ofFew", ceiling.points as ceiling
    from client cross join ceiling left join store on true left join few on true`.execute(db)
  return rows.rows[0]!
}

/** Whether an order or a draft of the store has named this address since. */
export async function isConfirmedSince(
  { db, storeId }: StoreDb,
  { kind, value }: { kind: 'email' | 'phone'; value: string },
  since: Date,
): Promise<boolean> {
  const rows = await sql<{ is_confirmed: boolean }>`
    select exists (select 1 from shopper_keys k join facts f on f.store_id = k.store_id and f.shopper_id = k.shopper_id
      where k.store_id = ${storeId} and k.kind = ${kind} and k.value = ${value}
        and f.kind = 'order' and f.at >= ${since} and f.payload #>> ${`{contact,${kind}}`}::text[] = ${value}) as is_confirmed`.execute(
    db,
  )
  return rows.rows[0]!.is_confirmed
}

/** New contacts above a limit since then, and those of them that are still unconfirmed. */
export async function countUnconfirmed({ db, storeId }: StoreDb, since: Date) {
  const rows = await sql<{ client: number; store: number; open: number }>`
    select count(*) filter (where u.reason = 'client')::int as client, count(*) filter (where u.reason = 'store')::int as store,
      count(*) filter (where not exists (select 1 from shopper_keys k where k.store_id = u.store_id and k.kind = u.kind
        and k.value = u.value and k.shopper_id = u.shopper_id))::int as open
    from unconfirmed_contacts u where u.store_id = ${storeId} and u.said_at >= ${since}`.execute(db)
  return rows.rows[0]!
}
