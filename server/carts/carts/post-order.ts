import type { StoreTx } from '../../core/db/db.ts'
import type { NewFact } from './record.ts'
import * as sql from './sql.ts'

// When a post happened: of two of one page, or of one cart of a shop's queue, the one with the higher number is the later one (S7). A page's posts
// are dated by their arrival. Those of a queue are dated by their age in whole seconds, which says nothing of two within a second: one that would come before
// an earlier one of its cart is put behind it.

export interface NumberedPost {
  place: number
  shopperId: string
  page: string
  seq: number
  /** How the keys of one cart's facts begin; null: of a page, whose posts are in order whatever their cart. */
  queue: string | null
}

export interface Neighbours {
  /** null: there is none, or it is a post of a page, for which it is not asked. */
  earlier: Date | null
  later: Date | null
}

/** A queue's entry is dated too late by a second, and by the time it was on its way. */
const MOST_TOO_LATE_MS = 10_000
/** Behind the one before, with room for the few that may have been overtaken. */
const BEHIND_MS = 10

/** The times of these facts, by their places; of a post that was overtaken, before the later one. */
export async function timesOf(tx: StoreTx, facts: readonly NewFact[], shopperIds: readonly string[]): Promise<Date[]> {
  const posts = facts.flatMap((fact, place) => postOf(fact, place, shopperIds[place]!))
  const stored = await sql.neighbours(tx, posts)
  const times = facts.map(({ at }) => at.getTime())
  for (const post of posts) {
    const { place, queue } = post
    const { earlier, later } = stored.get(place) ?? {}
    const others = posts.filter((other) => other.place < place && isOfSame(other, post))
    const before = latest([
      earlier?.getTime(),
      ...others.filter(({ seq }) => seq < post.seq).map((other) => times[other.place]!),
    ])
    const behind = earliest([
      later?.getTime(),
      ...others.filter(({ seq }) => seq > post.seq).map((other) => times[other.place]!),
    ])
    const isTooEarly = queue !== null && times[place]! <= before && before - times[place]! <= MOST_TOO_LATE_MS
    if (isTooEarly) times[place] = before + BEHIND_MS
    if (behind <= times[place]!) times[place] = behind - 1
  }
  return times.map((time) => new Date(time))
}

function postOf({ payload, source, uniqueKey }: NewFact, place: number, shopperId: string): NumberedPost[] {
  if (!('page' in payload) || !payload.page || payload.seq === undefined) return []
  const { page, seq } = payload
  const queue = source === 'plugin' ? uniqueKey.slice(0, uniqueKey.lastIndexOf(':') + 1) : null
  return [{ place, shopperId, page, seq, queue }]
}

const isOfSame = (a: NumberedPost, b: NumberedPost) =>
  a.shopperId === b.shopperId && a.page === b.page && a.queue === b.queue

const latest = (times: readonly (number | undefined)[]) => Math.max(...times.filter((time) => time !== undefined))
const earliest = (times: readonly (number | undefined)[]) => Math.min(...times.filter((time) => time !== undefined))
