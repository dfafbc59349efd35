import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type Exchange, findResponse, readExchanges } from './recordings.ts'
import { type ApiKey, Gate } from './woocommerce-gate.ts'

// A WooCommerce store made of recordings. A recorded request gets its recorded response. Lists are served from the
// recorded rows, with the vendor's rules for bounds, order, pages and fields. Errors use the vendor's messages.

type Row = Record<string, unknown>

export interface StoreOptions {
  keys: ApiKey[]
  now?: () => Date
  tls?: { key: string; cert: string }
  /** A proxy ends TLS without telling WordPress, which then accepts only signatures made for http. */
  isBehindProxy?: boolean
  translate?: (message: string) => string
  orders?: Row[]
  /** Replies before anything else, as a broken plugin, firewall or redirect would. undefined: handle the request. */
  intercept?: (request: IncomingMessage) => Partial<Exchange['response']> | undefined
  /** Called before each list, to change data while it is read. */
  beforeOrders?: (store: ContractStore) => void
}

export interface ContractStore {
  url: string
  orders: Row[]
  webhooks: Row[]
  /** Request lines and headers as received. */
  seen: { line: string; authorization: string | undefined }[]
  close(): Promise<void>
}

export async function openContractStore(options: StoreOptions): Promise<ContractStore> {
  const recordedOrders = () => collect(['orders-by-status.json', 'orders-pages.json', 'orders-queries.json'], '/orders')
  let server: Server
  const store: ContractStore = {
    url: '',
    orders: options.orders ?? recordedOrders(),
    webhooks: [],
    seen: [],
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
  const listener: RequestListener = async (request, reply) => {
    const body = await readBody(request)
    store.seen.push({ line: `${request.method} ${request.url}`, authorization: request.headers.authorization })
    const early = options.intercept?.(request)
    const answer = {
      status: 200,
      headers: {},
      body: undefined,
      ...(early ?? respond(store, options, gate, request, body)),
    }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    const date = (options.now?.() ?? new Date()).toUTCString()
    reply.writeHead(answer.status, {
      'content-type': 'application/json; charset=UTF-8',
      date,
      ...filterHeaders(answer.headers),
    })
    reply.end(text)
  }
  server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  store.url = `${options.tls ? 'https' : 'http'}://localhost:${port}`
  const gate = new Gate({
    keys: options.keys,
    home: store.url,
    now: options.now ?? (() => new Date()),
    ...(options.translate ? { translate: options.translate } : {}),
  })
  return store
}

function respond(store: ContractStore, options: StoreOptions, gate: Gate, request: IncomingMessage, body: unknown) {
  const url = new URL(request.url ?? '/', store.url)
  const method = request.method ?? 'GET'
  if (url.pathname === '/wp-json/') return readIndex(store)
  if (!url.pathname.startsWith('/wp-json/wc/v3')) return { status: 404, headers: {}, body: '<html>Not found</html>' }
  const isSsl = options.tls !== undefined && !options.isBehindProxy
  const refusal = gate.refuse({
    method,
    target: request.url ?? '',
    authorization: request.headers.authorization,
    isSsl,
  })
  if (refusal) return refusal
  const query = new Map([...url.searchParams].filter(([name]) => !name.startsWith('oauth_')))
  const path = url.pathname.slice('/wp-json/wc/v3'.length)
  if (path === '/orders' && method === 'GET') options.beforeOrders?.(store)
  return route(store, method, path, query, body)
}

function readIndex(store: ContractStore) {
  const answer = findResponse('system.json', 'site index')
  return { ...answer, body: { ...(answer.body as Row), url: store.url, home: store.url } }
}

function route(store: ContractStore, method: string, path: string, query: Map<string, string>, body: unknown) {
  if (path.startsWith('/webhooks')) return webhookRoute(store, method, path, query, body as Row)
  if (method !== 'GET') return findResponse('auth.json', 'method not allowed')
  const order = /^\/orders\/(\d+)$/.exec(path)?.[1]
  if (order) return findRow(store.orders, order, query) ?? findResponse('orders-queries.json', 'unknown order')
  const variations = /^\/products\/(\d+)\/variations$/.exec(path)?.[1]
  if (variations) return list(variations === '13' ? listRecordedVariations() : [], query)
  const setting = /^\/settings\/general\/(\w+)$/.exec(path)?.[1]
  if (setting) return findRow(listSettings(), setting, query) ?? findResponse('auth.json', 'route that does not exist')
  switch (path) {
    case '/orders':
      return listOrders(store.orders, query)
    case '/products':
      return listProducts(query)
    case '/customers':
      return list(listCustomers(query), query)
    case '/settings/general':
      return { status: 200, headers: {}, body: listSettings().map((row) => trim(row, query)) }
    case '/data/currencies/current':
      return fields(findResponse('system.json', 'store currency'), query)
    case '/system_status':
      return fields(findResponse('system.json', 'system status'), query)
    default:
      return findResponse('auth.json', 'route that does not exist')
  }
}

function webhookRoute(
  store: ContractStore,
  method: string,
  path: string,
  query: Map<string, string>,
  body: Row | null,
) {
  const id = /^\/webhooks\/(\d+)$/.exec(path)?.[1]
  if (method === 'GET' && !id) return list(store.webhooks, query)
  if (method === 'POST' && !id) return createWebhook(store, query, body)
  if (!id || !store.webhooks.some((row) => String(row.id) === id))
    return findResponse('webhooks-crud.json', 'unknown webhook')
  if (method === 'GET') return findRow(store.webhooks, id, query)!
  if (query.get('force') !== 'true') return findResponse('webhooks-crud.json', 'delete without force')
  const deleted = findRow(store.webhooks, id, query)!
  store.webhooks = store.webhooks.filter((row) => String(row.id) !== id)
  return deleted
}

function createWebhook(store: ContractStore, query: Map<string, string>, body: Row | null) {
  if (!body) return findResponse('auth.json', 'body that is not valid JSON')
  if (body.delivery_url === undefined) return findResponse('webhooks-crud.json', 'missing delivery url')
  if (!/^https?:\/\//.test(String(body.delivery_url))) return findResponse('webhooks-crud.json', 'invalid delivery url')
  if (
    !/^(order|customer|product|coupon)\.(created|updated|deleted|restored)$|^action\.(woocommerce|wc)_/.test(
      String(body.topic),
    )
  ) {
    return findResponse('webhooks-crud.json', 'invalid topic')
  }
  const response = findResponse('webhooks-crud.json', 'create webhook order.created')
  // The secret can be written and is never returned.
  const { secret: _, ...rest } = body
  const row = { ...(response.body as Row), ...rest, id: 7 + store.webhooks.length }
  store.webhooks.push(row)
  return { ...response, body: trim(row, query) }
}

const STATUSES =
  'any trash auto-draft pending processing on-hold completed cancelled refunded failed checkout-draft'.split(' ')

function listOrders(orders: Row[], query: Map<string, string>) {
  const statuses = query.get('status')?.split(',')
  if (statuses?.some((status) => !STATUSES.includes(status)))
    return findResponse('orders-queries.json', 'unknown status')
  if (query.get('orderby') && !['date', 'id', 'include', 'title', 'slug', 'modified'].includes(query.get('orderby')!)) {
    return findResponse('orders-queries.json', 'invalid orderby')
  }
  const after = readBound(query.get('modified_after'), query)
  const before = readBound(query.get('modified_before'), query)
  if (Number.isNaN(after) || Number.isNaN(before)) return findResponse('orders-queries.json', 'invalid date')
  const rows = orders.filter((row) =>
    !statuses || statuses.includes('any') ? row.status !== 'trash' : statuses.includes(String(row.status)),
  )
  return list(filterByDate(rows, after, before), query)
}

/** Both bounds are exclusive, at a resolution of one second. */
function filterByDate(rows: Row[], after: number | null, before: number | null): Row[] {
  return rows.filter((row) => {
    const modified = Date.parse(`${row.date_modified_gmt}Z`)
    return (after === null || modified > after) && (before === null || modified < before)
  })
}

function listProducts(query: Map<string, string>) {
  const rows = collect(['products-pages.json'], '/products').filter((row) => isStatus(row, query))
  return list(filterByDate(rows, readBound(query.get('modified_after'), query), null), query)
}

/** Without `dates_are_gmt` a time is store time (eight hours behind UTC), even with a suffix. */
function readBound(text: string | undefined, query: Map<string, string>): number | null {
  if (text === undefined) return null
  const shift = query.get('dates_are_gmt') === 'true' ? 0 : 8 * 3_600_000
  return Date.parse(`${text.replace(/Z$/, '')}Z`) + shift
}

function list(rows: Row[], query: Map<string, string>) {
  const perPage = Number(query.get('per_page') ?? 10)
  const page = Number(query.get('page') ?? 1)
  if (!(perPage >= 1 && perPage <= 100)) return findResponse('orders-queries.json', 'per_page above 100')
  if (!(page >= 1)) return findResponse('products-more.json', 'page 0')
  const sorted = [...rows].sort((a, b) => compareBy(a, b, query))
  const pageRows = sorted.slice((page - 1) * perPage, page * perPage)
  const headers = { 'x-wp-total': String(rows.length), 'x-wp-totalpages': String(Math.ceil(rows.length / perPage)) }
  return { status: 200, headers, body: pageRows.map((row) => trim(row, query)) }
}

function compareBy(a: Row, b: Row, query: Map<string, string>): number {
  const name = query.get('orderby') === 'modified' ? 'date_modified_gmt' : 'id'
  const direction = query.get('order') === 'asc' ? 1 : -1
  const [x, y] = [a[name] as string | number, b[name] as string | number]
  return x < y ? -direction : x > y ? direction : 0
}

function findRow(rows: Row[], id: string, query: Map<string, string>) {
  const found = rows.find((row) => String(row.id) === id)
  return found ? { status: 200, headers: {}, body: trim(found, query) } : null
}

function fields(answer: Exchange['response'], query: Map<string, string>) {
  return { ...answer, body: trim(answer.body as Row, query) }
}

/** `_fields=a,b.c`: nested names select in objects; in a list they match nothing and empty it, as in WordPress. */
function trim(row: Row, query: Map<string, string>): Row {
  const names = query.get('_fields')?.split(',')
  if (!names) return row
  const picked: Row = {}
  for (const name of names) {
    const [outer = '', inner] = name.split('.')
    const value = row[outer]
    if (value === undefined) continue
    if (inner === undefined || typeof value !== 'object' || value === null) picked[outer] = value
    else if (Array.isArray(value)) picked[outer] = []
    else if (inner in value) picked[outer] = { ...(picked[outer] as Row | undefined), [inner]: (value as Row)[inner] }
  }
  return picked
}

function isStatus(row: Row, query: Map<string, string>): boolean {
  return !query.has('status') || row.status === query.get('status')
}

function listSettings(): Row[] {
  return findResponse('system.json', 'general settings').body as Row[]
}

function listRecordedVariations(): Row[] {
  return findResponse('products-more.json', 'its variations').body as Row[]
}

function listCustomers(query: Map<string, string>): Row[] {
  const rows = collect(['customers.json'], '/customers')
  return query.get('role') === 'all' ? rows : rows.filter((row) => row.role === 'customer')
}

/** Collects the full rows of a path from the recordings, each in its latest state. */
function collect(files: string[], path: string): Row[] {
  const rows = new Map<unknown, Row>()
  for (const { request, response } of files.flatMap(readExchanges)) {
    if (request.path !== `/wp-json/wc/v3${path}` || !Array.isArray(response.body)) continue
    for (const row of response.body as Row[]) {
      const isWhole = path === '/customers' ? 'role' in row : 'date_modified_gmt' in row && '_links' in row
      if (isWhole && (!rows.has(row.id) || '_links' in row)) rows.set(row.id, row)
    }
  }
  return [...rows.values()]
}

/** Drops recorded transport headers, which would contradict those of this server. */
function filterHeaders(headers: Record<string, string>): Record<string, string> {
  const { date: _, 'content-length': __, ...rest } = headers
  return rest
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return null
  }
}
