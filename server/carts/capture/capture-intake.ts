import { gather } from '../../core/common/gather.ts'
import { newId } from '../../core/common/ids.ts'
import * as system from '../../core/db/system.ts'
import type { Deps } from '../../deps.ts'
import type { AdmittedPost, PlacedPost, Unconfirmed } from '../../core/schema/facts.ts'
import { admitPost, type CaptureStore, recordPosts, withLimits } from './capture.ts'
import { onlyReadable } from './capture-rules.ts'
import * as sql from './capture-sql.ts'
import { foldInTurn } from './fold-turns.ts'

// What comes in from shops' pages by the hundred. Stores are looked up together; their posts are kept
// together and answered when that is committed. They become facts within a second, many of a store at once, in this process; what it
// leaves behind is found by the worker.

export interface Intake {
  storeOf(captureKey: string): Promise<PostingStore | null>
  /** Resolves when the post is committed; what it says of consent is not taken. */
  keep(store: CaptureStore, post: PlacedPost, client: string): Promise<void>
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>
}

export type PostingStore = Awaited<ReturnType<typeof system.storesByCaptureKeys>>[number]

/** Longer than folding anything takes: what is older was left behind. */
const LEFT_BEHIND_MS = 10_000
/** Posts of one store made facts of at once. */
const BATCH = 100
const COUNTED_FOR_MS = 60_000
const MOST_COUNTED = 10_000

export function openIntake(deps: Deps): Intake {
  const findStores = gather((keys: string[]) => findAll(deps, keys), { most: 200, atOnce: 2 })
  const keepAll = gather((posts: Kept[]) => keepPosts(deps, posts), { most: 200, atOnce: 2 })
  const folding = foldInTurn(BATCH, async (storeId) => {
    try {
      return await foldOldest(deps, storeId)
    } catch (error) {
      deps.log.error({ err: error, storeId }, 'capture.fold_failed')
      // Whoever looks for posts left behind tries again.
      return 0
    }
  })
  const counted = countAddresses(deps)
  return {
    storeOf: findStores,
    async keep(store, post, client) {
      const readable = onlyReadable(post)
      const admitted = readable.contact ? await counted(store, readable, client) : readable
      const kept = { storeId: store.id, id: newId(), receivedAt: deps.now(), post: admitted }
      await keepAll(kept)
      folding.add(store.id)
    },
    close: folding.end,
  }
}

interface Kept extends sql.KeptPost {
  storeId: string
}

async function findAll(deps: Deps, keys: readonly string[]): Promise<(PostingStore | null)[]> {
  const stores = await system.storesByCaptureKeys(deps.db, [...new Set(keys)])
  const byKey = new Map(stores.map((store) => [store.capture_key, store]))
  return keys.map((key) => byKey.get(key) ?? null)
}

async function keepPosts(deps: Deps, posts: readonly Kept[]): Promise<undefined[]> {
  const rows = posts.map(({ storeId, id, receivedAt, post }) => ({
    store_id: storeId,
    id,
    received_at: receivedAt,
    post,
  }))
  await system.keepPosts(deps.db, rows)
  return posts.map(() => undefined)
}

/** A second post with the same contact may come before the first has become a fact: it brings nothing new either. */
function countAddresses(deps: Deps) {
  const recent = new Map<string, { at: number; unconfirmed: Unconfirmed | undefined }>()
  return async (store: CaptureStore, post: PlacedPost, client: string): Promise<AdmittedPost> => {
    const now = deps.now().getTime()
    const said = JSON.stringify([store.id, post.cart, post.contact?.email, post.contact?.phone])
    const before = recent.get(said)
    if (before && Math.abs(now - before.at) < COUNTED_FOR_MS) return withLimits(post, before.unconfirmed)
    const admitted = await admitPost(deps, store, post, client)
    if (recent.size >= MOST_COUNTED) recent.clear()
    recent.set(said, { at: now, unconfirmed: admitted.unconfirmed })
    return admitted
  }
}

/** Facts first: what is dropped without having become one would be lost, what is folded twice is folded once. */
async function foldKept(deps: Deps, storeId: string, posts: readonly sql.KeptPost[]): Promise<void> {
  await recordPosts(deps, storeId, posts)
  await sql.dropPosts(
    { storeId, db: deps.db },
    posts.map((post) => post.id),
  )
}

/** Tick: posts whose process ended, or could not fold them, before they became facts. */
export async function foldLeftPosts(deps: Deps, olderThanMs = LEFT_BEHIND_MS): Promise<void> {
  for (const storeId of await system.storesWithPosts(deps.db, deps.now(), olderThanMs)) await foldPostsOf(deps, storeId)
}

/** Everything a store's shoppers were answered so far. Asked for before its messages are decided on, whoever else is at it (S2). */
export async function foldPostsOf(deps: Deps, storeId: string): Promise<void> {
  while ((await foldOldest(deps, storeId)) === BATCH);
}

/** What the browser of one cart was answered so far. */
export async function foldPostsOfCart(deps: Deps, storeId: string, cart: string): Promise<void> {
  const posts = await sql.keptPosts({ storeId, db: deps.db }, BATCH, cart)
  if (posts.length > 0) await foldEach(deps, storeId, posts)
}

/** Answers how many there were: as many as one batch has, and there may be more. */
function foldOldest(deps: Deps, storeId: string): Promise<number> {
  return inTurn(storeId, async () => {
    const posts = await sql.keptPosts({ storeId, db: deps.db }, BATCH)
    if (posts.length > 0) await foldEach(deps, storeId, posts)
    return posts.length
  })
}

const turns = new Map<string, Promise<unknown>>()

/** Two that fold the same posts at once do no harm, and all the work twice. */
async function inTurn<T>(storeId: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(storeId) ?? Promise.resolve()
  const turn = before.then(work, work)
  turns.set(storeId, turn)
  try {
    return await turn
  } finally {
    if (turns.get(storeId) === turn) turns.delete(storeId)
  }
}

/** One post that cannot be folded must not keep the others from it: it is reported and given up. */
async function foldEach(deps: Deps, storeId: string, posts: readonly sql.KeptPost[]): Promise<void> {
  try {
    await foldKept(deps, storeId, posts)
  } catch (error) {
    if (!isOfTheData(error)) throw error
    if (posts.length > 1) {
      for (const post of posts) await foldEach(deps, storeId, [post])
      return
    }
    deps.log.error({ err: error, storeId }, 'capture.post_dropped')
    await sql.dropPosts({ storeId, db: deps.db }, [posts[0]!.id])
  }
}

/** A value the database refuses, whoever tries again: classes 22 and 23 of SQLSTATE. */
const isOfTheData = (error: unknown) => /^2[23]/.test((error as { code?: string }).code ?? '')
