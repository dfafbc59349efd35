// A minimal WordPress REST server: routes, parameter checks before permission checks, `_fields`, paging headers.
import { type ApiKey, authenticate, checkPermission } from './auth.ts'
import { asList, asText, type PhpQuery, type PhpValue, urlEncode } from './php.ts'
import { createInvalidParamsError, type ParamProblem, RestError } from './rest-error.ts'
import type { Shop } from './shop.ts'

export type Body = Record<string, unknown>
export type RestRequest = {
  shop: Shop
  method: string
  /** Path below /wp-json without a trailing slash. */
  path: string
  query: PhpQuery
  body: Body
  headers: Record<string, string | string[] | undefined>
  ip: string
  key: ApiKey | null
  ids: number[]
}
export type Page = { total: number; pages: number; number: number; arrays?: Record<string, string[]> }
export type RestReply = {
  status?: number
  body: unknown
  headers?: Record<string, string>
  page?: Page
  cookies?: string[]
}
export type RestAction = 'list' | 'view' | 'create' | 'edit' | 'delete' | 'batch' | 'public'
export type Rule =
  | { kind: 'integer'; min?: number; max?: number }
  | { kind: 'enum' | 'enums'; values: readonly string[] }
  | { kind: 'date' | 'boolean' | 'ids' }
export type Action = {
  can: RestAction
  rules?: Record<string, Rule>
  run: (request: RestRequest) => RestReply | Promise<RestReply>
}
export type Route = {
  pattern: RegExp
  GET?: Action
  POST?: Action
  PUT?: Action
  DELETE?: Action
  hidesAllow?: true
  /** Allow header, which may list methods that this store does not support. */
  allow?: string
}
export type HttpCall = {
  method: string
  rawPath: string
  route: string
  query: PhpQuery
  rawBody: string
  headers: RestRequest['headers']
  ip: string
  readsKeys: boolean
}
export type HttpReply = { status: number; headers: Record<string, string>; cookies: string[]; body: unknown }

export const pagingRules: Record<string, Rule> = {
  page: { kind: 'integer', min: 1 },
  per_page: { kind: 'integer', min: 1, max: 100 },
  order: { kind: 'enum', values: ['asc', 'desc'] },
  include: { kind: 'ids' },
  exclude: { kind: 'ids' },
  offset: { kind: 'integer' },
}

const NO_ROUTE = 'No route was found matching the URL and request method.'
const DENIALS: Record<Exclude<RestAction, 'public'>, [string, string]> = {
  list: ['woocommerce_rest_cannot_view', 'Sorry, you cannot list resources.'],
  view: ['woocommerce_rest_cannot_view', 'Sorry, you cannot view this resource.'],
  create: ['woocommerce_rest_cannot_create', 'Sorry, you are not allowed to create resources.'],
  edit: ['woocommerce_rest_cannot_edit', 'Sorry, you are not allowed to edit this resource.'],
  delete: ['woocommerce_rest_cannot_delete', 'Sorry, you are not allowed to delete this resource.'],
  batch: ['woocommerce_rest_cannot_batch', 'Sorry, you are not allowed to batch manipulate this resource.'],
}

export async function answerRest(shop: Shop, routes: Route[], wire: HttpCall): Promise<HttpReply> {
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=UTF-8',
    link: `<${shop.home}/wp-json/>; rel="https://api.w.org/"`,
    'access-control-expose-headers': 'X-WP-Total, X-WP-TotalPages, Link',
  }
  try {
    const reply = await dispatch(shop, routes, wire, headers)
    Object.assign(headers, reply.page ? buildPagingHeaders(shop, wire, reply.page) : {}, reply.headers)
    const body = pickFields(reply.body, asList(wire.query._fields))
    return { status: reply.status ?? 200, headers, cookies: reply.cookies ?? [], body }
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return { status: error.status, headers, cookies: [], body: error.body() }
  }
}

async function dispatch(
  shop: Shop,
  routes: Route[],
  wire: HttpCall,
  headers: Record<string, string>,
): Promise<RestReply> {
  const key = findApiKey(shop, wire, headers)
  const method = wire.method === 'PATCH' ? 'PUT' : wire.method === 'HEAD' ? 'GET' : wire.method
  const found = matchRoute(routes, wire.route)
  const action = found && findAction(found.route, method)
  if (!found || !action) throw new RestError(404, 'rest_no_route', NO_ROUTE)
  const { route, ids } = found
  if (!route.hidesAllow && (action.can === 'public' || key?.role === 'administrator'))
    headers.allow = route.allow ?? allowHeader(route)
  const body = parseBody(wire)
  checkParams(wire.query, action.rules ?? {})
  checkRights(key, action.can)
  return action.run({
    shop,
    method,
    path: wire.route,
    query: wire.query,
    body,
    headers: wire.headers,
    ip: wire.ip,
    key,
    ids,
  })
}

