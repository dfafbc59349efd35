// For contract tests: replays a real store's recorded exchanges against this store and compares the responses.
import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parsePhpQuery, rawUrlEncode } from './php.ts'
import { type DemoStore, type DemoStoreOptions, startDemoStore } from './store.ts'

export type Exchange = {
  title: string
  request: {
    method: string
    path: string
    query: Record<string, string> | null
    auth: string
    headers: Record<string, string> | null
    body: unknown
  }
  response: { status: number; headers: Record<string, string>; body: unknown }
}
export type Answer = { status: number; headers: Record<string, unknown>; body: unknown }
export type Clock = { seconds: number }

export const keys = {
  consumerKey: 'ck_ea58df8e9591492fded44e256b0152c67daf8810',
  consumerSecret: 'cs_5c7dc5faf5cf6d501f7c177966b437d421c59104',
}

export function readRecording<T = { exchanges: Exchange[] }>(name: string): T {
  const url = new URL(`../../test/fixtures/woocommerce/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as T
}

/** Starts an in-memory store on a free port with a manual clock. */
export async function openStore(options: Partial<DemoStoreOptions> = {}) {
  const clock: Clock = { seconds: Date.parse('2026-11-21T01:00:00Z') / 1000 }
  const now = () => clock.seconds * 1000
  const home = { publicUrl: 'http://localhost:8080', port: 0, dataFile: ':memory:' }
  const store = await startDemoStore({ ...home, ...keys, now, ...options })
  return { store, clock }
}

/** Sends a request signed with OAuth 1.0a in the query, for the store's home URL. */
export async function askSigned(
  store: DemoStore,
  method: string,
  target: string,
  body?: unknown,
  pair = keys,
): Promise<Answer> {
  const [path = '', search = ''] = target.split('?')
  const oauth = {
    oauth_consumer_key: pair.consumerKey,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA256',
    oauth_timestamp: String(Math.floor(store.shop.now() / 1000)),
  }
  const params = Object.entries({ ...parsePhpQuery(search), ...oauth }).map(
    ([name, value]) => [name, String(value)] as const,
  )
  const pairs = params.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => joinValues(name, value))
  const base = `${method}&${rawUrlEncode(store.shop.home + path)}&${pairs.join('%26')}`
  const signature = createHmac('sha256', `${pair.consumerSecret}&`).update(base).digest('base64')
  const query = [...params, ['oauth_signature', signature] as const].map(
    ([name, value]) => `${name}=${rawUrlEncode(value)}`,
  )
  return askAnonymous(store, method, `${path}?${query.join('&')}`, {}, body)
}

/** Sends a request without credentials. */
export async function askAnonymous(
  store: DemoStore,
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer> {
  const payload =
    body === undefined || body === null ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const type = payload === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await store.app.inject({
    method: method as 'GET',
    url,
    headers: { ...type, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  const isJson = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, headers: answer.headers, body: isJson ? answer.json() : answer.body }
}

export type Replay = {
  store: DemoStore
  clock: Clock
  /** Maps recorded ids to this store's ids. */
  ids: Map<number, number>
  /** Replaces recorded texts in messages by this store's. */
  words?: [string, string][]
  skip?: RegExp
  send?: (exchange: Exchange, target: string, body: unknown) => Promise<Answer>
}
export type Comparison = { title: string; problems: string[] }

/** Replays exchanges in order and learns the ids of created records from the responses. */
export async function replay(exchanges: Exchange[], setting: Replay): Promise<Comparison[]> {
  const compared: Comparison[] = []
  for (const exchange of exchanges) {
    if (setting.skip?.test(exchange.title)) continue
    const { method, path, query, body } = exchange.request
    const pairs = Object.entries(query ?? {}).map(
      ([name, value]) => `${name}=${rawUrlEncode(translate(value, setting.ids))}`,
    )
    const target = translate(path, setting.ids) + (pairs.length ? `?${pairs.join('&')}` : '')
    const sent = body == null ? undefined : JSON.parse(translate(JSON.stringify(body), setting.ids))
    const send = setting.send ?? (() => askSigned(setting.store, method, target, sent))
    const answer = await send(exchange, target, sent)
    learnIds(exchange.response.body, answer.body, setting.ids)
    compared.push({ title: exchange.title, problems: compare(exchange, answer, setting.words ?? []) })
    setting.clock.seconds += 1
  }
  return compared.filter(({ problems }) => problems.length)
}

export function compare({ response }: Exchange, answer: Answer, translations: [string, string][] = []): string[] {
  const problems: string[] = []
  if (answer.status !== response.status) problems.push(`status ${answer.status} instead of ${response.status}`)
  for (const [name, value] of Object.entries(response.headers)) {
    // Later files contain "(cart-hash removed)" for every value, even an empty one, which store-api-shopper.json omits.
    const isFree = name === 'date' || name === 'set-cookie' || value.endsWith('removed)')
    if (!isFree && answer.headers[name] === undefined) problems.push(`no header ${name}`)
  }
  for (const name of ['allow', 'access-control-expose-headers', 'cache-control', 'content-type']) {
    const expected = response.headers[name]
    if (expected !== undefined && answer.headers[name] !== expected) problems.push(`${name}: ${answer.headers[name]}`)
  }
  if (isError(response.body)) problems.push(...compareErrors(response.body, answer.body, translations))
  return [...problems, ...findShapeProblems(response.body, answer.body)]
}

/**
 * Lists differences in keys or types. null matches any type, an empty list any list. A line's image.id is text for a
 * product and a number for a variation, so it has its own test.
 */
export function findShapeProblems(recorded: unknown, own: unknown, at = 'body'): string[] {
  if (recorded === null || own === null || /\.(options|routes|database|theme)$|^body\[\]\.value$|\.image\.id$/.test(at))
    return []
  if (Array.isArray(recorded) && Array.isArray(own)) {
    if (!recorded.length || !own.length) return []
    return own.flatMap((item) => findShapeProblems(mergeShapes(recorded), item, `${at}[]`))
  }
  if (typeName(recorded) !== typeName(own)) return [`${at} is ${typeName(own)} instead of ${typeName(recorded)}`]
  if (typeName(recorded) !== 'object') return []
  const [theirs, ours] = [recorded as Record<string, unknown>, own as Record<string, unknown>]
  const optional = new Set((theirs[optionalKeys] as string[] | undefined) ?? [])
  const missing = Object.keys(theirs).filter((key) => !(key in ours) && !optional.has(key) && key !== optionalKeys)
  const extra = Object.keys(ours).filter((key) => !(key in theirs) && key !== 'routes')
  const deeper = Object.keys(theirs).filter((key) => key in ours && key !== optionalKeys)
  return [
    ...missing.map((key) => `${at}.${key} is missing`),
    ...extra.map((key) => `${at}.${key} is not in the recording`),
    ...deeper.flatMap((key) => findShapeProblems(theirs[key], ours[key], `${at}.${key}`)),
  ]
}

/** Lists different values. Ignores keys that the recording omits, and paths that `isFree` matches. */
export function findValueProblems(
  recorded: unknown,
  own: unknown,
  isFree: (at: string) => boolean = () => false,
  at = 'body',
): string[] {
  if (isFree(at)) return []
  const isTree = typeName(recorded) === 'object' || typeName(recorded) === 'list'
  if (!isTree || typeName(recorded) !== typeName(own)) {
    return recorded === own ? [] : [`${at} is ${JSON.stringify(own)} instead of ${JSON.stringify(recorded)}`]
  }
  const [theirs, ours] = [recorded as Record<string, unknown>, own as Record<string, unknown>]
  const isShort = Array.isArray(recorded) && recorded.length !== (own as unknown[]).length
  const lengths = isShort ? [`${at} has ${(own as unknown[]).length} instead of ${recorded.length}`] : []
  return [
    ...lengths,
    ...Object.keys(theirs).flatMap((key) => findValueProblems(theirs[key], ours[key], isFree, `${at}.${key}`)),
  ]
}

const optionalKeys = '(optional)'

// Merges the items' shapes: optional keys, and values of several types.
function mergeShapes(items: unknown[]): unknown {
  const present = items.filter((item) => item !== null)
  const kinds = new Set(present.map(typeName))
  if (kinds.size !== 1) return null
  if (kinds.has('list')) return present.flat()
  if (!kinds.has('object')) return present[0]
  const objects = present as Record<string, unknown>[]
  const names = [...new Set(objects.flatMap((item) => Object.keys(item)))]
  const values = (name: string) => objects.filter((item) => name in item).map((item) => item[name])
  const merged = Object.fromEntries(names.map((name) => [name, mergeShapes(values(name))]))
  return { ...merged, [optionalKeys]: names.filter((name) => objects.some((item) => !(name in item))) }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return value === null ? 'null' : typeof value
}

function isError(body: unknown): body is { code: string; message: string } {
  return typeName(body) === 'object' && 'code' in (body as object) && 'message' in (body as object)
}

function compareErrors(
  recorded: { code: string; message: string },
  own: unknown,
  translations: [string, string][],
): string[] {
  if (!isError(own)) return ['no error body']
  const expected = translations.reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), recorded.message)
  const problems = own.code === recorded.code ? [] : [`code ${own.code} instead of ${recorded.code}`]
  return own.message === expected ? problems : [...problems, `message "${own.message}" instead of "${expected}"`]
}

function translate(text: string, ids: Map<number, number>): string {
  return text.replace(/(?<![\w.$-]|\d:)\d+(?![\w.-])/g, (digits) => String(ids.get(Number(digits)) ?? digits))
}

function learnIds(recorded: unknown, own: unknown, ids: Map<number, number>) {
  const [theirs, ours] = [recorded, own].map((body) =>
    typeName(body) === 'object' ? (body as { id?: unknown }).id : undefined,
  )
  if (typeof theirs === 'number' && typeof ours === 'number') ids.set(theirs, ours)
}

function joinValues(name: string, value: string): string {
  const encode = (text: string) => rawUrlEncode(text).replaceAll('%', '%25')
  return `${encode(name)}%3D${encode(value)}`
}
