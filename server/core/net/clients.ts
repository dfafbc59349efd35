import type { IncomingMessage, Server } from 'node:http'
import { isIP, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

// Identifies the client of a connection behind trusted proxies, and limits its open connections.

/** `10.0.0.0/8` or `192.0.2.7`. */
export const isAddressOrRange = (text: string): boolean =>
  isIP(text.split('/')[0]!) !== 0 && (text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text))

/** Whether an address is one of these addresses or lies in one of these ranges. */
export function compileRanges(list: readonly string[]): (address: string) => boolean {
  const ranges = list.map((each) => (each.includes('/') ? ipaddr.parseCIDR(each) : toSingleRange(each)))
  const isIn = (address: string) => {
    if (!ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits))
  }
  // Called for every request, nearly always with the same address: the proxy's.
  let lastIn: string | null = null
  return (address) => {
    if (address === lastIn) return true
    const answer = isIn(address)
    if (answer) lastIn = address
    return answer
  }
}

function toSingleRange(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address)
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
}

/** The client's address according to trusted proxies: the last address that is not a trusted proxy, as in Fastify. */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  isTrusted: (address: string) => boolean,
): string {
  const header = String(headers['x-forwarded-for'] ?? '')
  const hops = header.split(',').flatMap((hop) => hop.trim() || [])
  let address = socket.remoteAddress ?? ''
  while (hops.length > 0 && isTrusted(address)) address = hops.pop()!
  return address
}

/** A household or server has a whole IPv6 /64. */
export function clientKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

/**
 * Staff and shoppers behind one address hold tens of connections. Hundreds indicate an attempt to exhaust the server.
 */
export const MAX_CONNECTIONS = 500

/** Closes a client's connections beyond the limit at once. A trusted proxy carries many clients and is exempt. */
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
    if (count > MAX_CONNECTIONS) {
      socket.destroy()
      return onRefused()
    }
    open.set(client, count)
    socket.once('close', () => {
      const remaining = (open.get(client) ?? 1) - 1
      if (remaining > 0) open.set(client, remaining)
      else open.delete(client)
    })
  })
}

/** Two servers in a row may each use another of two Host headers; RFC 9112 requires a refusal. */
export const hasOneHost = (rawHeaders: readonly string[]): boolean =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length <= 1
