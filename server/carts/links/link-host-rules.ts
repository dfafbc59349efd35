import ipaddr from 'ipaddr.js'

// Pure: which names may be a shop's host for links, how long a claim lasts, and what is served on such a host.

/** A claim that nobody proves, and a proven host that does not lead here, are given up. */
export const UNPROVEN_MS = 7 * 86_400_000
export const FAILING_MS = 30 * 86_400_000

/** The TXT record that only whoever manages the name's DNS can make. */
export const proofName = (host: string): string => `_recoup.${host}`

/** Of the server itself, in any spelling and with what lies below it, or of no public name at all. */
export function isReserved(host: string, publicUrl: string): boolean {
  const bare = (name: string) =>
    name
      .toLowerCase()
      .replace(/\.$/, '')
      .replace(/^www\./, '')
  const [own, name] = [bare(new URL(publicUrl).hostname), bare(host)]
  if (name === own || name.endsWith(`.${own}`)) return true
  return (
    ipaddr.isValid(name.replace(/^\[|\]$/g, '')) || /(^|\.)(localhost|local|internal|invalid|onion|test)$/.test(name)
  )
}

/** Paths of messages and of the logos in them; everything else of the server is not there on a host of a shop's. */
const SERVED = /^\/(?:(?:c|o|u)\/[^/?]+|brand\/[^/?]+\/[^/?]+|\.well-known\/recoup-links)$/
const PAGES = ['/cart/recover', '/unsubscribe', '/preferences']

/** What a request to a host of a shop's gets. `elsewhere`: the same page on the server's own host. */
export function onLinkHost(path: string): 'served' | 'elsewhere' | 'not_there' {
  if (SERVED.test(path)) return 'served'
  return PAGES.includes(path) ? 'elsewhere' : 'not_there'
}

/** The address links begin with; the server's own where the shop has no host in use. */
export function linkBase(publicUrl: string, host: string | null): string {
  if (!host) return publicUrl
  const url = new URL(publicUrl)
  url.hostname = host
  return url.origin
}
