import type { IncomingMessage, Server } from 'node:http'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

// Who is at the other end of a connection: proxies whose word about the client is believed, and how much one client may hold open.

/** `10.0.0.0/8` or `192.0.2.7`. */
export const isAddressOrRange = (text: string): boolean =>
  isIP(text.split('/')[0]!) !== 0 && (text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text))

/** Whether an address is one of these addresses or lies in one of these ranges. */
export function openRanges(list: readonly string[]): (address: string) => boolean {
  const ranges = list.map((each) => (each.includes('/') ? ipaddr.parseCIDR(each) : single(each)))
  const isIn = (address: string) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
  }
  // Asked of every request, and nearly always about the same one: the proxy.
  let lastIn: string | null = null
  return (address) => {
    if (address === lastIn) return true
    const answer = isIn(address)
    if (answer) lastIn = address
    return answer
  }
}

function single(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address)
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
}

/** Who asks, by the words of proxies that are trusted: the last address they do not vouch for, as Fastify reads it. */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  isTrusted: (address: string) => boolean,
): string {
  const said = String(headers['x-forwarded-for'] ?? '')
  const hops = said.split(',').flatMap((hop) => hop.trim() || [])
  let address = socket.remoteAddress ?? ''
  while (hops.length > 0 && isTrusted(address)) address = hops.pop()!
  return address
}

/** A household or a server has a whole /64 of IPv6. */
export function clientKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

/** Shops' staff and shoppers behind one address hold tens; whoever holds hundreds wants the server to run out of them. */
export const MOST_CONNECTIONS = 500

/** What a client opens beyond that is closed at once. A trusted proxy brings many clients along, and counts them itself. */
export function limitConnections(
  server: Server,
  { isTrusted, onRefused }: { isTrusted: (address: string) => boolean; onRefused: () => void },
): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    if (isTrusted(address)) return
    const client = clientKey(address)
    const count = (open.get(client) ?? 0) + 1
    if (count > MOST_CONNECTIONS) {
      socket.destroy()
      return onRefused()
    }
    open.set(client, count)
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1
      if (left > 0) open.set(client, left)
      else open.delete(client)
    })
  })
}

/** Two servers in a row may each believe another of two Host headers; RFC 9112 wants the request refused. */
export const hasOneHost = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length <= 1
