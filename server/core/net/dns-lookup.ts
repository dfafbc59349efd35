import { type LookupAddress, lookup as lookUpBySystem } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Resolves host names of shops over sockets. The system's resolver holds one of 64 threads until the name server
// answers, so that 64 shops with a silent name server would delay all others.

interface Options {
  /** Empty: the system's name servers. */
  servers?: readonly string[]
  timeoutMs?: number
  /** Replaces the system's resolver. */
  fallback?: LookupFunction
}

/**
 * The name is unknown or no resolver was reached. The system's resolver, which reads the hosts file, does not hang
 * then.
 */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME'])
const SILENT = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * An error from the DNS (SERVFAIL, REFUSED) is final: resolvers send it for slow upstream servers, and the system's
 * resolver would hold a thread for them again.
 */
export function dnsLookup({
  servers = [],
  timeoutMs = 2_000,
  fallback = lookUpBySystem as LookupFunction,
}: Options = {}): LookupFunction {
  return (hostname, wanted, callback) => {
    // The DNS does not know local names and may be unreachable.
    if (!hostname.includes('.') || hostname.endsWith('.localhost')) return fallback(hostname, wanted, callback)
    const answer = (found: LookupAddress[] | Failure) => {
      if (found === 'silent') return callback(lookupError(hostname, 'ETIMEDOUT'), '', 0)
      if (found === 'failed') return callback(lookupError(hostname, 'EAI_FAIL'), '', 0)
      if (found === 'unknown') return fallback(hostname, wanted, callback)
      if (wanted.all) return callback(null, found)
      callback(null, found[0]!.address, found[0]!.family)
    }
    queryDns(hostname, { servers, timeoutMs })
      .catch(() => 'failed' as const)
      .then(answer)
  }
}

/** Maximum wait for IPv6 addresses of a name with an IPv4 address. */
const PATIENCE_MS = 300

async function queryDns(hostname: string, { servers, timeoutMs }: Required<Omit<Options, 'fallback'>>) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const six = toAnswer(resolver.resolve6(hostname), 6)
  const four = await toAnswer(resolver.resolve4(hostname), 4)
  const more = await (four.found.length > 0 ? Promise.race([six, sleep(PATIENCE_MS, null, { ref: false })]) : six)
  const found = [...four.found, ...(more?.found ?? [])]
  if (found.length > 0) return found
  const failures = [four.failure, more?.failure]
  return (['silent', 'failed'] as const).find((each) => failures.includes(each)) ?? 'unknown'
}

type Failure = 'silent' | 'failed' | 'unknown'

async function toAnswer(asked: Promise<string[]>, family: 4 | 6) {
  try {
    const found: LookupAddress[] = (await asked).map((address) => ({ address, family }))
    return { found, failure: null }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    const failure: Failure = SILENT.has(code) ? 'silent' : UNKNOWN.has(code) ? 'unknown' : 'failed'
    return { found: [], failure }
  }
}

const lookupError = (hostname: string, code: string) => Object.assign(new Error(`no address of ${hostname}`), { code })
