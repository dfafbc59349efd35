import { lookup } from 'node:dns/promises'
import { evaluateAddress } from './addresses.ts'

// The address behind a name that a stranger typed, for protocols other than HTTP. The name is looked up once: the address that was
// checked is the one that is dialled, so a second answer of the name server (DNS rebinding) changes nothing (X4).

export type Resolved = { address: string } | { problem: 'not_found' | 'not_public' }

/** Looks up all addresses of a name; tests replace it. */
export type LookupAll = (host: string) => Promise<string[]>

const systemLookup: LookupAll = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** `allowsPrivate`: private and loopback addresses are fine (ALLOW_PRIVATE_STORES). Link-local never is. */
export async function resolveGuarded(
  host: string,
  { allowsPrivate, lookupAll = systemLookup }: { allowsPrivate: boolean; lookupAll?: LookupAll | undefined },
): Promise<Resolved> {
  const found = await withinLimit(lookupAll(host)).catch(() => [])
  if (found.length === 0) return { problem: 'not_found' }
  const address = found.find((each) => {
    const kind = evaluateAddress(each)
    return kind === 'public' || (kind === 'private' && allowsPrivate)
  })
  return address ? { address } : { problem: 'not_public' }
}

/** A name server that never answers keeps nobody waiting for longer. */
const LIMIT_MS = 10_000

function withinLimit(looking: Promise<string[]>): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const timer = setTimeout(resolve, LIMIT_MS, [])
  return Promise.race([looking, promise]).finally(() => clearTimeout(timer))
}
