import type { EngagementClass, EngagementKind } from './classify.ts'

// What the visits to one message say together. Pure. A scanner goes through all links of a mail within seconds, the one no person
// sees among them; a person does not.

export interface SeenEvent {
  id: string
  kind: EngagementKind
  /** Which of the message's links. */
  link: string
  class: EngagementClass
  /** Milliseconds since any epoch. */
  at: number
}

export interface Reclassified {
  id: string
  reason: 'honeypot_burst' | 'many_links'
}

/** Visits closer together than this belong to one burst. */
const GAP_MS = 5_000
/** Around a visit to the honeypot, whatever lies between. */
const HONEYPOT_MS = 15_000
/** So many different links in one burst … */
const MANY_LINKS = 3
/** … or two of them closer together than hands are. */
const TWO_LINKS_MS = 1_000

/** How far back visits can still be judged anew. */
export const BURST_MS = 60_000

/** Those that were taken for something better than a machine and, seen together, are not. */
export function evaluateBurst(visits: readonly SeenEvent[]): Reclassified[] {
  const sorted = [...visits].sort((one, other) => one.at - other.at)
  const honeypots = sorted.filter(({ kind }) => kind === 'honeypot')
  const many = new Set(burstsOf(sorted).filter(hasManyLinks).flat())
  const better = sorted.filter((visit) => visit.class !== 'machine')
  return better.flatMap((visit): Reclassified[] => {
    if (honeypots.some(({ at }) => Math.abs(at - visit.at) <= HONEYPOT_MS))
      return [{ id: visit.id, reason: 'honeypot_burst' }]
    return many.has(visit) ? [{ id: visit.id, reason: 'many_links' }] : []
  })
}

function burstsOf(sorted: readonly SeenEvent[]): SeenEvent[][] {
  const bursts: SeenEvent[][] = []
  for (const visit of sorted) {
    const last = bursts.at(-1)
    if (last && visit.at - last.at(-1)!.at <= GAP_MS) last.push(visit)
    else bursts.push([visit])
  }
  return bursts
}

function hasManyLinks(burst: readonly SeenEvent[]): boolean {
  const links = burst.filter(({ kind }) => kind === 'click' || kind === 'unsubscribe_link')
  if (new Set(links.map(({ link }) => link)).size >= MANY_LINKS) return true
  return links.some((visit, at) => {
    const next = links[at + 1]
    return next !== undefined && next.link !== visit.link && next.at - visit.at < TWO_LINKS_MS
  })
}
