import ipaddr from 'ipaddr.js'
import type { DnsLookup } from '../../core/net/public.ts'

// Checks whether a domain's SPF record (RFC 7208) allows a mail server to send for it. Macros and `exists` are not
// evaluated and count as not allowing it.

export interface MailServer {
  host: string
  addresses: readonly string[]
}

export type SpfFinding =
  | { kind: 'none' }
  | { kind: 'several'; records: string[] }
  | { kind: 'failed'; reason: string }
  /**
   * `isCovering`: allows our mail server · `isOpen`: allows any sender · `isTooDeep`: needs more than ten look-ups, so
   * receivers ignore it.
   */
  | { kind: 'found'; record: string; isCovering: boolean; isOpen: boolean; isTooDeep: boolean }

const MAX_LOOKUPS = 10

interface Walk {
  dns: DnsLookup
  server: MailServer
  lookups: number
}

export async function readSpf(dns: DnsLookup, domain: string, server: MailServer): Promise<SpfFinding> {
  const answer = await dns.txt(domain)
  if (answer.kind === 'failed') return answer
  const records = answer.kind === 'found' ? answer.rows.filter(isSpf) : []
  const [record, ...others] = records
  if (record === undefined) return { kind: 'none' }
  if (others.length > 0) return { kind: 'several', records }
  const walk = { dns, server, lookups: 0 }
  const isCovering = await evaluateRecord(walk, domain, record)
  const isOpen = /(^|\s)\+?all(\s|$)/i.test(record)
  return { kind: 'found', record, isCovering, isOpen, isTooDeep: walk.lookups > MAX_LOOKUPS }
}

const isSpf = (record: string) => /^v=spf1(\s|$)/i.test(record)

/** Evaluates the whole record even after a match, to count the look-ups of the worst case. */
async function evaluateRecord(walk: Walk, domain: string, record: string): Promise<boolean> {
  let isCovered = false
  for (const term of record.trim().split(/\s+/).slice(1)) {
    if (walk.lookups > MAX_LOOKUPS) break
    isCovered = (await matches(walk, domain, term)) || isCovered
  }
  return isCovered
}

async function matches(walk: Walk, domain: string, term: string): Promise<boolean> {
  const [whole = '', sign = '', name = ''] = /^([+?~-]?)([a-z0-9]+)[:=]?/i.exec(term) ?? []
  const value = term.slice(whole.length)
  if (sign && sign !== '+') return false
  const target = value.split('/')[0] || domain
  switch (name.toLowerCase()) {
    case 'ip4':
    case 'ip6':
      return walk.server.addresses.some((address) => isWithin(address, value))
    case 'a':
      return isAmong(walk, target)
    case 'mx':
      return isMailHost(walk, target)
    case 'include':
    case 'redirect':
      return includes(walk, value)
    case 'exists':
    case 'ptr':
      walk.lookups += 1
      return false
    default:
      return false
  }
}

async function includes(walk: Walk, target: string): Promise<boolean> {
  walk.lookups += 1
  if (walk.lookups > MAX_LOOKUPS || target === '' || target.includes('%')) return false
  const answer = await walk.dns.txt(target)
  const record = answer.kind === 'found' ? answer.rows.find(isSpf) : undefined
  const isCovered = record !== undefined && (await evaluateRecord(walk, target, record))
  return isCovered || target.toLowerCase() === spfOfProvider(walk.server.host)
}

async function isAmong(walk: Walk, name: string): Promise<boolean> {
  walk.lookups += 1
  const answer = await walk.dns.addresses(name)
  return answer.kind === 'found' && answer.rows.some((address) => walk.server.addresses.includes(address))
}

async function isMailHost(walk: Walk, name: string): Promise<boolean> {
  walk.lookups += 1
  const answer = await walk.dns.mx(name)
  const hosts = answer.kind === 'found' ? answer.rows.slice(0, MAX_LOOKUPS) : []
  const found = await Promise.all(hosts.map((host) => walk.dns.addresses(host)))
  return found.some((one) => one.kind === 'found' && one.rows.some((each) => walk.server.addresses.includes(each)))
}

function isWithin(address: string, range: string): boolean {
  try {
    const ip = ipaddr.process(address)
    const [base, bits] = ipaddr.parseCIDR(range.includes('/') ? range : `${range}/${range.includes(':') ? 128 : 32}`)
    return ip.kind() === base.kind() && ip.match(base, bits)
  } catch {
    return false
  }
}

/** Large providers send from other hosts than the one that accepts the mail; these are their published SPF names. */
const PROVIDERS: [host: RegExp, spf: string][] = [
  [/(^|\.)sendgrid\.net$/, 'sendgrid.net'],
  [/(^|\.)amazonaws\.com$/, 'amazonses.com'],
  [/(^|\.)mailgun\.org$/, 'mailgun.org'],
  [/(^|\.)postmarkapp\.com$/, 'spf.mtasv.net'],
  [/(^|\.)(gmail|google)\.com$/, '_spf.google.com'],
  [/(^|\.)(office365|outlook)\.com$/, 'spf.protection.outlook.com'],
  [/(^|\.)(brevo|sendinblue)\.com$/, 'spf.brevo.com'],
  [/(^|\.)mailjet\.com$/, 'spf.mailjet.com'],
  [/(^|\.)mandrillapp\.com$/, 'spf.mandrillapp.com'],
  [/(^|\.)fastmail\.com$/, 'spf.messagingengine.com'],
]

export const spfOfProvider = (host: string): string | null =>
  PROVIDERS.find(([pattern]) => pattern.test(host.toLowerCase()))?.[1] ?? null
