import { z } from 'zod'
import { FetchProblem } from '../../core/net/public.ts'
import {
  isRecord,
  removeSecrets,
  type StoreAccess,
  type StoreKeys,
  type StoreNet,
  StoreProblem,
  type StoreProblemCode,
  type StoreToken,
  type TokenCache,
  toFetchProblem,
  toPlainText,
} from '../platform/public.ts'
import { getPath } from './fields.ts'
import { API_VERSION } from './queries.ts'
import { pause } from './throttle.ts'

// Sends GraphQL requests to one store. Callers never see throttling, an expired token, or fields withheld from the
// store's app: the client waits, renews the token, and omits the fields.

/** What the store's app may read: everything until a store refuses it. */
export type Flags = Record<WithheldData, boolean>

export interface GraphAnswer {
  data: Record<string, unknown>
  /** The estimated cost of such a query; null when unknown. */
  requestedCost: number | null
  clockSkewMs: number | null
}

const EVERYTHING: Flags = { names: true, emails: true, phones: true, customers: true, products: true }

type Variables = Readonly<Record<string, unknown>>

export interface Graph {
  /** Retried after a server error. */
  read(document: string, variables?: Variables, signal?: AbortSignal): Promise<GraphAnswer>
  /** Sent once: a failed mutation may have been applied. */
  write(document: string, variables: Variables): Promise<GraphAnswer>
  flags: Readonly<Flags>
  /** Requests all fields again, because plan or app may have changed. */
  hopeAgain(): void
}

/** The query exceeds the cost limit; fewer rows may pass. */
export class TooCostly extends StoreProblem {}

/** Any store that restores points has enough by then. */
const MAX_THROTTLED_MS = 10 * 60_000
const USUAL_COST = 50
const SERVER_ERROR_PAUSE_MS = 1_000

interface GraphRequest {
  document: string
  variables: Variables
  signal?: AbortSignal | undefined
  isRead: boolean
}

export function createGraph(access: StoreAccess, net: StoreNet, shelf: TokenCache): Graph {
  const tokens = createTokens(access, net, shelf)
  const throttle = createThrottle(net)
  const secrets = listSecrets(access.keys)
  const flags: Flags = { ...EVERYTHING }
  const costs = new Map<string, number>()
  const getCost = (document: string) => costs.get(document) ?? USUAL_COST

  async function send(
    { document, variables, signal, isRead }: GraphRequest,
    token: StoreToken,
  ): Promise<ShopifyAnswer> {
    await throttle.take(getCost(document), signal)
    return dial(net, {
      url: `${access.storeUrl}/admin/api/${API_VERSION}/graphql.json`,
      headers: { 'content-type': 'application/json', 'x-shopify-access-token': token.accessToken },
      body: JSON.stringify({ query: document, variables: { ...selectFlags(document, flags), ...variables } }),
      signal,
      isRead,
    })
  }

  /** Sends with a token that the store accepts. */
  async function sendAuthorized(asking: GraphRequest): Promise<ShopifyAnswer> {
    const token = await tokens.current(asking.signal)
    const answer = await send(asking, token)
    if (answer.status !== 401) return answer
    const next = await tokens.after(token, asking.signal)
    return next ? send(asking, next) : answer
  }

  /** Waits until the store no longer throttles. */
  async function sendUnthrottled(asking: GraphRequest): Promise<{ answer: ShopifyAnswer; found: GraphProblem | null }> {
    const since = net.now().getTime()
    for (;;) {
      const answer = await sendAuthorized(asking)
      const extensions = getPath(answer.body, 'extensions')
      throttle.note(extensions)
      const cost = getPath(extensions, 'cost', 'requestedQueryCost')
      if (typeof cost === 'number' && cost > 0 && cost < 1e6) costs.set(asking.document, cost)
      const found = answer.status === 200 ? classifyErrors(getPath(answer.body, 'errors'), secrets) : null
      const problem = answer.status === 429 ? classifyStatus(answer, secrets) : found?.problem
      if (problem?.code !== 'rate_limited') return { answer, found }
      if (net.now().getTime() - since > MAX_THROTTLED_MS) throw problem
      if (problem.retryAfterMs) await pause(net, Math.min(problem.retryAfterMs, MAX_THROTTLED_MS), asking.signal)
      else await throttle.wait(getCost(asking.document), asking.signal)
    }
  }

  async function ask(asking: GraphRequest, tries = 2): Promise<GraphAnswer> {
    const { answer, found } = await sendUnthrottled(asking)
    if (found?.kind === 'too_costly') throw new TooCostly(found.problem.code, found.problem.detail)
    if (found?.kind === 'lack' && omitWithheld(found.lacks, asking.document, flags)) return ask(asking, tries)
    const isStumbling = answer.status >= 500 || found?.kind === 'transient'
    if (isStumbling && asking.isRead && tries > 1) {
      await pause(net, SERVER_ERROR_PAUSE_MS, asking.signal)
      return ask(asking, tries - 1)
    }
    if (found) throw found.problem
    const data = getPath(answer.body, 'data')
    if (answer.status !== 200 || !isRecord(data)) throw classifyStatus(answer, secrets)
    return { data, requestedCost: costs.get(asking.document) ?? null, clockSkewMs: answer.clockSkewMs }
  }

  return {
    flags,
    read: (document, variables = {}, signal) => ask({ document, variables, signal, isRead: true }),
    write: (document, variables) => ask({ document, variables, isRead: false }),
    hopeAgain: () => Object.assign(flags, EVERYTHING),
  }
}

