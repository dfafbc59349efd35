import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { logout } from '../../../shared/access/auth.ts'
import { explainRefusal, hasPermission } from '../../../shared/access/roles.ts'
import { DownloadQuery, type Endpoint, type Permission } from '../../../shared/core/endpoint.ts'
import { type ErrorReply, statusOf } from '../../../shared/core/errors.ts'
import { AppError } from '../../core/common/public.ts'
import { type AccountDb, type Db, isDatabaseUnavailable, type StoreDb } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { assertOperator, authenticate, type Session } from '../members/public.ts'
import { chooseStore, type RequestedStore } from '../stores/public.ts'

import { type Download, type DownloadFile, openDownload } from './downloads.ts'
import { invalidInput, readInput } from './input.ts'
import { limitRequests } from './request-limit.ts'

// Serves endpoints: session, permission, store, validated input and reply, and the mapping of errors to responses.

export type Routes = (app: FastifyInstance, deps: Deps) => void

/**
 * The input of a handler. `store` exists only for endpoints of scope `store`, `account` for those of any signed-in
 * scope.
 */
export interface Call<P, Q, B> {
  params: P
  query: Q
  body: B
  request: FastifyRequest
  reply: FastifyReply
  /** Null only on a public endpoint without a signed-in caller. */
  session: Session | null
}
export interface StoreCall<P, Q, B> extends Call<P, Q, B> {
  session: Session
  account: AccountDb<Db>
  store: StoreDb<Db>
}
export interface AccountCall<P, Q, B> extends Call<P, Q, B> {
  session: Session
  account: AccountDb<Db>
}

type ServeDeps = Pick<Deps, 'config' | 'db' | 'now' | 'pool' | 'secrets'>

type Handler<C, R extends z.ZodType> = (call: C) => Promise<z.input<R>>

/** Serves an endpoint of scope `store`: signed in, permitted, and the store belongs to the account (decision 7). */
export function serveStore<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: Endpoint<P, Q, B, R>,
  handle: Handler<StoreCall<z.output<P>, z.output<Q>, z.output<B>>, R>,
): void {
  route(app, deps, endpoint, createStoreSteps(deps, endpoint, handle))
}

/** The same for an endpoint that returns a file (`fileType`). */
export function serveStoreFile<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: Endpoint<P, Q, B>,
  read: (call: StoreCall<z.output<P>, z.output<Q>, z.output<B>>) => Promise<DownloadFile>,
): void {
  route(app, deps, endpoint, { ...createStoreSteps(deps, endpoint, read), answer: sendFile })
}

/**
 * These permissions require a connected store. Consents, privacy and exports outlive the connection, and coupons check
 * it themselves.
 */
const NEEDS_CONNECTION: ReadonlySet<Permission> = new Set(['carts:write', 'flows:write', 'sending:pause'])

function createStoreSteps<P, Q, B, A>(
  deps: Pick<Deps, 'db'>,
  { noStore, method, permission, stops }: Pick<Endpoint, 'noStore' | 'method' | 'permission' | 'stops'>,
  handle: (call: StoreCall<P, Q, B>) => Promise<A>,
): CallSteps<Call<P, Q, B>, A, { id: string }> {
  return {
    async choose(session, query, body) {
      const store = await chooseStore(deps.db, requireSession(session), readRequestedStore(query, body), noStore)
      // A tab may show a store that another tab has disconnected.
      const isHarmless = method === 'GET' || method === 'DELETE' || stops
      if (!store.is_active && !isHarmless && NEEDS_CONNECTION.has(permission)) {
        throw new AppError('conflict', 'This store is not connected. Connect it again first.')
      }
      return store
    },
    handle: async (call, { id }) => {
      const session = requireSession(call.session)
      const account = { accountId: session.accountId, db: deps.db }
      return handle({ ...call, session, account, store: { storeId: id, db: deps.db } })
    },
  }
}

