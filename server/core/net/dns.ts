import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

// DNS queries that distinguish three results: no record of this type, no such name, or no answer.

export type DnsAnswer<Row> =
  | { kind: 'found'; rows: Row[] }
  /** The name or a name below it exists, without a record of this type. */
  | { kind: 'none' }
  /** Neither the name nor anything below it exists (RFC 8020). */
  | { kind: 'no_name' }
  | { kind: 'failed'; reason: string }

export interface DnsLookup {
  txt(name: string): Promise<DnsAnswer<string>>
  /** Mail exchangers of a name, best first. */
  mx(name: string): Promise<DnsAnswer<string>>
  /** The target of a CNAME. */
  cname(name: string): Promise<DnsAnswer<string>>
  /** IPv4 and IPv6; a literal address resolves to itself. */
  addresses(name: string): Promise<DnsAnswer<string>>
}

export interface DnsOptions {
  /** Empty: the system's name servers. */
  servers: readonly string[]
  /** Time limit for all queries of this lookup together. */
  limitMs?: number
}

/** A lookup for one occasion: unanswered queries become `failed` together when the time limit ends. */
export function openDns({ servers, limitMs = 8_000 }: DnsOptions): DnsLookup {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  setTimeout(() => resolver.cancel(), limitMs).unref()
  return {
    txt: (name) => toAnswer(resolver.resolveTxt(name).then((rows) => rows.map((parts) => parts.join('')))),
    mx: (name) => toAnswer(resolver.resolveMx(name).then(sortByPriority)),
    cname: (name) => toAnswer(resolver.resolveCname(name)),
    async addresses(name) {
      if (isIP(name)) return { kind: 'found', rows: [name] }
      const [four, six] = await Promise.all([toAnswer(resolver.resolve4(name)), toAnswer(resolver.resolve6(name))])
      const rows = [four, six].flatMap((answer) => (answer.kind === 'found' ? answer.rows : []))
      return rows.length > 0 ? { kind: 'found', rows } : four
    },
  }
}

function sortByPriority(hosts: { exchange: string; priority: number }[]): string[] {
  return hosts.sort((one, other) => one.priority - other.priority).map(({ exchange }) => exchange)
}

async function toAnswer<Row>(question: Promise<Row[]>): Promise<DnsAnswer<Row>> {
  try {
    const rows = await question
    return rows.length > 0 ? { kind: 'found', rows } : { kind: 'none' }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENODATA') return { kind: 'none' }
    if (code === 'ENOTFOUND') return { kind: 'no_name' }
    return { kind: 'failed', reason: reasons[code ?? ''] ?? 'the name server gave no usable answer' }
  }
}

const reasons: Record<string, string> = {
  ETIMEOUT: 'the name server did not answer in time',
  ECANCELLED: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server cannot be reached',
  ESERVFAIL: 'the name server reports an internal error',
  EREFUSED: 'the name server refuses to answer',
}