const listLacks = (flags: Flags): WithheldData[] => Object.keys(flags) as WithheldData[]

function selectFlags(document: string, flags: Flags): Partial<Flags> {
  return Object.fromEntries(
    listLacks(flags).flatMap((name) => (document.includes(`$${name}:`) ? [[name, flags[name]]] : [])),
  )
}

/** false: the query needs the fields, or omits them already. */
function omitWithheld(lacks: readonly WithheldData[], document: string, flags: Flags): boolean {
  const lacking = lacks.filter((name) => flags[name] && document.includes(`$${name}:`))
  for (const name of lacking) flags[name] = false
  return lacking.length > 0
}

// Access tokens of a store. An app's token lives for a day: it is made from the app's keys, shared by all processes,
// and renewed at 80 % of its life or when the store refuses it.

const RENEW_AT = 0.8
const DAY_S = 86_400

interface Tokens {
  current(signal?: AbortSignal): Promise<StoreToken>
  /** Another token after the store refused this one; null: there is none. */
  after(refused: StoreToken, signal?: AbortSignal): Promise<StoreToken | null>
}

function createTokens(access: StoreAccess, net: StoreNet, shelf: TokenCache): Tokens {
  const { keys } = access
  if (keys.kind === 'woocommerce') throw new Error('A Shopify store has no keys of the kind woocommerce.')
  if (keys.kind === 'shopify_token') {
    const only: StoreToken = { accessToken: keys.accessToken, scopes: [], madeAt: '', expiresAt: '' }
    return { current: async () => only, after: async () => null }
  }
  let cached: StoreToken | null = null
  const make = (signal?: AbortSignal) => () => exchange(access, net, keys, signal)
  return {
    async current(signal) {
      const now = net.now().getTime()
      if (!cached || now >= renewAt(cached)) cached = await loadToken(now, signal)
      return cached
    },
    async after(refused, signal) {
      cached = await shelf.renew(refused, make(signal))
      return cached
    },
  }

  async function loadToken(now: number, signal: AbortSignal | undefined): Promise<StoreToken> {
    const stored = await shelf.read()
    if (stored && now < renewAt(stored)) return stored
    try {
      return await shelf.renew(stored, make(signal))
    } catch (error) {
      // Early renewal failed, so the valid token stays in use.
      if (stored && now < Date.parse(stored.expiresAt)) return stored
      throw error
    }
  }
}

function renewAt({ madeAt, expiresAt }: StoreToken): number {
  const [createdMs, expires] = [Date.parse(madeAt), Date.parse(expiresAt)]
  return createdMs + (expires - createdMs) * RENEW_AT
}

const Granted = z.object({
  access_token: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[\x21-\x7e]+$/),
  scope: z.string().max(10_000).catch(''),
  expires_in: z
    .number()
    .min(60)
    .max(30 * DAY_S)
    .catch(DAY_S - 1),
})

