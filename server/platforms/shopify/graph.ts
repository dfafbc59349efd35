import type { StoreAccess, StoreNet, StoreToken, TokenCache } from '../platform/access.ts'
import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord } from '../platform/text.ts'
import { dial } from './dial.ts'
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
import { createTokens } from './tokens.ts'

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
