import { z } from 'zod'
import { CartBadge, CartState, MessageView } from '../carts/carts.ts'
import { endpoint, storeQuery } from '../core/endpoint.ts'
import { DownloadLink, Pagination } from '../core/paging.ts'
import { suppressionChannels, suppressionReasons } from '../shoppers/suppressions.ts'
import { audienceQuery } from './audience.ts'
import { LedgerEntry } from './ledger.ts'

// Customers (B 3, decisions 40 and 127): registered customers of the store, and guests with an order or a contact.

export const CustomerView = z.object({
  _id: z.string(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  customer_email: z.string().nullable(),
  phone: z.string().nullable(),
  company: z.string().nullable(),
  is_registered: z.boolean(),
  /** Last visit while signed in; null if the store does not report it. */
  last_login: z.string().nullable(),
})
export type CustomerView = z.infer<typeof CustomerView>

/** `since`: when the store first saw them. */
export const customerSorts = ['since', 'name', 'email', 'phone', 'company', 'registered', 'last_login'] as const
export type CustomerSort = (typeof customerSorts)[number]

/** Number of newest customers searched for a substring, because no customer has the text as a prefix. */
const lookedThrough = z.number().optional()

const filterFields = {
  search: z.string().max(200).optional(),
  registered: z.enum(['yes', 'no']).optional(),
}

export const MAX_CUSTOMERS = 100

export const listCustomers = endpoint({
  method: 'GET',
  path: '/api/stores/customers/recent',
  permission: 'carts:read',
  scope: 'store',
  summary:
    'The customers of a store, newest first: registered ones, and guests who ordered or entered a contact. With `page`: {customers, pagination}; without it the newest 100 as an array',
  query: storeQuery.extend({
    ...filterFields,
    page: z.coerce.number().int().min(1).max(1_000_000).optional(),
    /** Default: 50, or 100 without `page`. */
    limit: z.coerce.number().int().min(1).max(MAX_CUSTOMERS).optional(),
    sort: z.enum(customerSorts).default('since'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  reply: z.union([
    z.array(CustomerView),
    z.object({
      customers: z.array(CustomerView),
      pagination: Pagination.extend({
        /** Search counts stop at 1,000: more than `total` match. */
        totalIsCapped: z.boolean().optional(),
        lookedThrough,
      }),
    }),
  ]),
})

/** With the most recently abandoned cart. */
export const AbandonedCustomer = CustomerView.extend({
  cart_id: z.string(),
  cart_value: z.number(),
  currency: z.string(),
})
export type AbandonedCustomer = z.infer<typeof AbandonedCustomer>

export const abandonedCustomers = endpoint({
  method: 'GET',
  path: '/api/customers/abandoned',
  permission: 'carts:read',
  scope: 'store',
  summary:
    'Customers with an abandoned cart, newest cart first, with the filters of an audience. With `cursor` (empty: from the beginning): {customers, next, total}; without it the first 100 as an array',
  query: storeQuery.extend({
    search: filterFields.search,
    ...audienceQuery,
    cursor: z.string().max(400).optional(),
    limit: z.coerce.number().int().min(1).max(MAX_CUSTOMERS).default(MAX_CUSTOMERS),
  }),
  reply: z.union([
    z.array(AbandonedCustomer),
    z.object({ customers: z.array(AbandonedCustomer), next: z.string().nullable(), total: z.number(), lookedThrough }),
  ]),
})

/** The path of the specification (B 7). */
export const abandonedCustomersBesidePage: typeof abandonedCustomers = {
  ...abandonedCustomers,
  path: '/customers/abandoned',
  isBesidePage: true,
}

export const exportCustomers = endpoint({
  method: 'GET',
  path: '/api/stores/customers/export',
  permission: 'account:export',
  scope: 'store',
  summary: 'A link, valid for two minutes, to all customers of a filter as a CSV file, newest first',
  query: storeQuery.extend(filterFields),
  reply: DownloadLink,
})

const CustomerCart = z.object({
  id: z.string(),
  items: z.number(),
  /** Name and picture of the first item. */
  product: z.string().nullable(),
  image_url: z.string().nullable(),
  total: z.number(),
  currency: z.string(),
  status: CartBadge,
  state: CartState,
  /** The email behind `status` is in the mailbox on this server. */
  is_in_mailbox: z.boolean(),
  last_activity: z.string(),
})

const CustomerOrder = z.object({
  id: z.string(),
  /** The platform's own status. */
  status: z.string(),
  total: z.number(),
  net: z.number(),
  currency: z.string(),
  at: z.string(),
  is_purchase: z.boolean(),
  cart_id: z.string().nullable(),
})

/** One entry per currency; currencies are never added up. */
const CustomerValue = z.object({
  currency: z.string(),
  orders: z.number(),
  net: z.number(),
  average: z.number(),
  /** The part of `net` from orders attributed to messages. */
  recovered: z.number(),
})

const createListReply = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row), total: z.number() })

export const CustomerPage = CustomerView.extend({
  /** All known addresses of the customer. */
  emails: z.array(z.string()),
  phones: z.array(z.string()),
  /** Entered above the limits on new contacts and unconfirmed, so nothing is sent to them (X5). */
  unconfirmed: z.array(z.string()),
  country: z.string().nullable(),
  since: z.string(),
  /** Newest first, like all lists below. */
  consents: z.array(LedgerEntry),
  suppressed: z.array(
    z.object({
      address: z.string().nullable(),
      channel: z.enum(suppressionChannels),
      reason: z.enum(suppressionReasons),
      since: z.string(),
    }),
  ),
  value: z.array(CustomerValue),
  /** Lifetime figures of the store, which may reach back further than its orders (decision 135); null: not reported. */
  life_in_store: z.object({ orders: z.number(), spent: z.number(), currency: z.string() }).nullable(),
  carts: createListReply(CustomerCart),
  orders: createListReply(CustomerOrder),
  messages: createListReply(MessageView),
})
export type CustomerPage = z.infer<typeof CustomerPage>

export const readCustomer = endpoint({
  method: 'GET',
  path: '/api/customers/:id',
  permission: 'carts:read',
  scope: 'store',
  summary:
    'A customer: contact, consent with its evidence, suppression, value by currency, and the newest carts, orders and messages, with the reason for each message',
  params: z.object({ id: z.uuid() }),
  query: storeQuery,
  reply: z.object({ customer: CustomerPage }),
})

export const customerTexts = {
  none: 'No customers found for this platform.',
  noMatch: 'No customers match your search or filter.',
  loading: 'Loading customers...',
  failed: 'Failed to load customers',
  fetchFailed: 'Failed to fetch customers. Please try again later.',
} as const
