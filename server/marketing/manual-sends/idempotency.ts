import crypto from 'node:crypto'
import type { ErrorCode } from '../../../shared/core/errors.ts'
import type { Session } from '../../access/members/public.ts'
import { AppError, createId } from '../../core/common/public.ts'
import { type AccountDb, type Db, type StoreDb, type StoreTx, sql, transact } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// Idempotent requests (D9). The result is stored with the key in one transaction; a replay with the same key gets the
// first answer.

const DAY_MS = 86_400_000
/** A second click on the same button within this time counts as the same request. */
const PRESS_MS = 60_000

export interface IdempotentRequest {
  session: Session
  account: AccountDb<Db>
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
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  work: Work<Reply>,
): Promise<Reply> {
  const { make, answer, isUndone } = work
  const { userId, key, bodyHash } = buildKey(request)
  const id = createId()
  const now = deps.now()
  const until = new Date(now.getTime() + (request.key === null ? PRESS_MS : DAY_MS))
  const isFirst = await transact(store, async (tx) => {
    const isFirst = await storeRequest(tx, { userId, key, bodyHash, made: id, now, until })
    if (isFirst) await make(tx, id)
    return isFirst
  })
  if (!isFirst && request.key === null && (await isUndone?.())) {
    const first = await readRequest(store, userId, key)
    if (first) await deleteRequest(store, userId, key, first.made)
    return withIdempotencyKey(deps, store, request, work)
  }
  if (!isFirst) return replay(store, { userId, key, bodyHash }, answer)
  const stored = await captureReply(() => answer(id))
  // Without a key, a rejection is not replayed: the user may have fixed the cause before the next click.
  if (request.key === null && 'refusal' in stored) await deleteRequest(store, userId, key, id)
  else await storeReply(store, id, userId, stored)
  return unwrapReply(stored)
}

/**
 * The stored answer of an earlier request with this key, unaffected by later changes; null: there is none. Throws as
 * `withIdempotencyKey`.
 */
export async function replayReply<Reply>(
  deps: Pick<Deps, 'now'>,
  store: StoreDb<Db>,
  request: IdempotentRequest,
  answer: Work<Reply>['answer'],
): Promise<{ reply: Reply } | null> {
  const name = buildKey(request)
  const first = await readRequest(store, name.userId, name.key)
  return first && first.expires_at > deps.now() ? { reply: await replay(store, name, answer) } : null
}

function buildKey({ session, key, body }: IdempotentRequest) {
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
  const first = await readRequest(store, userId, key)
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

function unwrapReply<Reply>(stored: StoredReply<Reply>): Reply {
  if ('reply' in stored) return stored.reply
  const { code, message, fields } = stored.refusal
  throw new AppError(code, message, fields ? { fields } : {})
}

/** Deletes expired keys. */
export const deleteExpiredRequests = (deps: Pick<Deps, 'db' | 'now'>): Promise<void> =>
  deleteOldRequests(deps.db, deps.now())

// SQL for idempotent requests (D9).

interface StoredRequest {
  body_hash: Buffer
  made: string
  answer: unknown
  expires_at: Date
}

/**
 * Stores the request under its key. Returns false if the key already has a valid request; a concurrent second request
 * waits for the first commit.
 */
async function storeRequest(
  { db, storeId }: StoreTx,
  input: { userId: string; key: string; bodyHash: Buffer; made: string; now: Date; until: Date },
): Promise<boolean> {
  const { userId, key, bodyHash, made, now, until } = input
  const rows = await sql`
    insert into idempotency_keys as r (store_id, user_id, key, body_hash, made, created_at, expires_at)
    values (${storeId}, ${userId}, ${key}, ${bodyHash}, ${made}, ${now}, ${until})
    on conflict (store_id, user_id, key) do update set body_hash = excluded.body_hash, made = excluded.made, answer = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
      where r.expires_at <= ${now} returning 1`.execute(db)
  return rows.rows.length > 0
}

function readRequest({ db, storeId }: StoreDb, userId: string, key: string): Promise<StoredRequest | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'made', 'answer', 'expires_at'])
    .where('store_id', '=', storeId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Keeps an existing answer. */
async function storeReply({ db, storeId }: StoreDb, made: string, userId: string, answer: unknown): Promise<void> {
  await sql`update idempotency_keys set answer = ${JSON.stringify(answer)}::jsonb
    where store_id = ${storeId} and user_id = ${userId} and made = ${made} and answer is null`.execute(db)
}

async function deleteRequest({ db, storeId }: StoreDb, userId: string, key: string, made: string): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('store_id', '=', storeId)
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('made', '=', made)
    .execute()
}

async function deleteOldRequests(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute()
}
