import ipaddr from 'ipaddr.js'

// Rules of shops' link hosts: allowed names, expiry of claims, and served paths. Pure.

/** After this time an unproven claim, or a proven host that does not lead here, is deleted. */
export const UNPROVEN_MS = 7 * 86_400_000
export const FAILING_MS = 30 * 86_400_000

/** Name of the TXT record, which only the domain's DNS administrator can create. */
export const buildProofName = (host: string): string => `_recoup.${host}`

/** Whether the name is the server's own in any spelling, below it, or not public. */
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

/** Paths of messages and their logos; a shop's host serves nothing else. */
const SERVED = /^\/(?:(?:c|o|u)\/[^/?]+|brand\/[^/?]+\/[^/?]+|\.well-known\/recoup-links)$/
const PAGES = ['/cart/recover', '/unsubscribe', '/preferences']

/** Response to a request on a shop's host. `elsewhere`: redirect to the page on the server's own host. */
export function routeLinkHost(path: string): 'served' | 'elsewhere' | 'not_there' {
  if (SERVED.test(path)) return 'served'
  return PAGES.includes(path) ? 'elsewhere' : 'not_there'
}

/** Base URL of links: the shop's host if one is in use, else the server's own. */
export function chooseLinkBase(publicUrl: string, host: string | null): string {
  if (!host) return publicUrl
  const url = new URL(publicUrl)
  url.hostname = host
  return url.origin
}
