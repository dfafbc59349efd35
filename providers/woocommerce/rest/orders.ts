// wc/v3 orders, their refunds and notes, and the count of orders by status.
import type { SQLInputValue } from 'node:sqlite'
import { parseStoreTime } from '../clock.ts'
import { presentNote, presentOrder, presentRefund } from '../order-shape.ts'
import {
  addNote,
  addRefund,
  changeStatus,
  eraseOrder,
  findOrder,
  listNotes,
  listRefunds,
  type Order,
  type OrderStatus,
  orderStatuses,
  readOrder,
  saveOrder,
  statusNames,
  sumRefunds,
  trashOrder,
} from '../orders.ts'
import { asList, asText, isEmail } from '../php.ts'
import { parseAmount } from '../pricing.ts'
import {
  checkParams,
  isTrue,
  pagingRules,
  type RestReply,
  type RestRequest,
  type Route,
  type Rule,
  readPage,
} from '../rest.ts'
import { createInvalidIdError, createInvalidParamsError, createMissingParamsError, RestError } from '../rest-error.ts'
import { selectAll, selectOne } from '../sqlite.ts'
import { createOrder, mergeOrder } from './order-write.ts'

const listable = ['any', 'trash', 'auto-draft', ...orderStatuses]
const listRules: Record<string, Rule> = {
  ...pagingRules,
  status: { kind: 'enums', values: listable },
  orderby: { kind: 'enum', values: ['date', 'id', 'include', 'title', 'slug', 'modified'] },
  after: { kind: 'date' },
  before: { kind: 'date' },
  modified_after: { kind: 'date' },
  modified_before: { kind: 'date' },
  dates_are_gmt: { kind: 'boolean' },
  customer: { kind: 'integer' },
  product: { kind: 'integer' },
}
const bodyRules: Record<string, Rule> = {
  status: { kind: 'enum', values: ['auto-draft', ...orderStatuses] },
  customer_id: { kind: 'integer' },
}

export const orderRoutes: Route[] = [
  {
    pattern: /^\/wc\/v3\/orders$/,
    GET: { can: 'list', rules: listRules, run: listOrders },
    POST: { can: 'create', run: postOrder },
  },
  {
    pattern: /^\/wc\/v3\/orders\/(\d+)$/,
    GET: { can: 'view', run: (request) => ({ body: presentOrder(request.shop, findOrThrow(request)) }) },
    PUT: { can: 'edit', run: putOrder },
    DELETE: { can: 'delete', run: deleteOrder },
  },
  {
    pattern: /^\/wc\/v3\/orders\/(\d+)\/refunds$/,
    GET: { can: 'list', rules: pagingRules, run: getRefunds },
    POST: { can: 'create', run: postRefund },
  },
  {
    pattern: /^\/wc\/v3\/orders\/(\d+)\/notes$/,
    GET: {
      can: 'list',
      run: ({ shop, ids }) => ({ body: listNotes(shop, ids[0]!).map((note) => presentNote(shop, note)) }),
    },
    POST: { can: 'create', run: postNote },
  },
  { pattern: /^\/wc\/v3\/reports\/orders\/totals$/, GET: { can: 'list', run: countByStatus } },
]

type OrderFilter = { sql: string[]; params: SQLInputValue[] }

function listOrders(request: RestRequest): RestReply {
  const { shop, query } = request
  const where = parseFilters(request)
  const clause = where.sql.length ? `where ${where.sql.join(' and ')}` : ''
  const count = selectOne<{ n: number }>(shop.db, `select count(*) as n from orders ${clause}`, ...where.params)!.n
  const { perPage, number } = readPage(request)
  const sql = `select doc from orders ${clause} order by ${orderBy(request)} limit ? offset ?`
  const rows = selectAll<{ doc: string }>(shop.db, sql, ...where.params, perPage, (number - 1) * perPage)
  // Beyond the last page WooCommerce returns total 0 and pages 0, for orders only.
  const total = rows.length ? count : 0
  const status = asList(query.status)
  const page = {
    total,
    pages: Math.ceil(total / perPage),
    number,
    arrays: { status: status.length ? status : ['any'] },
  }
  return { body: rows.map((row) => presentOrder(shop, readOrder(row)!)), page }
}

function parseFilters({ query }: RestRequest): OrderFilter {
  const where: OrderFilter = { sql: [], params: [] }
  const add = (sql: string, ...params: SQLInputValue[]) => {
    where.sql.push(sql)
    where.params.push(...params)
  }
  const statuses = asList(query.status).filter((status) => status !== 'any')
  const isAny = asList(query.status).includes('any') || !statuses.length
  if (isAny) add(`status <> 'trash'`)
  else add(`status in (${buildPlaceholders(statuses)})`, ...statuses)
  addTimes(query, add)
  const include = asList(query.include)
  if (include.length) add(`id in (${buildPlaceholders(include)})`, ...include.map(Number))
  const exclude = asList(query.exclude)
  if (exclude.length) add(`id not in (${buildPlaceholders(exclude)})`, ...exclude.map(Number))
  if (query.customer !== undefined) add('customer_id = ?', Number(query.customer))
  const search = asText(query.search)?.trim()
  if (search) {
    const like = `%${search.toLowerCase().replace(/[%_\\]/g, '\\$&')}%`
    add(
      `(email like ? escape '\\' or lower(doc ->> '$.billing.first_name' || ' ' || (doc ->> '$.billing.last_name'))
      like ? escape '\\' or cast(id as text) = ?)`,
      like,
      like,
      search,
    )
  }
  return where
}

