import type { CartBadge, CartState } from '../../../shared/carts/carts.ts'
import type { CustomerPage } from '../../../shared/marketing/customers.ts'
import { BADGE } from '../../carts/carts/public.ts'
import { isCountedOrder } from '../../carts/orders/public.ts'
import { requireFound } from '../../core/common/public.ts'
import { type AccountDb, type StoreDb, sql } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { selectPage } from '../../shoppers/suppressions/public.ts'
import { readMessagesOfShopper, toDecimal } from '../cart-pages/public.ts'
import { listEntries } from '../ledger/public.ts'
import { loadMessageViews } from '../manual-sends/public.ts'
import { CUSTOMER_COLUMNS } from './fragments.ts'
import type { CustomerFilter, ListedCustomer } from './list-sql.ts'
import { presentCustomer } from './present.ts'

// Customers (decisions 40 and 127): shoppers who are registered in the store or have given a contact.

export function buildFilter({
  search,
  registered,
}: {
  search?: string | undefined
  registered?: 'yes' | 'no' | undefined
}): CustomerFilter {
  return { search: search?.trim() ?? '', isRegistered: registered === undefined ? null : registered === 'yes' }
}

const MAX_CARTS = 20
const MAX_ORDERS = 20
const MAX_MESSAGES = 20
const MAX_CONSENTS = 30
const MAX_SUPPRESSED = 100