function findApiKey(shop: Shop, wire: HttpCall, headers: Record<string, string>): ApiKey | null {
  const isOurs = wire.readsKeys && /^\/wc\/v\d(\/|$)/.test(wire.route)
  const authorization = wire.headers.authorization
  const credentials = {
    method: wire.method,
    path: wire.rawPath,
    query: wire.query,
    authorization: asText(authorization as PhpValue),
  }
  headers.vary = 'Origin'
  const key = isOurs ? authenticate(shop, credentials) : null
  if (!key) return null
  delete headers.vary
  headers['cache-control'] = 'no-cache, must-revalidate, max-age=0, no-store, private'
  checkPermission(key, wire.method)
  return key
}

function matchRoute(routes: Route[], path: string) {
  for (const route of routes) {
    const match = route.pattern.exec(path)
    if (match) return { route, ids: match.slice(1).map(Number) }
  }
  return null
}

function findAction(route: Route, method: string): Action | undefined {
  if (method === 'POST' && !route.POST) return route.PUT
  return route[method as 'GET' | 'POST' | 'PUT' | 'DELETE']
}

function allowHeader(route: Route): string {
  const edits = route.PUT ? ['POST', 'PUT', 'PATCH'] : []
  return [route.GET && 'GET', ...(route.POST && !route.PUT ? ['POST'] : edits), route.DELETE && 'DELETE']
    .filter(Boolean)
    .join(', ')
}

function parseBody(wire: HttpCall): Body {
  const type = String(wire.headers['content-type'] ?? '')
  if (!wire.rawBody) return {}
  if (!/json/i.test(type)) return Object.fromEntries(new URLSearchParams(wire.rawBody))
  try {
    const body: unknown = JSON.parse(wire.rawBody)
    return body && typeof body === 'object' ? (body as Body) : {}
  } catch {
    const details = { json_error_code: 4, json_error_message: 'Syntax error' }
    throw new RestError(400, 'rest_invalid_json', 'Invalid JSON body passed.', details)
  }
}

export function checkParams(params: Record<string, unknown>, rules: Record<string, Rule>) {
  const problems: Record<string, ParamProblem> = {}
  for (const [name, rule] of Object.entries(rules)) {
    const value = params[name]
    const problem = value === undefined ? null : findProblem(name, value, rule)
    if (problem) problems[name] = problem
  }
  if (Object.keys(problems).length) throw createInvalidParamsError(problems)
}

function findProblem(name: string, value: unknown, rule: Rule): ParamProblem | null {
  if (rule.kind === 'enum') return findEnumProblem(name, value, rule.values)
  if (rule.kind === 'enums') {
    const parts = asList(value as PhpValue)
    return parts.map((part, at) => findEnumProblem(`${name}[${at}]`, part, rule.values)).find(Boolean) ?? null
  }
  if (rule.kind === 'integer') return findIntegerProblem(name, value, rule)
  if (rule.kind === 'date')
    return isDate(value) ? null : { code: 'rest_invalid_date', message: 'Invalid date.', data: null }
  if (rule.kind === 'boolean') return /^(true|false|0|1|)$/i.test(String(value)) ? null : typeProblem(name, 'boolean')
  const odd = asList(value as PhpValue).findIndex((part) => !/^-?\d+$/.test(part))
  return odd < 0 ? null : typeProblem(`${name}[${odd}]`, 'integer')
}

function findEnumProblem(name: string, value: unknown, values: readonly string[]): ParamProblem | null {
  if (values.includes(String(value))) return null
  const list = values.length > 1 ? `${values.slice(0, -1).join(', ')}, and ${values.at(-1)}` : values[0]
  return { code: 'rest_not_in_enum', message: `${name} is not one of ${list}.`, data: null }
}

function findIntegerProblem(
  name: string,
  value: unknown,
  { min, max }: { min?: number; max?: number },
): ParamProblem | null {
  if (!/^-?\d+$/.test(String(value))) return typeProblem(name, 'integer')
  const number = Number(value)
  const isOut = (min !== undefined && number < min) || (max !== undefined && number > max)
  if (!isOut) return null
  const bounds = `between ${min} (inclusive) and ${max} (inclusive)`
  const message = `${name} must be ${max === undefined ? `greater than or equal to ${min}` : bounds}`
  return { code: 'rest_out_of_bounds', message, data: null }
}

