import type { CartState } from '../../../shared/carts/carts.ts'
import type { Episode } from '../../core/schema/public.ts'

// Matches episodes to existing cart rows and computes each row's state (S1–S6). Pure.

export interface CartRow {
  id: string
  status: CartState
  opening_fact_id: string
  started_at: Date
  last_activity_at: Date
  ended_at: Date | null
  abandon_at: Date | null
  abandoned_at: Date | null
  last_sent_at: Date | null
}

export interface PlannedCart {
  /** null: insert a new row. */
  row: CartRow | null
  episode: Episode
  status: CartState
}

export interface CartPlan {
  carts: PlannedCart[]
  /** Rows whose episode is now part of another row's episode. */
  merged: { row: CartRow; into: CartRow }[]
  /** Rows left without an episode by earlier facts that arrived late. */
  orphans: CartRow[]
}

/**
 * `openingFacts` maps each fact that opened a row to the index of its episode now. If several rows fall into one
 * episode, the one with the earlier start (then id) survives (S6). `isRecovered`: whether a touch precedes a purchase
 * (S3).
 */
export function planCarts(
  episodes: readonly Episode[],
  rows: readonly CartRow[],
  openingFacts: ReadonlyMap<string, number>,
  isRecovered: (episode: Episode) => boolean,
): CartPlan {
  if (episodes.length === 0) return { carts: [], merged: [], orphans: [...rows] }
  const byStart = [...rows].sort((a, b) => a.started_at.getTime() - b.started_at.getTime() || (a.id < b.id ? -1 : 1))
  const rowOf = new Map<number, CartRow>()
  const sent = new Set<number>()
  const merged: CartPlan['merged'] = []
  for (const row of byStart) {
    const index = openingFacts.get(row.opening_fact_id) ?? 0
    const survivor = rowOf.get(index)
    if (row.last_sent_at) sent.add(index)
    if (survivor) merged.push({ row, into: survivor })
    else rowOf.set(index, row)
  }
  const carts = episodes.map((episode, index) => {
    const row = rowOf.get(index) ?? null
    if (episode.status === 'purchased') {
      return { row, episode, status: isRecovered(episode) ? ('recovered' as const) : ('purchased' as const) }
    }
    return { row, episode, status: computeStatus(episode, row, sent.has(index)) }
  })
  return { carts, merged, orphans: [] }
}

/** `wasSent`: a message was sent for this cart or for one merged into it. */
function computeStatus(episode: Episode, row: CartRow | null, wasSent: boolean): CartState {
  if (episode.status !== 'open') return episode.status
  if (row?.status !== 'abandoned') return 'active'
  const isIdle = episode.lastActivityAt <= row.last_activity_at.getTime()
  return isIdle || wasSent ? 'abandoned' : 'active' // S2
}

/** Index of each fact's episode: the last that began at or before it, else the first. */
export function locateFacts(
  episodes: readonly Episode[],
  factOrder: ReadonlyMap<string, number>,
  openingFactIds: readonly string[],
): Map<string, number> {
  const starts = episodes.map((episode) => factOrder.get(episode.openingFactId) ?? -1)
  const result = new Map<string, number>()
  for (const id of openingFactIds) {
    const position = factOrder.get(id) ?? 0
    let index = 0
    while (index + 1 < starts.length && starts[index + 1]! <= position) index++
    result.set(id, index)
  }
  return result
}
