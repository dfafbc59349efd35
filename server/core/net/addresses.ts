import ipaddr from 'ipaddr.js'

// Classifies network addresses and hosts: which of them the server may connect to.

/** public: always allowed · private: only with permission · forbidden: never (metadata, unspecified, tunnels). */
export type AddressKind = 'public' | 'private' | 'forbidden'

const PRIVATE_RANGES = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'])

/** Metadata services on ordinary-looking addresses: Azure, and AWS's IPv6 metadata inside ULA. */
const METADATA = new Set(['168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'])

/**
 * Classifies an address. Everything but plain unicast is refused even with permission: metadata services answer on
 * link-local addresses, and NAT64, 6to4 and Teredo hide an IPv4 address. IPv4-mapped addresses count as IPv4.
 */
export function evaluateAddress(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'forbidden'
  const parsed = ipaddr.process(address)
  if (METADATA.has(parsed.toString())) return 'forbidden'
  const range = parsed.range()
  if (range === 'unicast') return 'public'
  return PRIVATE_RANGES.has(range) ? 'private' : 'forbidden'
}

/** Whether public DNS could resolve the name. */
export function isPublicName(host: string): boolean {
  if (/^[\d.]+$|:/.test(host)) return false
  return host.includes('.') && !/\.(localhost|local|internal|lan|home|test|example|invalid)$/i.test(host)
}

/** Whether a URL's hostname is reachable from the internet. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return /^[\d.]+$|:/.test(host) ? evaluateAddress(host) === 'public' : isPublicName(host)
}

/** Whether a shop can deliver to this URL: a public host, at a port that WordPress delivers to. */
export function canReach(publicUrl: string): boolean {
  const url = new URL(publicUrl)
  return ['', '80', '443', '8080'].includes(url.port) && isPublicHost(url.hostname)
}
