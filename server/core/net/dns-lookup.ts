import { type LookupAddress, lookup as lookUpBySystem } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

// Host names of shops, asked of the DNS over sockets. The system's own look-up holds a thread until the name server answers, and there are 64
// for it: that many shops with a silent name server would keep all others waiting.

interface Options {
  /** Empty: the system's own. */
  servers?: readonly string[]
  timeoutMs?: number
  /** Instead of the system's own look-up. */
  fallback?: LookupFunction
}

/** The name is unknown, or no resolver was reached: then the system's own look-up, which knows its file of hosts, does not hang either. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'EBADNAME'])
const SILENT = new Set(['ETIMEOUT', 'ECANCELLED'])

/**
 * An error that the DNS answers with (SERVFAIL, REFUSED) is final: a resolver gives it where the servers behind it are slow, and the system's
 * look-up would hold a thread for them once more.
 */
export function dnsLookup({
  servers = [],
  timeoutMs = 2_000,
  fallback = lookUpBySystem as LookupFunction,
}: Options = {}): LookupFunction {
  return (hostname, wanted, callback) => {
    // The DNS knows no such names, and may be out of reach.
    if (!hostname.includes('.') || hostname.endsWith('.localhost')) return fallback(hostname, wanted, callback)
    const answer = (found: LookupAddress[] | Failure) => {
      if (found === 'silent') return callback(failure(hostname, 'ETIMEDOUT'), '', 0)
      if (found === 'failed') return callback(failure(hostname, 'EAI_FAIL'), '', 0)
      if (found === 'unknown') return fallback(hostname, wanted, callback)
      if (wanted.all) return callback(null, found)
      callback(null, found[0]!.address, found[0]!.family)
    }
    askDns(hostname, { servers, timeoutMs })
      .catch(() => 'failed' as const)
      .then(answer)
  }
}

/** A name with an IPv4 address waits only so long for its IPv6 ones. */
const PATIENCE_MS = 300

async function askDns(hostname: string, { servers, timeoutMs }: Required<Omit<Options, 'fallback'>>) {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  const six = answerOf(resolver.resolve6(hostname), 6)
  const four = await answerOf(resolver.resolve4(hostname), 4)
  const more = await (four.found.length > 0 ? Promise.race([six, sleep(PATIENCE_MS, null, { ref: false })]) : six)
  const found = [...four.found, ...(more?.found ?? [])]
  if (found.length > 0) return found
  const failures = [four.failure, more?.failure]
  return (['silent', 'failed'] as const).find((each) => failures.includes(each)) ?? 'unknown'
}

type Failure = 'silent' | 'failed' | 'unknown'

async function answerOf(asked: Promise<string[]>, family: 4 | 6) {
  try {
    const found: LookupAddress[] = (await asked).map((address) => ({ address, family }))
    return { found, failure: null }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    const failure: Failure = SILENT.has(code) ? 'silent' : UNKNOWN.has(code) ? 'unknown' : 'failed'
    return { found: [], failure }
  }
}

const failure = (hostname: string, code: string) => Object.assign(new Error(`no address of ${hostname}`), { code })
