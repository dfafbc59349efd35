import { LRUCache } from 'lru-cache'
import { createBatcher, createId } from '../../core/common/public.ts'
import * as system from '../../core/db/public.ts'
import { type Db, type StoreDb, sql } from '../../core/db/public.ts'
import type { ReceivedPost, UnconfirmedContacts } from '../../core/schema/public.ts'
import type { Deps } from '../../deps.ts'
import { addLimits, admitPost, type CaptureStore, recordPosts } from './capture.ts'
import { dropUnusable } from './capture-rules.ts'
import { type InboxPost, selectInboxPosts } from './capture-sql.ts'

// Takes in posts from shops' pages, hundreds at a time. Stores are looked up in one query, and posts are inserted
// together and answered after the commit. This process turns them into facts within a second, in batches per store. The
// worker finds those that a stopped process left behind.

export interface Intake {
  storeOf(captureKey: string): Promise<PostingStore | null>
  /** Resolves when the post is committed. Its consents are not recorded. */
  keep(store: CaptureStore, post: ReceivedPost, client: string): Promise<void>
  /** Resolves when no work is in progress. */
  close(): Promise<void>
}

export type PostingStore = Awaited<ReturnType<typeof system.findStoresByCaptureKeys>>[number]

/** Longer than any fold takes: older posts were left behind. */
const STALE_MS = 10_000
/** Posts of one store folded at once. */
const BATCH = 100
const COUNTED_FOR_MS = 60_000
const MAX_COUNTED = 10_000

export function openIntake(deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'pool' | 'secrets'>): Intake {
  const findStores = createBatcher((keys: string[]) => findStoresByKeys(deps, keys), { max: 200, atOnce: 2 })
  const keepAll = createBatcher((posts: InboxPost[]) => insertPosts(deps, posts), { max: 200, atOnce: 2 })
  const folding = scheduleFolds(BATCH, async (storeId) => {
    try {
      return await foldOldest(deps, { storeId, db: deps.db })
    } catch (error) {
      deps.log.error({ err: error, storeId }, 'capture.fold_failed')
      // The job for posts left behind tries again.
      return 0
    }
  })
  const counted = countAddresses(deps)
  return {
    storeOf: findStores,
    async keep(store, post, client) {
      const readable = dropUnusable(post)
      const admitted = readable.contact ? await counted(store, readable, client) : readable
      await keepAll({ store_id: store.id, id: createId(), received_at: deps.now(), post: admitted })
      folding.add(store.id)
    },
    close: folding.end,
  }
}

async function findStoresByKeys(deps: Pick<Deps, 'db'>, keys: readonly string[]): Promise<(PostingStore | null)[]> {
  const stores = await system.findStoresByCaptureKeys(deps.db, [...new Set(keys)])
  const byKey = new Map(stores.map((store) => [store.capture_key, store]))
  return keys.map((key) => byKey.get(key) ?? null)
}

async function insertPosts(deps: Pick<Deps, 'db'>, posts: readonly InboxPost[]): Promise<undefined[]> {
  await system.insertPosts(deps.db, posts)
  return posts.map(() => undefined)
}

/** A second post may arrive before the first is a fact. The same contact is not counted again. */
function countAddresses(deps: Pick<Deps, 'db' | 'log' | 'now' | 'pool' | 'secrets'>) {
  const recent = new LRUCache<string, { at: number; unconfirmed: UnconfirmedContacts | undefined }>({
    max: MAX_COUNTED,
  })
  return async (store: CaptureStore, post: ReceivedPost, client: string): Promise<ReceivedPost> => {
    const now = deps.now().getTime()
    const contactKey = JSON.stringify([store.id, post.cart, post.contact?.email, post.contact?.phone])
    const before = recent.get(contactKey)
    if (before && Math.abs(now - before.at) < COUNTED_FOR_MS) return addLimits(post, before.unconfirmed)
    const admitted = await admitPost(deps, store, post, client)
    recent.set(contactKey, { at: now, unconfirmed: admitted.unconfirmed })
    return admitted
  }
}

/** Records facts before it deletes posts: a post folded twice changes nothing, a lost one would be gone. */
async function foldAndDelete(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  posts: readonly InboxPost[],
): Promise<void> {
  await recordPosts(deps, store, posts)
  await deletePosts(
    store,
    posts.map((post) => post.id),
  )
}

/** Clock job: folds posts that their process could not fold before it ended. */
export async function foldStalePosts(
  deps: Pick<Deps, 'db' | 'jobs' | 'log' | 'now' | 'secrets'>,
  olderThanMs = STALE_MS,
): Promise<void> {
  for (const storeId of await system.listStoresWithPosts(deps.db, deps.now(), olderThanMs))
    await foldStorePosts(deps, { storeId, db: deps.db })
}

/** Folds all answered posts of a store. Runs before its messages are decided, even if others fold too (S2). */
export async function foldStorePosts(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
): Promise<void> {
  while ((await foldOldest(deps, store)) === BATCH);
}