/**
 * Decision 7: the store from the query (push calls use `storeUrl`, A 7) or, for writing calls (B 7), from the body, by
 * id or address. `default` selects none.
 */
function readRequestedStore(query: unknown, body: unknown): RequestedStore {
  const { platform, storeId, storeUrl } = query as RequestedStore & { storeUrl?: string }
  const fields = (body ?? {}) as Record<string, unknown>
  const readText = (value: unknown) => (typeof value === 'string' && value.trim() ? value : undefined)
  const names = [storeId, readText(fields.storeId), readText(fields.storeUrl), storeUrl]
  const [first, ...others] = names.flatMap((name) => (name && name !== 'default' ? [name] : []))
  return { platform: platform ?? readText(fields.platform), storeId: first, alsoNamed: others }
}

/** Serves an endpoint of the signed-in user's account. */
export function serveAccount<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: Endpoint<P, Q, B, R>,
  handle: Handler<AccountCall<z.output<P>, z.output<Q>, z.output<B>>, R>,
): void {
  route(app, deps, endpoint, {
    choose: chooseNothing,
    handle: async (call) => {
      const session = requireSession(call.session)
      return handle({ ...call, session, account: { accountId: session.accountId, db: deps.db } })
    },
  })
}

/** Serves a prepared download link. */
export function serveDownload<What>(app: FastifyInstance, deps: Deps, download: Download<What>): void {
  app.get(download.path, async (request, reply) => {
    const { ticket } = DownloadQuery.parse(request.query)
    return sendFile(await openDownload(deps, download, ticket), reply)
  })
}

const sendFile = ({ fileName, type, content }: DownloadFile, reply: FastifyReply) =>
  reply
    .type(type)
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .send(content)

/** Serves an endpoint that needs no sign-in. */
export function servePublic<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: Endpoint<P, Q, B, R>,
  handle: Handler<Call<z.output<P>, z.output<Q>, z.output<B>>, R>,
): void {
  route(app, deps, endpoint, { choose: chooseNothing, handle })
}

/** Every served endpoint in order of registration, for the documentation and the tenant isolation test. */
export const servedBy = new WeakMap<FastifyInstance, Endpoint[]>()

interface CallSteps<C, A, T> {
  /**
   * Resolves the call's subject. Runs before the body is parsed, so that a caller without access learns nothing about
   * valid input.
   */
  choose: (session: Session | null, query: unknown, body: unknown) => Promise<T>
  handle: (call: C, chosen: T) => Promise<A>
  /** Sends a non-JSON reply; a JSON reply is checked against the contract. */
  answer?: (result: A, reply: FastifyReply) => FastifyReply
}

const chooseNothing = async () => undefined

function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType, A, T>(
  app: FastifyInstance,
  deps: ServeDeps,
  endpoint: Endpoint<P, Q, B, R>,
  { choose, handle, answer }: CallSteps<Call<z.output<P>, z.output<Q>, z.output<B>>, A, T>,
): void {
  servedBy.set(app, [...(servedBy.get(app) ?? []), endpoint as unknown as Endpoint])
  app.route({
    method: endpoint.method,
    url: endpoint.path,
    handler: async (request, reply) => {
      if (endpoint.isBesidePage) {
        reply.header('vary', 'accept').header('cache-control', 'no-store')
        if (prefersHtml(request.headers.accept)) return reply.callNotFound()
      }
      const session = await authenticate(deps, request.headers.authorization, endpoint.permission !== 'public')
      // All visitors of a demo share its account.
      if (session && !session.isDemo) await limitRequests(deps, reply, session.accountId)
      // Checked before the request is parsed, so that a caller without permission learns nothing about valid input.
      if (session?.viewedUntil) refuseChange(endpoint)
      if (endpoint.permission === 'operator') await assertOperator(deps, requireSession(session))
      else if (endpoint.permission !== 'public') assertPermission(session, endpoint.permission)
      const params = readInput(endpoint.params, request.params)
      const query = readInput(endpoint.query, request.query)
      const chosen = await choose(session, query, request.body)
      const body = readInput(endpoint.body, request.body ?? {})
      const result = await handle({ params, query, body, request, reply, session }, chosen)
      return answer ? answer(result, reply) : parseReply(endpoint, result)
    },
  })
}

