import type { CustomerPage } from '../../../shared/customers.ts'
import { requireFound } from '../../core/common/errors.ts'
import type { AccountDb, StoreDb } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import { selectPage } from '../../shoppers/suppressions/suppressions.ts'
import { readMessagesOfShopper } from '../cart-pages/messages.ts'
import { entriesOf } from '../ledger/ledger.ts'
import { messageViews } from '../manual-sends/manual.ts'
import type { CustomerFilter } from './list-sql.ts'
import * as sql from './page-sql.ts'
import { presentCarts, presentLife, presentOrders, presentPerson, presentValue } from './present.ts'

// Customers (decisions 40 and 127): shoppers who are registered in the store or have given a contact.

export function filterOf({
  search,
  registered,
}: {
  search?: string | undefined
  registered?: 'yes' | 'no' | undefined
}): CustomerFilter {
  return { search: search?.trim() ?? '', isRegistered: registered === undefined ? null : registered === 'yes' }
}

const MOST_CARTS = 20
const MOST_ORDERS = 20
const MOST_MESSAGES = 20
const MOST_CONSENTS = 30
const MOST_SUPPRESSED = 100

/** Reads all data of a customer page. */
export async function readCustomerPage(
  deps: Deps,
  { store, account }: { store: StoreDb; account: AccountDb },
  id: string,
): Promise<CustomerPage> {
  const row = requireFound(await sql.readCustomer(store, id), 'Customer')
  const person = presentPerson(row)
  const addresses = [...person.emails, ...person.phones]
  const [consents, suppressed, carts, orders, value, life, messages] = await Promise.all([
    entriesOf(deps, store, addresses, MOST_CONSENTS),
    readSuppressions(deps, account, [...addresses, ...person.unconfirmed]),
    sql.readCarts(store, id, MOST_CARTS),
    sql.readOrders(store, id, MOST_ORDERS),
    sql.readValue(store, id),
    sql.readLifetime(store, id),
    readMessagesOfShopper(store, id, MOST_MESSAGES),
  ])
  return {
    ...person,
    consents,
    suppressed,
    carts: presentCarts(
      carts,
      await messageViews(
        store,
        carts.map((cart) => cart.id),
      ),
    ),
    orders: presentOrders(orders),
    value: presentValue(value),
    life_in_store: presentLife(life),
    messages,
  }
}

async function readSuppressions(
  { secrets }: Deps,
  account: AccountDb,
  addresses: readonly string[],
): Promise<CustomerPage['suppressed']> {
  const hashes = addresses.map((address) => secrets.addressHash(address))
  // The prefix matches nothing, so only the exact addresses are found.
  const filter = { search: { hashes, prefix: '\u{10ffff}' }, reason: null, channel: null }
  const rows = await selectPage(account, filter, { after: null, limit: MOST_SUPPRESSED })
  return rows.map(({ address, channel, reason, created_at }) => ({
    address,
    channel,
    reason,
    since: created_at.toISOString(),
  }))
}
