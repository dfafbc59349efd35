import crypto from 'node:crypto'
import { AppError } from '../../core/common/public.ts'
import { clientNetwork } from '../../core/db/public.ts'
import type { Deps } from '../../deps.ts'

// Limits posts per client. Kept in memory, because it only protects the database.

/** Posts of one client to one store in ten minutes. A busy checkout sends about twenty. */
const MAX_POSTS = 600
const WINDOW_MS = 600_000
const HOUR_MS = 3_600_000

/** Throws `rate_limited` above the limit. */
export type PostLimiter = (storeId: string, client: string) => void

/** A client's window begins with its first post. */
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
    if (count.posts <= MAX_POSTS) return
    throw new AppError('rate_limited', 'Too many posts.', { retryAfterS: Math.ceil((count.endsAt - now) / 1_000) })
  }
}

/** Hash of the client for this hour. The address itself is never stored. */
export const hashClient = (deps: Pick<Deps, 'secrets' | 'now'>, ip: string): string => createClientHasher(deps)(ip)

/** The same for many addresses; the salt of an hour is computed once. */
export function createClientHasher({ secrets, now }: Pick<Deps, 'secrets' | 'now'>): (ip: string) => string {
  let [hour, salt] = [Number.NaN, '']
  return (ip) => {
    const thisHour = Math.floor(now().getTime() / HOUR_MS)
    if (thisHour !== hour) [hour, salt] = [thisHour, secrets.token('capture-client', String(thisHour))]
    return crypto.hash('sha256', `${salt}\0${clientNetwork(ip)}`, 'base64url')
  }
}
