// Who opened a link: a person or a machine. Pure. Only human touches attribute (A1).

export interface Visit {
  method: string
  userAgent: string
  /** `Sec-Purpose`, `Purpose` or `X-Moz`: browsers say when they only prefetch. */
  purpose: string
  /** null when the message was never handed over. */
  sinceHandOverMs: number | null
}

const ROBOTS =
  /bot\b|crawl|spider|scan|preview|fetch|monitor|curl|wget|python|java\/|okhttp|go-http|libwww|proofpoint|mimecast|barracuda|symantec|safelinks/i

/** A click sooner than this after the hand-over is a scanner on the way to the inbox. */
const SCANNER_MS = 1_000

export function classifyVisit(visit: Visit): { isHuman: boolean; reason: string } {
  if (visit.method === 'HEAD') return { isHuman: false, reason: 'head_request' }
  if (/prefetch|prerender|preview/i.test(visit.purpose)) return { isHuman: false, reason: 'prefetch' }
  if (visit.userAgent === '' || ROBOTS.test(visit.userAgent)) return { isHuman: false, reason: 'robot' }
  if (visit.sinceHandOverMs !== null && visit.sinceHandOverMs < SCANNER_MS)
    return { isHuman: false, reason: 'too_soon' }
  return { isHuman: true, reason: 'browser' }
}
