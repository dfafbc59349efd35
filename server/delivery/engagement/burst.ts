import type { EngagementClass, EngagementKind } from './classify.ts'

// Detects scanners from the visits to one message. Pure. A scanner opens all links of a mail within seconds, including
// the invisible honeypot link; a person does not.

export interface EngagementEvent {
  id: string
  kind: EngagementKind
  /** Which of the message's links. */
  link: string
  class: EngagementClass
  /** Milliseconds since any epoch. */
  at: number
}

export interface Reclassification {
  id: string
  reason: 'honeypot_burst' | 'many_links'
}

/** Visits closer together than this belong to one burst. */
const GAP_MS = 5_000
/** All visits this close to a honeypot visit come from a machine. */
const HONEYPOT_MS = 15_000
/** This many different links in one burst come from a machine, … */
const MIN_LINKS_OF_MACHINE = 3
/** … and so do two links opened faster than by hand. */
const TWO_LINKS_MS = 1_000

/** Returns the visits to reclassify as a machine's. */
export function evaluateBurst(visits: readonly EngagementEvent[]): Reclassification[] {
  const sorted = [...visits].sort((one, other) => one.at - other.at)
  const honeypots = sorted.filter(({ kind }) => kind === 'honeypot')
  const many = new Set(groupBursts(sorted).filter(hasManyLinks).flat())
  const nonMachine = sorted.filter((visit) => visit.class !== 'machine')
  return nonMachine.flatMap((visit): Reclassification[] => {
    if (honeypots.some(({ at }) => Math.abs(at - visit.at) <= HONEYPOT_MS))
      return [{ id: visit.id, reason: 'honeypot_burst' }]
    return many.has(visit) ? [{ id: visit.id, reason: 'many_links' }] : []
  })
}

function groupBursts(sorted: readonly EngagementEvent[]): EngagementEvent[][] {
  const bursts: EngagementEvent[][] = []
  for (const visit of sorted) {
    const last = bursts.at(-1)
    if (last && visit.at - last.at(-1)!.at <= GAP_MS) last.push(visit)
    else bursts.push([visit])
  }
  return bursts
}

function hasManyLinks(burst: readonly EngagementEvent[]): boolean {
  const links = burst.filter(({ kind }) => kind === 'click' || kind === 'unsubscribe_link')
  if (new Set(links.map(({ link }) => link)).size >= MIN_LINKS_OF_MACHINE) return true
  return links.some((visit, at) => {
    const next = links[at + 1]
    return next !== undefined && next.link !== visit.link && next.at - visit.at < TWO_LINKS_MS
  })
}
