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
  /** One of `engagementReasons` in shared/delivery/engagement.ts. */
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

// Detects the kind of client from the user agent. Pure. Contains only names that their makers or operators document.

type ClientKind =
  /** Security software that opens links before or instead of a person. */
  | 'link_scanner'
  /** Messengers and mail programs that show a preview card of a link. */
  | 'link_preview'
  /** Crawlers, monitors, programs, libraries. */
  | 'robot'
  /** Fetches images for a webmail when the reader opens the mail. */
  | 'gmail_proxy'
  | 'yahoo_proxy'
  /** Fetches images on delivery, whether the mail is read or not. */
  | 'gmail_prefetch'
  | 'apple_mail_privacy'
  /** A desktop mail program. */
  | 'mail_app'
  /** Claims to be a browser version that has been out of use for years. */
  | 'outdated_browser'
  | 'browser'
  | 'none'

const SCANNERS =
  /proofpoint|mimecast|barracuda|symantec|messagelabs|safelinks|forcepoint|ironport|trendmicro|trend micro|fireeye|trellix|sophos|zscaler|fortiguard|checkpoint|avanan|cloudmark|vade ?secure|hornetsecurity|google-safety|bitdefender|kaspersky|mcafee|urlscan|virustotal|phish/i

const PREVIEWS =
  /facebookexternalhit|facebot|twitterbot|whatsapp\/|slackbot|slack-imgproxy|telegrambot|discordbot|linkedinbot|skypeuripreview|bingpreview|viber|snapchat.{0,80}preview|pinterestbot|redditbot|applebot|embedly|iframely|vkshare|google-pagerenderer/i

const ROBOTS =
  /bot\b|crawl|spider|scan|preview|fetch|monitor|curl|wget|python|java\/|okhttp|go-http|libwww|headless|phantomjs|puppeteer|playwright|axios|node-fetch|undici|guzzle|ruby|perl|httpclient|http-client|pingdom|uptime|lighthouse|apache-|dart:io|ahrefs|nutch|-user\/|cfnetwork.{0,80}dataaccess/i

/** Gmail's fetch on delivery is documented with this user agent, which no browser ever sent. */
const GMAIL_PREFETCH = /Edge\/12\.246 Mozilla\/5\.0$/

const MAIL_APPS =
  /thunderbird|microsoft outlook|ms-office|msoffice|macoutlook|outlook-(ios|android)|airmail|emclient|postbox|lotus-notes|mailbird|evolution/i

/** Older versions no longer work with current TLS and shop pages, but scanners still claim them. */
const OLDEST = { Chrome: 70, Firefox: 60, MSIE: 11 } as const

/** Bounds the regular expressions; real user agents have a few hundred characters. */
const LONGEST_READ = 2_000

export function clientKind(userAgent: string): ClientKind {
  const name = userAgent.slice(0, LONGEST_READ).trim()
  if (name === '') return 'none'
  if (name === 'Mozilla/5.0') return 'apple_mail_privacy'
  if (/GoogleImageProxy/i.test(name)) return 'gmail_proxy'
  if (/YahooMailProxy/i.test(name)) return 'yahoo_proxy'
  if (GMAIL_PREFETCH.test(name)) return 'gmail_prefetch'
  if (SCANNERS.test(name)) return 'link_scanner'
  if (PREVIEWS.test(name)) return 'link_preview'
  if (ROBOTS.test(name)) return 'robot'
  if (MAIL_APPS.test(name)) return 'mail_app'
  if (!/^(Mozilla|Opera)\//.test(name)) return 'robot'
  return isOutdated(name) ? 'outdated_browser' : 'browser'
}

function isOutdated(name: string): boolean {
  return Object.entries(OLDEST).some(([browser, oldest]) => {
    const version = new RegExp(`\\b${browser}[/ ](\\d+)`).exec(name)?.[1]
    return version !== undefined && Number(version) < oldest
  })
}
