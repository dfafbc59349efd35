import type { StoreDb } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { addressOfSubscription } from '../push/subscriptions.ts'
import * as sql from './sql.ts'

/** One person as a store knows them, their browsers too. */
export async function personIn(
  { secrets }: Pick<Deps, 'secrets'>,
  store: StoreDb,
  known: sql.KnownBy,
): Promise<sql.StoreDataSubject> {
  const person = await sql.personIn(store, known)
  const browsers = await sql.subscriptionsOf(store, person.shopperIds)
  return {
    ...person,
    hashes: [...known.hashes, ...browsers.map((id) => secrets.addressHash(addressOfSubscription(id)))],
  }
}
