import type { DnsLookup } from '../../core/net/public.ts'

// Reads DKIM (RFC 6376) and DMARC (RFC 7489, with the tree walk of its successor) records from the DNS.

export type DkimFinding =
  | { kind: 'found'; selector: string; record: string }
  | { kind: 'revoked'; selector: string }
  /** A key may exist under a selector that cannot be guessed. */
  | { kind: 'unknown' }
  | { kind: 'none' }
  | { kind: 'failed'; reason: string }

/** Common selectors of providers. */
const USUAL_SELECTORS = [
  'default',
  'dkim',
  'mail',
  'google',
  'selector1',
  'selector2',
  's1',
  's2',
  'k1',
  'k2',
  'fm1',
  'pm',
  'resend',
  'mailjet',
  'brevo1',
  'zoho',
  'recoup',
]

/** Looks for the selector's key, or without one for those of common selectors. */
export async function readDkim(dns: DnsLookup, domain: string, selector?: string): Promise<DkimFinding> {
  const selectors = selector ? [selector] : USUAL_SELECTORS
  const answers = await Promise.all(selectors.map((name) => dns.txt(`${name}._domainkey.${domain}`)))
  let revoked: DkimFinding | null = null
  for (const [index, answer] of answers.entries()) {
    if (answer.kind !== 'found') continue
    const record = answer.rows.find((row) => /(^|;)\s*p=/i.test(row))
    if (!record) continue
    if (/(^|;)\s*p=\s*[^;\s]/i.test(record)) return { kind: 'found', selector: selectors[index]!, record }
    revoked = { kind: 'revoked', selector: selectors[index]! }
  }
  if (revoked) return revoked
  const failure = answers.find((answer) => answer.kind === 'failed')
  if (failure) return failure
  if (selector) return { kind: 'none' }
  const below = await dns.txt(`_domainkey.${domain}`)
  return { kind: below.kind === 'no_name' ? 'none' : 'unknown' }
}

export type DmarcFinding =
  /** `at`: the domain with the record, which may be a parent domain. */
  | { kind: 'found'; at: string; record: string; policy: 'none' | 'quarantine' | 'reject' }
  | { kind: 'broken'; at: string; records: string[] }
  | { kind: 'none' }
  | { kind: 'failed'; reason: string }

export async function readDmarc(dns: DnsLookup, domain: string): Promise<DmarcFinding> {
  for (const at of withParents(domain)) {
    const answer = await dns.txt(`_dmarc.${at}`)
    if (answer.kind === 'failed') return answer
    const records = answer.kind === 'found' ? answer.rows.filter((row) => /^v=DMARC1\s*(;|$)/i.test(row)) : []
    if (records.length === 0) continue
    const [record] = records as [string]
    const policy = /(?:^|;)\s*(p|sp)=/i.test(record) ? readPolicy(record, at !== domain) : null
    return records.length === 1 && policy ? { kind: 'found', at, record, policy } : { kind: 'broken', at, records }
  }
  return { kind: 'none' }
}

/** For a subdomain of the record's domain, `sp` takes precedence. */
function readPolicy(record: string, isBelow: boolean) {
  const value = (tag: string) => new RegExp(`(?:^|;)\\s*${tag}=\\s*(\\w+)`, 'i').exec(record)?.[1]?.toLowerCase()
  const policy = (isBelow ? value('sp') : undefined) ?? value('p')
  return policy === 'none' || policy === 'quarantine' || policy === 'reject' ? policy : null
}

/** The domain and its parents without the top-level domain; at most eight queries. */
function withParents(domain: string): string[] {
  const labels = domain.split('.')
  const all = labels.map((_, index) => labels.slice(index).join('.')).filter((name) => name.includes('.'))
  return all.length <= 8 ? all : [domain, ...all.slice(-7)]
}
