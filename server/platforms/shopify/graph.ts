import type { StoreAccess, StoreNet, StoreToken, TokenCache } from '../platform/access.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord } from '../platform/text.ts'

import { at } from './fields.ts'
import {
  classifyErrors,
  classifyStatus,
  type GraphProblem,
  listSecrets,
  type ShopifyAnswer,
  type WithheldData,
} from './problems.ts'
import { API_VERSION } from './queries.ts'
import { createThrottle, pause } from './throttle.ts'
import { z } from 'zod'
import { classifyTokenRefusal } from './problems.ts'
import { FetchProblem } from '../../core/net/fetch-problem.ts'
import { problemFromFetch } from '../platform/problem-from-fetch.ts'

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
  const costOf = (document: string) => costs.get(document) ?? USUAL_COST

  async function send(
    { document, variables, signal, isRead }: GraphRequest,
    token: StoreToken,
  ): Promise<ShopifyAnswer> {
    await throttle.take(costOf(document), signal)
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
      const extensions = at(answer.body, 'extensions')
      throttle.note(extensions)
      const cost = at(extensions, 'cost', 'requestedQueryCost')
      if (typeof cost === 'number' && cost > 0 && cost < 1e6) costs.set(asking.document, cost)
      const found = answer.status === 200 ? classifyErrors(at(answer.body, 'errors'), secrets) : null
      const problem = answer.status === 429 ? classifyStatus(answer, secrets) : found?.problem
      if (problem?.code !== 'rate_limited') return { answer, found }
      if (net.now().getTime() - since > MAX_THROTTLED_MS) throw problem
      if (problem.retryAfterMs) await pause(net, Math.min(problem.retryAfterMs, MAX_THROTTLED_MS), asking.signal)
      else await throttle.wait(costOf(asking.document), asking.signal)
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
    const data = at(answer.body, 'data')
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
  const asked = lacks.filter((name) => flags[name] && document.includes(`$${name}:`))
  for (const name of asked) flags[name] = false
  return asked.length > 0
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
  const [made, expires] = [Date.parse(madeAt), Date.parse(expiresAt)]
  return made + (expires - made) * RENEW_AT
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
  const madeAt = net.now()
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
    madeAt: madeAt.toISOString(),
    expiresAt: new Date(madeAt.getTime() + granted.data.expires_in * 1_000).toISOString(),
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
    if (!isStale || !request.isRead) throw problemFromFetch(error)
  }
  try {
    return await sendOnce(net, request)
  } catch (error) {
    throw problemFromFetch(error)
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
