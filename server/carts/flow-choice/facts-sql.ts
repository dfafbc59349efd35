import { type StoreDb, sql } from '../../core/db/db.ts'
import { hasPaidByStore } from '../../shoppers/shoppers/fragments.ts'

// Statements that read the values for conditions.

export interface FactsRow {
  cart_id: string
  value_minor: number
  currency: string
  store_currency: string
  items: { productId: string; quantity: number }[]
  /** Categories of the cart's products. */
  category_ids: string[]
  has_coupon: boolean
  email: string | null
  phone: string | null
  country: string | null
  us_state: string | null
  language: string | null
  orders: number
  has_bought_before: boolean
  time_zone: string
}

export async function selectFacts({ db, storeId }: StoreDb, cartIds: readonly string[]): Promise<FactsRow[]> {
  const { rows } = await sql<FactsRow>`
    select c.id as cart_id, c.value_minor, c.currency, r.currency as store_currency, c.items, coalesce(g.ids, '{}') as category_ids,
      jsonb_array_length(c.coupons) > 0 as has_coupon, c.email, c.phone, s.country, c.fold -> 'contact' ->> 'state' as us_state,
      s.language, o.orders, o.orders > 0 or ${hasPaidByStore({ storeId: sql`c.store_id`, shopperId: sql`c.shopper_id` })} as has_bought_before,
      r.time_zone
    from carts c
    join stores r on r.id = c.store_id
    join shoppers s on s.store_id = c.store_id and s.id = c.shopper_id
    cross join lateral (select count(*)::int as orders from orders o
      where o.store_id = c.store_id and o.shopper_id = c.shopper_id and o.purchased_at < c.started_at and not o.is_unproven) o
    left join lateral (select array_agg(distinct k.id) as ids
      from (select distinct i.item ->> 'productId' as id from jsonb_array_elements(c.items) as i(item)) i
      join products p on p.store_id = c.store_id and p.product_id = i.id
      cross join lateral unnest(p.category_ids) as k(id)) g on true
    where c.store_id = ${storeId} and c.id = any(${[...cartIds]}::uuid[])`.execute(db)
  return rows
}
