import type { z } from 'zod'
import { maskedAddress } from '../../messages/channels/mask.ts'
import type { Deps } from '../../deps.ts'
import { notify } from '../../access/notifications/notifications.ts'
import { disconnectStore, purgeNow } from '../store-settings/stores.ts'
import { readStore } from '../../access/stores/store.ts'
import type { privacyJob } from '../../carts/sync/jobs.ts'
import { openRequest } from '../../carts/sync/privacy-requests.ts'
import { eraseAsked } from './erase.ts'
import { addressesOfCustomer } from './sql.ts'

// What a platform passes on of people's rights (C8): who asks for a copy is named to the owner, who is to be forgotten is erased in all
// stores of the account, and a shop that is to be forgotten is deleted at once.

/** Job. May run twice: erasing again finds nothing. */
export async function takePrivacyRequest(
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
  // The shop may know another address by now, or tell none.
  const kept = customerId === null ? [] : await addressesOfCustomer(store, customerId)
  const addresses = [...new Set([email, phone, ...kept].filter((address) => address !== null))]
  if (request === 'redact_customer') {
    const customer = customerId === null ? null : { storeId, customerId }
    return eraseAsked(deps, { accountId: row.account_id, db: deps.db }, { addresses, customer })
  }
  const [address] = addresses
  if (!address && customerId === null) return
  const who = address ? maskedAddress(address.includes('@') ? 'email' : 'sms', address) : 'A shopper'
  await notify(store, { type: 'privacy_asked', data: { who, customerId }, at: deps.now() })
}
