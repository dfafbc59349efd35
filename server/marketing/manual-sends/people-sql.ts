import { newestAbandoned } from '../../carts/carts/fragments.ts'
import { type StoreDb, type StoreTx, sql } from '../../core/db/db.ts'

// Statements for people as recipients.

export interface PersonRow {
  shopper_id: string
  /** The most recently abandoned cart; null: the person has none. */
  cart_id: string | null
}

/** Those who are customers of the store. */
export async function readPeople({ db, storeId }: StoreTx, shopperIds: readonly string[]): Promise<PersonRow[]> {
  const rows = await sql<PersonRow>`
    select s.id as shopper_id, c.id as cart_id from shoppers s left join lateral (${newestAbandoned}) c on true
    where s.store_id = ${storeId} and s.id = any(${[...shopperIds]}::uuid[])`.execute(db)
  return rows.rows
}

/** Finds the person with this address. `usual`: the address for messages about their most recently abandoned cart. */
export async function findPerson({ db, storeId }: StoreDb, email: string) {
  const rows = await sql<{ id: string; usual: string | null }>`
    select s.id, case when c.id is null then s.email else c.email end as usual
    from shopper_keys k join shoppers s on s.store_id = k.store_id and s.id = k.shopper_id
    left join lateral (${newestAbandoned}) c on true
    where k.store_id = ${storeId} and k.kind = 'email' and k.value = ${email}`.execute(db)
  return rows.rows[0]
}
