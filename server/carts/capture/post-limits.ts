import crypto from 'node:crypto'
import { AppError } from '../../core/common/errors.ts'
import { clientNetwork } from '../../core/db/rate-limits.ts'
import type { Deps } from '../../deps.ts'

// Who posts, and how often: kept in memory, as it only spares the database.

/** Posts of one client to one store in ten minutes; a busy checkout needs about twenty. */
const MOST_POSTS = 600
const WINDOW_MS = 600_000
const HOUR_MS = 3_600_000

/** Throws `rate_limited`. */
export type PostLimiter = (storeId: string, client: string) => void

/** Each client's window begins with its first post. */
export function createPostLimiter(): PostLimiter {
  const counts = new Map<string, { posts: number; endsAt: number }>()
  let tidiedAt = performance.now()
  return (storeId, client) => {
    const now = performance.now()
    if (now - tidiedAt > WINDOW_MS) {
      tidiedAt = now
      for (const [key, { endsAt }] of counts) if (endsAt <= now) counts.delete(key)
    }
    const key = `${storeId}:${client}`
    const count = counts.get(key)
    if (!count || count.endsAt <= now) return void counts.set(key, { posts: 1, endsAt: now + WINDOW_MS })
    count.posts += 1
    if (count.posts <= MOST_POSTS) return
    throw new AppError('rate_limited', 'Too many posts.', { retryAfterS: Math.ceil((count.endsAt - now) / 1_000) })
  }
}

/** One client's name for this hour; the address itself is kept nowhere. */
export const clientOf = (deps: Pick<Deps, 'secrets' | 'now'>, ip: string): string => openClients(deps)(ip)

/** The same for many; what all names of an hour are made with is made once. */
export function openClients({ secrets, now }: Pick<Deps, 'secrets' | 'now'>): (ip: string) => string {
  let [hour, salt] = [Number.NaN, '']
  return (ip) => {
    const thisHour = Math.floor(now().getTime() / HOUR_MS)
    if (thisHour !== hour) [hour, salt] = [thisHour, secrets.token('capture-client', String(thisHour))]
    return crypto.hash('sha256', `${salt}\0${clientNetwork(ip)}`, 'base64url')
  }
}
