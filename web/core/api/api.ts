import { useSyncExternalStore } from 'react'
import type { z } from 'zod'
import type { Endpoint } from '../../../shared/core/endpoint.ts'
import type { ErrorReply } from '../../../shared/core/errors.ts'
import { buildStoreFields, endSession, findPlatform, type StoreFields, session } from '../session/session.ts'

// The only caller of fetch. Calls an endpoint by its contract; every failure is an ApiError with a message fit for
// users.

export const OFFLINE = 'Recoup cannot be reached right now. Check your connection and try again.'
export const BROKEN = 'Something went wrong on our side. Please try again in a moment.'

export class ApiError extends Error {
  /** 0 if there was no answer. */
  readonly status: number
  /** `unnamed`: the answer had a message but no code. */
  readonly code: ErrorReply['code'] | 'offline' | 'unnamed'
  readonly fields: Record<string, string>
  readonly retryAfterS: number | null

  constructor(
    status: number,
    reply: Pick<ErrorReply, 'error' | 'fields' | 'retryAfterS'> & { code: ApiError['code'] },
  ) {
    super(reply.error)
    this.status = status
    this.code = reply.code
    this.fields = reply.fields ?? {}
    this.retryAfterS = reply.retryAfterS ?? null
  }

  /** The server or the path to it is down. An error answer of the server itself does not count. */
  get isAway() {
    return this.status === 0 || ([502, 503, 504].includes(this.status) && this.code !== 'store_unreachable')
  }

  /** The server was unreachable or failed. The question stays open, so draw no conclusion (decision 2). */
  get isOutage() {
    return this.status === 0 || (this.status >= 500 && this.code !== 'store_unreachable')
  }
}

/** The server's message, or the specification's sentence if there is none. */
export function getErrorText(error: Error, fallback: string): string {
  if (!(error instanceof ApiError)) return fallback
  return error.code === 'internal' ? fallback : error.message
}

/** An error that the server assigns to a field is shown at that field only. */
export const hasFieldError = (error: { fields?: Record<string, string> } | null) =>
  Object.keys(error?.fields ?? {}).length > 0

type ContractInput<T extends z.ZodType> = z.input<T>
export interface CallInput<E extends Endpoint> {
  params?: ContractInput<E['params']>
  query?: ContractInput<E['query']>
  body?: ContractInput<E['body']>
  /** Sent instead of JSON, unchanged: a CSV file. */
  file?: Blob
  signal?: AbortSignal
  /** The request outlives the page. */
  keepalive?: boolean
  /** Idempotency key: a repeated key returns the first answer and does nothing twice (D9). */
  idempotencyKey?: string
  /** For signing in: sends no token, and a 401 concerns the password. */
  isAnonymous?: boolean
}

export async function call<E extends Endpoint>(endpoint: E, input: CallInput<E> = {}): Promise<z.output<E['reply']>> {
  const token = input.isAnonymous ? null : session().token
  const response = await send(endpoint, input, token)
  const reply: unknown = await response.json().catch(() => null)
  if (response.ok && reply !== null) {
    setReachable(true)
    return reply as z.output<E['reply']>
  }
  const error = parseError(response.status, reply, response.headers.get('Retry-After'))
  setReachable(!error.isAway)
  // A late reply for a replaced token does not apply to the new token.
  if (isSessionOver(error) && token !== null && token === session().token) endSession('expired')
  throw error
}

/** Redirects to a page outside the app, such as the landing page. */
export async function readPage(path: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(path, { signal })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.text()
}

/**
 * Path with parameters, query and store. Calls about a store or its carts name it, so another tab's store is never
 * meant; their paths also name the platform (B 7).
 */
