import type { StoreTx } from '../../core/db/public.ts'
import type { NewFact } from './record.ts'
import * as sql from './sql.ts'

// Determines when a capture post happened. Of two posts of one page, or of one cart in the plugin's queue, the one with
// the higher number is later (S7). A page's posts are dated by arrival. Those of a queue are dated by their age in
// whole seconds, which does not order two within a second. A post dated before its predecessor is moved behind it.

export interface NumberedPost {
  place: number
  shopperId: string
  page: string
  seq: number
  /** Key prefix of the cart's facts in a queue. null for a page, whose posts are ordered across carts. */
  queue: string | null
}

export interface Neighbours {
  /** null if there is none. Not read for posts of a page. */
  earlier: Date | null
  later: Date | null
}

/** A queue's entry may be dated late by a second plus the time of its transfer. */
const MAX_LATE_MS = 10_000
/** Distance to the predecessor, which leaves room for the few posts that were overtaken. */
const BEHIND_MS = 10

/** Times of the facts, by index. An overtaken post is dated before the later one. */
export async function resolveTimes(
  tx: StoreTx,
  facts: readonly NewFact[],
  shopperIds: readonly string[],
): Promise<Date[]> {
  const posts = facts.flatMap((fact, place) => readPost(fact, place, shopperIds[place]!))
  const stored = await sql.selectNeighbours(tx, posts)
  const times = facts.map(({ at }) => at.getTime())
  for (const post of posts) {
    const { place, queue } = post
    const { earlier, later } = stored.get(place) ?? {}
    const others = posts.filter((other) => other.place < place && isSameSequence(other, post))
    const before = findLatest([
      earlier?.getTime(),
      ...others.filter(({ seq }) => seq < post.seq).map((other) => times[other.place]!),
    ])
    const behind = findEarliest([
      later?.getTime(),
      ...others.filter(({ seq }) => seq > post.seq).map((other) => times[other.place]!),
    ])
    const isTooEarly = queue !== null && times[place]! <= before && before - times[place]! <= MAX_LATE_MS
    if (isTooEarly) times[place] = before + BEHIND_MS
    if (behind <= times[place]!) times[place] = behind - 1
  }
  return times.map((time) => new Date(time))
}

function readPost({ payload, source, uniqueKey }: NewFact, place: number, shopperId: string): NumberedPost[] {
  if (!('page' in payload) || !payload.page || payload.seq === undefined) return []
  const { page, seq } = payload
  const queue = source === 'plugin' ? uniqueKey.slice(0, uniqueKey.lastIndexOf(':') + 1) : null
  return [{ place, shopperId, page, seq, queue }]
}

const isSameSequence = (a: NumberedPost, b: NumberedPost) =>
  a.shopperId === b.shopperId && a.page === b.page && a.queue === b.queue

const findLatest = (times: readonly (number | undefined)[]) => Math.max(...times.filter((time) => time !== undefined))
const findEarliest = (times: readonly (number | undefined)[]) => Math.min(...times.filter((time) => time !== undefined))
