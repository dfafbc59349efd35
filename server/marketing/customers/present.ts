import type { CustomerPage, CustomerView } from '../../../shared/customers.ts'
import { decimal } from '../cart-pages/present.ts'
import type { ListedCustomer } from './list-sql.ts'
import type { CartRow, CustomerRow, OrderRow, readLifetime, readValue } from './page-sql.ts'

// Converts customer rows to the API (B 3).

export const presentCustomer = (row: ListedCustomer): CustomerView => ({
  _id: row.id,
  first_name: row.first_name,
  last_name: row.last_name,
  customer_email: row.email,
  phone: row.phone,
  company: row.company,
  is_registered: row.is_registered,
  last_login: row.last_login_at?.toISOString() ?? null,
})

export const presentPerson = (row: CustomerRow) => ({
  ...presentCustomer(row),
  emails: withFirst(row.email, row.emails),
  phones: withFirst(row.phone, row.phones),
  unconfirmed: row.unconfirmed,
  country: row.country,
  since: row.first_seen_at.toISOString(),
})

/** An address of the shop itself, or one that many people use, does not identify them, but is shown. */
const withFirst = (first: string | null, all: readonly string[]) =>
  first ? [first, ...all.filter((each) => each !== first)] : [...all]

export const presentCarts = (
  rows: readonly CartRow[],
  { inMailbox }: { inMailbox: ReadonlySet<string> },
): CustomerPage['carts'] => ({
  total: rows[0]?.total ?? 0,
  rows: rows.map((row) => ({
    id: row.id,
    items: row.item_count,
    total: decimal(row.value_minor, row.currency),
    currency: row.currency,
    status: row.badge,
    state: row.status,
    is_in_mailbox: inMailbox.has(row.id),
    last_activity: row.last_activity_at.toISOString(),
  })),
})

export const presentOrders = (rows: readonly OrderRow[]): CustomerPage['orders'] => ({
  total: rows[0]?.total ?? 0,
  rows: rows.map((row) => ({
    id: row.order_id,
    status: row.status,
    total: decimal(row.total_minor, row.currency),
    net: decimal(row.net_minor, row.currency),
    currency: row.currency,
    at: row.at.toISOString(),
    is_purchase: row.is_purchase,
    cart_id: row.cart_id,
  })),
})

export const presentValue = (rows: Awaited<ReturnType<typeof readValue>>): CustomerPage['value'] =>
  rows.map(({ currency, orders, net_minor }) => ({
    currency,
    orders,
    net: decimal(net_minor, currency),
    average: decimal(Math.round(net_minor / orders), currency),
  }))

export const presentLife = (life: Awaited<ReturnType<typeof readLifetime>>): CustomerPage['life_in_store'] =>
  life ? { orders: life.orders, spent: decimal(life.spent_minor, life.currency), currency: life.currency } : null