/** Folds the answered posts of one cart. */
export async function foldPostsOfCart(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  cart: string,
): Promise<void> {
  const posts = await selectInboxPosts(store, BATCH, cart)
  if (posts.length > 0) await foldEach(deps, store, posts)
}

/** Returns the number of posts; a full batch means that there may be more. */
function foldOldest(deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>, store: StoreDb<Db>): Promise<number> {
  return runSerially(store.storeId, async () => {
    const posts = await selectInboxPosts(store, BATCH)
    if (posts.length > 0) await foldEach(deps, store, posts)
    return posts.length
  })
}

const running = new Map<string, Promise<unknown>>()

/** Two folds of the same posts are safe but do the work twice. */
async function runSerially<T>(storeId: string, work: () => Promise<T>): Promise<T> {
  const before = running.get(storeId) ?? Promise.resolve()
  const run = before.then(work, work)
  running.set(storeId, run)
  try {
    return await run
  } finally {
    if (running.get(storeId) === run) running.delete(storeId)
  }
}

/** A post that cannot be folded must not block the others: it is logged and dropped. */
async function foldEach(
  deps: Pick<Deps, 'jobs' | 'log' | 'now' | 'secrets'>,
  store: StoreDb<Db>,
  posts: readonly InboxPost[],
): Promise<void> {
  try {
    await foldAndDelete(deps, store, posts)
  } catch (error) {
    if (!isInvalidData(error)) throw error
    if (posts.length > 1) {
      for (const post of posts) await foldEach(deps, store, [post])
      return
    }
    deps.log.error({ err: error, storeId: store.storeId }, 'capture.post_dropped')
    await deletePosts(store, [posts[0]!.id])
  }
}

/** Whether the database refuses the value itself, so that a retry is useless: SQLSTATE classes 22 and 23. */
const isInvalidData = (error: unknown) => /^2[23]/.test((error as { code?: string }).code ?? '')

// Schedules the folding of posts by store. Only the number of waiting posts is kept here; the posts are in the
// database.

/** Longest wait for more posts of the same store, unless folds of other stores take longer. */
const MAX_WAIT_MS = 1_000
/** Concurrent folds: taking in posts has priority. */
const CONCURRENT_FOLDS = 1
/** Time for the last folds of a process. The worker folds what is left. */
const MAX_END_MS = 2_000

interface FoldScheduler {
  /** Adds a stored post of this store. */
  add(storeId: string): void
  /** Resolves when no work is in progress. */
  end(): Promise<void>
}

interface WaitingCount {
  count: number
  since: number
}

/** `fold` folds up to `batch` of a store's oldest posts and returns their number. It must not throw. */
export function scheduleFolds(batch: number, fold: (storeId: string) => Promise<number>): FoldScheduler {
  /** In order of waiting time. */
  const waiting = new Map<string, WaitingCount>()
  /** Stores with a full batch. */
  const full = new Set<string>()
  const busy = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null
  let endsAt: number | null = null

  const wait = (storeId: string, count: number) => {
    const store = waiting.get(storeId) ?? { count: 0, since: performance.now() }
    store.count += count
    waiting.set(storeId, store)
    if (store.count >= batch) full.add(storeId)
  }
  const take = async (storeId: string) => {
    const { count } = waiting.get(storeId)!
    waiting.delete(storeId)
    full.delete(storeId)
    const folded = await fold(storeId)
    // Fewer than a batch means that none are left. Otherwise the store queues again behind the others.
    if (folded >= batch && count > folded) wait(storeId, count - folded)
  }
  const nextOne = (now: number) => {
    const [first] = waiting
    const isDue = first && (endsAt !== null || now - first[1].since >= MAX_WAIT_MS)
    return isDue ? first[0] : full.values().next().value
  }
  const start = () => {
    const now = performance.now()
    if (endsAt !== null && now >= endsAt) return
    while (busy.size < CONCURRENT_FOLDS) {
      const storeId = nextOne(now)
      if (storeId === undefined) return wakeLater(now)
      const run: Promise<void> = take(storeId).finally(() => {
        busy.delete(run)
        start()
      })
      busy.add(run)
    }
  }
  const wakeLater = (now: number) => {
    const [first] = waiting.values()
    if (!first || timer) return
    const wake = () => {
      timer = null
      start()
    }
    timer = setTimeout(wake, Math.max(0, first.since + MAX_WAIT_MS - now) + 1)
  }
  return {
    add(storeId) {
      wait(storeId, 1)
      start()
    },
    async end() {
      endsAt = performance.now() + MAX_END_MS
      if (timer) clearTimeout(timer)
      timer = null
      start()
      while (busy.size > 0) await Promise.all(busy)
    },
  }
}

async function deletePosts({ db, storeId }: StoreDb, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom('capture_inbox')
    .where('store_id', '=', storeId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .execute()
}
