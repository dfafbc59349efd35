import { type ClientKind, clientKind } from './clients.ts'

// Who came to a link or picture of a message: a person or a machine. Pure. Only human touches attribute (A1), and nothing is
// ever decided by opens. What one visit cannot tell, those around it may: burst.ts.

/** `unsubscribe_link`: the unsubscribe link was looked at. `honeypot`: the link no person sees. */
export type EngagementKind = 'open' | 'click' | 'unsubscribe_link' | 'honeypot'

/** `unknown`: may be either, and counts as nobody. */
export type EngagementClass = 'human' | 'machine' | 'unknown'

export interface EngagementRequest {
  kind: EngagementKind
  method: string
  userAgent: string
  /** `Sec-Purpose`, `Purpose` or `X-Moz`: browsers say when they only prefetch. */
  purpose: string
  /** Where the address belongs to: `data_centre` when it is one of the bundled ranges. The address itself is not kept. */
  network: 'data_centre' | 'other'
  /** null when the message was never sent. */
  sinceSendingMs: number | null
}

export interface Classification {
  class: EngagementClass
  /** One of `engagementReasons` in shared/engagement.ts. */
  reason: string
}

/** Sooner than this after the send nobody can have read the message: a scanner on the way to the inbox. */
const SCANNER_MS = 1_000

const machine = (reason: string): Classification => ({ class: 'machine', reason })

export function classifyRequest(visit: EngagementRequest): Classification {
  if (visit.kind === 'honeypot') return machine('honeypot')
  if (visit.method !== 'GET') return machine('head_request')
  if (/prefetch|prerender|preview/i.test(visit.purpose)) return machine('prefetch')
  const agent = clientKind(visit.userAgent)
  const named = visit.kind === 'open' ? ofPicture(agent) : ofLink(agent)
  if (named?.class === 'machine') return named
  if (visit.sinceSendingMs !== null && visit.sinceSendingMs < SCANNER_MS) return machine('too_soon')
  // A webmail's servers stand in data centres, and its own name says more than where they are.
  if (named) return named
  if (visit.network === 'data_centre') return { class: 'unknown', reason: 'data_centre' }
  if (agent === 'outdated_browser') return { class: 'unknown', reason: 'outdated_browser' }
  return { class: 'human', reason: agent === 'mail_app' ? 'mail_app' : 'browser' }
}

const ALWAYS_MACHINES: readonly ClientKind[] = ['link_scanner', 'link_preview', 'robot', 'gmail_prefetch']

function ofPicture(agent: ClientKind): Classification | null {
  if (agent === 'none') return machine('no_agent')
  if (agent === 'apple_mail_privacy' || ALWAYS_MACHINES.includes(agent)) return machine(agent)
  return agent === 'gmail_proxy' || agent === 'yahoo_proxy' ? { class: 'human', reason: agent } : null
}

/** Links are opened by browsers: what only fetches pictures is no person here. */
function ofLink(agent: ClientKind): Classification | null {
  if (agent === 'none') return machine('no_agent')
  if (ALWAYS_MACHINES.includes(agent)) return machine(agent)
  return ['apple_mail_privacy', 'gmail_proxy', 'yahoo_proxy'].includes(agent) ? machine('robot') : null
}
