import ipaddr from 'ipaddr.js'

/** public: anybody may be dialled there · private: only with permission · forbidden: never (metadata, unspecified, tunnels). */
export type AddressKind = 'public' | 'private' | 'forbidden'

const PRIVATE_RANGES = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat'])

/** Cloud services that hand out secrets live on addresses that look ordinary: Azure, and AWS's IPv6 metadata inside ULA. */
const METADATA = new Set(['168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254'])

/**
 * What an address is. Everything that is not plain unicast is refused even with permission: link-local is where metadata services
 * answer, and NAT64, 6to4 and Teredo smuggle an IPv4 address past the check. IPv4-mapped addresses are judged as IPv4.
 */
export function evaluateAddress(address: string): AddressKind {
  if (!ipaddr.isValid(address)) return 'forbidden'
  const parsed = ipaddr.process(address)
  if (METADATA.has(parsed.toString())) return 'forbidden'
  const range = parsed.range()
  if (range === 'unicast') return 'public'
  return PRIVATE_RANGES.has(range) ? 'private' : 'forbidden'
}

/** A name anybody on the internet could look up. */
export function isPublicName(host: string): boolean {
  if (/^[\d.]+$|:/.test(host)) return false
  return host.includes('.') && !/\.(localhost|local|internal|lan|home|test|example|invalid)$/i.test(host)
}

/** A host of an address (`URL.hostname`) that anybody on the internet could reach. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return /^[\d.]+$|:/.test(host) ? evaluateAddress(host) === 'public' : isPublicName(host)
}

/** Whether others can deliver to a server at this address: a public host, at one of the ports that WordPress delivers to. */
export function canReach(publicUrl: string): boolean {
  const url = new URL(publicUrl)
  return ['', '80', '443', '8080'].includes(url.port) && isPublicHost(url.hostname)
}
