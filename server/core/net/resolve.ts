import { lookup } from 'node:dns/promises'
import { evaluateAddress } from './addresses.ts'

// Resolves a name that a user typed, for protocols other than HTTP. It is resolved once: the caller connects to the
// checked address, so DNS rebinding has no effect (X4).

export type Resolution = { address: string } | { problem: 'not_found' | 'not_public' }

/** Resolves all addresses of a name; tests replace it. */
export type LookupAll = (host: string) => Promise<string[]>

const lookUpHost: LookupAll = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** `allowsPrivate`: private and loopback addresses are allowed (ALLOW_PRIVATE_STORES). Link-local never is. */
export async function resolveGuarded(
  host: string,
  { allowsPrivate, lookupAll = lookUpHost }: { allowsPrivate: boolean; lookupAll?: LookupAll | undefined },
): Promise<Resolution> {
  const found = await withinLimit(lookupAll(host)).catch(() => [])
  if (found.length === 0) return { problem: 'not_found' }
  const address = found.find((each) => {
    const kind = evaluateAddress(each)
    return kind === 'public' || (kind === 'private' && allowsPrivate)
  })
  return address ? { address } : { problem: 'not_public' }
}

/** Limits the wait for a silent name server. */
const LIMIT_MS = 10_000

function withinLimit(looking: Promise<string[]>): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const timer = setTimeout(resolve, LIMIT_MS, [])
  return Promise.race([looking, promise]).finally(() => clearTimeout(timer))
}