/** A reply that breaks the contract is our bug, never the caller's. */
function parseReply<R extends z.ZodType>(endpoint: { path: string; reply: R }, answer: unknown): z.output<R> {
  const reply = endpoint.reply.safeParse(answer)
  if (reply.success) return reply.data
  throw new Error(`The answer of ${endpoint.path} breaks its contract`, { cause: reply.error })
}

/** An operator who only views an account may read and sign out. */
function refuseChange({ method, path }: Pick<Endpoint, 'method' | 'path'>): void {
  if (method === 'GET' || path === logout.path) return
  throw new AppError('forbidden', 'You are viewing this account as an operator, so you cannot change anything.')
}

function assertPermission(session: Session | null, permission: Endpoint['permission']): void {
  const { role } = requireSession(session)
  if (hasPermission(role, permission)) return
  throw new AppError('forbidden', explainRefusal(role))
}

function requireSession(session: Session | null): Session {
  if (!session) throw new AppError('session', 'Please sign in.')
  return session
}

/** The only place that turns an error into a response. */
export function mapErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const known = toAppError(error)
    if (!known) request.log.error({ err: error }, 'request.crashed')
    const body: ErrorReply = {
      error: known?.message ?? 'Something went wrong on our side. Please try again.',
      code: known?.code ?? 'internal',
      requestId: request.id,
      ...(known?.retryAfterS ? { retryAfterS: known.retryAfterS } : {}),
      ...(known?.fields ? { fields: known.fields } : {}),
    }
    if (known?.retryAfterS) reply.header('retry-after', known.retryAfterS)
    return reply.code(known ? statusOf[known.code] : 500).send(body)
  })
}

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  if (error instanceof z.ZodError) return invalidInput(error)
  const status = (error as { statusCode?: number }).statusCode
  if (status === 413) return new AppError('too_large', 'The request is too large. Send less at once.')
  if (status === 415) return new AppError('invalid', 'The content type of this request is not supported. Send JSON.')
  if (status && status >= 400 && status < 500) return new AppError('invalid', 'The request could not be read.')
  return fromDatabaseError(error)
}

/** Values that a column refuses (a NUL in text, a number out of range) are the caller's mistake. */
function fromDatabaseError(error: unknown): AppError | undefined {
  const code = (error as { code?: string }).code
  if (code === '22021' || code === '22P05' || code === '22003' || code === '22P02') {
    return new AppError('invalid', 'The request contains a value that cannot be stored.')
  }
  if (code === '23505') return new AppError('conflict', 'This already exists. Reload the page to see it.')
  // For example, a store deleted while its delivery was processed.
  if (code === '23503') return new AppError('not_found', 'The item this belongs to no longer exists. Reload the page.')
  if (code === '53100') {
    return new AppError(
      'unavailable',
      'The server’s disk is full, so nothing can be saved. Ask its administrator to free space.',
    )
  }
  if (isDatabaseUnavailable(error)) {
    return new AppError('unavailable', 'The database is not responding right now. Please try again in a minute.')
  }
  return undefined
}

// Content negotiation. Pure.

/**
 * Whether a page is preferred over data. Browsers prefer HTML when a user opens an address; programs name JSON,
 * anything, or nothing.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').split(',').map(parseWeight))
  const html = weights.get('text/html') ?? 0
  return html > 0 && html >= (weights.get('application/json') ?? 0)
}

function parseWeight(part: string): [string, number] {
  const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
  const quality = parameters.find((each) => each.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return [type, Number.isFinite(weight) ? weight : 0]
}
