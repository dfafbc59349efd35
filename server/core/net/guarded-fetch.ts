import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { evaluateAddress } from './addresses.ts'
import { dnsLookup } from './dns-lookup.ts'
import { FetchProblem, nameFetchFailure } from './fetch-problem.ts'

// HTTP to addresses a stranger typed. The check sits inside the connector: the name is resolved once, and the socket gets only
// addresses that passed, so there is no second look-up between check and dial (DNS rebinding). Redirects are followed by hand.

export interface GuardedFetchOptions {
  /** Private, loopback, ULA and carrier-grade NAT addresses are fine (ALLOW_PRIVATE_STORES). Link-local never is. */
  allowPrivate: boolean
  /** Exact origins that may be private, e.g. the demo store's `http://127.0.0.1:3001`. */
  allowedOrigins?: readonly string[]
  connectTimeoutMs?: number
  totalTimeoutMs?: number
  maxBytes?: number
  userAgent?: string
  /** Name resolution; tests replace it. Where private addresses are fine, the system's own: it knows names that the DNS does not. */
  lookup?: LookupFunction
  /** Name servers that are asked instead of the system's; tests name their own. */
  nameServers?: readonly string[]
  /** Extra certificate authorities (PEM); verification itself cannot be switched off. */
  ca?: string
}

export interface GuardedRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
  timeoutMs?: number
  /** Less than all answers may have. */
  maxBytes?: number
  /** The URL or headers carry keys: a redirect that leaves the origin is refused instead of followed. */
  hasCredentials?: boolean
  /** The answer to this very request: a redirect is handed back instead of followed. */
  isRedirectReturned?: boolean
}

export interface GuardedAnswer {
  status: number
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Record<string, string>
  body: Buffer
  /** Where the answer came from, after redirects. */
  url: string
  isRedirected: boolean
}

/** Throws `FetchProblem` and nothing else. */
export type GuardedFetch = (url: string, request?: GuardedRequest) => Promise<GuardedAnswer>

export interface GuardedHttp {
  fetch: GuardedFetch
  close(): Promise<void>
}

const MAX_REDIRECTS = 5
const MAX_BYTES = 25 * 1024 * 1024
const CONNECT_TIMEOUT_MS = 10_000
const TOTAL_TIMEOUT_MS = 30_000
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308])
const unzip = promisify(gunzip)

/** Opens a keep-alive pool; close it when done. */
export function openGuardedHttp(options: GuardedFetchOptions): GuardedHttp {
  const agent = new Agent({
    connect: guardedConnector(options),
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    pipelining: 1,
    connections: 4,
  })
  return { fetch: (url, request = {}) => guardedFetch(agent, options, url, request), close: () => agent.destroy() }
}

async function guardedFetch(agent: Agent, options: GuardedFetchOptions, url: string, request: GuardedRequest) {
  const stop = new AbortController()
  const timer = setTimeout(
    () => stop.abort(new FetchProblem('timeout')),
    request.timeoutMs ?? options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS,
  )
  const abort = () => stop.abort(new FetchProblem('aborted'))
  if (request.signal?.aborted) abort()
  request.signal?.addEventListener('abort', abort, { once: true })
  try {
    return await followRedirects(agent, options, url, { ...request, signal: stop.signal })
  } catch (error) {
    throw stop.signal.aborted && stop.signal.reason instanceof FetchProblem
      ? stop.signal.reason
      : nameFetchFailure(error)
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', abort)
  }
}

async function followRedirects(agent: Agent, options: GuardedFetchOptions, url: string, request: GuardedRequest) {
  let current = parseTarget(url)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await askOnce(agent, options, current, request)
    const isFollowed = REDIRECT_STATUSES.has(answer.status) && !request.isRedirectReturned
    const location = isFollowed ? answer.headers.location : undefined
    if (location === undefined) return { ...answer, url: current.href, isRedirected: hop > 0 }
    current = nextTarget(current, location, request)
  }
  throw new FetchProblem('redirect_loop')
}

