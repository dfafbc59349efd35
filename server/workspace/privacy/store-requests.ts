import type { z } from 'zod'
import { notify } from '../../access/notifications/notifications.ts'
import { readStore } from '../../access/stores/store.ts'
import type { privacyJob } from '../../carts/sync/jobs.ts'
import { openRequest } from '../../carts/sync/privacy-requests.ts'
import type { Deps } from '../../deps.ts'
import { maskAddress } from '../../messages/channels/mask.ts'
import { disconnectStore, purgeNow } from '../store-settings/stores.ts'
import { eraseOnRequest } from './erase.ts'
import { addressesOfCustomer } from './sql.ts'

// Privacy requests from a platform (C8): a data request notifies the owner, an erasure request erases the person in all
// stores of the account, and a shop's erasure request deletes the shop.

/** The job. May run twice: a second erasure finds nothing. */
export async function handlePrivacyRequest(
  deps: Deps,
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
  const kept = customerId === null ? [] : await addressesOfCustomer(store, customerId)
  const addresses = [...new Set([email, phone, ...kept].filter((address) => address !== null))]
  if (request === 'redact_customer') {
    const customer = customerId === null ? null : { storeId, customerId }
    return eraseOnRequest(deps, { accountId: row.account_id, db: deps.db }, { addresses, customer })
  }
  const [address] = addresses
  if (!address && customerId === null) return
  const who = address ? maskAddress(address.includes('@') ? 'email' : 'sms', address) : 'A shopper'
  await notify(store, { type: 'privacy_asked', data: { who, customerId }, at: deps.now() })
}
