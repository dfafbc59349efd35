import type { QueryKey } from '@tanstack/react-query'
import type { LivePart } from '../../shared/live.ts'

// Pure: which answers are out of date when a part of the store has changed.

/** What asks the store or the sender's domain itself is asked by people only. */
const outdates: Record<LivePart, (key: QueryKey) => boolean> = {
  carts: ([noun]) => noun === 'carts' || noun === 'cart',
  messages: ([noun, , part]) =>
    (noun === 'cart' && part === 'messages') || (noun === 'flows' && part === 'upcoming') || noun === 'send-job',
  flows: ([noun]) => noun === 'flows',
  settings: ([noun, part]) => noun === 'connection' || (noun === 'store' && part === 'health'),
  stats: ([noun]) => noun === 'dashboard',
}

export const isOutdatedBy = (changed: Iterable<LivePart>, key: QueryKey): boolean =>
  [...changed].some((part) => outdates[part](key))
