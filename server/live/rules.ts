import { type LivePart, liveParts } from '../../shared/live.ts'

// Pure: what an announcement says, which pages may connect, how much a connection may say.

/** Parsed from the channel's words: `store:<id>:<part>` or `account:<id>`. */
export type Announcement = { storeId: string; part: LivePart } | { accountId: string }

/** undefined for what nobody of ours has said. */
export function readAnnouncement(words: string): Announcement | undefined {
  const [kind, id, part] = words.split(':')
  if (kind === 'account' && id) return { accountId: id }
  const known = liveParts.find((each) => each === part)
  return kind === 'store' && id && known ? { storeId: id, part: known } : undefined
}

/**
 * Whether a page of this origin may connect: one of ours, under the public address or the one it was asked under.
 * Requests of other programs carry no origin; their token decides.
 */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string): boolean {
  if (origin === undefined) return true
  if (origin === publicUrl) return true
  return URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).host === host
}

/** A bucket of tokens: `burst` at once, `perSecond` over time. Says whether one more is within it. */
export function allowance(burst: number, perSecond: number) {
  let left = burst
  let at: number | undefined
  return (nowMs: number): boolean => {
    left = Math.min(burst, left + (Math.max(0, nowMs - (at ?? nowMs)) / 1_000) * perSecond)
    at = nowMs
    if (left < 1) return false
    left -= 1
    return true
  }
}
