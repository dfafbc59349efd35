import { type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'

// SQL for the limits of new contacts and for contacts above them.

export interface CeilingInput {
  /** Start of the hours before `hour` that are counted. */
  since: Date
  hour: Date
  /** Multiple of the median hour. */
  factor: number
  /** Lower bound of the ceiling. */
  minimum: number
}

/** A store's ceiling for an hour: a multiple of the median of the hours with contacts. */
const ceiling = (storeId: string, { since, hour, factor, minimum }: CeilingInput) => sql`
    select greatest(${minimum}::int, ceil(${factor}::int * coalesce(percentile_cont(0.5) within group (order by contacts), 0))::int) as points
    from capture_hours where store_id = ${storeId} and hour >= ${since} and hour < ${hour}`

export async function readCeiling({ db, storeId }: StoreDb, input: CeilingInput): Promise<number> {
  const rows = await sql<{ points: number }>`${ceiling(storeId, input)}`.execute(db)
  return rows.rows[0]!.points
}

type PointCondition = (from: RawBuilder<unknown>) => RawBuilder<unknown>

interface NewContact extends CeilingInput {
  countForClient: PointCondition
  countForStore: PointCondition
  /** Clients with at most `maxPerClientAboveCeiling` contacts may exceed the store's ceiling, up to twice that. */
  countAboveCeiling: PointCondition
  maxPerClientAboveCeiling: number
  maxPerClient: number
  isStoreCounted: boolean
}

/**
 * Counts the contact for client and store. One above the client's limit is counted neither for the store nor in its
 * hour.
 */
export async function countContact({ db, storeId }: StoreDb, contact: NewContact) {
  const { maxPerClient, maxPerClientAboveCeiling, isStoreCounted, hour } = contact
  const rows = await sql<{ client: number; store: number | null; aboveCeiling: number | null; ceiling: number }>`
    with client as (${contact.countForClient(sql``)}),
    store as (${contact.countForStore(sql`from client where client.points <= ${maxPerClient} and ${isStoreCounted}::boolean`)}),
    ceiling as (${ceiling(storeId, contact)}),
    above as (${contact.countAboveCeiling(
      sql`from client, store, ceiling where store.points > ceiling.points and client.points <= ${maxPerClientAboveCeiling}`,
    )}),
    counted as (
      insert into capture_hours (store_id, hour, contacts)
      select ${storeId}, ${hour}::timestamptz, 1 from store, ceiling where store.points <= ceiling.points
      on conflict (store_id, hour) do update set contacts = capture_hours.contacts + 1)
    select client.points as client, store.points as store, above.points as "aboveCeiling", ceiling.points as ceiling
    from client cross join ceiling left join store on true left join above on true`.execute(db)
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
