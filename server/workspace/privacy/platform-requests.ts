import type { z } from 'zod'
import { notify } from '../../access/notifications/public.ts'
import { readStore } from '../../access/stores/public.ts'
import { openRequest, type privacyJob } from '../../carts/sync/public.ts'
import { type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { maskAddress } from '../../messages/channels/public.ts'
import { disconnectStore, purgeNow } from '../store-settings/public.ts'
import { eraseOnRequest } from './erase.ts'

// Privacy requests from a platform (C8): a data request notifies the owner, an erasure request erases the person in all
// stores of the account, and a shop's erasure request deletes the shop.

/** The job. May run twice: a second erasure finds nothing. */
export async function handlePrivacyRequest(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets' | 'storeClient'>,
  { storeId, sealed }: z.infer<typeof privacyJob.payload>,
): Promise<void> {
  const store = { storeId, db: deps.db }
  const row = await readStore(store)
  if (!row) return
  const { request, customerId, email, phone } = openRequest(deps, storeId, sealed)
  if (request === 'redact_shop') {
    await disconnectStore(deps, store, 'uninstall')
    return purgeNow(store)
  }
  // The shop may have another address by now, or none.
  const known = customerId === null ? [] : await addressesOfCustomer(store, customerId)
  const addresses = [...new Set([email, phone, ...known].filter((address) => address !== null))]
  if (request === 'redact_customer') {
    const customer = customerId === null ? null : { storeId, customerId }
    return eraseOnRequest(deps, { accountId: row.account_id, db: deps.db }, { addresses, customer })
  }
  const [address] = addresses
  if (!address && customerId === null) return
  const who = address ? maskAddress(address.includes('@') ? 'email' : 'sms', address) : 'A shopper'
  await notify(store, { type: 'privacy_asked', data: { who, customerId }, at: deps.now() })
}

/** Addresses of a customer id in one store: from the customer record, and from the linked shopper. */
async function addressesOfCustomer({ db, storeId }: StoreDb, customerId: string): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    select v.value from customers c cross join lateral (values (lower(c.email)), (c.phone)) v(value)
      where c.store_id = ${storeId} and c.customer_id = ${customerId} and v.value is not null
    union
    select a.value from shopper_keys k join shopper_keys a on a.store_id = k.store_id and a.shopper_id = k.shopper_id
      where k.store_id = ${storeId} and k.kind = 'customer' and k.value = ${customerId} and a.kind in ('email', 'phone')
    order by value`.execute(db)
  return rows.map(({ value }) => value)
}