function addTimes(query: RestRequest['query'], add: (sql: string, ...params: SQLInputValue[]) => void) {
  const isGmt = isTrue(query.dates_are_gmt)
  const bounds = {
    after: 'created >',
    before: 'created <',
    modified_after: 'modified >',
    modified_before: 'modified <',
  }
  for (const [name, sql] of Object.entries(bounds)) {
    const text = asText(query[name])
    if (text) add(`${sql} ?`, parseStoreTime(text, isGmt) ?? 0)
  }
}

function orderBy({ query }: RestRequest): string {
  const direction = query.order === 'asc' ? 'asc' : 'desc'
  const column = { id: 'id', modified: 'modified', include: 'id' }[asText(query.orderby) ?? ''] ?? 'created'
  return column === 'id' ? `id ${direction}` : `${column} ${direction}, id ${direction}`
}

function buildPlaceholders(list: unknown[]): string {
  return list.map(() => '?').join(', ')
}

function postOrder(request: RestRequest): RestReply {
  checkBody(request.body)
  const order = createOrder(request.shop, request.body)
  return buildCreatedReply(request, `orders/${order.id}`, presentOrder(request.shop, order))
}

function putOrder(request: RestRequest): RestReply {
  const { shop, body } = request
  const order = findOrThrow(request)
  checkBody(body)
  const changed: Order = mergeOrder(order, body)
  const requested = body.status as OrderStatus | undefined
  const saved =
    requested && requested !== order.status ? changeStatus(shop, changed, requested) : saveOrder(shop, changed)
  return { body: presentOrder(shop, saved) }
}

function deleteOrder(request: RestRequest): RestReply {
  const { shop, query, body } = request
  const order = findOrThrow(request)
  if (isTrue(query.force ?? body.force)) {
    const last = presentOrder(shop, order)
    eraseOrder(shop, order.id)
    return { body: last }
  }
  if (order.status === 'trash') {
    throw new RestError(410, 'woocommerce_rest_already_trashed', 'The Order has already been deleted.')
  }
  const before = presentOrder(shop, order)
  trashOrder(shop, order)
  return { body: before }
}

function getRefunds(request: RestRequest): RestReply {
  const order = findOrThrow(request)
  const refunds = listRefunds(request.shop, order.id)
  return { body: refunds.map((refund) => presentRefund(request.shop, refund)) }
}

function postRefund(request: RestRequest): RestReply {
  const { shop, body } = request
  const order = findOrThrow(request)
  if (body.amount === undefined) throw createMissingParamsError(['amount'])
  const amountMinor = parseAmount(shop, body.amount) ?? 0
  if (amountMinor <= 0 || amountMinor > order.totalMinor - sumRefunds(shop, order.id)) {
    throw new RestError(400, 'woocommerce_rest_cannot_create_order_refund', 'Invalid refund amount.')
  }
  const refund = addRefund(shop, order, amountMinor, String(body.reason ?? ''))
  // WooCommerce leaks its route pattern here; clients must read the id from the body.
  return buildCreatedReply(request, `orders/(?P<order_id>[\\d]+)/refunds/${refund.id}`, presentRefund(shop, refund))
}

function postNote(request: RestRequest): RestReply {
  const { shop, body } = request
  const order = findOrThrow(request)
  if (typeof body.note !== 'string') throw createMissingParamsError(['note'])
  addNote(shop, order.id, body.note, 'system')
  const note = listNotes(shop, order.id)[0]!
  return buildCreatedReply(request, `orders/${order.id}/notes/${note.id}`, presentNote(shop, note))
}

function countByStatus({ shop }: RestRequest): RestReply {
  const sql = 'select status, count(*) as n from orders group by status'
  const counts = new Map(selectAll<{ status: string; n: number }>(shop.db, sql).map(({ status, n }) => [status, n]))
  return { body: orderStatuses.map((slug) => ({ slug, name: statusNames[slug], total: counts.get(slug) ?? 0 })) }
}

function findOrThrow({ shop, ids }: RestRequest): Order {
  const order = findOrder(shop, ids[0]!)
  if (!order) throw createInvalidIdError('order')
  return order
}

function checkBody(body: RestRequest['body']) {
  checkParams(body, bodyRules)
  const email = (body.billing as { email?: unknown } | undefined)?.email
  if (email === undefined || email === '' || isEmail(email)) return
  throw createInvalidParamsError({
    billing: { code: 'rest_invalid_email', message: 'Invalid email address.', data: null },
  })
}

export function buildCreatedReply(request: RestRequest, path: string, body: unknown): RestReply {
  return { status: 201, body, headers: { location: `${request.shop.home}/wp-json/wc/v3/${path}` } }
}
