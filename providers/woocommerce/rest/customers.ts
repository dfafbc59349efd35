// wc/v3 customers (registered ones). WooCommerce ignores modified_after here.
import {
  addCustomer,
  type Customer,
  findCustomer,
  findCustomerByEmail,
  listCustomers,
  noAddress,
  presentCustomer,
  removeCustomer,
  saveCustomer,
} from '../customers.ts'
import { asList, asText, isEmail } from '../php.ts'
import { isTrue, paginate, pagingRules, type RestReply, type RestRequest, type Route, type Rule } from '../rest.ts'
import { createInvalidIdError, createMissingParamsError, RestError } from '../rest-error.ts'
import { mergeAddress } from './order-write.ts'
import { buildCreatedReply } from './orders.ts'

const listRules: Record<string, Rule> = {
  ...pagingRules,
  orderby: { kind: 'enum', values: ['id', 'include', 'name', 'registered_date'] },
  role: {
    kind: 'enum',
    values: ['all', 'administrator', 'editor', 'author', 'contributor', 'subscriber', 'customer', 'shop_manager'],
  },
}

export const customerRoutes: Route[] = [
  {
    pattern: /^\/wc\/v3\/customers$/,
    GET: { can: 'list', rules: listRules, run: getCustomers },
    POST: { can: 'create', run: postCustomer },
  },
  {
    pattern: /^\/wc\/v3\/customers\/(\d+)$/,
    GET: { can: 'view', run: (request) => buildSingleReply(request, findOrThrow(request)) },
    PUT: { can: 'edit', run: putCustomer },
    DELETE: { can: 'delete', run: deleteCustomer },
    // The permission check reads the user first, so an unknown id fails before Allow is computed.
    hidesAllow: true,
  },
]

function getCustomers(request: RestRequest): RestReply {
  const { shop, query } = request
  const role = asText(query.role) ?? 'customer'
  const include = asList(query.include)
  const email = asText(query.email)?.toLowerCase()
  const search = asText(query.search)?.toLowerCase()
  const matches = listCustomers(shop)
    .filter((customer) => role === 'all' || customer.role === role)
    .filter((customer) => !include.length || include.includes(String(customer.id)))
    .filter((customer) => !email || customer.email.toLowerCase() === email)
    .filter((customer) => !search || `${customer.email} ${customer.username}`.toLowerCase().includes(search))
  return paginate(request, sort(query, matches), (customer) => presentCustomer(shop, customer))
}

function sort(query: RestRequest['query'], customers: Customer[]): Customer[] {
  const direction = query.order === 'desc' ? -1 : 1
  const by = asText(query.orderby) ?? 'name'
  if (by === 'name') return customers.toSorted((a, b) => direction * a.username.localeCompare(b.username))
  const getSortValue = (customer: Customer) => (by === 'registered_date' ? customer.createdAt : customer.id)
  return customers.toSorted((a, b) => direction * (getSortValue(a) - getSortValue(b)) || a.id - b.id)
}

function postCustomer(request: RestRequest): RestReply {
  const { shop, body } = request
  if (body.email === undefined) throw createMissingParamsError(['email'])
  checkEmail(request, body.email, 0)
  const email = String(body.email)
  const customer = addCustomer(shop, {
    email,
    username: String(body.username ?? email.split('@')[0]),
    firstName: String(body.first_name ?? ''),
    lastName: String(body.last_name ?? ''),
    billing: mergeAddress({ ...noAddress, email: '' }, body.billing),
    shipping: mergeAddress(noAddress, body.shipping),
  })
  return buildCreatedReply(request, `customers/${customer.id}`, presentCustomer(shop, customer))
}

function putCustomer(request: RestRequest): RestReply {
  const { shop, body } = request
  const customer = findOrThrow(request)
  if (body.email !== undefined) checkEmail(request, body.email, customer.id)
  const saved = saveCustomer(shop, {
    ...customer,
    email: String(body.email ?? customer.email),
    firstName: String(body.first_name ?? customer.firstName),
    lastName: String(body.last_name ?? customer.lastName),
    billing: mergeAddress(customer.billing, body.billing),
    shipping: mergeAddress(customer.shipping, body.shipping),
  })
  return buildSingleReply(request, saved)
}

function deleteCustomer(request: RestRequest): RestReply {
  const customer = findOrThrow(request)
  if (!isTrue(request.query.force ?? request.body.force)) {
    throw new RestError(501, 'woocommerce_rest_trash_not_supported', 'Customers do not support trashing.')
  }
  removeCustomer(request.shop, customer.id)
  return buildSingleReply(request, customer)
}

function checkEmail({ shop }: RestRequest, email: unknown, ownId: number) {
  if (!isEmail(email)) throw new RestError(400, 'customer_invalid_email', 'Invalid email address')
  const existing = findCustomerByEmail(shop, email)
  if (!existing || existing.id === ownId) return
  const text = `An account is already registered with ${email}. Please log in or use a different email address.`
  throw new RestError(400, 'registration-error-email-exists', text)
}

function buildSingleReply({ shop }: RestRequest, customer: Customer): RestReply {
  return { body: presentCustomer(shop, customer), headers: { allow: 'GET, POST, PUT, PATCH, DELETE' } }
}

function findOrThrow({ shop, ids }: RestRequest): Customer {
  const customer = findCustomer(shop, ids[0]!)
  if (!customer) throw createInvalidIdError('customer')
  return customer
}
