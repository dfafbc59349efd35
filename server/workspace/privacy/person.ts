import { readStore } from '../../access/stores/public.ts'
import type { StoreDb } from '../../core/db/public.ts'
import { addressOfSubscription } from '../../delivery/push/public.ts'
import type { Deps } from '../../deps.ts'
import { listNumberAliases } from '../../messages/channels/public.ts'
import { isSharedAddress } from '../../shoppers/shoppers/public.ts'
import * as sql from './sql.ts'

/** The rows of a person in a store, including browsers. A shared address leads to no customer record. */
export async function findPerson(
  { secrets }: Pick<Deps, 'secrets'>,
  store: StoreDb,
  known: sql.KnownBy,
): Promise<sql.StoreDataSubject> {
  const row = await readStore(store)
  const leading = row ? filterIdentifying(known.addresses, [row]) : []
  const person = await sql.findPerson(store, { ...known, leading })
  const browsers = await sql.listSubscriptions(store, person.shopperIds)
  return {
    ...person,
    hashes: [...known.hashes, ...browsers.map((id) => secrets.addressHash(addressOfSubscription(id)))],
  }
}

/** The rows of several shoppers only; addresses do not lead to others. */
export async function findShoppers(
  { secrets }: Pick<Deps, 'secrets'>,
  store: StoreDb,
  shopperIds: readonly string[],
): Promise<sql.StoreDataSubject> {
  const rows = await sql.readShopperRows(store, shopperIds)
  const browsers = await sql.listSubscriptions(store, shopperIds)
  const marks = [
    ...rows.addresses.flatMap((address) => (address.includes('@') ? [address] : listNumberAliases(address))),
    ...browsers.map(addressOfSubscription),
  ]
  return { storeId: store.storeId, ...rows, hashes: marks.map((mark) => secrets.addressHash(mark)) }
}

/** The addresses that identify one person; others may be shared by many. */
export function filterIdentifying(addresses: readonly string[], stores: readonly { home_url: string }[]): string[] {
  const hosts = stores.map(({ home_url }) => new URL(home_url).hostname)
  return addresses.filter((address) => !(address.includes('@') && hosts.some((host) => isSharedAddress(address, host))))
}
