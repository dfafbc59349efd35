import type { StoreDb } from '../core/db.ts'
import type { Deps } from '../deps.ts'
import { addressOfSubscription } from '../push/subscriptions.ts'
import * as sql from './sql.ts'

/** One person as a store knows them, their browsers too. */
export async function personIn(
  { secrets }: Pick<Deps, 'secrets'>,
  store: StoreDb,
  { addresses, hashes }: { addresses: readonly string[]; hashes: readonly Buffer[] },
): Promise<sql.StoreDataSubject> {
  const person = await sql.personIn(store, addresses, hashes)
  const browsers = await sql.subscriptionsOf(store, person.shopperIds)
  return { ...person, hashes: [...hashes, ...browsers.map((id) => secrets.addressHash(addressOfSubscription(id)))] }
}
