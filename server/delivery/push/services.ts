import { isIP } from 'node:net'

// The allowed push services (P3). An endpoint comes from a browser, so it is untrusted input. Pure.

export interface ServiceRules {
  /** `PUSH_SERVICES`: host names, or `*.` with a suffix. */
  pushServices: readonly string[]
  /** Allows services on this machine, for tests and the demo. */
  isLocal: boolean
}

export const isLoopbackHost = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host)

/** Returns the service's host; null: not an allowed service. */
export function findService(endpoint: string, { pushServices, isLocal }: ServiceRules): string | null {
  if (!URL.canParse(endpoint)) return null
  const { protocol, hostname, port, username, password } = new URL(endpoint)
  if (username || password) return null
  if (isLocal && isLoopbackHost(hostname)) return hostname
  if (protocol !== 'https:' || port !== '' || isIP(hostname.replace(/^\[|\]$/g, ''))) return null
  return pushServices.some((service) => isHostOf(hostname, service)) ? hostname : null
}

const isHostOf = (host: string, service: string): boolean =>
  service.startsWith('*.') ? host.endsWith(service.slice(1)) && host.length > service.length - 1 : host === service
