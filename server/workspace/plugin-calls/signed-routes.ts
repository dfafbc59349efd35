import type { FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { statusOf } from '../../../shared/core/errors.ts'
import {
  type CallHeaders,
  type CallName,
  decryptSecrets,
  isInTime,
  isSignedBy,
  noteCall,
  readHeaders,
  readPlugin,
  signReply,
  takeNonce,
} from '../../access/plugin/public.ts'
import { AppError } from '../../core/common/public.ts'
import { clientNetwork, type Db, findPluginStore } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'
import { type Caller, ProtocolError, rateLimitError, unauthenticatedError } from './caller.ts'
import { MAX_BYTES } from './wire.ts'

// Verifies a signed call of a shop's plugin in the order of docs/plugin-protocol.md, and signs the answer. A body is
// not parsed before its signature is verified.

type ReplyBody = Record<string, unknown>

const CALLS = { points: 600, duration: 600 }
const FAILURES = { points: 100, duration: 600 }
const FAILURES_OF_NETWORK = { points: 1_000, duration: 600 }

/** In memory: these limits only protect the database. */
export function openLimits() {
  const calls = new RateLimiterMemory(CALLS)
  const failures = new RateLimiterMemory(FAILURES)
  const networks = new RateLimiterMemory(FAILURES_OF_NETWORK)
  const consume = async (key: string) => {
    await calls.consume(key).catch((error) => {
      throw error instanceof RateLimiterRes ? rateLimitError(Math.ceil(error.msBeforeNext / 1_000)) : error
    })
  }
  const listLimitKeys = ({ ip, headers }: FastifyRequest) => {
    const network = clientNetwork(ip)
    return { network, pair: `${network} ${String(headers['x-recoup-store']).slice(0, 64)}` }
  }
  return {
    /** Runs before the body is read: blocks places that sent too many invalid signatures. */
    async assertTrusted(request: FastifyRequest): Promise<void> {
      const { network, pair } = listLimitKeys(request)
      const [ofPair, ofNetwork] = await Promise.all([failures.get(pair), networks.get(network)])
      const isAbove =
        (ofPair?.consumedPoints ?? 0) >= FAILURES.points ||
        (ofNetwork?.consumedPoints ?? 0) >= FAILURES_OF_NETWORK.points
      if (isAbove)
        throw new AppError('rate_limited', 'Too many calls. Try again later.', { retryAfterS: FAILURES.duration })
    },
    async noteFailure(request: FastifyRequest): Promise<void> {
      const { network, pair } = listLimitKeys(request)
      await Promise.all([failures.consume(pair), networks.consume(network)]).catch(ignoreRateLimit)
    },
    /** Limits restore calls by token, because anyone can make a shop ask for invented tokens. */
    async take(storeId: string, name: CallName): Promise<void> {
      if (name !== 'restore') await consume(storeId)
    },
    /** Unknown tokens have a limit of their own, so they do not block the shop's real carts and orders. */
    takeUnknown: (storeId: string): Promise<void> => consume(`unknown ${storeId}`),
  }
}

function ignoreRateLimit(error: unknown): void {
  if (!(error instanceof RateLimiterRes)) throw error
}

export type CallLimits = ReturnType<typeof openLimits>

/** Serves a call signed with a store's secret. */
export async function serveSigned(
  { deps, limits }: { deps: Deps; limits: CallLimits },
  name: Exclude<CallName, 'connect' | 'wake'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  handle: (caller: Caller, body: unknown) => Promise<ReplyBody>,
): Promise<FastifyReply> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const known = await verifyCaller(deps, name, request, body)
  if (!known) {
    await limits.noteFailure(request)
    throw unauthenticatedError()
  }
  const { headers, secret, store } = known
  const handles = { storeId: store.id, accountId: store.account_id, homeUrl: store.home_url, db: deps.db as Db }
  return replySigned(deps, reply, { secret, nonce: headers.nonce, name }, async () => {
    if (body.length > MAX_BYTES[name]) {
      throw new ProtocolError(413, 'too_large', 'The request body is too large.')
    }
    await assertFresh(deps, handles, headers)
    await limits.take(store.id, name)
    if (known.hasEnded) throw new ProtocolError(410, 'disconnected', 'This store is not connected any more.')
    await noteCall(handles, deps.now())
    return handle(handles, parseBody(body))
  })
}

async function verifyCaller(deps: Pick<Deps, 'db' | 'secrets'>, name: CallName, request: FastifyRequest, body: Buffer) {
  const headers = readHeaders(request.headers)
  const isId = headers && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(headers.store)
  const store = isId ? await findPluginStore(deps.db, headers.store) : undefined
  const plugin = store && (await readPlugin({ storeId: store.id, db: deps.db }))
  if (!headers || !store || !plugin) return null
  const { secret, oldSecret } = decryptSecrets(deps, plugin)
  const hasEnded = plugin.ended_at !== null || !store.is_active
  if (isSignedBy(secret, name, headers, body)) return { headers, secret, store, hasEnded }
  if (oldSecret !== null && isSignedBy(oldSecret, name, headers, body))
    return { headers, secret: oldSecret, store, hasEnded }
  return null
}

async function assertFresh(deps: Pick<Deps, 'now'>, store: Caller, headers: CallHeaders): Promise<void> {
  const now = deps.now()
  assertInTime(headers, now)
  if (await takeNonce(store, headers.nonce, now)) return
  throw new ProtocolError(409, 'replayed', 'This call was already received.')
}

export function assertInTime(headers: CallHeaders, now: Date): void {
  if (isInTime(headers, now)) return
  const seconds = Math.floor(now.getTime() / 1_000)
  throw new ProtocolError(401, 'clock', 'The clocks of the shop and of Recoup differ by more than 5 minutes.', {
    now: seconds,
  })
}

export function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new AppError('invalid', 'The body is not JSON.', { cause: error })
  }
}

/** Signs every result, so that no one in between can forge it. */
export async function replySigned(
  deps: Pick<Deps, 'log'>,
  reply: FastifyReply,
  { secret, nonce, name }: { secret: string; nonce: string; name: CallName },
  handle: () => Promise<ReplyBody>,
): Promise<FastifyReply> {
  const { status, body } = await handle().then(
    (answer) => ({ status: 200, body: answer }),
    (error: unknown) => toErrorReply(deps, name, error),
  )
  const text = JSON.stringify(body)
  return reply
    .code(status)
    .header('x-recoup-signature', signReply(secret, nonce, status, text))
    .type('application/json; charset=utf-8')
    .send(text)
}

function toErrorReply(deps: Pick<Deps, 'log'>, name: CallName, error: unknown): { status: number; body: ReplyBody } {
  if (error instanceof ProtocolError) {
    return { status: error.status, body: { code: error.code, error: error.message, ...error.more } }
  }
  if (error instanceof AppError) {
    return { status: statusOf[error.code], body: { code: error.code, error: error.message } }
  }
  deps.log.error({ err: error, call: name }, 'plugin.call-failed')
  return { status: 500, body: { code: 'internal', error: 'Something went wrong on Recoup’s side.' } }
}