/** Reads all data of a customer page. */
export async function readCustomerPage(
  deps: Pick<Deps, 'secrets'>,
  { store, account }: { store: StoreDb; account: AccountDb },
  id: string,
): Promise<CustomerPage> {
  const row = requireFound(await readCustomer(store, id), 'Customer')
  const person = presentPerson(row)
  const addresses = [...person.emails, ...person.phones]
  const [consents, suppressed, carts, orders, value, life, messages] = await Promise.all([
    listEntries(deps, store, addresses, MAX_CONSENTS),
    readSuppressions(deps, account, [...addresses, ...person.unconfirmed]),
    readCarts(store, id, MAX_CARTS),
    readOrders(store, id, MAX_ORDERS),
    readValue(store, id),
    readLifetime(store, id),
    readMessagesOfShopper(store, id, MAX_MESSAGES),
  ])
  return {
    ...person,
    consents,
    suppressed,
    carts: presentCarts(
      carts,
      await loadMessageViews(
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
  { secrets }: Pick<Deps, 'secrets'>,
  account: AccountDb,
  addresses: readonly string[],
): Promise<CustomerPage['suppressed']> {
  const hashes = addresses.map((address) => secrets.addressHash(address))
  // The prefix matches nothing, so only the exact addresses are found.
  const filter = { search: { hashes, prefix: '\u{10ffff}' }, reason: null, channel: null }
  const rows = await selectPage(account, filter, { after: null, limit: MAX_SUPPRESSED })
  return rows.map(({ address, channel, reason, created_at }) => ({
    address,
    channel,
    reason,
    since: created_at.toISOString(),
  }))
}

/** undefined: there is no such shopper, or one without registration and contact, who is not a customer. */
async function readCustomer({ db, storeId }: StoreDb, id: string): Promise<CustomerRow | undefined> {
  const ofKind = (kind: 'email' | 'phone') => sql`array(select value from shopper_keys k
    where k.store_id = s.store_id and k.shopper_id = s.id and k.kind = ${kind} order by value limit 20)`
  const { rows } = await sql<CustomerRow>`
    select ${CUSTOMER_COLUMNS}, s.country, ${ofKind('email')} as emails, ${ofKind('phone')} as phones,
      array(select value from unconfirmed_contacts u where u.store_id = s.store_id and u.shopper_id = s.id
        order by value limit 20) as unconfirmed
    from shoppers s where s.store_id = ${storeId} and s.id = ${id} and s.is_customer`.execute(db)
  return rows[0]
}

/** Merged carts are covered by the cart they were merged into. */
async function readCarts({ db, storeId }: StoreDb, shopperId: string, max: number): Promise<CartRow[]> {
  const { rows } = await sql<CartRow>`
    select id, item_count, items -> 0 ->> 'name' as product, items -> 0 ->> 'imageUrl' as image_url, value_minor, currency, ${BADGE} as badge, status, last_activity_at, count(*) over ()::int as total from carts c
    where store_id = ${storeId} and shopper_id = ${shopperId} and status <> 'merged'
    order by last_activity_at desc, id desc limit ${max}`.execute(db)
  return rows
}

/** Unplaced orders appear as carts, and partial orders within their main order (A6). */
async function readOrders({ db, storeId }: StoreDb, shopperId: string, max: number): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    select o.order_id, o.status, o.total_minor, o.net_minor, o.currency, o.cart_id, o.kind = 'purchase' as is_purchase,
      coalesce(o.purchased_at, o.created_at) as at, count(*) over ()::int as total
    from shopper_keys k join orders o on o.store_id = k.store_id and o.order_id = k.value
    where k.store_id = ${storeId} and k.shopper_id = ${shopperId} and k.kind = 'order' and o.kind <> 'draft'
      and (o.parent_id is null or o.purchased_at is not null
        or not exists (select 1 from orders p where p.store_id = o.store_id and p.order_id = o.parent_id))
    order by at desc, o.order_id desc limit ${max}`.execute(db)
  return rows
}

const presentPerson = (row: CustomerRow) => ({
  ...presentCustomer(row),
  emails: putFirst(row.email, row.emails),
  phones: putFirst(row.phone, row.phones),
  unconfirmed: row.unconfirmed,
  country: row.country,
  since: row.first_seen_at.toISOString(),
})

/** An address of the shop itself, or one that many people use, does not identify them, but is shown. */
const putFirst = (first: string | null, all: readonly string[]) =>
  first ? [first, ...all.filter((each) => each !== first)] : [...all]

const presentCarts = (
  rows: readonly CartRow[],
  { inMailbox }: { inMailbox: ReadonlySet<string> },
): CustomerPage['carts'] => ({
  total: rows[0]?.total ?? 0,
  rows: rows.map((row) => ({
    id: row.id,
    items: row.item_count,
    product: row.product,
    image_url: row.image_url,
    total: toDecimal(row.value_minor, row.currency),
    currency: row.currency,
    status: row.badge,
    state: row.status,
    is_in_mailbox: inMailbox.has(row.id),
    last_activity: row.last_activity_at.toISOString(),
  })),
})

const presentOrders = (rows: readonly OrderRow[]): CustomerPage['orders'] => ({
  total: rows[0]?.total ?? 0,
  rows: rows.map((row) => ({
    id: row.order_id,
    status: row.status,
    total: toDecimal(row.total_minor, row.currency),
    net: toDecimal(row.net_minor, row.currency),
    currency: row.currency,
    at: row.at.toISOString(),
    is_purchase: row.is_purchase,
    cart_id: row.cart_id,
  })),
})

const presentValue = (rows: Awaited<ReturnType<typeof readValue>>): CustomerPage['value'] =>
  rows.map(({ currency, orders, net_minor, recovered_minor }) => ({
    currency,
    orders,
    net: toDecimal(net_minor, currency),
    average: toDecimal(Math.round(net_minor / orders), currency),
    recovered: toDecimal(recovered_minor, currency),
  }))

const presentLife = (life: Awaited<ReturnType<typeof readLifetime>>): CustomerPage['life_in_store'] =>
  life ? { orders: life.orders, spent: toDecimal(life.spent_minor, life.currency), currency: life.currency } : null

// SQL for the customer page. Customers have few rows; for one with many, the newest are shown.

interface CustomerRow extends ListedCustomer {
  country: string | null
  emails: string[]
  phones: string[]
  unconfirmed: string[]
}

interface CartRow {
  id: string
  item_count: number
  /** The first item's. */
  product: string | null
  image_url: string | null
  value_minor: number
  currency: string
  badge: CartBadge
  status: CartState
  last_activity_at: Date
  total: number
}

interface OrderRow {
  order_id: string
  status: string
  total_minor: number
  net_minor: number
  currency: string
  cart_id: string | null
  is_purchase: boolean
  at: Date
  total: number
}

/** Sums all linked customer records, in the store's currency; undefined if the store reports no totals. */
async function readLifetime({ db, storeId }: StoreDb, shopperId: string) {
  const { rows } = await sql<{ orders: number; spent_minor: number; currency: string }>`
    select sum(c.orders_count)::int as orders, sum(coalesce(c.spent_minor, 0))::bigint as spent_minor, t.currency
    from shopper_keys k
    join customers c on c.store_id = k.store_id and c.customer_id = k.value
    join stores t on t.id = k.store_id
    where k.store_id = ${storeId} and k.shopper_id = ${shopperId} and k.kind = 'customer' and c.orders_count is not null
    group by t.currency`.execute(db)
  return rows[0]
}

/** By currency. Cancelled and fully refunded orders count as nothing, and other refunds are deducted (S3). */
async function readValue({ db, storeId }: StoreDb, shopperId: string) {
  const { rows } = await sql<{ currency: string; orders: number; net_minor: number; recovered_minor: number }>`
    select o.currency, count(*)::int as orders, sum(o.net_minor)::bigint as net_minor,
      coalesce(sum(o.net_minor) filter (where o.touchpoint_id is not null), 0)::bigint as recovered_minor from orders o
    where o.store_id = ${storeId} and o.shopper_id = ${shopperId} and o.purchased_at is not null and ${isCountedOrder}
    group by o.currency order by count(*) desc, o.currency`.execute(db)
  return rows
}
