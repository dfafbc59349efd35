import type { Selectable } from 'kysely'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { CaptureInboxTable } from '../../core/schema/public.ts'
import type { KnownShopper } from './capture-rules.ts'

// SQL for capture posts and their carts.

/** All data that posts are compared with, by index of the post, in one query. Unknown carts are missing. */
export async function selectKnownCarts(
  { db, storeId }: StoreDb,
  posts: readonly { cart: string; page: string }[],
): Promise<Map<number, KnownShopper>> {
  const targets = posts.map(({ cart, page }, place) => ({ place, cart, page }))
  const rows = await sql<KnownShopper & { place: number }>`
    select w.place,
      jsonb_strip_nulls(jsonb_build_object('email', s.email, 'phone', s.phone, 'firstName', s.first_name,
        'lastName', s.last_name, 'country', s.country, 'unconfirmedEmail', ue.value, 'unconfirmedPhone', up.value)) as contact,
      jsonb_strip_nulls(jsonb_build_object('email', ue.reason, 'phone', up.reason)) as limits,
      (select jsonb_agg(jsonb_build_object('kind', o.kind, 'value', o.value)) from shopper_keys o
        where o.store_id = ${storeId} and o.shopper_id = s.id) as keys,
      (select f.payload from facts f where f.store_id = ${storeId} and f.shopper_id = s.id
        and f.kind <> 'contact' order by f.at desc, f.id desc limit 1) as "lastCart",
      (select max((f.payload ->> 'seq')::bigint) from facts f where f.store_id = ${storeId} and f.shopper_id = s.id
        and f.payload ->> 'page' = w.page) as "lastSeq"
    from jsonb_to_recordset(${JSON.stringify(targets)}::jsonb) as w(place int, cart text, page text)
    cross join lateral (select shopper_id from shopper_keys k
      where k.store_id = ${storeId} and k.kind = 'cart' and k.value = w.cart limit 1) k
    cross join lateral (select * from shoppers s where s.store_id = ${storeId} and s.id = k.shopper_id offset 0) s
    left join lateral (${lastUnconfirmed(storeId, 'email')}) ue on true
    left join lateral (${lastUnconfirmed(storeId, 'phone')}) up on true`.execute(db)
  return new Map(rows.rows.map(({ place, ...known }) => [place, known]))
}

const lastUnconfirmed = (
  storeId: string,
  kind: 'email' | 'phone',
) => sql`select u.value, u.reason from unconfirmed_contacts u
      where u.store_id = ${storeId} and u.shopper_id = s.id and u.kind = ${kind} order by u.said_at desc limit 1`

export type InboxPost = Selectable<CaptureInboxTable>

/** The oldest posts in the inbox, of one cart if given. */
export function selectInboxPosts({ db, storeId }: StoreDb, limit: number, cart?: string): Promise<InboxPost[]> {
  let query = db.selectFrom('capture_inbox').selectAll().where('store_id', '=', storeId)
  if (cart !== undefined) query = query.where(sql<string>`post ->> 'cart'`, '=', cart)
  return query.orderBy('id').limit(limit).execute()
}
