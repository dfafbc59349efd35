import crypto from 'node:crypto'
import type { ErrorCode } from '../../../shared/errors.ts'
import type { Session } from '../../access/members/session.ts'
import { AppError } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import type { Deps } from '../../deps.ts'
import * as sql from './idempotency-sql.ts'

// Idempotent requests (D9). The result is stored with the key in one transaction; a replay with the same key gets the
// first answer.

const DAY_MS = 86_400_000
/** A second click on the same button within this time counts as the same request. */
const PRESS_MS = 60_000

export interface IdempotentRequest {
  session: Session
  /** The `Idempotency-Key` header; null: none was sent. */
  key: string | null
  /** The request including its path. A different one under the same key is rejected. */
  body: unknown
}

interface Work<Reply> {
  /** Performs the request with the given id. */
  make: (tx: StoreTx, id: string) => Promise<void>
  /** The result; throws an AppError for a rejection. */
  answer: (id: string) => Promise<Reply>
  /** Whether the effect has been undone since; then the next click counts again. */
  isUndone?: () => Promise<boolean>
}

type StoredReply<Reply> =
  | { reply: Reply }
  | { refusal: { code: ErrorCode; message: string; fields: Record<string, string> | null } }

/** Throws `conflict` if the key came with another request. */
export async function withIdempotencyKey<Reply>(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  work: Work<Reply>,
): Promise<Reply> {
  const { make, answer, isUndone } = work
  const { userId, key, bodyHash } = keyOf(request)
  const id = newId()
  const now = deps.now()
  const until = new Date(now.getTime() + (request.key === null ? PRESS_MS : DAY_MS))
  const isFirst = await transact(store, async (tx) => {
    const isKept = await sql.storeRequest(tx, { userId, key, bodyHash, made: id, now, until })
    if (isKept) await make(tx, id)
    return isKept
  })
  if (!isFirst && request.key === null && (await isUndone?.())) {
    const first = await sql.readRequest(store, userId, key)
    if (first) await sql.deleteRequest(store, userId, key, first.made)
    return withIdempotencyKey(deps, store, request, work)
  }
  if (!isFirst) return replay(store, { userId, key, bodyHash }, answer)
  const kept = await captureReply(() => answer(id))
  // Without a key, a rejection is not replayed: the user may have fixed the cause before the next click.
  if (request.key === null && 'refusal' in kept) await sql.deleteRequest(store, userId, key, id)
  else await sql.storeReply(store, id, userId, kept)
  return unwrapReply(kept)
}

/**
 * The stored answer of an earlier request with this key, unaffected by later changes; null: there is none. Throws as
 * `withIdempotencyKey`.
 */
export async function replayReply<Reply>(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  answer: Work<Reply>['answer'],
): Promise<{ reply: Reply } | null> {
  const name = keyOf(request)
  const first = await sql.readRequest(store, name.userId, name.key)
  return first && first.expires_at > deps.now() ? { reply: await replay(store, name, answer) } : null
}

function keyOf({ session, key, body }: IdempotentRequest) {
  const bodyHash = crypto.hash('sha256', JSON.stringify(body), 'buffer')
  return {
    userId: session.userId,
    key: key === null ? `press:${bodyHash.toString('base64url')}` : `key:${key}`,
    bodyHash,
  }
}

async function replay<Reply>(
  store: StoreDb<Db>,
  { userId, key, bodyHash }: { userId: string; key: string; bodyHash: Buffer },
  answer: (id: string) => Promise<Reply>,
): Promise<Reply> {
  const first = await sql.readRequest(store, userId, key)
  if (!first) throw new AppError('conflict', 'The same request was just refused. Please try again.')
  if (!first.body_hash.equals(bodyHash)) {
    throw new AppError('conflict', 'This Idempotency-Key belongs to another request.')
  }
  return first.answer ? unwrapReply(first.answer as StoredReply<Reply>) : answer(first.made)
}

async function captureReply<Reply>(answer: () => Promise<Reply>): Promise<StoredReply<Reply>> {
  try {
    return { reply: await answer() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { refusal: { code: error.code, message: error.message, fields: error.fields ?? null } }
  }
}

function unwrapReply<Reply>(kept: StoredReply<Reply>): Reply {
  if ('reply' in kept) return kept.reply
  const { code, message, fields } = kept.refusal
  throw new AppError(code, message, fields ? { fields } : {})
}

/** Deletes expired keys. */
export const deleteExpiredRequests = (deps: Deps): Promise<void> => sql.deleteOldRequests(deps.db, deps.now())
