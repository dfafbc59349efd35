import crypto from 'node:crypto'
import type { ErrorCode } from '../../../shared/errors.ts'
import { type Db, type StoreDb, type StoreTx, transact } from '../../core/db/db.ts'
import { AppError } from '../../core/common/errors.ts'
import { newId } from '../../core/common/ids.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from '../../access/members/session.ts'
import * as sql from './idempotency-sql.ts'

// Requests that may come twice and must not act twice (D9). What a request made is written with its key in one transaction; whoever
// comes with the same key gets the answer of the first.

const DAY_MS = 86_400_000
/** How long a second press of the same button is taken for the first one's. */
const PRESS_MS = 60_000

export interface IdempotentRequest {
  session: Session
  /** The `Idempotency-Key`; null: none was sent. */
  key: string | null
  /** What the request is, its path included: another under the same key is refused. */
  body: unknown
}

interface Work<Reply> {
  /** Does what is asked, as `id`. */
  make: (tx: StoreTx, id: string) => Promise<void>
  /** What became of it; a refusal is an AppError. */
  answer: (id: string) => Promise<Reply>
  /** Whether something has undone it since: then the next press of the button acts. */
  isUndone?: () => Promise<boolean>
}

type Kept<Reply> =
  | { reply: Reply }
  | { refusal: { code: ErrorCode; message: string; fields: Record<string, string> | null } }

/** Throws `conflict` when the key came with another request. */
export async function withIdempotencyKey<Reply>(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  work: Work<Reply>,
): Promise<Reply> {
  const { make, answer, isUndone } = work
  const { userId, key, bodyHash } = nameOf(request)
  const id = newId()
  const now = deps.now()
  const until = new Date(now.getTime() + (request.key === null ? PRESS_MS : DAY_MS))
  const isFirst = await transact(store, async (tx) => {
    const isKept = await sql.keepRequest(tx, { userId, key, bodyHash, made: id, now, until })
    if (isKept) await make(tx, id)
    return isKept
  })
  if (!isFirst && request.key === null && (await isUndone?.())) {
    const first = await sql.readRequest(store, userId, key)
    if (first) await sql.forgetRequest(store, userId, key, first.made)
    return withIdempotencyKey(deps, store, request, work)
  }
  if (!isFirst) return repeat(store, { userId, key, bodyHash }, answer)
  const kept = await outcomeOf(() => answer(id))
  // Without a key a refusal is not repeated: the next press may come after what stood in the way was put right.
  if (request.key === null && 'refusal' in kept) await sql.forgetRequest(store, userId, key, id)
  else await sql.keepAnswer(store, id, userId, kept)
  return unfold(kept)
}

/** The first answer to a request that came before, whatever has changed since; null: it did not. Throws as `withIdempotencyKey`. */
export async function answerOfRepeat<Reply>(
  deps: Deps,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  answer: Work<Reply>['answer'],
): Promise<{ reply: Reply } | null> {
  const name = nameOf(request)
  const first = await sql.readRequest(store, name.userId, name.key)
  return first && first.expires_at > deps.now() ? { reply: await repeat(store, name, answer) } : null
}

function nameOf({ session, key, body }: IdempotentRequest) {
  const bodyHash = crypto.hash('sha256', JSON.stringify(body), 'buffer')
  return {
    userId: session.userId,
    key: key === null ? `press:${bodyHash.toString('base64url')}` : `key:${key}`,
    bodyHash,
  }
}

async function repeat<Reply>(
  store: StoreDb<Db>,
  { userId, key, bodyHash }: { userId: string; key: string; bodyHash: Buffer },
  answer: (id: string) => Promise<Reply>,
): Promise<Reply> {
  const first = await sql.readRequest(store, userId, key)
  if (!first) throw new AppError('conflict', 'The same request was just refused. Please try again.')
  if (!first.body_hash.equals(bodyHash)) {
    throw new AppError('conflict', 'This Idempotency-Key belongs to another request.')
  }
  return first.answer ? unfold(first.answer as Kept<Reply>) : answer(first.made)
}

async function outcomeOf<Reply>(answer: () => Promise<Reply>): Promise<Kept<Reply>> {
  try {
    return { reply: await answer() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { refusal: { code: error.code, message: error.message, fields: error.fields ?? null } }
  }
}

function unfold<Reply>(kept: Kept<Reply>): Reply {
  if ('reply' in kept) return kept.reply
  const { code, message, fields } = kept.refusal
  throw new AppError(code, message, fields ? { fields } : {})
}

/** Keys that nobody can send any more. */
export const forgetOldRequests = (deps: Deps): Promise<void> => sql.deleteOldRequests(deps.db, deps.now())
