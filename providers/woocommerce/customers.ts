// Registered customers. Guests exist only in their orders' billing addresses.
import { createHash } from 'node:crypto'
import { formatBothTimes } from './clock.ts'
import type { Address, Billing } from './orders.ts'
import { buildLinks } from './rest.ts'
import { readSeconds, type Shop } from './shop.ts'
import { run, selectAll, selectOne, takeNextId } from './sqlite.ts'
import { announce } from './webhooks.ts'

export type Customer = {
  id: number
  email: string
  role: string
  username: string
  firstName: string
  lastName: string
  billing: Billing
  shipping: Address
  isPaying: boolean
  meta: { id: number; key: string; value: unknown }[]
  createdAt: number
  modifiedAt: number
}

export const noAddress: Address = {
  first_name: '',
  last_name: '',
  company: '',
  address_1: '',
  address_2: '',
  city: '',
  state: '',
  postcode: '',
  country: '',
  phone: '',
}

export function addCustomer(shop: Shop, fresh: Partial<Customer> & { email: string }): Customer {
  const now = fresh.createdAt ?? readSeconds(shop)
  const blank = { role: 'customer', firstName: '', lastName: '', isPaying: false, meta: [] }
  const addresses = { billing: { ...noAddress, email: '' }, shipping: noAddress }
  const username = fresh.email.split('@')[0]!
  const id = takeNextId(shop.db, 'user')
  const customer: Customer = { ...blank, ...addresses, username, createdAt: now, modifiedAt: now, ...fresh, id }
  const sql = 'insert into customers values (?, ?, ?, ?, ?, ?)'
  run(shop.db, sql, id, customer.email, customer.role, now, customer.modifiedAt, JSON.stringify(customer))
  announce(shop, 'customer.created', id)
  return customer
}

export function saveCustomer(shop: Shop, changed: Customer): Customer {
  const customer = { ...changed, modifiedAt: readSeconds(shop) }
  const sql = 'update customers set email = ?, modified = ?, doc = ? where id = ?'
  run(shop.db, sql, customer.email, customer.modifiedAt, JSON.stringify(customer), customer.id)
  announce(shop, 'customer.updated', customer.id)
  return customer
}

const LAST_ACTIVE_KEY = 'wc_last_active'

/** WordPress stores Unix seconds as text in user meta; date_modified does not change (customers-last-active.json). */
export function recordVisit(shop: Shop, customer: Customer, at = readSeconds(shop)) {
  const existing = customer.meta.find(({ key }) => key === LAST_ACTIVE_KEY)
  const lastActive = { id: existing?.id ?? takeNextId(shop.db, 'meta'), key: LAST_ACTIVE_KEY, value: String(at) }
  const meta = [...customer.meta.filter(({ key }) => key !== LAST_ACTIVE_KEY), lastActive]
  run(shop.db, 'update customers set doc = ? where id = ?', JSON.stringify({ ...customer, meta }), customer.id)
}

export function removeCustomer(shop: Shop, id: number) {
  run(shop.db, 'delete from customers where id = ?', id)
}

export function findCustomer(shop: Shop, id: number): Customer | undefined {
  return readCustomer(selectOne<{ doc: string }>(shop.db, 'select doc from customers where id = ?', id))
}

export function findCustomerByEmail(shop: Shop, email: string): Customer | undefined {
  return readCustomer(selectOne<{ doc: string }>(shop.db, 'select doc from customers where email = ?', email))
}

export function listCustomers(shop: Shop): Customer[] {
  return selectAll<{ doc: string }>(shop.db, 'select doc from customers').map((row) => readCustomer(row)!)
}

export function presentCustomer(shop: Shop, customer: Customer) {
  const face = createHash('sha256').update(customer.email.toLowerCase()).digest('hex')
  return {
    id: customer.id,
    ...formatBothTimes('date_created', customer.createdAt),
    ...formatBothTimes('date_modified', customer.modifiedAt),
    email: customer.email,
    first_name: customer.firstName,
    last_name: customer.lastName,
    role: customer.role,
    username: customer.username,
    billing: customer.billing,
    shipping: customer.shipping,
    is_paying_customer: customer.isPaying,
    avatar_url: `https://secure.gravatar.com/avatar/${face}?s=96&d=mm&r=g`,
    meta_data: customer.meta,
    _links: buildLinks(shop, 'customers', customer.id),
  }
}

function readCustomer(row: { doc: string } | undefined): Customer | undefined {
  return row && (JSON.parse(row.doc) as Customer)
}
