import { type StoreTx, sql } from '../../core/db/db.ts'
import type { Contact, ContactLimit, FoldItem } from '../../core/schema/facts.ts'
import type { ShopperKey } from '../../shoppers/shoppers/rules.ts'

// Finds captured carts that belong to orders which do not name them.

export interface OrderLookup {
  /** Index of the order in the caller's list. */
  place: number
  email: string | null
  phone: string | null
  at: string
  isDraft: boolean
  keys: readonly ShopperKey[]
}

export interface CapturedCart {
  token: string
  items: FoldItem[]
  contact: Contact
}

/** Returns those of `ids` that still wait in the inbox. */
export async function selectPostsInInbox({ db, storeId }: StoreTx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('capture_inbox')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Limit of open carts that one shopper can have; more come only from an attack. */
const MAX_CARTS_OF_SHOPPER = 5
/** With more guests at once, no match between a draft and a cart is certain. */
const MAX_GUESTS = 500

const CART_TOKEN = (storeId: string, shopper: ReturnType<typeof sql>) => sql`select k.value from shopper_keys k
  where k.store_id = ${storeId} and k.shopper_id = ${shopper} and k.kind = 'cart' order by k.value limit 1`

/**
 * Live carts whose shopper typed the order's email or phone above a limit and has no other contact, by index of the
 * order. An order from long before the contact was typed is ignored.
 */
export async function findCartsConfirmedBy(
  { db, storeId }: StoreTx,
  orders: readonly OrderLookup[],
): Promise<Map<number, string[]>> {
  const rows = await sql<{ place: number; token: string }>`
    select o.place, t.value as token
    from jsonb_to_recordset(${JSON.stringify(orders)}::jsonb) as o(place int, email text, phone text, at timestamptz)
    cross join lateral (
      select distinct s.id from unconfirmed_contacts u join shoppers s on s.store_id = u.store_id and s.id = u.shopper_id
      where u.store_id = ${storeId} and u.value in (o.email, o.phone) and u.said_at <= o.at + interval '10 minutes'
        and s.email is null and s.phone is null
        and exists (select 1 from carts c where c.store_id = ${storeId} and c.shopper_id = s.id and c.status in ('active', 'abandoned'))
      order by s.id desc limit ${MAX_CARTS_OF_SHOPPER}) s
    cross join lateral (${CART_TOKEN(storeId, sql`s.id`)}) t`.execute(db)
  return new Map(
    [...Map.groupBy(rows.rows, (row) => row.place)].map(([place, found]) => [place, found.map((row) => row.token)]),
  )
}

/**
 * Live captured carts without contact and order, from about the time of a draft, by index of the draft. A draft
 * that is known, or whose contact belongs to a shopper with a live cart, gets none.
 */
export async function findCartsLikeDrafts(
  { db, storeId }: StoreTx,
  drafts: readonly OrderLookup[],
): Promise<Map<number, CapturedCart[]>> {
  const rows = await sql<CapturedCart & { place: number }>`
    select d.place, t.value as token, c.fold #> '{episode,items}' as items, c.fold -> 'contact' as contact
    from jsonb_to_recordset(${JSON.stringify(drafts)}::jsonb) as d(place int, at timestamptz, keys jsonb)
    cross join lateral (
      select c.shopper_id, c.fold from carts c
      where c.store_id = ${storeId} and c.status in ('active', 'abandoned') and c.email is null and c.phone is null
        and c.last_activity_at between d.at - interval '10 minutes' and d.at + interval '10 minutes'
        and c.fold -> 'orders' = '{}'::jsonb
      order by c.last_activity_at desc limit ${MAX_GUESTS}) c
    cross join lateral (${CART_TOKEN(storeId, sql`c.shopper_id`)}) t
    where not exists (
      select 1 from jsonb_to_recordset(d.keys) as mine(kind text, value text)
      join shopper_keys k on k.store_id = ${storeId} and k.kind = mine.kind and k.value = mine.value
      where k.kind = 'order' or exists (select 1 from carts live where live.store_id = ${storeId}
        and live.shopper_id = k.shopper_id and live.status in ('active', 'abandoned')))`.execute(db)
  return Map.groupBy(rows.rows, (row) => row.place)
}

export interface UnconfirmedContact {
  shopperId: string
  kind: 'email' | 'phone'
  value: string
  reason: ContactLimit
  at: Date
}

export async function insertUnconfirmed(
  { db, storeId }: StoreTx,
  contacts: readonly UnconfirmedContact[],
): Promise<void> {
  if (contacts.length === 0) return
  await sql`insert into unconfirmed_contacts (store_id, shopper_id, kind, value, reason, said_at)
    select distinct on ("shopperId", kind, value) ${storeId}::uuid, "shopperId", kind, value, reason, at
    from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb)
      as c("shopperId" uuid, kind text, value text, reason text, at timestamptz)
    order by "shopperId", kind, value, at desc
    on conflict (store_id, shopper_id, kind, value) do update set said_at = greatest(unconfirmed_contacts.said_at, excluded.said_at)`.execute(
    db,
  )
}