export function typeProblem(name: string, type: string): ParamProblem {
  return {
    code: 'rest_invalid_type',
    message: `${name} is not of type ${type}.`,
    data: { param: name.replace(/\[\d+\]$/, '') },
  }
}

function isDate(value: unknown): boolean {
  return /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/i.test(String(value))
}

function checkRights(key: ApiKey | null, action: RestAction) {
  if (action === 'public' || key?.role === 'administrator') return
  const [code, message] = DENIALS[action]
  throw new RestError(key ? 403 : 401, code, message)
}

// WooCommerce puts array parameters (such as the order list's status) last; scalars keep their order.
function buildPagingHeaders(shop: Shop, wire: HttpCall, page: Page): Record<string, string> {
  const headers: Record<string, string> = { 'x-wp-total': String(page.total), 'x-wp-totalpages': String(page.pages) }
  const link = (number: number, rel: string) => `<${buildPageUrl(shop, wire, page, number)}>; rel="${rel}"`
  const links = []
  if (page.number > 1) links.push(link(Math.min(page.number - 1, page.pages), 'prev'))
  if (page.number < page.pages) links.push(link(page.number + 1, 'next'))
  return links.length ? { ...headers, link: links.join(', ') } : headers
}

function buildPageUrl(shop: Shop, wire: HttpCall, page: Page, number: number): string {
  const arrays = page.arrays ?? {}
  const pairs = Object.entries({ ...wire.query, page: String(number) })
    .filter((pair): pair is [string, string] => typeof pair[1] === 'string' && !(pair[0] in arrays))
    .map(([name, value]) => `${name}=${urlEncode(name === 'dates_are_gmt' && value === 'true' ? '1' : value)}`)
  const lists = Object.entries(arrays).flatMap(([name, values]) =>
    values.map((value, at) => `${name}%5B${at}%5D=${urlEncode(value)}`),
  )
  return `${shop.home}/wp-json${wire.route}?${[...pairs, ...lists].join('&')}`
}

// A single record always keeps its _links; in lists `_fields` removes them like other fields.
function pickFields(body: unknown, fields: string[]): unknown {
  if (!fields.length || !body || typeof body !== 'object') return body
  if (Array.isArray(body)) return body.map((item) => pick(item as Body, fields))
  const picked = pick(body as Body, fields)
  return '_links' in body ? { ...picked, _links: body._links } : picked
}

function pick(record: Body, fields: string[]): Body {
  const picked: Body = {}
  for (const field of fields) copyPath(record, picked, field.split('.'))
  return picked
}

function copyPath(from: Body, to: Body, [name, ...rest]: string[]) {
  if (name === undefined || !Object.hasOwn(from, name)) return
  const value = from[name]
  if (!rest.length) {
    to[name] = value
  } else if (Array.isArray(value)) {
    const pickedItems = (to[name] as Body[] | undefined) ?? value.map(() => ({}))
    value.forEach((item, at) => {
      copyPath(item as Body, pickedItems[at]!, rest)
    })
    to[name] = pickedItems
  } else if (value && typeof value === 'object') {
    to[name] ??= {}
    copyPath(value as Body, to[name] as Body, rest)
  }
}

/** Returns the requested page of the matches. */
export function paginate<T>(request: RestRequest, matches: T[], present: (item: T) => unknown): RestReply {
  const { perPage, number } = readPage(request)
  const items = matches.slice((number - 1) * perPage, number * perPage)
  const page = { total: matches.length, pages: Math.ceil(matches.length / perPage), number }
  return { body: items.map(present), page }
}

export function readPage({ query }: RestRequest) {
  return { perPage: Number(query.per_page ?? 10), number: Number(query.page ?? 1) }
}

/** The objects in a body's list; ignores other values. */
export function listObjects(value: unknown): Body[] {
  const list: unknown[] = Array.isArray(value) ? value : []
  return list.filter((item): item is Body => item !== null && typeof item === 'object' && !Array.isArray(item))
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || /^(true|1)$/i.test(String(value ?? ''))
}

export function buildLinks(
  shop: Shop,
  collection: string,
  id: number,
  up?: string,
  hints = 'GET POST PUT PATCH DELETE',
) {
  const base = `${shop.home}/wp-json/wc/v3/`
  return {
    self: [{ href: `${base}${collection}/${id}`, targetHints: { allow: hints.split(' ') } }],
    collection: [{ href: base + collection }],
    ...(up ? { up: [{ href: base + up }] } : {}),
  }
}
