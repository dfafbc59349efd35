import { isIP } from 'node:net'

// Which push services are written to (P3). An endpoint is what a browser says, so it is an address a stranger typed. Pure.

export interface ServiceRules {
  /** `PUSH_SERVICES`: a name, or `*.` and what it ends with. */
  pushServices: readonly string[]
  /** This machine's own, as in tests and the demo. */
  isLocal: boolean
}

export const isLoopbackHost = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host)

/** The service's name; null: not one we write to. */
export function serviceOf(endpoint: string, { pushServices, isLocal }: ServiceRules): string | null {
  if (!URL.canParse(endpoint)) return null
  const { protocol, hostname, port, username, password } = new URL(endpoint)
  if (username || password) return null
  if (isLocal && isLoopbackHost(hostname)) return hostname
  if (protocol !== 'https:' || port !== '' || isIP(hostname.replace(/^\[|\]$/g, ''))) return null
  return pushServices.some((service) => isOf(hostname, service)) ? hostname : null
}

const isOf = (host: string, service: string): boolean =>
  service.startsWith('*.') ? host.endsWith(service.slice(1)) && host.length > service.length - 1 : host === service