function parseTarget(url: string, base?: URL): URL {
  if (!URL.canParse(url, base)) throw new FetchProblem('bad_url')
  const target = new URL(url, base)
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    throw new FetchProblem('bad_url', 'only http and https')
  if (target.username || target.password) throw new FetchProblem('bad_url', 'no user name in an address')
  target.hash = ''
  return target
}

function nextTarget(from: URL, location: string, request: GuardedRequest): URL {
  const target = parseTarget(location, from)
  const isRead = (request.method ?? 'GET') === 'GET'
  // Keys go only where they were meant for; a body is not sent a second time.
  if (!isRead || (request.hasCredentials && target.origin !== from.origin)) {
    throw new FetchProblem('redirect_refused', target.origin)
  }
  return target
}

async function askOnce(agent: Agent, options: GuardedFetchOptions, target: URL, request: GuardedRequest) {
  const answer = await agent.request({
    origin: target.origin,
    path: `${target.pathname}${target.search}`,
    method: request.method ?? 'GET',
    headers: { 'accept-encoding': 'gzip', 'user-agent': options.userAgent ?? 'Recoup', ...request.headers },
    body: request.body ?? null,
    signal: request.signal ?? null,
  })
  const maxBytes = Math.min(request.maxBytes ?? MAX_BYTES, options.maxBytes ?? MAX_BYTES)
  const headers = flattenHeaders(answer.headers)
  const raw = await readBounded(answer.body, maxBytes)
  return { status: answer.statusCode, headers, body: await decode(raw, headers['content-encoding'], maxBytes) }
}

async function readBounded(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new FetchProblem('too_large', `more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The limit holds for the unpacked size as well: a few kilobytes of gzip can unpack to gigabytes. */
async function decode(raw: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding !== 'gzip' || raw.length === 0) return raw
  try {
    return await unzip(raw, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new FetchProblem(
      isTooLarge ? 'too_large' : 'connection_lost',
      isTooLarge ? `more than ${maxBytes} bytes` : null,
    )
  }
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value
  }
  return flat
}

/** Dials only addresses that passed. */
export function guardedConnector(options: GuardedFetchOptions): buildConnector.connector {
  const shared = {
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    rejectUnauthorized: true,
    ...(options.ca ? { ca: options.ca } : {}),
  }
  const allowed = new Set(options.allowedOrigins ?? [])
  const lookup =
    options.lookup ?? (options.allowPrivate ? systemLookup : dnsLookup({ servers: options.nameServers ?? [] }))
  const connectors = [false, true].map((mayBePrivate) =>
    buildConnector({
      ...shared,
      lookup: checkedLookup(lookup, mayBePrivate),
    } as buildConnector.BuildOptions),
  )
  return (target, callback) => {
    const mayBePrivate = options.allowPrivate || allowed.has(originOf(target))
    // A literal address is never looked up, so the socket would not pass through the check below.
    if (isIP(target.hostname) && !isAllowed(target.hostname, mayBePrivate)) {
      callback(new FetchProblem('private_address', target.hostname), null)
      return
    }
    connectors[mayBePrivate ? 1 : 0]!(target, callback)
  }
}

function originOf(target: buildConnector.Options): string {
  const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname
  return new URL(`${target.protocol}//${host}${target.port ? `:${target.port}` : ''}`).origin
}

/** Whether a socket may be opened to this address. */
export function isAllowed(address: string, mayBePrivate: boolean): boolean {
  const kind = evaluateAddress(address)
  return kind === 'public' || (kind === 'private' && mayBePrivate)
}

/** Hands the socket only the addresses that passed. For Node's own sockets too; a literal address is never looked up and has to be asked about. */
export function checkedLookup(resolve: LookupFunction, mayBePrivate: boolean): LookupFunction {
  return (hostname, wanted, callback) => {
    resolve(hostname, { ...wanted, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const addresses = (Array.isArray(found) ? found : []).filter((one) => isAllowed(one.address, mayBePrivate))
      const first = addresses[0]
      if (!first) return callback(new FetchProblem('private_address', hostname), '', 0)
      if (wanted.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}
