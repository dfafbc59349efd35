import type { ProductChoice } from '../../../shared/marketing/audience.ts'
import { type RawBuilder, type StoreDb, sql } from '../../core/db/public.ts'

// Products for the audience filter, from the catalogue copy.

const MAX_PRODUCTS = 20

export async function findProducts(
  store: StoreDb,
  { search }: { search: string },
): Promise<{ products: ProductChoice[] }> {
  return { products: await productsFound(store, search.trim().replaceAll('\0', ''), MAX_PRODUCTS) }
}

// Statement for the product picker.

interface ProductRow {
  id: string
  name: string
  sku: string | null
}

/** A search inside names reads at most this many rows of the catalogue copy. */
const MAX_SEARCHED = 20_000

/**
 * Each product once, even if only a variation matches. Names that begin with the text come first. Without a text: the
 * first products by name.
 */
async function productsFound({ db, storeId }: StoreDb, search: string, limit: number): Promise<ProductRow[]> {
  const text = search.toLowerCase()
  const { rows } = await sql<ProductRow>`
    with found as (
      (select product_id from products where store_id = ${storeId} and ${isPrefixedBy(sql`lower(name) collate "C"`, text)}
        order by lower(name) collate "C" limit ${limit * 5})
      union (select product_id from products where store_id = ${storeId} and ${isPrefixedBy(sql`lower(sku) collate "C"`, text)}
        order by lower(sku) collate "C" limit ${limit * 5})
      union (select product_id from products where store_id = ${storeId} and product_id = ${search}::text limit 1)
      union (select product_id from (select product_id, name, sku from products where store_id = ${storeId}
          order by product_id, variation_id limit ${MAX_SEARCHED}) few
        where ${text}::text <> '' and (strpos(lower(name), ${text}::text) > 0 or strpos(lower(sku), ${text}::text) > 0) limit ${limit * 5}))
    select p.product_id as id, p.name, p.sku from found f cross join lateral (select g.product_id, g.name, g.sku from products g
      where g.store_id = ${storeId} and g.product_id = f.product_id order by g.variation_id limit 1) p
    order by p.product_id <> ${search}::text, not starts_with(lower(p.name), ${text}::text), lower(p.name), p.product_id
    limit ${limit}`.execute(db)
  return rows
}

/** As a range, so that the index serves any text. */
const isPrefixedBy = (column: RawBuilder<unknown>, text: string) =>
  sql`${column} >= ${text}::text and ${column} < ${`${text}\u{10ffff}`}::text`
