import { type LookupAddress, lookup as lookUpBySystem, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { evaluateAddress } from './addresses.ts'
import { classifyFetchFailure, FetchProblem } from './fetch-problem.ts'

// HTTP to addresses that users typed. The connector checks them: it resolves the name once and gives the socket only
// allowed addresses, so DNS rebinding has no effect. Redirects are followed here, not by the client.

export interface GuardedFetchOptions {
  /**
   * Allows private, loopback, ULA and carrier-grade NAT addresses (ALLOW_PRIVATE_STORES). Link-local stays forbidden.
   */
  allowPrivate: boolean
  /** Exact origins that may be private, e.g. the demo store's `http://127.0.0.1:3001`. */
  allowedOrigins?: readonly string[]
  connectTimeoutMs?: number
  totalTimeoutMs?: number
  maxBytes?: number
  userAgent?: string
  /**
   * Name resolution; tests replace it. The default where private addresses are allowed is the system's resolver, which
   * knows local names.
   */
  lookup?: LookupFunction
  /** Replaces the system's name servers; tests set their own. */
  nameServers?: readonly string[]
  /** Additional certificate authorities (PEM). Verification cannot be switched off. */
  ca?: string
}

export interface GuardedRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
  timeoutMs?: number
  /** Size limit below the general one. */
  maxBytes?: number
  /** The URL or headers carry keys: a redirect to another origin is refused. */
  hasCredentials?: boolean
  /** Returns a redirect instead of following it. */
  isRedirectReturned?: boolean
}

export interface GuardedAnswer {
  status: number
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Record<string, string>
  body: Buffer
  /** Final URL after redirects. */
  url: string
  isRedirected: boolean
}

/** Throws only `FetchProblem`. */
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

/** Opens a keep-alive pool; the caller closes it. */
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
      : classifyFetchFailure(error)
  } finally {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', abort)
  }
}

async function followRedirects(agent: Agent, options: GuardedFetchOptions, url: string, request: GuardedRequest) {
  let current = parseTarget(url)
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await requestOnce(agent, options, current, request)
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
  // Keys stay with their origin; a body is not sent twice.
  if (!isRead || (request.hasCredentials && target.origin !== from.origin)) {
    throw new FetchProblem('redirect_refused', target.origin)
  }
  return target
}

async function requestOnce(agent: Agent, options: GuardedFetchOptions, target: URL, request: GuardedRequest) {
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

/** The limit also applies to the unpacked size: a few kilobytes of gzip can unpack to gigabytes. */
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

/** Connects only to allowed addresses. */
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
    const mayBePrivate = options.allowPrivate || allowed.has(formatOrigin(target))
    // A literal address needs no look-up, so the check below would not see it.
    if (isIP(target.hostname) && !isAllowed(target.hostname, mayBePrivate)) {
      callback(new FetchProblem('private_address', target.hostname), null)
      return
    }
    connectors[mayBePrivate ? 1 : 0]!(target, callback)
  }
}

function formatOrigin(target: buildConnector.Options): string {
  const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname
  return new URL(`${target.protocol}//${host}${target.port ? `:${target.port}` : ''}`).origin
}

/** Whether a socket may connect to this address. */
export function isAllowed(address: string, mayBePrivate: boolean): boolean {
  const kind = evaluateAddress(address)
  return kind === 'public' || (kind === 'private' && mayBePrivate)
}

/**
 * Gives the socket only allowed addresses. Also for Node's own sockets; check a literal address separately, because it
 * needs no look-up.
 */
export function checkedLookup(resolve: LookupFunction, mayBePrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const addresses = (Array.isArray(found) ? found : []).filter((one) => isAllowed(one.address, mayBePrivate))
      const first = addresses[0]
      if (!first) return callback(new FetchProblem('private_address', hostname), '', 0)
      if (options.all) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }
}

// Resolves host names of shops over sockets. The system's resolver holds one of 64 threads until the name server
// answers, so that 64 shops with a silent name server would delay all others.

interface Options {
  /** Empty: the system's name servers. */
  servers?: readonly string[]
  timeoutMs?: number
  /** Replaces the system's resolver. */
  fallback?: LookupFunction
}

/**
 * The name is unknown or no resolver was reached. The system's resolver, which reads the hosts file, does not hang
 * then.
 */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME'])
const SILENT = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * An error from the DNS (SERVFAIL, REFUSED) is final: resolvers send it for slow upstream servers, and the system's
 * resolver would hold a thread for them again.
 */
export function dnsLookup({
  servers = [],
  timeoutMs = 2_000,
  fallback = lookUpBySystem as LookupFunction,
}: Options = {}): LookupFunction {
  return (hostname, options, callback) => {
    // The DNS does not know local names and may be unreachable.
    if (!hostname.includes('.') || hostname.endsWith('.localhost')) return fallback(hostname, options, callback)
    const answer = (found: LookupAddress[] | Failure) => {
      if (found === 'silent') return callback(lookupError(hostname, 'ETIMEDOUT'), '', 0)
      if (found === 'failed') return callback(lookupError(hostname, 'EAI_FAIL'), '', 0)
      if (found === 'unknown') return fallback(hostname, options, callback)
      if (options.all) return callback(null, found)
      callback(null, found[0]!.address, found[0]!.family)
    }
    queryDns(hostname, { servers, timeoutMs })
      .catch(() => 'failed' as const)
      .then(answer)
  }
}

/** Maximum wait for IPv6 addresses of a name with an IPv4 address. */
const PATIENCE_MS = 300

async function queryDns(hostname: string, { servers, timeoutMs }: Required<Omit<Options, 'fallback'>>) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const six = toAnswer(resolver.resolve6(hostname), 6)
  const four = await toAnswer(resolver.resolve4(hostname), 4)
  const more = await (four.found.length > 0 ? Promise.race([six, sleep(PATIENCE_MS, null, { ref: false })]) : six)
  const found = [...four.found, ...(more?.found ?? [])]
  if (found.length > 0) return found
  const failures = [four.failure, more?.failure]
  return (['silent', 'failed'] as const).find((each) => failures.includes(each)) ?? 'unknown'
}

type Failure = 'silent' | 'failed' | 'unknown'

async function toAnswer(pending: Promise<string[]>, family: 4 | 6) {
  try {
    const found: LookupAddress[] = (await pending).map((address) => ({ address, family }))
    return { found, failure: null }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    const failure: Failure = SILENT.has(code) ? 'silent' : UNKNOWN.has(code) ? 'unknown' : 'failed'
    return { found: [], failure }
  }
}

const lookupError = (hostname: string, code: string) => Object.assign(new Error(`no address of ${hostname}`), { code })