async function exchange(
  access: StoreAccess,
  net: StoreNet,
  keys: { clientId: string; clientSecret: string },
  signal?: AbortSignal,
): Promise<StoreToken> {
  const createdAt = net.now()
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: keys.clientId,
    client_secret: keys.clientSecret,
  })
  const answer = await dial(net, {
    url: `${access.storeUrl}/admin/oauth/access_token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
    isRead: true,
    signal,
  })
  if (answer.status !== 200) throw classifyTokenRefusal(answer, listSecrets(access.keys))
  const granted = Granted.safeParse(answer.body)
  if (!granted.success) throw new StoreProblem('shopify_bad_answer', 'the store gave no token')
  return {
    accessToken: granted.data.access_token,
    scopes: granted.data.scope
      .split(/[\s,]+/)
      .filter(Boolean)
      .slice(0, 200),
    madeAt: createdAt.toISOString(),
    expiresAt: new Date(createdAt.getTime() + granted.data.expires_in * 1_000).toISOString(),
  }
}

// Sends one request with keys. Never follows redirects with them.

interface DialRequest {
  url: string
  headers: Record<string, string>
  body: string
  signal?: AbortSignal | undefined
  /** For reads: repeats the request once after a closed keep-alive connection. */
  isRead?: boolean
}

const TEXT_LENGTH = 4_000

/** Returns any status; throws StoreProblem only without a response. */
async function dial(net: StoreNet, request: DialRequest): Promise<ShopifyAnswer> {
  try {
    return await sendOnce(net, request)
  } catch (error) {
    const isStale = error instanceof FetchProblem && error.kind === 'connection_lost'
    if (!isStale || !request.isRead) throw toFetchProblem(error)
  }
  try {
    return await sendOnce(net, request)
  } catch (error) {
    throw toFetchProblem(error)
  }
}

async function sendOnce(net: StoreNet, { url, headers, body, signal }: DialRequest): Promise<ShopifyAnswer> {
  const answer = await net.fetch(url, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    hasCredentials: true,
    body,
    ...(signal ? { signal } : {}),
  })
  const date = Date.parse(answer.headers.date ?? '')
  const text = answer.body.toString('utf8')
  return {
    status: answer.status,
    headers: answer.headers,
    body: parseJson(text),
    text: text.slice(0, TEXT_LENGTH),
    clockSkewMs: Number.isNaN(date) ? null : date - net.now().getTime(),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface ShopifyAnswer {
  status: number
  headers: Record<string, string>
  /** Parsed JSON; undefined when the body is none. */
  body: unknown
  /** The beginning of the body. */
  text: string
  /** The store's clock when it answered, minus ours; null without a Date header. */
  clockSkewMs: number | null
}

const listSecrets = (keys: StoreKeys): string[] =>
  keys.kind === 'shopify_app'
    ? [keys.clientSecret]
    : keys.kind === 'shopify_token'
      ? [keys.accessToken, keys.apiSecret]
      : []

const PROBLEM_BY_STATUS: Readonly<Record<number, StoreProblemCode>> = {
  401: 'shopify_token_revoked',
  402: 'shopify_store_frozen',
  403: 'shopify_scopes_missing',
  404: 'shopify_wrong_shop',
  420: 'shopify_store_paused',
  423: 'shopify_store_paused',
  429: 'rate_limited',
  430: 'rate_limited',
}

/** Classifies a status other than 200, or a 200 without a GraphQL response. */
function classifyStatus(answer: ShopifyAnswer, secrets: readonly string[]): StoreProblem {
  const detail = cleanMessage(readMessage(answer.body), secrets)
  const code = PROBLEM_BY_STATUS[answer.status]
  if (code === 'rate_limited') return new StoreProblem(code, detail, parseRetryAfter(answer))
  if (code) return new StoreProblem(code, detail)
  if (answer.status >= 500) return new StoreProblem('shopify_error', detail ?? `status ${answer.status}`)
  return new StoreProblem(
    'shopify_bad_answer',
    detail ?? (answer.body === undefined ? 'not JSON' : `status ${answer.status}`),
  )
}

function parseRetryAfter({ headers }: ShopifyAnswer): { retryAfterMs?: number } {
  const value = headers['retry-after'] ?? ''
  return /^\d{1,6}(\.\d{1,6})?$/.test(value) ? { retryAfterMs: Math.min(Number(value), 86_400) * 1_000 } : {}
}

/** `errors` is a text, a list of `{ message }`, or an object of lists. */
function readMessage(body: unknown): unknown {
  const errors = getPath(body, 'errors') ?? getPath(body, 'error_description') ?? getPath(body, 'error')
  if (typeof errors === 'string') return errors
  const first = Array.isArray(errors) ? errors[0] : isRecord(errors) ? Object.values(errors)[0] : null
  return isRecord(first) ? first.message : Array.isArray(first) ? first[0] : first
}

const PROBLEM_BY_TOKEN_ERROR: readonly (readonly [word: string, code: StoreProblemCode])[] = [
  ['app_not_installed', 'shopify_app_not_installed'],
  ['shop_not_permitted', 'shopify_wrong_organization'],
  ['application_cannot_be_found', 'shopify_secret_wrong'],
  ['invalid_client', 'shopify_secret_wrong'],
  ['invalid_request', 'shopify_secret_wrong'],
]

/** Why no token was issued. The text is in JSON or in an HTML page. */
function classifyTokenRefusal(answer: ShopifyAnswer, secrets: readonly string[]): StoreProblem {
  const known = PROBLEM_BY_TOKEN_ERROR.find(([word]) => answer.text.includes(word))
  if (known && answer.status < 500) return new StoreProblem(known[1], cleanMessage(readMessage(answer.body), secrets))
  // Before there is a token, a refusal concerns the keys.
  if (answer.status === 401 || answer.status === 403) return new StoreProblem('shopify_secret_wrong')
  return classifyStatus(answer, secrets)
}

const LACK_OF_SCOPE: Readonly<Record<string, WithheldData>> = { read_customers: 'customers', read_products: 'products' }

/** Summarises the errors of a response: the first that cannot be handled, else the first. null: no errors. */
function classifyErrors(errors: unknown, secrets: readonly string[]): GraphProblem | null {
  if (errors === undefined || errors === null || (Array.isArray(errors) && errors.length === 0)) return null
  if (!Array.isArray(errors))
    return toOtherProblem(new StoreProblem('shopify_bad_answer', cleanMessage(errors, secrets)))
  const read = errors.slice(0, 100).map((error) => classifyError(error, secrets))
  const worst = read.find(({ kind }) => kind !== 'lack') ?? read[0]!
  return { ...worst, lacks: [...new Set(read.flatMap(({ lacks }) => lacks))] }
}

function classifyError(error: unknown, secrets: readonly string[]): GraphProblem {
  const code = getPath(error, 'extensions', 'code')
  const message = cleanMessage(getPath(error, 'message'), secrets)
  switch (code) {
    case 'THROTTLED':
      return { kind: 'throttled', lacks: [], problem: new StoreProblem('rate_limited', message) }
    case 'MAX_COST_EXCEEDED':
      return { kind: 'too_costly', lacks: [], problem: new StoreProblem('shopify_bad_answer', message) }
    case 'INTERNAL_SERVER_ERROR':
    case 'TIMEOUT':
      return { kind: 'transient', lacks: [], problem: new StoreProblem('shopify_error', message) }
    case 'SHOP_INACTIVE':
      return toOtherProblem(new StoreProblem('shopify_store_paused', message))
    case 'ACCESS_DENIED':
      return classifyDenial(error, message)
    default:
      return toOtherProblem(new StoreProblem('shopify_bad_answer', message ?? 'an error without words'))
  }
}

const toOtherProblem = (problem: StoreProblem): GraphProblem => ({ kind: 'other', lacks: [], problem })

const SCOPE = /\b(?:read|write)_[a-z_]{1,60}\b/g

/** Either a missing scope, which is named, or withheld personal data. */
function classifyDenial(error: unknown, message: string | null): GraphProblem {
  const requiredAccess = toPlainText(getPath(error, 'extensions', 'requiredAccess'), 500) ?? message ?? ''
  const scopes = [...new Set(requiredAccess.match(SCOPE) ?? [])]
  const [first] = scopes
  if (!first) {
    const problem = new StoreProblem('shopify_protected_data', message)
    return { kind: 'lack', lacks: findWithheld(error), problem }
  }
  const lacks = scopes.flatMap((scope) => LACK_OF_SCOPE[scope] ?? [])
  const problem = new StoreProblem('shopify_scopes_missing', scopes.slice(0, 5).join(', '))
  return lacks.length > 0 ? { kind: 'lack', lacks, problem } : toOtherProblem(problem)
}

const LACK_BY_FIELD: readonly (readonly [field: RegExp, lack: WithheldData])[] = [
  [/name/i, 'names'],
  [/email/i, 'emails'],
  [/phone/i, 'phones'],
]

/** By the field concerned; all personal data when it is unknown. */
function findWithheld(error: unknown): WithheldData[] {
  const path = getPath(error, 'path')
  const last = Array.isArray(path) ? path.findLast((part) => typeof part === 'string') : null
  const named = /\bthe (\w{1,40}) field\b/.exec(toPlainText(getPath(error, 'message'), 300) ?? '')?.[1]
  const known = LACK_BY_FIELD.find(([field]) => field.test(named ?? last ?? ''))
  return known ? [known[1]] : LACK_BY_FIELD.map(([, lack]) => lack)
}

/** Like `removeSecrets`, without anything that looks like a Shopify token. */
function cleanMessage(input: unknown, secrets: readonly string[]): string | null {
  return removeSecrets(input, secrets)?.replace(/\bshp[a-z]{2,3}_[A-Za-z0-9]+/g, '…') ?? null
}

type WithheldData = 'names' | 'emails' | 'phones' | 'customers' | 'products'

interface GraphProblem {
  kind: 'throttled' | 'too_costly' | 'lack' | 'transient' | 'other'
  /** Withheld data that the query can omit. */
  lacks: WithheldData[]
  problem: StoreProblem
}

const RETRY_MS = 1_000

/** Maximum wait before the next request, even if the store reported a longer one. */
const MAX_WAIT_MS = 30_000

/** Other clients use points too. After these waits the store itself refuses. */
const MAX_WAITS = 3

interface Bucket {
  available: number
  max: number
  perSecond: number
  at: number
}

function createThrottle(net: StoreNet): Throttle {
  let bucket: Bucket | null = null
  const sleep = (ms: number, signal?: AbortSignal) => pause(net, ms, signal)

  function refill(): number {
    if (!bucket) return Number.POSITIVE_INFINITY
    const seconds = Math.max(net.now().getTime() - bucket.at, 0) / 1_000
    bucket.available = Math.min(bucket.max, bucket.available + seconds * bucket.perSecond)
    bucket.at = net.now().getTime()
    return bucket.available
  }

  /** 0: available. A cost above the bucket's size waits for a full bucket. */
  function missingMs(cost: number): number {
    const missing = Math.min(cost, bucket?.max ?? cost) - refill()
    return bucket && missing > 0 ? Math.min(Math.ceil((missing / bucket.perSecond) * 1_000), MAX_WAIT_MS) : 0
  }

  return {
    async take(cost, signal) {
      for (let waits = 0; waits < MAX_WAITS && missingMs(cost) > 0; waits += 1) await sleep(missingMs(cost), signal)
      refill()
      if (bucket) bucket.available -= cost
    },
    note(extensions) {
      const status = getPath(extensions, 'cost', 'throttleStatus')
      const [available, max, perSecond] = ['currentlyAvailable', 'maximumAvailable', 'restoreRate'].map((name) =>
        parsePoints(getPath(status, name)),
      )
      if (available == null || !max || !perSecond) return
      bucket = { available: Math.min(available, max), max, perSecond, at: net.now().getTime() }
    },
    wait: (cost, signal) => sleep(Math.max(missingMs(cost), RETRY_MS), signal),
  }
}

/** Points: positive, and below any plan's limit by far. */
const parsePoints = (input: unknown): number | null =>
  typeof input === 'number' && input >= 0 && input < 1e9 ? input : null

interface Throttle {
  /** Waits until an estimated `cost` points are available, and takes them. */
  take(cost: number, signal?: AbortSignal): Promise<void>
  /** Reads a response's throttle status. */
  note(extensions: unknown): void
  /** After a refusal: waits until `cost` points should be available. */
  wait(cost: number, signal?: AbortSignal): Promise<void>
}
