import { type ClientKind, clientKind } from './clients.ts'

// Classifies a visit to a link or image of a message as human or machine. Pure. Only human touches attribute (A1), and
// opens never decide anything. burst.ts looks at several visits together.

/** `unsubscribe_link`: the unsubscribe link was fetched. `honeypot`: a link that people cannot see. */
export type EngagementKind = 'open' | 'click' | 'unsubscribe_link' | 'honeypot'

/** `unknown` may be either and does not count. */
export type EngagementClass = 'human' | 'machine' | 'unknown'

export interface EngagementRequest {
  kind: EngagementKind
  method: string
  userAgent: string
  /** `Sec-Purpose`, `Purpose` or `X-Moz`, by which browsers announce a prefetch. */
  purpose: string
  /** `data_centre` if the IP address is in one of the bundled ranges. The address itself is not stored. */
  network: 'data_centre' | 'other'
  /** null when the message was never sent. */
  sinceSendingMs: number | null
}

export interface Classification {
  class: EngagementClass
  /** One of `engagementReasons` in shared/engagement.ts. */
  reason: string
}

/** A visit this soon after the send comes from a scanner on the way to the inbox. */
const SCANNER_MS = 1_000

const machine = (reason: string): Classification => ({ class: 'machine', reason })

export function classifyRequest(visit: EngagementRequest): Classification {
  if (visit.kind === 'honeypot') return machine('honeypot')
  if (visit.method !== 'GET') return machine('head_request')
  if (/prefetch|prerender|preview/i.test(visit.purpose)) return machine('prefetch')
  const agent = clientKind(visit.userAgent)
  const named = visit.kind === 'open' ? classifyImageFetch(agent) : classifyLinkVisit(agent)
  if (named?.class === 'machine') return named
  if (visit.sinceSendingMs !== null && visit.sinceSendingMs < SCANNER_MS) return machine('too_soon')
  // Webmail proxies run in data centres, so their user agent outranks the network.
  if (named) return named
  if (visit.network === 'data_centre') return { class: 'unknown', reason: 'data_centre' }
  if (agent === 'outdated_browser') return { class: 'unknown', reason: 'outdated_browser' }
  return { class: 'human', reason: agent === 'mail_app' ? 'mail_app' : 'browser' }
}

const ALWAYS_MACHINES: readonly ClientKind[] = ['link_scanner', 'link_preview', 'robot', 'gmail_prefetch']

function classifyImageFetch(agent: ClientKind): Classification | null {
  if (agent === 'none') return machine('no_agent')
  if (agent === 'apple_mail_privacy' || ALWAYS_MACHINES.includes(agent)) return machine(agent)
  return agent === 'gmail_proxy' || agent === 'yahoo_proxy' ? { class: 'human', reason: agent } : null
}

/** People open links in browsers, so an image proxy on a link is a machine. */
function classifyLinkVisit(agent: ClientKind): Classification | null {
  if (agent === 'none') return machine('no_agent')
  if (ALWAYS_MACHINES.includes(agent)) return machine(agent)
  return ['apple_mail_privacy', 'gmail_proxy', 'yahoo_proxy'].includes(agent) ? machine('robot') : null
}
