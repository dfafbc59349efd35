import { catalogue } from './catalogue.ts'
import { findProblems } from './check.ts'
import { checkout } from './checkout.ts'
import { customers } from './customers.ts'
import { API_VERSION } from './declarations.ts'
import { endpoints } from './endpoints.ts'
import { createInvalidError, Refusal } from './errors.ts'
import { expandIds } from './expand.ts'
import { decodeForm, readParameters } from './form.ts'
import type { Handlers } from './handlers.ts'
import { invoices } from './invoices.ts'
import { findOperation, type Operation } from './operations.ts'
import { payments } from './payments.ts'
import { portal } from './portal.ts'
import { refunds } from './refunds.ts'
import { schedules } from './schedules.ts'
import type { StripeState } from './state.ts'
import { subscriptions } from './subscriptions.ts'

// Handles one API call: authentication, operation, parameters, reply.

export interface ApiRequest {
  method: string
  path: string
  query: string
  headers: Record<string, string>
  body: string
}

export interface ApiAnswer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

const HANDLERS: Handlers = {
  ...catalogue,
  ...checkout,
  ...customers,
  ...endpoints,
  ...invoices,
  ...payments,
  ...portal,
  ...refunds,
  ...schedules,
  ...subscriptions,
}

interface StoredReply {
  request: string
  at: number
  answer: ApiAnswer
}

export class Api {
  private readonly world: StripeState
  private readonly key: string
  private readonly replies = new Map<string, StoredReply>()

  constructor(world: StripeState, key: string) {
    this.world = world
    this.key = key
  }

  answer(request: ApiRequest): ApiAnswer {
    const id = this.world.id('req')
    this.world.request = { id, idempotencyKey: request.headers['idempotency-key'] ?? null }
    const headers = { 'request-id': id, 'stripe-version': API_VERSION }
    try {
      const { status, body, headers: more } = this.replayed(request)
      return { status, body, headers: { ...headers, ...more } }
    } catch (error) {
      return { ...buildErrorReply(error), headers: { ...headers, 'stripe-should-retry': 'false' } }
    } finally {
      this.world.request = null
    }
  }

  /**
   * The same idempotency key gets the same reply for a day. A request with invalid parameters was never started, and
   * its reply is not stored (docs.stripe.com/api/idempotent_requests).
   */
  private replayed(request: ApiRequest): ApiAnswer {
    this.assertCaller(request)
    const operation = readOperation(request)
    const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined
    const params = readCallParameters(request, operation)
    if (!key) return this.run(request, operation, params)
    const requestText = `${request.path}\n${request.body}`
    const stored = this.replies.get(key)
    if (stored && stored.at > this.world.now - 86_400) {
      if (stored.request !== requestText) throw createKeyReuseError(key, stored.request.split('\n')[0]!, request.path)
      return { ...stored.answer, headers: { 'idempotent-replayed': 'true' } }
    }
    const answer = this.run(request, operation, params)
    this.replies.set(key, { request: requestText, at: this.world.now, answer })
    return answer
  }

  private assertCaller({ headers }: ApiRequest): void {
    const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (key !== this.key) throw createUnauthorized(key)
    const version = headers['stripe-version']
    if (version !== API_VERSION) {
      throw createInvalidError(`Invalid Stripe API version: ${version}. The contract server plays ${API_VERSION} only.`)
    }
  }

  private run(request: ApiRequest, operation: Operation, params: Record<string, unknown>): ApiAnswer {
    const handler = HANDLERS[operation.id]
    if (!handler) throw new Error(`The contract server does not play ${operation.id}`)
    const id = decodeURIComponent(operation.pattern.exec(request.path)?.groups?.id ?? '')
    try {
      const found = handler({ world: this.world, params: params as never, id })
      const body = structuredClone(found)
      this.world.check(operation.id, findProblems(body, operation.answer))
      expandIds(this.world, body, (params.expand as string[] | undefined) ?? [])
      return { status: 200, body }
    } catch (error) {
      if (error instanceof Refusal) return buildErrorReply(error)
      throw error
    }
  }
}

function readOperation({ method, path }: ApiRequest): Operation {
  const found = findOperation(method, path)
  if (found) return found
  throw new Refusal(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
  })
}

function readCallParameters(request: ApiRequest, operation: Operation) {
  const type = request.headers['content-type'] ?? ''
  if (request.method === 'POST' && request.body && !type.startsWith('application/x-www-form-urlencoded')) {
    throw createInvalidError(`Invalid request: the content type ${type} is not form-encoded.`)
  }
  // DELETE parameters come in the URL or in the body.
  const text = request.method === 'GET' ? request.query : [request.query, request.body].filter(Boolean).join('&')
  return readParameters(operation.parameters, decodeForm(text))
}

function createUnauthorized(key: string | undefined): Refusal {
  const message = key
    ? `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}${key.slice(-4)}`
    : "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
  return new Refusal(401, { type: 'invalid_request_error', message })
}

const createKeyReuseError = (key: string, before: string, now: string) =>
  new Refusal(400, {
    type: 'idempotency_error',
    message:
      before === now
        ? `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`
        : `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${before}'). Try using a key other than '${key}' if you meant to execute a different request.`,
  })

function buildErrorReply(error: unknown): ApiAnswer {
  if (error instanceof Refusal) return { status: error.status, body: { error: error.body } }
  return { status: 500, body: { error: { type: 'api_error', message: String((error as Error).stack ?? error) } } }
}