export function buildAddress(
  { path, scope }: Pick<Endpoint, 'path' | 'scope'>,
  params: object,
  query: object,
  { platform, storeId }: StoreFields,
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String((params as Fields)[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  const isOfStore = scope === 'store' || path.startsWith('/api/carts/')
  if ((isOfStore || path.startsWith('/api/stores/')) && !search.has('platform')) search.set('platform', platform)
  if (isOfStore && storeId && !search.has('storeId') && !search.has('stores')) search.set('storeId', storeId)
  const text = search.toString()
  return text ? `${filled}?${text}` : filled
}

/**
 * Maps a refused or broken answer to an ApiError. Foreign answers count as broken: a proxy's HTML page, a gateway's
 * error object.
 */
export function parseError(status: number, reply: unknown, retryAfter: string | null = null): ApiError {
  const { error, message, code, fields, retryAfterS } = (typeof reply === 'object' && reply ? reply : {}) as Partial<
    ErrorReply & { message: string }
  >
  const seconds = retryAfterS ?? (retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined)
  const sentence = [error, message].find((text) => typeof text === 'string' && text !== '')
  return new ApiError(status >= 400 ? status : 502, {
    error: sentence ?? BROKEN,
    code: code ?? (sentence ? 'unnamed' : 'internal'),
    ...(fields && { fields }),
    ...(seconds !== undefined && { retryAfterS: seconds }),
  })
}

export const isSessionOver = (error: ApiError) =>
  error.status === 401 && (error.code === 'session' || error.code === 'unauthenticated')

async function send<E extends Endpoint>(endpoint: E, input: CallInput<E>, token: string | null): Promise<Response> {
  const store = input.isAnonymous ? { platform: findPlatform() } : buildStoreFields()
  const address = buildAddress(endpoint, input.params ?? {}, input.query ?? {}, store)
  const started = takeEarly(endpoint, address, token)
  if (started) {
    input.signal?.addEventListener('abort', started.abort)
    const answer = await started.answer.catch(() => null)
    if (answer) return answer
  }
  const headers = buildHeaders(token)
  if (input.file) headers['Content-Type'] = 'text/csv'
  if (input.idempotencyKey) headers['Idempotency-Key'] = input.idempotencyKey
  try {
    return await fetch(address, {
      method: endpoint.method,
      credentials: 'include',
      headers,
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      ...(input.file && { body: input.file }),
      ...(input.signal && { signal: input.signal }),
      ...(input.keepalive && { keepalive: true }),
    })
  } catch (cause) {
    if (input.signal?.aborted) throw cause
    setReachable(false)
    throw new ApiError(0, { error: OFFLINE, code: 'offline' })
  }
}

function buildHeaders(token: string | null): Record<string, string> {
  return {
    Accept: 'application/json',
    // B 7: on every request, even without a body.
    'Content-Type': 'application/json',
    'X-Requested-With': 'XMLHttpRequest',
    ...(token && { Authorization: `Bearer ${token}` }),
  }
}

type Fields = Record<string, unknown>

/** A call that started before the code that needs its answer was loaded. */
export interface EarlyCall {
  address: string
  /** The session it was made for. */
  token: string
  at: number
  answer: Promise<Response>
  abort: () => void
}
let early: EarlyCall[] = []
/** As long as the queries count an answer as fresh. Older answers are dropped and asked again. */
const EARLY_FRESH_MS = 10_000

export function startEarlyCall(address: string, token: string): EarlyCall {
  const controller = new AbortController()
  const answer = fetch(address, { credentials: 'include', headers: buildHeaders(token), signal: controller.signal })
  answer.catch(() => {})
  return { address, token, at: performance.now(), answer, abort: () => controller.abort() }
}

/**
 * Keeps early calls for their callers. The first caller with the same address and token gets the answer, once; a failed
 * call is repeated. What nobody takes is dropped.
 */
export function keepEarlyCalls(calls: readonly EarlyCall[]): void {
  early = [...calls]
  setTimeout(dropEarlyCalls, EARLY_FRESH_MS)
}

const dropEarlyCalls = () => {
  early = []
}

/** Another session, or a change such as choosing another store, drops all early answers. */
function takeEarly({ method, permission }: Endpoint, address: string, token: string | null): EarlyCall | null {
  const isChange = method !== 'GET' && !permission.endsWith(':read')
  if (isChange || early.some((call) => call.token !== token)) dropEarlyCalls()
  const call = method === 'GET' && early.find((each) => each.address === address)
  if (!call) return null
  early = early.filter((each) => each !== call)
  return performance.now() - call.at < EARLY_FRESH_MS ? call : null
}

let isReachable = true
const listeners = new Set<() => void>()

/** Whether the server answered the last call; the shell shows a banner if not. */
export const useIsReachable = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => isReachable,
  )

function setReachable(next: boolean) {
  if (next === isReachable) return
  isReachable = next
  for (const listener of listeners) listener()
}
